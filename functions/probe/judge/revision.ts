// A4: the live pod is of its StatefulSet's current revision, and a stopped seat has no pod.
import type { CheckResult } from '../../model';
import { identityOf, type LiveSeat, of } from './live-seat';

/** OnDelete StatefulSets keep an old pod, and engines call them healthy whatever it runs. */
export function judgeRevision(live: LiveSeat): CheckResult {
  const say = of(live, 'A4');
  if (live.pod.obstacle) return say.open(live.pod.obstacle);
  if (live.statefulSet.obstacle) return say.open(live.statefulSet.obstacle);
  const pod = live.pod.value;
  const set = live.statefulSet.value;
  if (!set) return say.open({ reason: 'NotFound', message: `there is no StatefulSet ${live.seat.name}` });
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
      `pod ${live.seat.name}-0 runs an old template (${revision ?? 'no revision'}, current is ${updateRevision})${cure}`,
      evidence,
    );
  }
  return say.pass('the live pod is of the current revision', evidence);
}

/** A stopped seat has no pod, and nothing that would make one. */
export function judgeStopped(live: LiveSeat): CheckResult {
  const say = of(live, 'A4');
  const { seat, facts, statefulSet } = live;
  if (facts.pods.obstacle) return say.open(facts.pods.obstacle);
  const own = facts.pods.value.filter(
    ({ metadata, status }) =>
      metadata?.name === `${seat.name}-0` && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
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
  if (statefulSet.obstacle) return say.open(statefulSet.obstacle);
  const replicas = statefulSet.value?.spec?.replicas ?? (statefulSet.value ? 1 : 0);
  if (replicas > 0) {
    const message = `the seat is stopped, and its StatefulSet asks for ${replicas}`;
    return say.fail('StillRunning', message, { statefulSet: identityOf(statefulSet.value ?? {}), replicas });
  }
  const control = {
    podsLookedAt: facts.pods.value.length,
    statefulSet: statefulSet.value && identityOf(statefulSet.value),
    replicas,
  };
  return say.pass('the seat is stopped and has no pod', control);
}
