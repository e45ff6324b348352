// The list of metadata addresses, and which of them a block reaches.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatAddress } from '../functions/stages/resolve/address';
import { type Cidr, parseCidr } from '../functions/stages/resolve/cidr';
import { METADATA_ADDRESSES, reachedMetadata } from '../functions/stages/resolve/metadata-addresses';

const cidrOf = (text: string): Cidr => {
  const parsed = parseCidr(text);
  if ('problem' in parsed) throw new Error(`${text}: ${parsed.problem}`);
  return parsed.cidr;
};

const metadata = suite('metadata addresses');
metadata('the list holds each address once, in canonical spelling', () => {
  const spelled = METADATA_ADDRESSES.map(({ address }) => address);
  assert.is(new Set(spelled).size, spelled.length);
  for (const { address, cidr } of METADATA_ADDRESSES) {
    assert.is(formatAddress({ family: cidr.family, value: cidr.address }), address);
  }
});
for (const known of [
  '169.254.169.254',
  '169.254.170.23',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
  'fd00:ec2::254',
]) {
  metadata(`${known} is on it`, () => assert.ok(METADATA_ADDRESSES.some(({ address }) => address === known)));
}
for (const block of ['64:ff9b::/96', '64:ff9b::a9fe:a9fe/128', '64:ff9b::a9fe:0/112'])
  metadata(`${block} reaches one through a NAT64 gateway`, () =>
    assert.ok(
      reachedMetadata({ cidr: cidrOf(block), except: [] }).some(({ address }) => address === '64:ff9b::a9fe:a9fe'),
    ),
  );
metadata('a block reaches the addresses in it that it does not except', () => {
  const block = cidrOf('169.254.169.0/24');
  assert.equal(
    reachedMetadata({ cidr: block, except: [] }).map(({ address }) => address),
    ['169.254.169.254'],
  );
  assert.equal(reachedMetadata({ cidr: block, except: [cidrOf('169.254.169.254/31')] }), []);
});
metadata.run();
