// A4: the live pod is of its workload's current revision, and a stopped seat has no pod.
import type { V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import type { CheckResult, LiveSandbox } from '../../model';
import { claimsSandbox, podNameOf } from '../workload';
import { identityOf, type LiveSeat, type LiveWorkload, of, workloadText } from './live-seat';

/** OnDelete StatefulSets keep an old pod, Sandboxes always do, and engines call them healthy whatever it runs. */
export function judgeRevision(live: LiveSeat): CheckResult {
  const say = of(live, 'A4');
  if (claimsSandbox(live.seat))
    return say.skip('NotDeclared', 'what a claimed pod should be, its template says: see A1');
  if (live.pod.obstacle) return say.open(live.pod.obstacle);
  if (live.workload.obstacle) return say.open(live.workload.obstacle);
  const found = live.workload.value;
  if (!found) return say.open({ reason: 'NotFound', message: `there is no ${workloadText(live)}` });
  return found.kind === 'StatefulSet'
    ? ofTemplate(live, live.pod.value, found.object)
    : ofConfig(live, live.pod.value, found.object);
}

function ofTemplate(live: LiveSeat, pod: V1Pod, set: V1StatefulSet): CheckResult {
  const say = of(live, 'A4');
  const { observedGeneration, updateRevision } = set.status ?? {};
  const revision = pod.metadata?.labels?.['controller-revision-hash'];
  const evidence = { pod: identityOf(pod), statefulSet: identityOf(set), revision, updateRevision };
  if (observedGeneration !== set.metadata?.generation || updateRevision === undefined) {
    return say.fail('StaleRevision', 'the StatefulSet controller has not seen the current template', evidence);
  }
  if (revision !== updateRevision) {
    const cure = live.seat.rollout === 'OnDelete' ? '; delete the pod to start the current one' : '';
    return say.fail(
      'StaleRevision',
      `pod ${podNameOf(live.seat)} runs an old template (${revision ?? 'no revision'}, current is ${updateRevision})${cure}`,
      evidence,
    );
  }
  return say.pass('the live pod is of the current revision', evidence);
}

/** In the environment it stays as the pod started: annotations of a Sandbox's template reach the live pod. */
const REVISION = 'STEADMESH_CONFIG_REVISION';

function ofConfig(live: LiveSeat, pod: V1Pod, sandbox: LiveSandbox): CheckResult {
  const say = of(live, 'A4');
  const current = live.seat.configRevision;
  const revision = pod.spec?.containers[0]?.env?.find(({ name }) => name === REVISION)?.value;
  const evidence = { pod: identityOf(pod), sandbox: identityOf(sandbox), revision, current };
  if (revision === current) return say.pass('the live pod is of the current revision', evidence);
  const message = `pod ${podNameOf(live.seat)} runs an old configuration (${revision ?? 'no revision'}, current is ${current}); delete the pod to start the current one`;
  return say.fail('StaleRevision', message, evidence);
}

/** A stopped seat has no pod, and nothing that would make one. */
export function judgeStopped(live: LiveSeat): CheckResult {
  const say = of(live, 'A4');
  const { seat, facts, workload } = live;
  if (facts.pods.obstacle) return say.open(facts.pods.obstacle);
  const own = facts.pods.value.filter(
    ({ metadata, status }) =>
      metadata?.name === podNameOf(seat) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
  const pods = [...new Set([...own, ...live.strangers])];
  const names = pods.map(({ metadata }) => metadata?.name ?? '').sort();
  if (pods.length > 0 && pods.every(({ metadata }) => metadata?.deletionTimestamp)) {
    return say.open({ reason: 'Timeout', message: `the seat is stopped, and ${names.join(', ')} has not ended yet` });
  }
  if (pods.length > 0) {
    return say.fail('StillRunning', `the seat is stopped, and ${names.join(', ')} runs`, {
      pods: pods.map(identityOf),
    });
  }
  if (workload.obstacle) return say.open(workload.obstacle);
  if (live.sandboxClaim) {
    const evidence = { sandboxClaim: identityOf(live.sandboxClaim) };
    return say.fail('StillRunning', `the seat is stopped, and there is its ${workloadText(live)}`, evidence);
  }
  const wants = workload.value ? wantsPod(workload.value) : false;
  const evidence = { workload: workload.value && identityOf(workload.value.object) };
  if (wants) {
    return say.fail('StillRunning', `the seat is stopped, and its ${workload.value?.kind} asks for a pod`, evidence);
  }
  return say.pass('the seat is stopped and has no pod', { podsLookedAt: facts.pods.value.length, ...evidence });
}

/** Both run where nothing else is said. */
const wantsPod = (found: LiveWorkload): boolean =>
  found.kind === 'StatefulSet'
    ? (found.object.spec?.replicas ?? 1) > 0
    : found.object.spec?.operatingMode !== 'Suspended';
