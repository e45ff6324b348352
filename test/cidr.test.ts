// CIDR blocks: texts against what Go's net/netip says of them, sets against brute force over small ranges.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatAddress, parseAddress } from '../functions/stages/resolve/address';
import {
  type Cidr,
  compareCidrs,
  contains,
  containsCut,
  covers,
  formatCidr,
  intersection,
  parseCidr,
  reaches,
} from '../functions/stages/resolve/cidr';

const cidrOf = (text: string): Cidr => {
  const parsed = parseCidr(text);
  if ('problem' in parsed) throw new Error(`${text}: ${parsed.problem}`);
  return parsed.cidr;
};

const texts = suite('cidr text');
const ACCEPTED: readonly (readonly [text: string, canonical: string])[] = [
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['10.1.2.3/8', '10.0.0.0/8'],
  ['255.255.255.255/32', '255.255.255.255/32'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['::/0', '::/0'],
  ['2001:DB8:0:0:1:0:0:1/128', '2001:db8::1:0:0:1/128'],
  ['2001:0db8::/32', '2001:db8::/32'],
  ['2001:db8:0:1:1:1:1:1/128', '2001:db8:0:1:1:1:1:1/128'],
  ['1:2:3:4:5:6:7::/112', '1:2:3:4:5:6:7:0/112'],
  ['::1.2.3.4/128', '::102:304/128'],
  ['64:ff9b::1.2.3.4/96', '64:ff9b::/96'],
  ['fd00:ec2::254/64', 'fd00:ec2::/64'],
];
for (const [text, canonical] of ACCEPTED) {
  texts(`${text} is ${canonical}`, () => assert.is(formatCidr(cidrOf(text)), canonical));
}

const REFUSED: readonly (readonly [text: string, proposed?: string])[] = [
  [''],
  ['10.0.0.1', '10.0.0.1/32'],
  ['fd00::1', 'fd00::1/128'],
  ['010.0.0.0/8'],
  ['10.0.0.0/08'],
  ['10.0.0.0/+8'],
  ['10.0.0.0/33'],
  ['10.0.0/8'],
  ['10.0.0.256/32'],
  ['10.0.0.0/'],
  [' 10.0.0.0/8'],
  ['10.0.0.0/255.0.0.0'],
  ['10.1.2.3/0'],
  ['fd00::1/0'],
  ['fe80::1%eth0/64', 'fe80::/64'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
  ['::ffff:a9fe:a9fe/128', '169.254.169.254/32'],
  ['::ffff:0:0/64'],
  ['1:2:3:4:5:6:7::8/64'],
  ['1::2::3/64'],
  [':::/64'],
  ['12345::/64'],
  ['1:2:3/64'],
  ['1.2.3.4::/64'],
];
for (const [text, proposed] of REFUSED) {
  texts(`"${text}" is refused${proposed ? ` and ${proposed} proposed` : ''}`, () => {
    const parsed = parseCidr(text);
    assert.ok('problem' in parsed);
    assert.is('proposed' in parsed ? parsed.proposed : undefined, proposed);
  });
}

texts('says when host bits were set', () => {
  assert.equal(parseCidr('10.0.0.1/8'), { cidr: cidrOf('10.0.0.0/8'), masked: true });
  assert.equal(parseCidr('10.0.0.0/8'), { cidr: cidrOf('10.0.0.0/8'), masked: false });
});

const anyCidr = fc
  .constantFrom(4 as const, 6 as const)
  .chain((family) =>
    fc.record({
      family: fc.constant(family),
      value: fc.bigInt({ min: 0n, max: (1n << (family === 4 ? 32n : 128n)) - 1n }),
      prefix: fc.integer({ min: 1, max: family === 4 ? 32 : 128 }),
    }),
  )
  .filter(({ family, value }) => family === 4 || value >> 32n !== 0xffffn);

texts('canonical text is a fixed point', () => {
  fc.assert(
    fc.property(anyCidr, ({ prefix, ...address }) => {
      const canonical = formatCidr(cidrOf(`${formatAddress(address)}/${prefix}`));
      assert.equal(parseCidr(canonical), { cidr: cidrOf(canonical), masked: false });
      assert.is(formatCidr(cidrOf(canonical)), canonical);
    }),
  );
});
texts('an address survives its own spelling', () => {
  fc.assert(
    fc.property(anyCidr, ({ family, value }) =>
      assert.equal(parseAddress(formatAddress({ family, value })), { family, value }),
    ),
  );
});
texts('no text makes the parser throw', () => {
  const near = fc.stringMatching(/^[0-9a-f:.%/ ]{0,24}$/);
  fc.assert(fc.property(fc.oneof(near, fc.string()), (text) => void parseCidr(text)));
});
texts.run();

const sets = suite('cidr sets');
/** All of them lie in 10.0.0.0/27: 32 addresses, few enough to count. */
const smallCidr = fc
  .record({ offset: fc.integer({ min: 0, max: 31 }), prefix: fc.integer({ min: 27, max: 32 }) })
  .map(({ offset, prefix }) => cidrOf(`10.0.0.${offset}/${prefix}`));
const smallCidrs = fc.array(smallCidr, { maxLength: 6 });
const membersOf = ({ address, prefix }: Cidr): Set<bigint> =>
  new Set(Array.from({ length: 2 ** (32 - prefix) }, (_, index) => address + BigInt(index)));
const isSubset = (inner: ReadonlySet<bigint>, outer: ReadonlySet<bigint>) => [...inner].every((one) => outer.has(one));
const union = (cidrs: readonly Cidr[]) => new Set(cidrs.flatMap((cidr) => [...membersOf(cidr)]));
const cut = (cidr: Cidr, except: readonly Cidr[]) => {
  const holes = union(except);
  return new Set([...membersOf(cidr)].filter((one) => !holes.has(one)));
};

sets('contains, intersection: as counted', () => {
  fc.assert(
    fc.property(smallCidr, smallCidr, (a, b) => {
      assert.is(contains(a, b), isSubset(membersOf(b), membersOf(a)));
      const shared = intersection(a, b);
      const counted = [...membersOf(a)].filter((one) => membersOf(b).has(one));
      assert.equal(shared ? [...membersOf(shared)] : [], counted);
    }),
  );
});
sets('a union covers what counting says it covers', () => {
  fc.assert(
    fc.property(smallCidrs, smallCidr, (blocks, inner) =>
      assert.is(covers(blocks, inner), isSubset(membersOf(inner), union(blocks))),
    ),
    { numRuns: 500 },
  );
});
sets('a block with holes reaches and contains what counting says', () => {
  fc.assert(
    fc.property(smallCidr, smallCidrs, smallCidr, smallCidrs, (cidr, except, other, otherExcept) => {
      const left = cut(cidr, except);
      assert.is(
        reaches({ cidr, except }, other),
        [...membersOf(other)].some((one) => left.has(one)),
      );
      // Containment asks for the blocks to nest even where the holes leave nothing: it may say no too often, never yes.
      if (containsCut({ cidr: other, except: otherExcept }, { cidr, except })) {
        assert.ok(isSubset(left, cut(other, otherExcept)));
      }
    }),
    { numRuns: 500 },
  );
});
sets('families never meet', () => {
  assert.not.ok(contains(cidrOf('::/0'), cidrOf('10.0.0.0/8')));
  assert.not.ok(contains(cidrOf('0.0.0.0/0'), cidrOf('fd00::/8')));
  assert.not.ok(covers([cidrOf('::/0')], cidrOf('10.0.0.0/8')));
});
sets('two halves cover the whole', () => {
  assert.ok(covers([cidrOf('128.0.0.0/1'), cidrOf('0.0.0.0/1')], cidrOf('0.0.0.0/0')));
  assert.ok(covers([cidrOf('::/1'), cidrOf('8000::/1')], cidrOf('::/0')));
});
sets('sorts as numbers: family, address, prefix', () => {
  const sorted = ['9.0.0.0/8', '10.0.0.0/8', '10.0.0.0/16', '100.0.0.0/8', 'fd00::/8'];
  assert.equal([...sorted].reverse().map(cidrOf).sort(compareCidrs).map(formatCidr), sorted);
});
sets.run();
