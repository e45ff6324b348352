// A small cluster for tests of network judgement: a plan, what stands around the seat, and what its probe pods told.
import type { V1NetworkPolicySpec, V1Pod } from '@kubernetes/client-node';
import type { AgentResult, CheckResult, GroupFacts, Plan, PlannedTarget, Profile, Stretch } from '../functions/model';
import { controlTargets, type Surroundings } from '../functions/probe/targets';

const DNS = [
  { protocol: 'UDP', port: 53 },
  { protocol: 'TCP', port: 53 },
];
export const PLATFORM_RULE = {
  to: [
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'steadmesh-system' } },
      podSelector: { matchLabels: { 'steadmesh.io/component': 'platform' } },
    },
  ],
  ports: [{ protocol: 'TCP', port: 8080 }],
};
const dnsTo = (podSelector: object) => ({
  to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } }, ...podSelector }],
  ports: DNS,
});
export const DNS_RULE = dnsTo({ podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } });
export const WIDE_DNS_RULE = dnsTo({});

export const LABELS = {
  'steadmesh.io/organization': 'acme',
  'steadmesh.io/seat': 'a',
  'steadmesh.io/component': 'seat',
};
export const policyWith = (...egress: V1NetworkPolicySpec['egress'] & object): V1NetworkPolicySpec => ({
  podSelector: { matchLabels: { 'steadmesh.io/organization': 'acme', 'steadmesh.io/seat': 'a' } },
  policyTypes: ['Ingress', 'Egress'],
  egress,
});

export const profileWith = (change: Partial<Profile> = {}): Profile => ({
  digest: `sha256:${'1'.repeat(64)}`,
  tier: 'tier-0',
  isolation: 'gvisor',
  nodeLabels: [],
  audience: 'steadmesh',
  sessionTTL: undefined,
  healthPort: 8081,
  template: { metadata: { labels: { ...LABELS, 'steadmesh.io/workload': 'seat-runner' } } },
  policy: policyWith(PLATFORM_RULE, DNS_RULE),
  checks: ['N1', 'N3', 'N4', 'N5', 'N10', 'N11', 'N12', 'N13', 'N14', 'N15', 'N18', 'U1', 'U2', 'R1'],
  ...change,
});

export const planWith = (change: Partial<Plan> = {}, options: Partial<Plan['options']> = {}): Plan =>
  ({
    version: 1,
    namespace: 'seats',
    controlPlaneNamespace: 'steadmesh-system',
    prober: 'probe-seats',
    options: { settleSeconds: 20, canaries: [], dnsCanaryZone: undefined, ...options },
    platform: { host: 'platform.steadmesh-system.svc', port: 80, path: '/healthz', podPort: 8080 },
    denied: undefined,
    profiles: [profileWith()],
    seats: [],
    ...change,
  }) as unknown as Plan;

export const around = (change: Partial<Surroundings> = {}): Surroundings => ({
  witness: { addresses: ['10.244.0.9'] },
  platform: ['10.96.0.20'],
  denied: [],
  api: { service: { host: '10.96.0.1', port: 443 }, endpoints: [{ host: '192.168.1.2', port: 6443 }] },
  hostIPs: ['192.168.1.2'],
  otherNodes: [],
  seats: [],
  families: ['4'],
  ...change,
});

const target = (id: string, change: Partial<PlannedTarget>): PlannedTarget =>
  ({ id, kind: 'tcp', address: '10.0.0.1', port: 80, expect: 'deny', required: true, ...change }) as PlannedTarget;
export const TARGETS: readonly PlannedTarget[] = controlTargets(
  [
    target('t0', { check: 'N1', kind: 'http', address: '10.96.0.20', expect: 'allow', label: 'platform' }),
    target('t1', { check: 'N3', kind: 'http', address: '10.244.0.9', port: 8080, label: 'witness', witness: true }),
    target('t2', {
      check: 'N5',
      kind: 'dns-udp',
      address: '10.244.0.9',
      port: 53,
      label: 'witness DNS',
      witness: true,
    }),
    target('t3', { check: 'N10', address: '10.96.0.1', port: 443, label: 'API server' }),
    target('t4', { check: 'N4', kind: 'dns-udp', address: 'resolver', port: 53, expect: 'allow', label: 'DNS' }),
    target('t5', { check: 'N14', address: '10.244.0.7', label: 'seat b', seat: 'b', alive: 'ready' }),
  ],
  ['10.244.0.5'],
  [8081],
);
export const NONCE = 'aaaaaaaaaaaa';
export const CONTROL_NONCE = 'cccccccccccc';
/** Unix ms of S's start; C starts 4 s later, and S must have settled after 20 s. */
export const START = 1_700_000_000_000;

type Attempts = Readonly<Record<string, readonly Stretch[]>>;
const result = (change: Partial<AgentResult>): AgentResult => ({
  version: 1,
  role: 'seat',
  nonce: NONCE,
  podUID: 'u',
  startedAt: START,
  endedAt: START + 30_000,
  end: 'done',
  listening: ['tcp/8081'],
  attempts: {},
  heard: [],
  ...change,
});

const dropped: readonly Stretch[] = [['timeout', 3_010, 29_700, 9]];
const through = (word: string): readonly Stretch[] => [[word, 20, 32_900, 110]];
/** What S tells of a cluster that enforces its policy by dropping. */
export const SEAT_ATTEMPTS: Attempts = {
  t0: [
    ['timeout', 3_010, 3_010, 1],
    ['answer', 3_300, 29_900, 100],
  ],
  t1: dropped,
  t2: dropped,
  t3: dropped,
  't4/10.96.0.10': [['answer:NXDOMAIN', 30, 29_900, 110]],
  t5: dropped,
};
export const CONTROL_ATTEMPTS: Attempts = {
  t0: through('answer'),
  t1: through('echo'),
  t2: through('answer:REFUSED'),
  t3: through('connected'),
  't4/10.96.0.10': through('answer:NXDOMAIN'),
  t5: [['timeout', 3_010, 32_700, 9]],
  i0: [['timeout', 3_010, 32_700, 9]],
};
const heardBy = (nonce: string) =>
  [nonce, `${nonce}ee`].flatMap((one) => ['tcp/8080', 'udp/53'].map((port) => ({ nonce: one, port })));
export const WITNESS_HEARD = heardBy(CONTROL_NONCE);
export const heardSeat = (nonce: string, port = 'tcp/8080') => [...WITNESS_HEARD, { nonce, port }];

export interface Told {
  readonly seat?: Attempts;
  readonly control?: Attempts;
  readonly seatResult?: Partial<AgentResult>;
  readonly controlResult?: Partial<AgentResult>;
}

export const podWith = (labels: Record<string, string>, ...ips: string[]): V1Pod => ({
  metadata: { labels },
  status: { podIPs: ips.map((ip) => ({ ip })) },
});

/** A healthy group, changed: attempts by target id replace those of the healthy one. */
export const groupWith = (told: Told = {}, change: Partial<GroupFacts> = {}): GroupFacts => ({
  profile: profileWith(),
  seat: 'a',
  node: 'node-1',
  nonce: NONCE,
  controlNonce: CONTROL_NONCE,
  targets: TARGETS,
  pods: { seat: podWith({ ...LABELS, 'steadmesh.io/probe': 'netpol' }, '10.244.0.5') },
  seatResult: {
    value: result({
      silent: { count: 27, first: START + 900, last: START + 29_400, from: ['10.244.0.1'] },
      attempts: { ...SEAT_ATTEMPTS, ...told.seat },
      ...told.seatResult,
    }),
  },
  controlResult: {
    value: result({
      role: 'control',
      nonce: CONTROL_NONCE,
      startedAt: START + 4_000,
      endedAt: START + 37_000,
      witnessHeard: WITNESS_HEARD,
      attempts: { ...CONTROL_ATTEMPTS, ...told.control },
      ...told.controlResult,
    }),
  },
  settleSeconds: 20,
  ...change,
});

/** `N3 FAIL Reached`, in the order of the results. */
export const linesOf = (results: readonly CheckResult[]): string[] =>
  results.map(({ check, verdict, reason }) => [check, verdict, ...(reason ? [reason] : [])].join(' '));
