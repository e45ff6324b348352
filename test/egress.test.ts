// What a seat may reach: what each posture allows, and the order of the rules.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Access, Decision, EgressRule, Options, TrustTier } from '../functions/model';
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
    options: { ...withGateway, requireTier: false },
    rules: [PLATFORM, DNS, GATEWAY, { peers: [{ cidr: '10.0.0.0/8' }], ports: [{ protocol: 'TCP' }] }],
    usesGateway: true,
  },
  'without the tier that a seat must have, nothing direct': {
    posture: 'none',
    access: ALL_ACCESS,
    options: withGateway,
    rules: [PLATFORM, DNS, GATEWAY],
    usesGateway: true,
  },
  'without a tier a gateway must exist as well': {
    posture: 'none',
    options: { requireTier: false },
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
