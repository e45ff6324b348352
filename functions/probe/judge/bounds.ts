// U1 for a claimed sandbox: whose policies select its pod is others' to decide; what they open together is the tier's.
import type { V1NetworkPolicySpec, V1Pod } from '@kubernetes/client-node';
import { meets } from '../../kubernetes/label-selector';
import { widening } from '../../stages/resolve/policy-rules';
import { ingressBeyondRouter } from '../../stages/resolve/template-network';
import { acts, ownRules } from '../policy-reach';
import type { Judged, LivePolicy } from './own-policy';

/**
 * Each policy that selects the live pod must open no more than the tier and agent-sandbox's router, and some must close each
 * direction. A template left at its default has a policy that opens the internet: that one widens.
 */
export function judgeBounds(bounds: V1NetworkPolicySpec, pod: V1Pod | undefined, all: readonly LivePolicy[]): Judged {
  if (!pod) {
    const message = 'the claim has no pod: which policies select it does not show';
    return { verdict: 'INCONCLUSIVE', reason: 'SeatNotRunning', message } as Judged;
  }
  const labels = pod.metadata?.labels ?? {};
  const selecting = all.filter(({ selector }) => meets(labels, selector));
  for (const direction of ['Egress', 'Ingress'] as const) {
    if (selecting.some(({ policy: { spec } }) => spec && acts(spec, direction))) continue;
    const message = `no NetworkPolicy closes the pod's ${direction.toLowerCase()}: the template's is missing or selects other labels`;
    return { verdict: 'FAIL', reason: 'PolicyMissing', message, evidence: { labels } } as Judged;
  }
  const rules = ownRules(bounds);
  for (const { name, policy, opens, namespace } of selecting) {
    const path = widening({ ...opens, ingress: undefined }, () => rules) ?? openIngress(policy.spec, namespace);
    if (path === undefined) continue;
    const message = `NetworkPolicy ${name} selects the seat and opens more than its tier (${path}): policies add up`;
    return { verdict: 'FAIL', reason: 'PolicyWidens', message, evidence: { policy: name, path } } as Judged;
  }
  const control = {
    labelsOf: 'live pod',
    policies: selecting.map(({ policy: { metadata } }) => [metadata?.name, metadata?.resourceVersion]),
  };
  const message = `${selecting.length} NetworkPolicies select the seat, close both directions, and open no more than its tier`;
  return { verdict: 'PASS', message, control } as Judged;
}

/** Path of the first rule that lets in others than the router. */
function openIngress(spec: V1NetworkPolicySpec | undefined, namespace: string): string | undefined {
  if (!spec || !acts(spec, 'Ingress')) return undefined;
  const index = (spec.ingress ?? []).findIndex((rule) => ingressBeyondRouter(rule, namespace));
  return index < 0 ? undefined : `spec.ingress[${index}]`;
}
