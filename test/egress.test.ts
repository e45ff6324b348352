// What a seat may reach: postures, the order of rules, direct CIDRs and what they reach together, DNS.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Access, Decision, EgressRule, NetworkAccess, Options, TrustTier } from '../functions/model';
import { type DnsProblem, dnsProblems, dnsRule } from '../functions/stages/resolve/dns';
import { resolveEgress } from '../functions/stages/resolve/egress';
import { optionsWith, seatWith, tierWith } from './seats';

const PLATFORM: EgressRule = {
  peers: [{ namespace: 'steadmesh-system', podLabels: { 'steadmesh.io/component': 'platform' } }],
  ports: [{ protocol: 'TCP', port: 8080 }],
};
const DNS: EgressRule = {
  peers: [{ namespace: 'kube-system' }],
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
};
const GATEWAY: EgressRule = {
  peers: [{ namespace: 'steadmesh-system', podLabels: { 'steadmesh.io/component': 'egress' } }],
  ports: [{ protocol: 'TCP', port: 3128 }],
};
const withGateway = { egressURL: 'http://egress.steadmesh-system.svc:3128', egressPort: 3128 };

type Posture = TrustTier['spec']['egress'] | 'default' | 'none' | 'Gateway-Only' | 'constructor';
interface Case {
  readonly posture: Posture;
  readonly access?: Access;
  readonly options?: Partial<Options>;
  readonly rules: readonly EgressRule[];
  /** `CODE path` */
  readonly findings?: readonly string[];
  readonly usesGateway?: boolean;
}

const tierOf = (posture: Posture) => {
  if (posture === 'none') return undefined;
  return tierWith(posture === 'default' ? {} : { egress: posture as 'deny-all' });
};
const resolve = ({ posture, access = {}, options = {} }: Omit<Case, 'rules'>) =>
  resolveEgress(seatWith({ access }), tierOf(posture), optionsWith(options));
const linesOf = (findings: readonly { code: string; path?: string }[]) =>
  findings.map(({ code, path }) => `${code} ${path}`);

const ALL_ACCESS: Access = {
  egress: [{ host: 'example.com' }],
  network: [{ cidr: '10.0.0.0/8' }],
  browser: {},
  repositories: [
    { connection: 'c', host: 'github.com', repos: ['a/b'] },
    { connection: 'c', host: 'git.example.com', repos: ['a/b'], delivery: 'sandbox' },
  ],
};

const postures = suite('postures');
const POSTURES: Record<string, Case> = {
  'gateway-only: platform and DNS without asking': { posture: 'gateway-only', rules: [PLATFORM, DNS] },
  'a tier whose default was not applied is gateway-only': {
    posture: 'default',
    access: { network: [{ cidr: '10.0.0.0/8' }] },
    rules: [PLATFORM, DNS],
    findings: ['EGRESS_NOT_ALLOWED spec.access.network[0]'],
  },
  'gateway-only refuses each direct CIDR': {
    posture: 'gateway-only',
    access: { network: [{ cidr: '10.0.0.0/8' }, { cidr: '0.0.0.0/0' }] },
    rules: [PLATFORM, DNS],
    findings: ['EGRESS_NOT_ALLOWED spec.access.network[0]', 'EGRESS_NOT_ALLOWED spec.access.network[1]'],
  },
  'a host opens the gateway': {
    posture: 'gateway-only',
    access: { egress: [{ host: 'example.com' }] },
    options: withGateway,
    rules: [PLATFORM, DNS, GATEWAY],
    usesGateway: true,
  },
  'a browser opens the gateway': {
    posture: 'gateway-only',
    access: { browser: {} },
    options: withGateway,
    rules: [PLATFORM, DNS, GATEWAY],
    usesGateway: true,
  },
  'a gateway that no seat asks for stays shut': {
    posture: 'gateway-only',
    options: withGateway,
    rules: [PLATFORM, DNS],
  },
  'a repository delivered by the platform needs no gateway': {
    posture: 'gateway-only',
    access: { repositories: [{ connection: 'c', host: 'github.com', repos: ['a/b'], delivery: 'platform' }] },
    rules: [PLATFORM, DNS],
  },
  'whatever needs the gateway is named when there is none': {
    posture: 'gateway-only',
    access: { ...ALL_ACCESS, network: [] },
    rules: [PLATFORM, DNS],
    usesGateway: true,
    findings: [
      'EGRESS_GATEWAY_NOT_CONFIGURED spec.access.egress[0]',
      'EGRESS_GATEWAY_NOT_CONFIGURED spec.access.browser',
      'EGRESS_GATEWAY_NOT_CONFIGURED spec.access.repositories[1]',
    ],
  },
  'a gateway whose port is not known opens nothing': {
    posture: 'gateway-only',
    access: { browser: {} },
    options: { egressURL: 'socks5://egress.steadmesh-system.svc' },
    rules: [PLATFORM, DNS],
    usesGateway: true,
  },
  'deny-all leaves no rule, and says that the platform is out of reach': {
    posture: 'deny-all',
    options: withGateway,
    rules: [],
    findings: ['PLATFORM_UNREACHABLE spec.tierRef.name'],
  },
  'deny-all refuses every egress': {
    posture: 'deny-all',
    access: ALL_ACCESS,
    options: withGateway,
    rules: [],
    findings: [
      'EGRESS_NOT_ALLOWED spec.access.egress[0]',
      'EGRESS_NOT_ALLOWED spec.access.browser',
      'EGRESS_NOT_ALLOWED spec.access.repositories[1]',
      'EGRESS_NOT_ALLOWED spec.access.network[0]',
      'PLATFORM_UNREACHABLE spec.tierRef.name',
    ],
  },
  'deny-all with platformFromDenyAll re-opens platform and DNS, nothing else': {
    posture: 'deny-all',
    access: { browser: {} },
    options: { ...withGateway, platformFromDenyAll: true },
    rules: [PLATFORM, DNS],
    findings: ['EGRESS_NOT_ALLOWED spec.access.browser'],
  },
  'a posture in the wrong case denies all': {
    posture: 'Gateway-Only',
    rules: [],
    findings: ['PLATFORM_UNREACHABLE spec.tierRef.name'],
  },
  'a posture that is a property of every object denies all': {
    posture: 'constructor',
    rules: [],
    findings: ['PLATFORM_UNREACHABLE spec.tierRef.name'],
  },
  'without a tier: platform, DNS, gateway, then CIDRs': {
    posture: 'none',
    access: ALL_ACCESS,
    options: withGateway,
    rules: [PLATFORM, DNS, GATEWAY, { peers: [{ cidr: '10.0.0.0/8' }], ports: [{ protocol: 'TCP' }] }],
    usesGateway: true,
  },
  'without a tier a gateway must exist as well': {
    posture: 'none',
    access: { browser: {} },
    rules: [PLATFORM, DNS],
    usesGateway: true,
    findings: ['EGRESS_GATEWAY_NOT_CONFIGURED spec.access.browser'],
  },
  'the platform has the port of its pods': {
    posture: 'gateway-only',
    options: { platformPort: 9090 },
    rules: [{ ...PLATFORM, ports: [{ protocol: 'TCP', port: 9090 }] }, DNS],
  },
};
for (const [sentence, given] of Object.entries(POSTURES)) {
  postures(sentence, () => {
    const { value, findings } = resolve(given);
    assert.equal(value.rules, given.rules);
    assert.is(value.usesGateway, given.usesGateway ?? false);
    assert.equal(linesOf(findings), given.findings ?? []);
  });
}
postures('a refused wish leaves no host and no network behind', () => {
  const { value } = resolve({ posture: 'deny-all', access: ALL_ACCESS });
  assert.equal([value.hosts, value.network], [[], []]);
});
postures('decisions say where they came from', () => {
  const decisions: Decision[] = [];
  resolveEgress(seatWith(), tierWith(), optionsWith(), (decision) => decisions.push(decision));
  assert.equal(decisions[0], {
    field: 'egress.posture',
    value: 'gateway-only',
    from: 'tier',
    note: 'allows egress only through the gateway',
  });
});
postures.run();

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
    const outcome = resolve({ posture: 'none', access: { network } });
    assert.equal(linesOf(outcome.findings), findings);
    if (cidrs)
      assert.equal(
        outcome.value.network.map(({ cidr }) => cidr),
        cidrs,
      );
  });
}
direct('a rule carries except, ports and endPort', () => {
  const { value } = resolve({
    posture: 'none',
    access: { network: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'], ports: [80], endPort: 90, protocol: 'udp' }] },
  });
  assert.equal(value.rules[2], {
    peers: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }],
    ports: [{ protocol: 'UDP', port: 80, endPort: 90 }],
  });
});
direct('a masked CIDR shows what it becomes, a reachable metadata address how to except it', () => {
  const { findings } = resolve({ posture: 'none', access: { network: [{ cidr: '169.254.169.7/24' }] } });
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
      const { network: rules } = resolve({ posture: 'none', access: { network } }).value;
      assert.equal(resolve({ posture: 'none', access: { network: shuffled } }).value.network, rules);
      assert.equal(resolve({ posture: 'none', access: { network: rules } }).value.network, rules);
    }),
  );
});
direct.run();

const dns = suite('DNS');
const ports = (...numbers: number[]) =>
  numbers.flatMap((port) => [
    { protocol: 'UDP', port },
    { protocol: 'TCP', port },
  ]);
const RULES: Record<string, readonly [dns: Options['dns'], rule: unknown]> = {
  'the namespace alone': [undefined, { peers: [{ namespace: 'kube-system' }], ports: ports(53) }],
  'an empty block changes nothing': [{}, { peers: [{ namespace: 'kube-system' }], ports: ports(53) }],
  'other ports': [{ ports: [5353, 53] }, { peers: [{ namespace: 'kube-system' }], ports: ports(5353, 53) }],
  'pods of another namespace': [
    { namespace: 'openshift-dns', podLabels: { app: 'dns' } },
    { peers: [{ namespace: 'openshift-dns', podLabels: { app: 'dns' } }], ports: ports(53) },
  ],
  'pods of the same namespace': [
    { podLabels: { app: 'dns' } },
    { peers: [{ namespace: 'kube-system', podLabels: { app: 'dns' } }], ports: ports(53) },
  ],
  'addresses alone replace the namespace': [
    { cidrs: ['169.254.20.10/32'] },
    { peers: [{ cidr: '169.254.20.10/32' }], ports: ports(53) },
  ],
  'addresses beside a namespace': [
    { namespace: 'kube-system', cidrs: ['169.254.20.10/32'] },
    { peers: [{ namespace: 'kube-system' }, { cidr: '169.254.20.10/32' }], ports: ports(53) },
  ],
  'nobody left to ask is no rule, never a rule for everyone': [{ cidrs: ['nonsense'] }, undefined],
};
for (const [sentence, [given, rule]] of Object.entries(RULES)) {
  dns(sentence, () => assert.equal(dnsRule({ dns: given, dnsNamespace: 'kube-system' }), rule));
}
const PROBLEMS: Record<string, readonly [dns: NonNullable<Options['dns']>, problems: readonly string[]]> = {
  'a metadata address may answer DNS': [{ cidrs: ['169.254.169.254/32'] }, []],
  'but nothing else': [{ cidrs: ['169.254.169.254/32'], ports: [53, 5353] }, ['METADATA_REACHABLE cidrs[0]']],
  'nor as part of a block': [{ cidrs: ['169.254.0.0/16'], ports: [80] }, ['METADATA_REACHABLE cidrs[0]']],
  'other addresses may use other ports': [{ cidrs: ['169.254.20.10/32'], ports: [5353] }, []],
  'an address without a prefix': [{ cidrs: ['169.254.20.10'] }, ['INVALID_CIDR cidrs[0]']],
  'host bits, and too wide': [{ cidrs: ['10.0.0.1/7'] }, ['CIDR_MASKED cidrs[0]', 'CIDR_TOO_WIDE cidrs[0]']],
  'a bad port': [{ ports: [53, 0] }, ['INVALID_OPTION ports[1]']],
};
for (const [sentence, [given, problems]] of Object.entries(PROBLEMS)) {
  const line = ({ code, path }: DnsProblem) => `${code} ${path}`;
  dns(`problems: ${sentence}`, () => assert.equal(dnsProblems(given).map(line), problems));
}
dns.run();
