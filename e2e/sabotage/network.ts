// Sabotage of the network: what the policy is made of, what it is enforced by, and what the probe measures it with.
import { CONTROL_PLANE } from '../seat-package';
import type { Row } from './row';
import type { Stage } from './stage';

const SEATS = { 'steadmesh.io/component': 'seat' };
/** Nobody listens there: discard, of this machine where there is one. */
const deadCanary = '10.99.0.1:9';

const second = async ({ cluster, namespace }: Stage, spec: Readonly<Record<string, unknown>>): Promise<void> =>
  cluster.apply([
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'second', namespace },
      spec: { podSelector: { matchLabels: SEATS }, ...spec },
    },
  ]);

export const NETWORK: readonly Row[] = [
  {
    name: 'healthy',
    what: 'nothing',
    verdict: 'PASS',
    findings: [],
  },
  {
    name: 'policy-deleted',
    what: "the seat's NetworkPolicy deleted",
    sabotage: ({ cluster, the, namespace }) =>
      cluster.delete('networkpolicy', the('NetworkPolicy').metadata.name, namespace),
    verdict: 'FAIL',
    findings: [
      'U1 PolicyMissing',
      'N3 Reached',
      'N5 Reached',
      'N7 Reached',
      'N10 Reached',
      'N13 Reached',
      'N14 Reached',
    ],
  },
  {
    name: 'policy-widened',
    what: 'a second NetworkPolicy that opens all egress',
    sabotage: (stage) => second(stage, { policyTypes: ['Egress'], egress: [{}] }),
    verdict: 'FAIL',
    findings: ['U1 PolicyWidens', 'N3 Reached', 'N5 Reached', 'N7 Reached', 'N10 Reached'],
  },
  {
    name: 'ingress-opened',
    what: 'a second NetworkPolicy that opens ingress',
    sabotage: (stage) => second(stage, { policyTypes: ['Ingress'], ingress: [{}] }),
    verdict: 'FAIL',
    findings: ['U1 PolicyWidens', 'N13 Reached'],
  },
  {
    name: 'platform-down',
    what: 'the allowed target down: no pod behind the platform Service',
    package: { options: { platformURL: `http://nobody.${CONTROL_PLANE}.svc:8080` } },
    before: ({ cluster }) =>
      cluster.apply([
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'nobody', namespace: CONTROL_PLANE },
          spec: { selector: { app: 'nobody' }, ports: [{ port: 8080 }] },
        },
      ]),
    verdict: 'INCONCLUSIVE',
    findings: ['N1 TargetDead'],
  },
  {
    name: 'canary-down',
    what: 'a denied target dead for everyone: the canary down',
    package: { probe: { canaries: [deadCanary] } },
    verdict: 'INCONCLUSIVE',
    findings: ['N7 TargetDead'],
  },
  {
    name: 'dns-namespace-wide',
    what: 'DNS open to all of kube-system',
    package: { options: { dns: { namespace: 'kube-system' } } },
    verdict: 'GAP',
    findings: ['N5 DnsNamespaceWide'],
  },
  {
    name: 'engine-stopped',
    what: 'the network engine stopped, its rules flushed',
    alone: true,
    node: true,
    sabotage: async ({ cluster }) => cluster.stopNetworkPolicies(),
    restore: async ({ cluster }) => cluster.restore(),
    verdict: 'FAIL',
    findings: [...(['N3 Reached', 'N5 Reached', 'N7 Reached', 'N10 Reached', 'N13 Reached', 'N14 Reached'] as const)],
  },
];
