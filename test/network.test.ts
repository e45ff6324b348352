// Direct access of a seat without a tier: which rules its CIDRs become, and what they reach together.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { NetworkAccess } from '../functions/model';
import { resolveEgress } from '../functions/stages/resolve/egress';
import { optionsWith, seatWith } from './seats';

const resolve = (network: readonly NetworkAccess[]) =>
  resolveEgress(seatWith({ access: { network } }), undefined, optionsWith({ requireTier: false }));
const linesOf = (findings: readonly { code: string; path?: string }[]) =>
  findings.map(({ code, path }) => `${code} ${path}`);

const direct = suite('direct CIDRs');
interface DirectCase {
  readonly network: readonly NetworkAccess[];
  readonly cidrs?: readonly string[];
  readonly findings?: readonly string[];
}
const at = (code: string, index: number, field = 'cidr') => `${code} spec.access.network[${index}].${field}`;
const DIRECT: Record<string, DirectCase> = {
  'sorted as numbers, IPv4 first': {
    network: ['fd00:1::/32', '100.64.0.0/10', '10.0.0.0/16', '9.0.0.0/8', '10.0.0.0/8'].map((cidr) => ({ cidr })),
    cidrs: ['9.0.0.0/8', '10.0.0.0/8', '10.0.0.0/16', '100.64.0.0/10', 'fd00:1::/32'],
    findings: [at('METADATA_REACHABLE', 1)],
  },
  'wholly equal entries are one, however they are spelled': {
    network: [
      { cidr: '10.0.0.1/8', ports: [443, 80], except: ['10.2.0.0/16', '10.1.0.0/16'] },
      { cidr: '10.0.0.0/8', ports: [80, 443, 80], except: ['10.1.0.0/16', '10.2.0.0/16'], protocol: 'tcp' },
    ],
    cidrs: ['10.0.0.0/8'],
    findings: [at('CIDR_MASKED', 0)],
  },
  'entries that differ in ports, protocol or except are not merged': {
    network: [
      { cidr: '10.0.0.0/8' },
      { cidr: '10.0.0.0/8', ports: [80] },
      { cidr: '10.0.0.0/8', protocol: 'UDP' },
      { cidr: '10.0.0.0/8', protocol: 'UDP', except: ['10.1.0.0/16'], ports: [80] },
      { cidr: '10.0.0.0/8', ports: [80], endPort: 90 },
    ],
    cidrs: new Array(5).fill('10.0.0.0/8'),
    findings: [at('EXCEPT_REOPENED', 3, 'except[0]')],
  },
  'a bad CIDR is left out': { network: [{ cidr: '10.0.0.0' }], cidrs: [], findings: [at('INVALID_CIDR', 0)] },
  'a /0 at another address is an error': {
    network: [{ cidr: '10.0.0.0/0' }],
    cidrs: [],
    findings: [at('INVALID_CIDR', 0)],
  },
  'wider than /8 and /16': {
    network: [{ cidr: '16.0.0.0/7' }, { cidr: '16.0.0.0/8' }, { cidr: '2001::/15' }, { cidr: '2001::/16' }],
    findings: [at('CIDR_MASKED', 2), at('CIDR_TOO_WIDE', 0), at('CIDR_TOO_WIDE', 2)],
  },
  'except of another family, outside, or as wide': {
    network: [{ cidr: '10.0.0.0/8', except: ['fd00::/16', '11.0.0.0/16', '10.0.0.0/8', '10.0.0.0/7'] }],
    cidrs: [],
    findings: [
      at('INVALID_EXCEPT', 0, 'except[0]'),
      at('INVALID_EXCEPT', 0, 'except[1]'),
      at('INVALID_EXCEPT', 0, 'except[2]'),
      at('INVALID_EXCEPT', 0, 'except[3]'),
    ],
  },
  'an except is read as strictly as its block': {
    network: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0', '10.2.0.1/16'] }],
    cidrs: [],
    findings: [at('INVALID_CIDR', 0, 'except[0]'), at('CIDR_MASKED', 0, 'except[1]')],
  },
  'an except that another entry allows': {
    network: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }, { cidr: '10.1.2.0/24' }],
    findings: [at('EXCEPT_REOPENED', 0, 'except[0]')],
  },
  'not on other ports, nor by another protocol': {
    network: [
      { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'], ports: [80] },
      { cidr: '10.1.2.0/24', ports: [443] },
      { cidr: '10.1.3.0/24', protocol: 'UDP' },
    ],
  },
  'within the range of an endPort': {
    network: [
      { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'], ports: [80] },
      { cidr: '10.1.2.0/24', ports: [70], endPort: 90 },
    ],
    findings: [at('EXCEPT_REOPENED', 0, 'except[0]')],
  },
  'not when the other entry excepts it too, if only in two halves': {
    network: [
      { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] },
      { cidr: '10.0.0.0/9', except: ['10.1.0.0/17', '10.1.128.0/17'] },
    ],
  },
  'everything reaches the metadata addresses': {
    network: [{ cidr: '0.0.0.0/0' }, { cidr: '::/0' }],
    findings: [
      at('CIDR_TOO_WIDE', 0),
      at('METADATA_REACHABLE', 0),
      at('CIDR_TOO_WIDE', 1),
      at('METADATA_REACHABLE', 1),
    ],
  },
  'so do its two halves, by the one that holds them': {
    network: [{ cidr: '0.0.0.0/1', except: ['100.100.100.200/32'] }, { cidr: '128.0.0.0/1' }],
    findings: [at('CIDR_TOO_WIDE', 0), at('CIDR_TOO_WIDE', 1), at('METADATA_REACHABLE', 1)],
  },
  'an except does not help when another entry lets it through': {
    network: [
      { cidr: '169.254.169.0/24', except: ['169.254.169.254/32'] },
      { cidr: '169.254.169.254/32', ports: [80] },
    ],
    findings: [at('EXCEPT_REOPENED', 0, 'except[0]'), at('METADATA_REACHABLE', 1)],
  },
  'an excepted metadata address is fine': { network: [{ cidr: '169.254.169.0/24', except: ['169.254.169.254/32'] }] },
  'any port counts, and any protocol': {
    network: [{ cidr: '169.254.169.254/32', ports: [53], protocol: 'udp' }],
    findings: [at('METADATA_REACHABLE', 0)],
  },
  'IPv6 forms': {
    network: [{ cidr: 'fd00:ec2::/64' }, { cidr: 'fd20:ce::254/128' }],
    findings: [at('METADATA_REACHABLE', 0), at('METADATA_REACHABLE', 1)],
  },
  'what only the API server would refuse otherwise': {
    network: [
      { cidr: '10.0.0.0/8', protocol: '' },
      { cidr: '10.0.0.0/8', protocol: 'ICMP' },
      { cidr: '10.0.0.0/8', ports: [70000, 0, 1.5] },
      { cidr: '10.0.0.0/8', endPort: 90 },
      { cidr: '10.0.0.0/8', ports: [80, 81], endPort: 90 },
      { cidr: '10.0.0.0/8', ports: [80], endPort: 79 },
    ],
    cidrs: [],
    findings: [
      at('INVALID_VALUE', 0, 'protocol'),
      at('INVALID_VALUE', 1, 'protocol'),
      at('INVALID_VALUE', 2, 'ports[0]'),
      at('INVALID_VALUE', 2, 'ports[1]'),
      at('INVALID_VALUE', 2, 'ports[2]'),
      at('INVALID_VALUE', 3, 'endPort'),
      at('INVALID_VALUE', 4, 'endPort'),
      at('INVALID_VALUE', 5, 'endPort'),
    ],
  },
};
for (const [sentence, { network, cidrs, findings = [] }] of Object.entries(DIRECT)) {
  direct(sentence, () => {
    const outcome = resolve(network);
    assert.equal(linesOf(outcome.findings), findings);
    if (cidrs)
      assert.equal(
        outcome.value.network.map(({ cidr }) => cidr),
        cidrs,
      );
  });
}
direct('a rule carries except, ports and endPort', () => {
  const { value } = resolve([
    { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'], ports: [80], endPort: 90, protocol: 'udp' },
  ]);
  assert.equal(value.rules[2], {
    peers: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }],
    ports: [{ protocol: 'UDP', port: 80, endPort: 90 }],
  });
});
direct('a masked CIDR shows what it becomes, a reachable metadata address how to except it', () => {
  const { findings } = resolve([{ cidr: '169.254.169.7/24' }]);
  assert.equal(
    findings.map(({ code, value, proposed }) => [code, value, proposed]),
    [
      ['CIDR_MASKED', '169.254.169.7/24', '169.254.169.0/24'],
      ['METADATA_REACHABLE', '169.254.169.0/24', { except: ['169.254.169.254/32'] }],
    ],
  );
});
direct('rules are the same whatever the order of the entries, and a second pass changes nothing', () => {
  const entry = fc.record(
    {
      cidr: fc.constantFrom('10.0.0.0/8', '10.0.0.9/16', '9.0.0.0/8', 'fd01::/32', '0.0.0.0/0'),
      protocol: fc.constantFrom('TCP', 'udp', 'SCTP'),
      ports: fc.array(fc.constantFrom(80, 443, 8080), { maxLength: 3 }),
    },
    { requiredKeys: ['cidr'] },
  );
  const inAnyOrder = fc
    .array(entry, { maxLength: 6 })
    .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
  fc.assert(
    fc.property(inAnyOrder, ([network, shuffled]) => {
      const { network: rules } = resolve(network).value;
      assert.equal(resolve(shuffled).value.network, rules);
      assert.equal(resolve(rules).value.network, rules);
    }),
  );
});
direct.run();
