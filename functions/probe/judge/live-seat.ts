// A planned seat beside what the API server shows of it, and the words that judges of live seats share.
import type { V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import { runnerSelector, SEAT } from '../../labels';
import type {
  CheckID,
  CheckResult,
  ClusterFacts,
  Evidence,
  LiveSandbox,
  LiveSandboxClaim,
  Looked,
  Obstacle,
  Plan,
  PlannedSeat,
  Profile,
} from '../../model';
import { PROBE_LABEL } from '../identity';
import { profileOf } from '../profile';
import { claimsSandbox, podNameOf, sandboxOf, workloadOf } from '../workload';

export type LiveWorkload =
  | { readonly kind: 'StatefulSet'; readonly object: V1StatefulSet }
  | { readonly kind: 'Sandbox'; readonly object: LiveSandbox };

export interface LiveSeat {
  readonly seat: PlannedSeat;
  readonly profile: Profile;
  readonly facts: ClusterFacts;
  /** Its pod while that runs, else why there is none to judge. */
  readonly pod: Looked<V1Pod>;
  /** What makes its pod, by its own name; undefined: there is none. */
  readonly workload: Looked<LiveWorkload | undefined>;
  /** Of a seat that claims its Sandbox: the claim; undefined: there is none, or it does not show. */
  readonly sandboxClaim: LiveSandboxClaim | undefined;
  /** Other pods, not ended, that pass for the seat's: by labels, ServiceAccount or name. Probe pods are not among them. */
  readonly strangers: readonly V1Pod[];
}

export const hasEnded = ({ status }: V1Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

/** Reads pods once for all seats. */
export function liveSeats(plan: Plan, facts: ClusterFacts): LiveSeat[] {
  const pods = (facts.pods.value ?? []).filter((pod) => !hasEnded(pod) && !isProbe(pod, plan));
  const byName = new Map(facts.pods.value?.map((pod) => [pod.metadata?.name, pod]));
  const byAccount = Map.groupBy(pods, ({ spec }) => spec?.serviceAccountName);
  const byKey = Map.groupBy(pods, ({ metadata }) => metadata?.labels?.[SEAT]);
  const workload = workloads(facts);
  const claims = new Map(facts.sandboxClaims.value?.map((one) => [one.metadata?.name, one]));
  return plan.seats.map((seat) => {
    const name = podNameOf(seat);
    const selector = Object.entries(runnerSelector({ ...seat, tier: undefined }));
    const labelled = (byKey.get(seat.key) ?? []).filter(({ metadata }) =>
      selector.every(([key, value]) => metadata?.labels?.[key] === value),
    );
    const claimants = new Set([...labelled, ...(byAccount.get(seat.name) ?? [])]);
    const claim = claimsSandbox(seat) ? claims.get(seat.workload?.name) : undefined;
    const pod = claimsSandbox(seat) && sandboxOf(seat) === undefined ? unclaimed(seat, claim) : undefined;
    return {
      seat,
      profile: profileOf(plan, seat),
      facts,
      pod: facts.pods.obstacle ? { obstacle: facts.pods.obstacle } : (pod ?? running(name, byName.get(name))),
      workload: workload(seat),
      sandboxClaim: claim,
      strangers: [...claimants].filter(({ metadata }) => metadata?.name !== name),
    };
  });
}

/** How to find the workload of a seat. */
function workloads({
  statefulSets,
  sandboxes,
  sandboxClaims,
}: ClusterFacts): (seat: PlannedSeat) => LiveSeat['workload'] {
  const sets = new Map(
    statefulSets.value?.map((object) => [object.metadata?.name, { kind: 'StatefulSet', object } as const]),
  );
  const boxes = new Map(
    sandboxes.value?.map((object) => [object.metadata?.name, { kind: 'Sandbox', object } as const]),
  );
  return (seat) => {
    const obstacle =
      (claimsSandbox(seat) && sandboxClaims.obstacle) || (seat.workload ? sandboxes : statefulSets).obstacle;
    if (obstacle) return { obstacle };
    return { value: seat.workload ? boxes.get(sandboxOf(seat)) : sets.get(seat.name) };
  };
}

/** `StatefulSet seat-engineer-4cc65c59`. */
export const workloadText = ({ seat }: LiveSeat): string => {
  const { kind, name } = workloadOf(seat);
  return `${kind} ${name}`;
};

/** Why a claim has no Sandbox, as its controller says it. */
function unclaimed({ workload }: PlannedSeat, claim: LiveSandboxClaim | undefined): Looked<V1Pod> {
  const ready = claim?.status?.conditions?.find(({ type }) => type === 'Ready');
  const why = ready ? `: ${[ready.reason, ready.message].filter(Boolean).join(': ')}` : '';
  const message = claim
    ? `SandboxClaim ${workload?.name} has no Sandbox yet${why}`
    : `there is no SandboxClaim ${workload?.name}`;
  return { obstacle: { reason: 'SeatNotRunning', message } };
}

/** Of a claimed sandbox: what nobody declared in Git cannot be compared. */
export const TEMPLATE_UNKNOWN: Obstacle = {
  reason: 'TemplateUnknown',
  message: "the seat's SandboxTemplate is not in the package: nothing says what its pod should be",
};

/** Only with the probe's image: anyone can write the label. */
const isProbe = ({ metadata, spec }: V1Pod, { image }: Plan): boolean =>
  metadata?.labels?.[PROBE_LABEL] !== undefined && spec?.containers.every((one) => one.image === image) === true;

function running(name: string, pod: V1Pod | undefined): Looked<V1Pod> {
  const not = (message: string): Looked<V1Pod> => ({ obstacle: { reason: 'SeatNotRunning', message } });
  if (!pod) return not(`there is no pod ${name}`);
  if (pod.metadata?.deletionTimestamp) return not(`pod ${name} is being deleted`);
  if (pod.status?.phase === 'Running') return { value: pod };
  return not(`pod ${name} is ${pod.status?.phase ?? 'in no phase'}${waitingReason(pod)}`);
}

/** What holds a pod up: of its containers, else of the scheduler. */
function waitingReason({ status }: V1Pod): string {
  const { reason, message } =
    status?.containerStatuses?.flatMap(({ state }) => state?.waiting ?? [])[0] ??
    status?.conditions?.find((one) => one.type === 'PodScheduled' && one.status === 'False') ??
    {};
  return reason === undefined ? '' : `: ${[reason, message].filter(Boolean).join(': ')}`;
}

/** Results about one seat. */
export const of = ({ seat }: { readonly seat: Pick<PlannedSeat, 'seat'> }, check: CheckID) => {
  const about = { check, seat: seat.seat };
  return {
    pass: (message: string, control: Evidence): CheckResult => ({ ...about, verdict: 'PASS', message, control }),
    fail: (
      reason: (CheckResult & { verdict: 'FAIL' })['reason'],
      message: string,
      evidence: Evidence,
    ): CheckResult => ({ ...about, verdict: 'FAIL', reason, message, evidence }),
    open: ({ reason, message }: Obstacle): CheckResult => ({ ...about, verdict: 'INCONCLUSIVE', reason, message }),
    skip: (reason: (CheckResult & { verdict: 'SKIP' })['reason'], message: string): CheckResult => ({
      ...about,
      verdict: 'SKIP',
      reason,
      message,
    }),
  };
};

/** What a verdict rests on: which object, and which state of it. */
export const identityOf = ({
  metadata,
}: {
  readonly metadata?: { name?: string; uid?: string; resourceVersion?: string };
}): Evidence => ({
  name: metadata?.name,
  uid: metadata?.uid,
  resourceVersion: metadata?.resourceVersion,
});
