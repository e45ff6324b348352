// The start window: how long a pod runs before its policy comes into force.
import type { CheckResult, GroupFacts, PlannedTarget } from '../../model';
import { INGRESS_PREFIX } from '../targets';
import { isAnswer, isConnected, isControl } from '../truth';
import { controlHeard, FIRST_ROUND, heardEarly, isWhole, type Sides } from './network-sides';

/** Denied targets of S that no known gap leaves open. */
const deniedTargets = ({ targets }: GroupFacts): readonly PlannedTarget[] =>
  targets.filter(
    ({ expect, gap, check, id }) => expect === 'deny' && !gap && check !== 'N6' && !id.startsWith(INGRESS_PREFIX),
  );

/**
 * How long after its start S could still reach a denied target, in ms: the end of its last such attempt before it must
 * have settled. Where S got no answer but the witness heard it early, all of the time to settle, since nobody knows when.
 * 0: never. undefined: S left no result.
 */
export function startWindowOf(group: GroupFacts): number | undefined {
  const { value } = group.seatResult;
  if (!value) return undefined;
  const settle = group.settleSeconds * 1000;
  const ends = deniedTargets(group).map((target) => {
    const open = (value.attempts[target.id] ?? []).filter(
      ([result, first]) => first < settle && (target.witness ? isAnswer(result) : isConnected({ result })),
    );
    const last = Math.max(0, ...open.map(([, , end]) => Math.min(end, settle)));
    return last === 0 && heardEarly(group, target) ? settle : last;
  });
  return Math.max(0, ...ends);
}

/**
 * N18. That it was never open takes targets that S tried from its first moment, and that lived then: C reached one while S
 * was young, or one is the witness, which runs since before S and was reached later.
 */
export function judgeStart(
  results: readonly CheckResult[],
  sides: Sides,
): Pick<CheckResult, 'verdict' | 'reason' | 'message' | 'control' | 'evidence'> {
  const { group, seat } = sides;
  const startWindowMs = startWindowOf(group) ?? 0;
  const proven = deniedTargets(group).filter((target) =>
    results.some((one) => one.verdict === 'PASS' && one.check === target.check && one.target === target.label),
  );
  const tried = proven.filter(({ id }) => isWhole(seat.attempts[id], 0));
  const controlAt = Math.min(...tried.map((target) => firstControl(target, sides)));
  const witnessAt = startOfWitness(group) - seat.startedAt;
  const lived = controlAt <= group.settleSeconds * 1000 || (witnessAt <= 0 && tried.some(({ witness }) => witness));
  const control = {
    targets: tried.map(({ label }) => label),
    firstAttemptEndedMs: Math.min(...tried.map(({ id }) => seat.attempts[id]?.[0]?.[1] ?? FIRST_ROUND)),
    controlReachedOneAfterMs: Number.isFinite(controlAt) ? controlAt : undefined,
    witnessStartedAfterMs: Number.isFinite(witnessAt) ? witnessAt : undefined,
  };
  const open = (reason: 'NoControl' | 'NotShown' | 'ControlLate', message: string) =>
    ({ verdict: 'INCONCLUSIVE', reason, message }) as const;
  if (startWindowMs > 0) {
    const message = `for ${startWindowMs} ms after its start the pod could reach what its policy denies`;
    return {
      verdict: 'GAP',
      reason: 'StartWindow',
      message,
      evidence: { startWindowMs, firstAttemptEndedMs: control.firstAttemptEndedMs },
    };
  }
  if (proven.length === 0) return open('NoControl', 'no denied target was shown to be blocked, later on either');
  if (deniedTargets(group).some((target) => target.witness && heardEarly(group, target) === undefined)) {
    return open('NotShown', 'what the witness heard of the pod in its first moments was not told');
  }
  if (tried.length < proven.length) return open('NotShown', 'what the pod reached in its first moments was not kept');
  if (!lived) {
    return open('ControlLate', 'the control reached no denied target before the policy had to be in force');
  }
  return { verdict: 'PASS', message: 'from its first attempt on the pod was under its policy', control };
}

/** Unix ms; Infinity: not known. */
function startOfWitness({ pods: { witness } }: GroupFacts): number {
  const startedAt = witness?.status?.containerStatuses?.[0]?.state?.running?.startedAt;
  const at = startedAt === undefined ? Number.NaN : new Date(startedAt).getTime();
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at;
}

/** When C first reached the target, in ms after S's start; Infinity: it did not. */
function firstControl(target: PlannedTarget, { group, seat, controlSeen, proxied }: Sides): number {
  const reached = (controlSeen(target.id).value ?? []).filter((one) =>
    isControl(one, { target, controlHeard: controlHeard(group, target), proxied }),
  );
  return Math.min(...reached.map(({ first }) => first - seat.startedAt));
}
