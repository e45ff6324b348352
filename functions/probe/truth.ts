// The truth table of a target: what the attempts of S (seat) and C (control) prove together, and what they do not.
import type { Attempt, Looked, Stretch } from '../model';
import type { CheckResult } from '../model/probe-report';

/** Attempts with one result in a row; first and last end in Unix ms. */
export interface Seen {
  readonly result: Attempt;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}
export interface Window {
  readonly from: number;
  readonly to: number;
}

type WithReason = Exclude<CheckResult, { verdict: 'PASS' }>;
type Reasoned<V> = V extends WithReason['verdict']
  ? { readonly verdict: V; readonly reason: Extract<WithReason, { verdict: V }>['reason'] }
  : never;
export type Ruling = { readonly verdict: 'PASS'; readonly reason?: undefined } | Reasoned<WithReason['verdict']>;

/** S and C run on one node, by one clock; still an attempt may take this long to end. In ms. */
const SLACK = 2000;

/** What a block looks like (Linux and gVisor; ECONNRESET is a reject with a TCP reset). */
const BLOCKED: ReadonlySet<Attempt> = new Set([
  ...['timeout', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES', 'EPERM'],
]);

/** `unknown` proves nothing: a failed lookup of a name, an error of the pod's own. */
export function outcomeOf(result: Attempt): 'connected' | 'blocked' | 'unknown' {
  if (result === 'connected' || isAnswer(result)) return 'connected';
  return BLOCKED.has(result) ? 'blocked' : 'unknown';
}
export const isConnected = ({ result }: Pick<Seen, 'result'>): boolean => outcomeOf(result) === 'connected';
export const isAnswer = (result: Attempt): boolean => result === 'echo' || /^answer(?::|$)/.test(result);
const isBlocked = ({ result }: Seen): boolean => outcomeOf(result) === 'blocked';

/** An agent keeps so many stretches of a target, and of these the first; what it drops comes after them. */
export const MOST_STRETCHES = 16;
export const FIRST_STRETCHES = 4;

/** An agent's stretches in Unix ms. */
export const seenOf = (stretches: readonly Stretch[] | undefined, startedAt: number): readonly Seen[] =>
  (stretches ?? []).map(([result, first, last, count]) => ({
    result,
    first: startedAt + first,
    last: startedAt + last,
    count,
  }));

/** The attempts that ended in a window. Of a stretch that reaches beyond it, the part within, its count by its share of the time. */
export const within = (seen: readonly Seen[], { from, to }: Window): readonly Seen[] =>
  seen
    .filter(({ first, last }) => last >= from && first <= to && from <= to)
    .map((one) => {
      const first = Math.max(one.first, from);
      const last = Math.min(one.last, to);
      const share = one.last > one.first ? (last - first) / (one.last - one.first) : 1;
      return { result: one.result, first, last, count: Math.max(1, Math.round(one.count * share)) };
    });

interface Case {
  /** S's attempts of the measuring part. */
  readonly seat: readonly Seen[];
  /** All of C's attempts, or why there are none. */
  readonly control: Looked<readonly Seen[]>;
  /** Name of another policy that selects C, so that C is no control. */
  readonly blocker?: string | undefined;
}

export interface DeniedCase extends Case {
  readonly target: {
    readonly required: boolean;
    readonly gap?: 'LocalNodeOpen';
    readonly witness?: true;
    readonly alive?: string;
  };
  /** W heard S's nonce at this target in the measuring part. undefined: W was not asked, or it is no target of W's. */
  readonly heard: boolean | undefined;
  /** W heard C's nonce at this target. */
  readonly controlHeard?: boolean | undefined;
  /** P: S reached something that it may reach, in the same window. */
  readonly allowed: boolean;
  /** C reached W in the same window. */
  readonly controlNetwork: boolean;
  /** S or C is behind a proxy that takes every connection: a connection without an answer proves nothing. */
  readonly proxied?: { readonly seat: boolean; readonly control: boolean } | undefined;
}

/** Verdict of a denied target. PASS only if S was blocked, C got through at that time, W heard nothing and S has a network. */
export function ruleDenied(denied: DeniedCase): Ruling {
  const { seat, target, heard, proxied } = denied;
  if (seat.length === 0) return open('NoResult');
  const connected = seat.filter(isConnected);
  if (connected.length > 0) {
    if (connected.length < seat.length) return failed(denied, 'Flapping');
    const silent = target.witness
      ? heard === false && !connected.some(isEcho)
      : proxied?.seat === true && connected.every(({ result }) => result === 'connected');
    return silent ? open('InterceptedByProxy') : failed(denied, 'Reached');
  }
  // What arrived is a fact, whatever S made of the answer.
  if (heard) return failed(denied, 'RequestGotOut');
  return seat.every(isBlocked) ? blocked(denied) : open('NotShown');
}

const isEcho = ({ result }: Seen): boolean => result === 'echo';
const open = (reason: Extract<Ruling, { verdict: 'INCONCLUSIVE' }>['reason']): Ruling => ({
  verdict: 'INCONCLUSIVE',
  reason,
});
const PASS: Ruling = { verdict: 'PASS' };

const failed = ({ target: { gap } }: DeniedCase, reason: 'Reached' | 'RequestGotOut' | 'Flapping'): Ruling =>
  gap ? { verdict: 'GAP', reason: gap } : { verdict: 'FAIL', reason };

/** Every attempt of S looks blocked: whether it was is for C to say. */
function blocked(denied: DeniedCase): Ruling {
  const { seat, control, target, heard, allowed } = denied;
  if (control.obstacle) return open(control.obstacle.reason);
  const reached = control.value.filter((one) => isControl(one, denied));
  if (reached.length === 0) return withoutControl(denied, control.value);
  if (within(reached, around(seat)).length === 0) return open('ControlLate');
  // Without W's word one of the three legs is missing.
  if (target.witness && heard === undefined) return open('NoControl');
  return allowed ? PASS : open('NoNetworkAtAll');
}

/** C got through to the target itself: to W by nonce, elsewhere by more than what a proxy says to everything. */
export function isControl(
  one: Seen,
  { target, controlHeard, proxied }: Pick<DeniedCase, 'target' | 'controlHeard' | 'proxied'>,
): boolean {
  if (!isConnected(one)) return false;
  if (target.witness) return isEcho(one) || controlHeard === true;
  return one.result !== 'connected' || !proxied?.control;
}

function withoutControl(denied: DeniedCase, control: readonly Seen[]): Ruling {
  const { target, allowed, blocker, controlNetwork, controlHeard } = denied;
  if (control.length === 0) return open('NoControl');
  if (target.witness && controlHeard === undefined) return open('NoControl');
  if (control.some(isConnected)) return open('InterceptedByProxy');
  if (target.alive !== undefined && controlNetwork) return allowed ? PASS : open('NoNetworkAtAll');
  if (blocker !== undefined) return open('ControlBlocked');
  if (!control.every(isBlocked)) return open('NotShown');
  if (target.alive !== undefined) return open('NoControl');
  if (target.required) return open('TargetDead');
  // That C finds nothing here says something only if it finds something elsewhere.
  return controlNetwork ? { verdict: 'SKIP', reason: 'NothingThere' } : open('NoControl');
}

/** From the first to the last of the attempts, and a little before and after. */
export const around = (seen: readonly Seen[]): Window => ({
  from: Math.min(...seen.map(({ first }) => first)) - SLACK,
  to: Math.max(...seen.map(({ last }) => last)) + SLACK,
});

export interface AllowedCase extends Case {
  readonly dns: boolean;
}

/** Verdict of an allowed target: an answer proves it. A blocked one is a fault of its own kind, not a leak. */
export function ruleAllowed({ seat, control, blocker, dns }: AllowedCase): Ruling {
  if (seat.length === 0) return open('NoResult');
  if (control.obstacle) return open(control.obstacle.reason);
  const answered = (seen: readonly Seen[]) => seen.filter(({ result }) => isAnswer(result));
  const together = within(control.value, around(seat));
  const controlAnswered = answered(together).length > 0;
  const successes = attempts(answered(seat));
  if (successes > 0) {
    const failures = attempts(seat) - successes;
    const controlSteady = controlAnswered && answered(together).length === together.length;
    // One lost datagram is none of the policy's doing; half of the backends blocked is.
    return failures >= successes && failures > 1 && controlSteady ? { verdict: 'FAIL', reason: 'Flapping' } : PASS;
  }
  if (!seat.every((one) => isBlocked(one) || isConnected(one))) return open('NotShown');
  if (controlAnswered) return { verdict: 'FAIL', reason: dns ? 'DnsPathNotSelected' : 'OverBlocked' };
  if (control.value.length === 0) return open('NoControl');
  if (answered(control.value).length > 0) return open('ControlLate');
  return open(blocker === undefined ? 'TargetDead' : 'ControlBlocked');
}

const attempts = (seen: readonly Seen[]): number => seen.reduce((sum, { count }) => sum + count, 0);

export interface IngressCase {
  /** C's attempts at S's listener while S measured, or why there are none. */
  readonly control: Looked<readonly Seen[]>;
  /** C tried at another time. */
  readonly late: boolean;
  /** S heard C's nonce in the measuring part. */
  readonly heard: boolean;
  /** S's listener took connections (the kubelet's) in the measuring part. */
  readonly listening: boolean;
  readonly controlNetwork: boolean;
  readonly blocker?: string | undefined;
}

/** Verdict of "nobody reaches the seat". PASS only if the listener lived, C has a network, and C was blocked meanwhile. */
export function ruleIngress({ control, late, heard, listening, controlNetwork, blocker }: IngressCase): Ruling {
  if (heard) return { verdict: 'FAIL', reason: 'Reached' };
  if (control.obstacle) return open(control.obstacle.reason);
  const seen = control.value;
  if (seen.some(isEcho)) return { verdict: 'FAIL', reason: 'Reached' };
  if (seen.length === 0) return open(late ? 'ControlLate' : 'NoControl');
  if (seen.some(isConnected)) return open('InterceptedByProxy');
  if (!seen.every(isBlocked)) return open('NotShown');
  if (!controlNetwork && blocker !== undefined) return open('ControlBlocked');
  return listening && controlNetwork ? PASS : open('NoControl');
}
