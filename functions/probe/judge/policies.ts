// Policies as the API server has them: a seat's own as declared, no other that opens more, and the same ones for the probe pod.

import type { V1NetworkPolicy, V1NetworkPolicyPort, V1NetworkPolicySpec, V1Pod } from '@kubernetes/client-node';
import { fieldOf } from '../../field-path';
import { meets, type Requirement, requirementsOf } from '../../kubernetes/label-selector';
import type { CheckResult, ClusterFacts, Evidence, GroupFacts, Plan, PlannedSeat } from '../../model';
import { type ForeignPolicy, foreignPolicy, widening } from '../../stages/resolve/policy-rules';
import { differences, type Path } from '../leaves';
import { policyOf, profileOf, templateOf } from '../plan';
import { acts, ownRules } from '../policy-reach';
import { podNameOf } from '../workload';
import { judgeBounds } from './bounds';

type Labels = Readonly<Record<string, string>>;
type Judged = Pick<CheckResult, 'verdict' | 'reason' | 'message' | 'evidence' | 'control'>;

/** A live policy, read once for all seats. */
export interface LivePolicy {
  readonly name: string;
  readonly namespace: string;
  readonly policy: V1NetworkPolicy;
  readonly selector: readonly Requirement[];
  readonly opens: ForeignPolicy;
}

const read = (policies: readonly V1NetworkPolicy[], namespace: string): readonly LivePolicy[] =>
  policies.map((policy) => ({
    name: policy.metadata?.name ?? '',
    namespace,
    policy,
    selector: requirementsOf(policy.spec?.podSelector),
    opens: foreignPolicy(policy.spec, namespace),
  }));

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
  const all = read(policies.value ?? [], plan.namespace);
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
  const profile = profileOf(plan, seat);
  const declared = policyOf(profile, seat);
  const own = all.find(({ name }) => name === seat.name);
  if (!own) return fail('PolicyMissing', `there is no NetworkPolicy ${seat.name}`, { policies: all.length });
  const [difference] = differences(normal(declared), normal(own.policy.spec));
  if (difference) {
    const path = pathOf(difference[0]);
    return fail('PolicyDiffers', `NetworkPolicy ${seat.name} is not the declared one: ${path}`, { path });
  }
  const labels = pod ? (pod.metadata?.labels ?? {}) : unstartedLabels(plan, seat);
  if (!meets(labels, own.selector)) {
    const message = `NetworkPolicy ${seat.name} does not select the seat's ${pod ? 'live pod: its labels were changed' : 'pods'}`;
    return fail('SelectorDiffers', message, { labels });
  }
  const uncertain = pod ? NONE : OF_THE_CONTROLLER;
  const selecting = all.filter(({ selector }) => meets(labels, selector, uncertain));
  const rules = ownRules(declared);
  for (const { name, opens } of selecting.filter((one) => one !== own)) {
    const path = widening(opens, () => rules);
    if (path === undefined) continue;
    const message = `NetworkPolicy ${name} selects the seat and opens more (${path}): policies add up, let its podSelector leave seats out`;
    return fail('PolicyWidens', message, { policy: name, path });
  }
  const control = {
    labelsOf: pod ? 'live pod' : 'template',
    policies: selecting.map(({ policy: { metadata } }) => [metadata?.name, metadata?.resourceVersion]),
  };
  const others = selecting.length - 1;
  const message = `NetworkPolicy ${seat.name} is as declared, and of ${others} others that select the seat none opens more`;
  return { verdict: 'PASS', message, control } as Judged;
}

/** Of a pod that its controller has yet to make. */
const unstartedLabels = (plan: Plan, seat: PlannedSeat): Labels => ({
  ...templateLabels(plan, seat),
  ...(seat.workload ? {} : { [POD_NAME]: podNameOf(seat) }),
});

const templateLabels = (plan: Plan, seat: PlannedSeat): Labels =>
  templateOf(profileOf(plan, seat), seat).metadata?.labels ?? {};

/** `spec.egress[0].ports[1].port`. */
const pathOf = (path: Path): string =>
  path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : fieldOf(text, step)), 'spec');

/** As the API server has it: defaults in place, and empty lists, which it leaves out, as none. An empty selector stays: it selects all. */
function normal(spec: V1NetworkPolicySpec | undefined): unknown {
  const { podSelector, ingress = [], egress = [] } = spec ?? {};
  const policyTypes = spec?.policyTypes?.length ? spec.policyTypes : ['Ingress', ...(egress.length ? ['Egress'] : [])];
  const rules = { ingress: ingress.map(withProtocol), egress: egress.map(withProtocol) };
  return withoutEmpty({ podSelector, policyTypes, ...rules });
}

const withProtocol = <Rule extends { ports?: V1NetworkPolicyPort[] }>(rule: Rule): unknown =>
  rule.ports ? { ...rule, ports: rule.ports.map((port) => ({ protocol: 'TCP', ...port })) } : rule;

/** Lists and `matchLabels` without anything in them, members that are undefined or null. Elements of lists stay. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const isEmpty = (key: string, one: unknown): boolean =>
    one === undefined ||
    one === null ||
    (Array.isArray(one) && one.length === 0) ||
    (key === 'matchLabels' && Object.keys(one as object).length === 0);
  const kept = Object.entries(value).filter(([key, one]) => !isEmpty(key, one));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutEmpty(one)]));
}

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
