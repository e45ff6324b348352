// Builders for tests of policies: a resolved seat with rules of its own, another policy, and what is said of it.
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Declared, EgressRule, Item, Located, ResolvedSeat } from '../functions/model';
import { widenedSeats } from '../functions/stages/resolve/policies';
import { seatWith } from './seats';

const OWN_RULES: readonly EgressRule[] = [
  {
    peers: [{ namespace: 'steadmesh-system', podLabels: { 'steadmesh.io/component': 'platform' } }],
    ports: [{ protocol: 'TCP', port: 8080 }],
  },
  {
    peers: [{ namespace: 'kube-system' }],
    ports: [
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
    ],
  },
  { peers: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }], ports: [{ protocol: 'TCP', port: 80, endPort: 90 }] },
  { peers: [{ cidr: '192.168.0.0/16' }], ports: [{ protocol: 'TCP' }] },
];

type Tiered = 'with a tier' | 'without a tier';
const TIER: NonNullable<ResolvedSeat['tier']> = { name: 'tier-0', isolation: 'gvisor', jurisdiction: 'eu', digest: '' };

export const resolved = (
  key: string,
  tiered: Tiered = 'with a tier',
  namespace = 'seats',
  egress = OWN_RULES,
): ResolvedSeat =>
  ({
    workload: 'StatefulSet',
    seat: seatWith({}, key, namespace),
    namespace,
    name: `seat-${key}-00000000`,
    organization: 'acme',
    key,
    tier: tiered === 'with a tier' ? TIER : undefined,
    egress,
  }) as unknown as ResolvedSeat;

export function policy(spec: unknown, item: Partial<Item> = {}): Located<KubernetesObject> {
  const apiVersion = item.apiVersion ?? 'networking.k8s.io/v1';
  return {
    object: { apiVersion, kind: 'NetworkPolicy', spec } as KubernetesObject,
    item: {
      text: '',
      origin: { line: 1, column: 1 },
      apiVersion,
      kind: 'NetworkPolicy',
      name: 'extra',
      namespace: 'seats',
      annotations: {},
      level: 'package',
      ...item,
    },
  };
}
export const findingsOf = (seats: readonly ResolvedSeat[], ...related: Located<KubernetesObject>[]) =>
  widenedSeats(seats, [], [], { tiers: [], seats: [], rest: [], related } as unknown as Declared);
export const linesOf = (seats: readonly ResolvedSeat[], ...related: Located<KubernetesObject>[]) =>
  findingsOf(seats, ...related).map(({ severity, code, path }) => `${severity} ${code} ${path}`);

export const WIDER = 'error POLICY_WIDENS_SEAT spec.egress[0]';
export const namespaceNamed = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });
export const tcp = (port: unknown, more: object = {}) => [{ protocol: 'TCP', port, ...more }];

/** A policy that selects every pod of its namespace, and says something about egress only. */
export const all = { podSelector: {}, policyTypes: ['Egress'] };

/** Egress rules that lie within those of the seat. */
export const INSIDE: Record<string, unknown> = {
  'the platform': {
    to: [
      {
        namespaceSelector: namespaceNamed('steadmesh-system'),
        podSelector: { matchLabels: { 'steadmesh.io/component': 'platform', and: 'more' } },
      },
    ],
    ports: tcp(8080),
  },
  'DNS of the whole namespace': {
    to: [{ namespaceSelector: namespaceNamed('kube-system') }],
    ports: [{ protocol: 'UDP', port: 53 }],
  },
  'some pods of a namespace that is open as a whole': {
    to: [{ namespaceSelector: namespaceNamed('kube-system'), podSelector: { matchLabels: { app: 'dns' } } }],
    ports: tcp(53),
  },
  'a namespace named by an expression': {
    to: [
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['kube-system'] }],
        },
      },
    ],
    ports: tcp(53),
  },
  'TCP is the default': { to: [{ namespaceSelector: namespaceNamed('kube-system') }], ports: [{ port: 53 }] },
  'a smaller block, clear of what is excepted': { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }], ports: tcp(80) },
  'the same block with the same hole': {
    to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
    ports: tcp(80),
  },
  'the same block with a wider hole': {
    to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/15'] } }],
    ports: tcp(80),
  },
  'a smaller range of ports': { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }], ports: tcp(82, { endPort: 84 }) },
  'every port of a protocol that is open as a whole': {
    to: [{ ipBlock: { cidr: '192.168.1.0/24' } }],
    ports: [{ protocol: 'TCP' }],
  },
};
