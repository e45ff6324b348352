// T1: the session is not older than its tier allows, and not past the end that the seat itself names.

import { parseDuration } from '../../kubernetes/duration';
import type { CheckResult } from '../../model';
import { templateOf } from '../profile';
import { podNameOf } from '../workload';
import { identityOf, type LiveSeat, of } from './live-seat';

const EXPIRES_AT = 'seatplan.dev/session-expires-at';
const NANOSECONDS = 1_000_000n;

/** A session begins when the kubelet takes the pod, and goes on when a container restarts. */
export function judgeSession(live: LiveSeat): CheckResult {
  const say = of(live, 'T1');
  const { sessionTTL } = live.profile;
  const expiresAt = templateOf(live.profile, live.seat).metadata?.annotations?.[EXPIRES_AT];
  if (sessionTTL === undefined && expiresAt === undefined) return say.skip('NotDeclared', 'sessions have no end');
  if (live.pod.obstacle) return say.open(live.pod.obstacle);
  const pod = live.pod.value;
  // a warm pod has waited for its session, which begins when it is claimed
  const claimedAt = unixMs(live.sandboxClaim?.metadata?.creationTimestamp);
  const podAt = unixMs(pod.status?.startTime ?? pod.metadata?.creationTimestamp);
  const startedAt = live.sandboxClaim ? Math.max(podAt, claimedAt) : podAt;
  const ttl = sessionTTL === undefined ? undefined : parseDuration(sessionTTL);
  const ends = [
    ...(sessionTTL === undefined ? [] : [ttl === undefined ? Number.NaN : startedAt + Number(ttl / NANOSECONDS)]),
    ...(expiresAt === undefined ? [] : [unixMs(expiresAt)]),
  ];
  if (ends.some(Number.isNaN)) {
    return say.open({ reason: 'NotShown', message: 'the start or the end of the session cannot be read' });
  }
  const end = Math.min(...ends);
  const evidence = {
    pod: identityOf(pod),
    startedAt: textOf(startedAt),
    endsAt: textOf(end),
    lookedAt: textOf(live.facts.at),
  };
  return end > live.facts.at
    ? say.pass(`the session ends at ${textOf(end)}`, evidence)
    : say.fail(
        'SessionExpired',
        `the session ended at ${textOf(end)} and its pod still runs; delete pod ${podNameOf(live.seat)}`,
        evidence,
      );
}

/** From a client's Date or from JSON's text. */
const unixMs = (time: Date | string | undefined): number =>
  time === undefined ? Number.NaN : new Date(time).getTime();
const textOf = (time: number): string => (Number.isNaN(time) ? 'unknown' : new Date(time).toISOString());
