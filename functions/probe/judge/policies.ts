// Policies as the API server has them: a seat's own as declared, no other that opens more, and the same ones for the probe pod.

import type { V1NetworkPolicy, V1Pod } from '@kubernetes/client-node';
import { meets, requirementsOf } from '../../kubernetes/label-selector';
import type { CheckResult, ClusterFacts, Evidence, GroupFacts, Plan, PlannedSeat } from '../../model';
import { policyOf, profileOf, templateOf } from '../plan';
import { acts } from '../policy-reach';
import { podNameOf } from '../workload';
import { judgeBounds } from './bounds';
import { type Judged, judgeOwn, type Labels, type LivePolicy, readPolicies } from './own-policy';

/** Labels that controllers give to a pod; a template does not say them. */
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const OF_THE_CONTROLLER: ReadonlySet<string> = new Set([
  ...['apps.kubernetes.io/pod-index', 'controller-revision-hash'],
  ...['agents.x-k8s.io/sandbox-name-hash', 'agents.x-k8s.io/created-by'],
]);
const NONE: ReadonlySet<string> = new Set();

const fail = (reason: string, message: string, evidence: Evidence): Judged =>
  ({ verdict: 'FAIL', reason, message, evidence }) as Judged;

/**
 * U1 for every seat of the plan. Policies add up, so all that select the seat's live pod count; for a seat without a pod,
 * those that would select one of its template. What cannot be listed leaves every seat INCONCLUSIVE.
 */
export function judgePolicies(plan: Plan, { policies, pods }: ClusterFacts): CheckResult[] {
  const live = new Map(pods.value?.map((pod) => [pod.metadata?.name, pod]));
  const all = readPolicies(policies.value ?? [], plan.namespace);
  return plan.seats.map((seat) => {
    const about = { check: 'U1', seat: seat.seat } as const;
    const obstacle = policies.obstacle ?? (seat.running ? pods.obstacle : undefined);
    if (obstacle) return { ...about, verdict: 'INCONCLUSIVE', ...obstacle };
    const pod = live.get(podNameOf(seat));
    const { bounds } = profileOf(plan, seat);
    if (bounds && !seat.running)
      return { ...about, verdict: 'SKIP', reason: 'Stopped', message: 'the seat is stopped' };
    return { ...about, ...(bounds ? judgeBounds(bounds, pod, all) : judgeSeat(plan, seat, pod, all)) } as CheckResult;
  });
}

function judgeSeat(plan: Plan, seat: PlannedSeat, pod: V1Pod | undefined, all: readonly LivePolicy[]): Judged {
  const { name } = seat;
  const declared = policyOf(profileOf(plan, seat), seat);
  const labels = pod ? (pod.metadata?.labels ?? {}) : unstartedLabels(plan, seat);
  const uncertain = pod ? NONE : OF_THE_CONTROLLER;
  return judgeOwn({ name, declared, labels, isLive: pod !== undefined, uncertain, whose: 'the seat' }, all);
}

/** Of a pod that its controller has yet to make. */
const unstartedLabels = (plan: Plan, seat: PlannedSeat): Labels => ({
  ...templateLabels(plan, seat),
  ...(seat.workload ? {} : { [POD_NAME]: podNameOf(seat) }),
});

const templateLabels = (plan: Plan, seat: PlannedSeat): Labels =>
  templateOf(profileOf(plan, seat), seat).metadata?.labels ?? {};

/** Name of a policy that may block C's way out or W's way in; undefined: none does, or policies could not be listed. */
export function blockerOf({ pods }: GroupFacts, policies: ClusterFacts['policies']): string | undefined {
  const blocks = ({ spec }: V1NetworkPolicy, pod: V1Pod | undefined, direction: 'Ingress' | 'Egress'): boolean =>
    pod !== undefined &&
    spec !== undefined &&
    acts(spec, direction) &&
    !opensAll(direction === 'Egress' ? spec.egress : spec.ingress) &&
    meets(pod.metadata?.labels ?? {}, requirementsOf(spec.podSelector));
  const found = policies.value?.find(
    (policy) => blocks(policy, pods.control, 'Egress') || blocks(policy, pods.witness, 'Ingress'),
  );
  return found?.metadata?.name;
}

/** A rule without peers and ports. */
const opensAll = (rules: readonly object[] = []): boolean => rules.some((rule) => Object.keys(rule).length === 0);

/** U2: the policies that select S are those that select the seat, and none stands in the way of the control or the witness. */
export function judgeParity(group: GroupFacts, policies: ClusterFacts['policies']): CheckResult[] {
  const about = { check: 'U2', profile: group.profile.digest, node: group.node } as const;
  if (policies.obstacle) return [{ ...about, verdict: 'INCONCLUSIVE', ...policies.obstacle }];
  const labels = group.pods.seat?.metadata?.labels;
  if (!labels) {
    const { reason, message } = group.seatResult.obstacle ?? { reason: 'NoResult', message: 'there was no probe pod' };
    return [{ ...about, verdict: 'INCONCLUSIVE', reason, message }];
  }
  return [{ ...about, ...parity(group, labels, policies.value) } as CheckResult];
}

function parity(group: GroupFacts, labels: Labels, policies: readonly V1NetworkPolicy[]): Judged {
  const names = (of: Labels, uncertain: ReadonlySet<string>): string[] =>
    policies
      .filter(({ spec }) => meets(of, requirementsOf(spec?.podSelector), uncertain))
      .map(({ metadata }) => metadata?.name ?? '')
      .sort();
  const ofSeat = { ...group.profile.template.metadata?.labels, ...identityOf(labels) };
  const probePod = names(labels, NONE);
  const seat = names(ofSeat, NONE);
  const evidence = { probePod, seat };
  const different = [
    ...probePod.filter((name) => !seat.includes(name)),
    ...seat.filter((name) => !probePod.includes(name)),
  ];
  if (different.length > 0) {
    const message = `not the same policies select the probe pod and the seat (${different.join(', ')}): the probe pod proves nothing for it`;
    return fail('SelectorDiffers', message, evidence);
  }
  const open = (reason: 'NotShown' | 'ControlBlocked', message: string): Judged =>
    ({ verdict: 'INCONCLUSIVE', reason, message, evidence }) as Judged;
  const [perhaps] = names(ofSeat, new Set([...OF_THE_CONTROLLER, POD_NAME])).filter((name) => !seat.includes(name));
  if (perhaps !== undefined) {
    return open(
      'NotShown',
      `NetworkPolicy ${perhaps} selects by labels that a controller gives to the seat's pod, which the probe pod lacks`,
    );
  }
  const blocker = blockerOf(group, { value: policies });
  if (blocker !== undefined) {
    return open(
      'ControlBlocked',
      `NetworkPolicy ${blocker} selects the control or the witness pod, so that they prove nothing: let its podSelector ` +
        'leave out steadmesh.io/probe in (control, witness)',
    );
  }
  const message = `the same ${seat.length} NetworkPolicies select the probe pod and the seat, and none its control`;
  return { verdict: 'PASS', message, control: evidence } as Judged;
}

const IDENTITY = ['steadmesh.io/', 'sandbox.users.io/'].flatMap((domain) => [`${domain}organization`, `${domain}seat`]);
/** The profile's template is that of its first seat: the seat that S stands for has an identity of its own. */
const identityOf = (labels: Labels): Labels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => IDENTITY.includes(key)));
