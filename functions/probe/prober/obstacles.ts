// Why something could not be done, as a reason of an INCONCLUSIVE: from refusals of the API server and from pods that do not run.
import type { V1Pod } from '@kubernetes/client-node';
import type { Looked, Obstacle, OpenReason } from '../../model';
import { ApiError } from './api';

const obstacle = (reason: OpenReason, message: string): Obstacle => ({ reason, message });

export const STOPPED: Obstacle = { reason: 'Interrupted', message: 'the run was stopped' };

/** Anything but an ApiError is a bug, and thrown on. */
export function obstacleOf(error: unknown): Obstacle {
  if (!(error instanceof ApiError)) throw error;
  const { code, message } = error;
  if (code === 403) return obstacle('NotPermitted', message);
  if (code === 404) return obstacle('NotFound', message);
  return obstacle('ApiUnavailable', message);
}

/** Why a pod was not created. */
export function refusalOf(error: unknown): Obstacle {
  if (!(error instanceof ApiError)) throw error;
  const { code, message } = error;
  // admission plugins have no reasons of their own; these are their words (kubernetes, plugin/pkg/admission)
  if (code === 403 && /exceeded quota|failed quota|insufficient quota/.test(message))
    return obstacle('QuotaDenied', message);
  if (code === 403 && /(?:maximum|minimum) .* usage per|max limit to request ratio/.test(message)) {
    return obstacle('LimitRangeDenied', message);
  }
  if (code === 403 && /RuntimeClass .* not found/.test(message)) return obstacle('RuntimeUnavailable', message);
  if (code === 403 && /cannot create resource/.test(message)) return obstacle('NotPermitted', message);
  if ([400, 403, 409, 422].includes(code)) return obstacle('AdmissionDenied', message);
  return obstacleOf(error);
}

/** A value, or the reason why it was not shown. */
export async function looked<T>(work: () => Promise<T>): Promise<Looked<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { obstacle: obstacleOf(error) };
  }
}

interface PodEvent {
  readonly reason?: string;
  readonly message?: string;
}

/** Of a pod that cannot be given a sandbox. The network may be late on a fresh node; containerd and CRI-O word it so when the handler is not there. */
const NO_HANDLER = /no runtime for|runtime handler/;
const sandboxTrouble = (events: readonly PodEvent[]): PodEvent | undefined =>
  events.findLast(({ reason }) => reason === 'FailedCreatePodSandBox');

const IMAGE = /^(?:ErrImage\w+|ImagePullBackOff|ImageInspectError|InvalidImageName|RegistryUnavailable)$/;

/** Why a pod cannot come to run; undefined while it still may. `events` are messages of its Warning events, newest last. */
export function stuck(pod: V1Pod, events: readonly PodEvent[]): Obstacle | undefined {
  const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting;
  if (waiting?.reason && IMAGE.test(waiting.reason)) {
    return obstacle(
      'ImageUnavailable',
      `${waiting.reason}: ${waiting.message ?? pod.spec?.containers[0]?.image ?? ''}`,
    );
  }
  const { message = '' } = sandboxTrouble(events) ?? {};
  if (NO_HANDLER.test(message)) return obstacle('RuntimeUnavailable', message);
  if (waiting?.reason === 'CreateContainerConfigError' || waiting?.reason === 'CreateContainerError') {
    return obstacle('PodFailed', `${waiting.reason}: ${waiting.message ?? ''}`);
  }
  return undefined;
}

/** Why a pod did not come to run in time. `events` as for `stuck`. */
export function late(pod: V1Pod | undefined, events: readonly PodEvent[]): Obstacle {
  const scheduled = pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return obstacle('Unschedulable', scheduled.message ?? 'no node takes the pod');
  const sandbox = sandboxTrouble(events);
  if (sandbox) return obstacle('RuntimeUnavailable', sandbox.message ?? 'the sandbox of the pod cannot be made');
  return obstacle('Timeout', `the pod is ${pod?.status?.phase ?? 'gone'} and did not come to run in time`);
}

/** Reasons of the kubelet (pkg/kubelet: eviction, preemption, nodeshutdown, lifecycle/predicate.go). */
const INTERRUPTED = /^(?:Evicted|Preempting|Terminated|NodeShutdown|Shutdown)$/;
const NO_ROOM = /^(?:OutOf\w+|NodeAffinity|TaintToleration|UnexpectedAdmissionError)$/;

/** Why a pod that ended left no result. */
export function failure(pod: V1Pod): Obstacle {
  const state = pod.status?.containerStatuses?.[0]?.state?.terminated;
  const { reason = '', message = `the pod ended as ${reason}`, conditions = [] } = pod.status ?? {};
  const disrupted = conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True');
  if (disrupted || INTERRUPTED.test(reason)) return obstacle('Interrupted', disrupted?.message ?? message);
  if (NO_ROOM.test(reason)) return obstacle('Unschedulable', message);
  const what = state
    ? `exit code ${state.exitCode}, ${state.reason ?? ''} ${state.message ?? ''}`
    : reason || 'no container ended';
  return obstacle('PodFailed', `the pod failed: ${what.trim().slice(0, 300)}`);
}
