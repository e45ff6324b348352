// Live policies, and a pod under one of its own: that one as declared, and no other that opens more.
import type { V1NetworkPolicy, V1NetworkPolicySpec } from '@kubernetes/client-node';
import { meets, type Requirement, requirementsOf } from '../../kubernetes/label-selector';
import type { CheckResult, Evidence } from '../../model';
import { type ForeignPolicy, foreignPolicy, widening } from '../../stages/resolve/policy-rules';
import { ownRules } from '../policy-reach';
import { policyDifference } from './policy-spec';

export type Labels = Readonly<Record<string, string>>;
export type Judged = Pick<CheckResult, 'verdict' | 'reason' | 'message' | 'evidence' | 'control'>;

/** A live policy, read once for all pods. */
export interface LivePolicy {
  readonly name: string;
  readonly namespace: string;
  readonly policy: V1NetworkPolicy;
  readonly selector: readonly Requirement[];
  readonly opens: ForeignPolicy;
}

export const readPolicies = (policies: readonly V1NetworkPolicy[], namespace: string): readonly LivePolicy[] =>
  policies.map((policy) => ({
    name: policy.metadata?.name ?? '',
    namespace,
    policy,
    selector: requirementsOf(policy.spec?.podSelector),
    opens: foreignPolicy(policy.spec, namespace),
  }));

export interface Own {
  /** Of the policy. */
  readonly name: string;
  readonly declared: V1NetworkPolicySpec;
  /** Of the live pod, else those that its template gives it. */
  readonly labels: Labels;
  readonly isLive: boolean;
  /** Labels that the pod may have besides. */
  readonly uncertain: ReadonlySet<string>;
  /** Whose it is, for people: `the seat`. */
  readonly whose: string;
}

const fail = (reason: string, message: string, evidence: Evidence): Judged =>
  ({ verdict: 'FAIL', reason, message, evidence }) as Judged;

export function judgeOwn(
  { name, declared, labels, isLive, uncertain, whose }: Own,
  all: readonly LivePolicy[],
): Judged {
  const own = all.find((one) => one.name === name);
  if (!own) return fail('PolicyMissing', `there is no NetworkPolicy ${name}`, { policies: all.length });
  const path = policyDifference(declared, own.policy.spec);
  if (path !== undefined)
    return fail('PolicyDiffers', `NetworkPolicy ${name} is not the declared one: ${path}`, { path });
  if (!meets(labels, own.selector)) {
    const message = `NetworkPolicy ${name} does not select ${whose}'s ${isLive ? 'live pod: its labels were changed' : 'pods'}`;
    return fail('SelectorDiffers', message, { labels });
  }
  const selecting = all.filter(({ selector }) => meets(labels, selector, uncertain));
  const rules = ownRules(declared);
  for (const other of selecting.filter((one) => one !== own)) {
    const wider = widening(other.opens, () => rules);
    if (wider === undefined) continue;
    const message = `NetworkPolicy ${other.name} selects ${whose} and opens more (${wider}): policies add up, let its podSelector leave seats out`;
    return fail('PolicyWidens', message, { policy: other.name, path: wider });
  }
  const control = {
    labelsOf: isLive ? 'live pod' : 'template',
    policies: selecting.map(({ policy: { metadata } }) => [metadata?.name, metadata?.resourceVersion]),
  };
  const message = `NetworkPolicy ${name} is as declared, and of ${selecting.length - 1} others that select ${whose} none opens more`;
  return { verdict: 'PASS', message, control } as Judged;
}
