// R, P, F and I of the pod: what the seat-labelled probe pod shows of itself, once it is shown to be the pod that was made.
import type { V1Container, V1Node, V1Pod, V1PodTemplateSpec, V1RuntimeClass } from '@kubernetes/client-node';
import { parseImageReference } from '../../kubernetes/image-reference';
import type {
  AgentResult,
  CheckID,
  CheckResult,
  Evidence,
  GroupFacts,
  Looked,
  Obstacle,
  Plan,
  Profile,
  Sight,
} from '../../model';
import { templateOf } from '../plan';
import { PROBE_CONTAINER } from '../pods';
import { judgeFilesystem } from './filesystem';
import { judgeKernelFiles } from './kernel-files';
import { judgeLimits } from './limits';
import { judgeProcess } from './process';
import { boundaryOf, judgeRuntime } from './runtime';
import { judgeToken } from './token';

/** The checks that `judgeSight` decides. */
export const SIGHT_CHECKS: readonly CheckID[] = [
  ...(['R1', 'R2', 'P1', 'P2', 'P3', 'P4', 'P7', 'P8', 'P9', 'P11'] as const),
  ...(['F1', 'F2', 'I1', 'I2'] as const),
];

/** What the checks of one pod look at. */
export interface Seen {
  readonly profile: Profile;
  /** As declared, with the names of the seat that the pod stands for. */
  readonly template: V1PodTemplateSpec;
  /** The seat's container as declared: the probe's has its mounts and its security context. */
  readonly declared: V1Container;
  /** As the API server admitted it. */
  readonly pod: V1Pod;
  readonly container: V1Container;
  readonly result: AgentResult;
  readonly sight: Sight;
  readonly node: Looked<V1Node>;
  readonly runtimeClass: Looked<V1RuntimeClass> | undefined;
}

type Bare<Result> = Result extends unknown ? Omit<Result, 'control' | 'profile' | 'node' | 'seat' | 'target'> : never;
/** A result without what all results of a pod have in common. */
export type Judged = Bare<CheckResult>;

const NOT_LOOKED_UP: Obstacle = { reason: 'NotFound', message: 'the node was not looked up' };

/**
 * One result for each check of the profile that is about what a pod shows. Without a pod, a result, or a proof that the
 * result is the pod's own, all are INCONCLUSIVE. `node` and `runtimeClass` are those of the pod; undefined: not looked up.
 */
export function judgeSight(
  plan: Plan,
  group: GroupFacts,
  node: Looked<V1Node> | undefined,
  runtimeClass: Looked<V1RuntimeClass> | undefined,
): CheckResult[] {
  const about = { profile: group.profile.digest, node: group.node };
  const asked = SIGHT_CHECKS.filter((check) => group.profile.checks.includes(check));
  const open = (check: CheckID, { reason, message }: Obstacle): CheckResult => ({
    check,
    verdict: 'INCONCLUSIVE',
    reason,
    message,
    ...about,
  });
  const seen = seenIn(plan, group, node ?? { obstacle: NOT_LOOKED_UP }, runtimeClass);
  if (seen.obstacle) return asked.map((check) => open(check, seen.obstacle));
  const judged = judge(seen.value);
  const control = controlOf(seen.value);
  return asked.map((check) => {
    const found = judged.find((one) => one.check === check);
    return found
      ? { ...found, ...about, control }
      : open(check, { reason: 'NothingChecked', message: 'no check looked at it' });
  });
}

function judge(seen: Seen): Judged[] {
  const boundary = boundaryOf(seen);
  return [
    ...judgeRuntime(seen),
    ...judgeProcess(seen, boundary),
    ...judgeKernelFiles(seen, boundary),
    judgeLimits(seen, boundary),
    ...judgeFilesystem(seen),
    ...judgeToken(seen),
  ];
}

/** The pod's word is worth something because it is this pod, of this run, with this image. */
const controlOf = ({ pod, result }: Seen): Evidence => ({
  pod: pod.metadata?.name,
  podUID: result.podUID,
  nonce: result.nonce,
  image: statusOf(pod)?.imageID,
});

const statusOf = (pod: V1Pod) => pod.status?.containerStatuses?.find(({ name }) => name === PROBE_CONTAINER);

function seenIn(
  plan: Plan,
  group: GroupFacts,
  node: Looked<V1Node>,
  runtimeClass: Looked<V1RuntimeClass> | undefined,
): Looked<Seen> {
  if (group.seatResult.obstacle) return { obstacle: group.seatResult.obstacle };
  const result = group.seatResult.value;
  const pod = group.pods.seat;
  const container = pod?.spec?.containers.find(({ name }) => name === PROBE_CONTAINER);
  const distrust = (message: string): { obstacle: Obstacle } => ({ obstacle: { reason: 'NoResult', message } });
  if (!pod || !container) return distrust('the API server did not show the pod that the result is from');
  const lie = lieOf(group, pod, result) ?? otherImage(plan, pod, container, node);
  if (lie !== undefined) return distrust(lie);
  const sight = result.seen;
  if (!sight) return distrust('the pod did not tell what it sees');
  const seat = plan.seats.find((one) => one.seat === group.seat);
  const template = seat ? templateOf(group.profile, seat) : group.profile.template;
  const declared = template.spec?.containers[0];
  if (!declared) return distrust('the plan has no container of the seat');
  return { value: { profile: group.profile, template, declared, pod, container, result, sight, node, runtimeClass } };
}

/** Why a result is not the one of this pod and run; undefined: it is. */
function lieOf({ nonce }: GroupFacts, { metadata }: V1Pod, result: AgentResult): string | undefined {
  if (result.version !== 1) return `the result is of version ${result.version}`;
  if (result.role !== 'seat') return `the result is of a ${result.role} pod`;
  if (!metadata?.uid || result.podUID !== metadata.uid) {
    return `the result is of pod ${result.podUID || '(unknown)'}, not of ${metadata?.uid}`;
  }
  return result.nonce === nonce ? undefined : 'the result has the nonce of another run';
}

const DIGEST = /@(sha256:[0-9a-f]{64})$/;

/** Whether another image than the plan's ran in the pod. One image can have several digests: its node lists them together. */
function otherImage(plan: Plan, pod: V1Pod, { image }: V1Container, node: Looked<V1Node>): string | undefined {
  const declared = parseImageReference(plan.image)?.digest;
  if (declared === undefined) {
    return image === plan.image ? undefined : `the pod was admitted with the image ${image}, not ${plan.image}`;
  }
  const imageID = statusOf(pod)?.imageID ?? '';
  const seen = DIGEST.exec(imageID)?.[1];
  if (seen === declared || imageID === declared) return undefined;
  const listed = (names: readonly string[] | undefined, digest: string): boolean =>
    names?.some((name) => name.endsWith(`@${digest}`)) === true;
  const same = node.value?.status?.images?.some(
    ({ names }) => seen !== undefined && listed(names, seen) && listed(names, declared),
  );
  return same ? undefined : `the pod ran ${imageID || 'an unknown image'}, not ${declared}`;
}
