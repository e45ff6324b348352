// The network of a template's pods: its own policy, which the controller writes, or one that the package brings.
import type { KubernetesObject } from '@kubernetes/client-node';
import { listOf, meets, recordOf, requirementsOf } from '../../kubernetes/label-selector';
import type { Located, Options } from '../../model';
import { egressOfTier } from './egress';
import { foreignPolicy, type OwnRule, ownRule, widening } from './policy-rules';
import { rangesOf } from './ports';
import type { Weakness } from './templates';
import type { SettledTier } from './tiers';

type Fields = Readonly<Record<string, unknown>>;
const POLICY = 'spec.networkPolicy';

/**
 * Policies add up, so that a seat's own could take nothing away from what a template opens: and by default it opens the
 * whole internet (agent-sandbox, extensions/controllers, its secure default). Only the router may come in.
 */
export function checkTemplateNetwork(
  { networkPolicyManagement = 'Managed', networkPolicy, podTemplate }: Fields,
  tier: SettledTier,
  namespace: string,
  related: readonly Located<KubernetesObject>[],
  options: Options,
): Weakness[] {
  if (networkPolicyManagement !== 'Managed') {
    const { labels } = recordOf(recordOf(podTemplate).metadata);
    if (isShutIn(recordOf(labels) as Readonly<Record<string, string>>, namespace, related)) return [];
    const message = `needs a NetworkPolicy for both directions: no policy of this package selects the template's pods in "${namespace}"`;
    return [['spec.networkPolicyManagement', message]];
  }
  const written = recordOf(networkPolicy);
  if (networkPolicy === undefined || networkPolicy === null)
    return [[POLICY, 'needs it written out: without it the pods reach the whole internet']];
  if (Object.keys(written).length === 0)
    return [[POLICY, 'needs `egress: []` written out: tools that drop empty maps would open the whole internet']];
  return [...checkEgress(written, tier, namespace, options), ...checkIngress(written, namespace)];
}

function checkEgress({ egress }: Fields, tier: SettledTier, namespace: string, options: Options): Weakness[] {
  const allowed = egressOfTier(tier, options).map(ownRule);
  return listOf(egress).flatMap((rule, index): Weakness[] => {
    const { egress: rules } = foreignPolicy({ egress: [rule] }, namespace);
    const policy = { podSelector: [], ingress: undefined, egress: rules };
    if (widening(policy, () => allowed) === undefined) return [];
    const posture = tier.object.spec.egress ?? 'gateway-only';
    return [[`${POLICY}.egress[${index}]`, `is ${posture}: ${ALLOWED[posture]}`]];
  });
}

const ALLOWED: Readonly<Record<'gateway-only' | 'deny-all', string>> = {
  'gateway-only': "a rule may open platform pods, DNS and the gateway's pods on their ports, and nothing more",
  'deny-all': 'no rule may open anything, unless the option platformFromDenyAll opens platform and DNS',
};

/** The router of agent-sandbox, by which users reach their sandboxes: on whatever port it likes. */
const ROUTER: OwnRule = {
  blocks: [],
  pods: [{ namespace: 'agent-sandbox-system', labels: { app: 'sandbox-router' } }],
  ports: rangesOf('TCP', []),
};

const checkIngress = ({ ingress }: Fields, namespace: string): Weakness[] =>
  listOf(ingress).flatMap((rule, index): Weakness[] => {
    if (!ingressBeyondRouter(rule, namespace)) return [];
    return [[`${POLICY}.ingress[${index}]`, 'lets nobody in but the pods of sandbox-router in agent-sandbox-system']];
  });

/** Whether an ingress rule lets in others. Read as if it were egress: who may come in is what counts, ports are not looked at. */
export function ingressBeyondRouter(rule: unknown, namespace: string): boolean {
  const { egress } = foreignPolicy({ egress: [{ to: recordOf(rule).from, ports: [{ protocol: 'TCP' }] }] }, namespace);
  return widening({ podSelector: [], ingress: undefined, egress }, () => [ROUTER]) !== undefined;
}

/** Some policy of the package closes both directions for pods with these labels. */
function isShutIn(
  labels: Readonly<Record<string, string>>,
  namespace: string,
  related: readonly Located<KubernetesObject>[],
): boolean {
  const acting = related.flatMap(({ object, item }) => {
    const { podSelector, policyTypes } = recordOf((object as { spec?: unknown }).spec);
    const isHere = item.kind === 'NetworkPolicy' && item.apiVersion.startsWith('networking.k8s.io/');
    const selects = isHere && item.namespace === namespace && meets(labels, requirementsOf(podSelector));
    return selects ? listOf(policyTypes) : [];
  });
  return acting.includes('Ingress') && acting.includes('Egress');
}
