// Policies as the API server has them: a seat's own as declared, no other that opens more, and the same ones for the probe pod.
import type { V1NetworkPolicy } from '@kubernetes/client-node';
import { canonicalJSON } from '../../kubernetes/canonical-json';
import { meets, requirementsOf } from '../../kubernetes/label-selector';
import type { CheckResult, ClusterFacts, Evidence, GroupFacts, Plan, PlannedSeat } from '../../model';
import { foreignPolicy, widening } from '../../stages/resolve/policy-rules';
import { differences } from '../leaves';
import { policyOf, profileOf, templateOf } from '../plan';
import { ownRules } from '../policy-reach';

type Labels = Readonly<Record<string, string>>;

const nameOf = ({ metadata }: V1NetworkPolicy): string => metadata?.name ?? '';
const selecting = (policies: readonly V1NetworkPolicy[], labels: Labels): V1NetworkPolicy[] =>
  policies.filter(({ spec }) => meets(labels, requirementsOf(spec?.podSelector)));

/** U1 for every seat of the plan: policies add up, so that all which select the seat count. */
export function judgePolicies(plan: Plan, { policies, pods }: ClusterFacts): CheckResult[] {
  const live = new Map(pods.value?.map((pod) => [pod.metadata?.name, pod]));
  return plan.seats.map((seat) => {
    const about = { check: 'U1', seat: seat.seat } as const;
    if (policies.obstacle) return { ...about, verdict: 'INCONCLUSIVE', ...policies.obstacle };
    const labels = live.get(`${seat.name}-0`)?.metadata?.labels;
    return { ...about, ...judgeSeat(plan, seat, labels, policies.value) } as CheckResult;
  });
}

type Judged = Pick<CheckResult, 'verdict' | 'reason' | 'message' | 'evidence' | 'control'>;
const fail = (reason: string, message: string, evidence: Evidence): Judged =>
  ({ verdict: 'FAIL', reason, message, evidence }) as Judged;

function judgeSeat(plan: Plan, seat: PlannedSeat, labels: Labels | undefined, all: readonly V1NetworkPolicy[]): Judged {
  const profile = profileOf(plan, seat);
  const declared = policyOf(profile, seat);
  const ofTemplate = templateOf(profile, seat).metadata?.labels ?? {};
  const own = all.find((policy) => nameOf(policy) === seat.name);
  if (!own) return fail('PolicyMissing', `there is no NetworkPolicy ${seat.name}`, { policies: all.map(nameOf) });
  const [difference] = differences(normal(declared), normal(own.spec));
  if (difference) {
    const path = ['spec', ...difference[0]].join('.');
    return fail('PolicyDiffers', `NetworkPolicy ${seat.name} is not the declared one: ${path}`, { path });
  }
  if (labels && !meets(labels, requirementsOf(own.spec?.podSelector))) {
    return fail('SelectorDiffers', `NetworkPolicy ${seat.name} does not select the live pod: its labels were changed`, {
      labels,
    });
  }
  const selected = selecting(all, labels ?? ofTemplate);
  for (const policy of selected.filter((one) => one !== own)) {
    const path = widening(foreignPolicy(policy.spec, plan.namespace), () => ownRules(declared));
    if (path !== undefined) {
      const message = `NetworkPolicy ${nameOf(policy)} selects the seat and opens more (${path}); policies add up`;
      return fail('PolicyWidens', message, { policy: nameOf(policy), path });
    }
  }
  const control = {
    policies: selected.map(({ metadata }) => ({ name: metadata?.name, resourceVersion: metadata?.resourceVersion })),
  };
  return {
    verdict: 'PASS',
    message: `${selected.length} NetworkPolicies select the seat, and none opens more than its own`,
    control,
  } as Judged;
}

/** What the API server adds: TCP where no protocol is given. Empty lists that it leaves out mean the same as none. */
function normal(spec: V1NetworkPolicy['spec']): unknown {
  const { podSelector, policyTypes, ingress = [], egress = [] } = spec ?? {};
  const rule = (one: object): unknown => {
    const { ports, ...rest } = one as { ports?: { protocol?: string }[] };
    return {
      ...rest,
      ...(ports ? { ports: ports.map((port) => ({ ...port, protocol: port.protocol ?? 'TCP' })) } : {}),
    };
  };
  return JSON.parse(canonicalJSON({ podSelector, policyTypes, ingress: ingress.map(rule), egress: egress.map(rule) }));
}

/** Name of a policy that selects C or W and not everything that they do is open to it; undefined: none does. */
export function blockerOf(group: GroupFacts, policies: ClusterFacts['policies']): string | undefined {
  const controls = [group.pods.control, group.pods.witness].flatMap((pod) => (pod ? [pod.metadata?.labels ?? {}] : []));
  const [first] = controls.flatMap((labels) => selecting(policies.value ?? [], labels));
  return first && nameOf(first);
}

/** U2: the policies that select S are those that select the seat, and none selects the control or the witness. */
export function judgeParity(group: GroupFacts, policies: ClusterFacts['policies']): CheckResult[] {
  const { profile, node, pods } = group;
  const about = { check: 'U2', profile: profile.digest, node } as const;
  if (policies.obstacle) return [{ ...about, verdict: 'INCONCLUSIVE', ...policies.obstacle }];
  const labels = pods.seat?.metadata?.labels;
  if (!labels)
    return [{ ...about, verdict: 'INCONCLUSIVE', reason: 'NoResult', message: 'there was no probe pod to compare' }];
  const names = (of: Labels): string[] => selecting(policies.value, of).map(nameOf).sort();
  const ofPod = names(labels);
  const ofSeat = names({ ...labels, ...profile.template.metadata?.labels, ...identityOf(labels) });
  const evidence = { probePod: ofPod, seat: ofSeat };
  if (canonicalJSON(ofPod) !== canonicalJSON(ofSeat)) {
    const message = `other policies select the probe pod (${ofPod.join(', ') || 'none'}) than the seat (${ofSeat.join(', ') || 'none'})`;
    return [{ ...about, verdict: 'FAIL', reason: 'SelectorDiffers', message, evidence }];
  }
  const blocker = blockerOf(group, policies);
  if (blocker !== undefined) {
    const message =
      `NetworkPolicy ${blocker} selects the control pods, so that they prove nothing; let its podSelector leave out ` +
      'steadmesh.io/probe in (control, witness)';
    return [{ ...about, verdict: 'INCONCLUSIVE', reason: 'ControlBlocked', message, evidence }];
  }
  const message = `${ofPod.length} NetworkPolicies select the probe pod, the same as the seat, and none its control`;
  return [{ ...about, verdict: 'PASS', message, control: evidence }];
}

/** The profile's template is that of its first seat: the seat that S stands for has labels of its own. */
const identityOf = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels).filter(([key]) => ['steadmesh.io/organization', 'steadmesh.io/seat'].includes(key)),
  );
