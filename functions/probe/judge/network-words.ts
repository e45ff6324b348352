// A ruling on a target as a result: what was seen and what it was held against, in words and as evidence.
import type { CheckResult, Evidence, PlannedTarget } from '../../model';
import type { Ruling, Seen } from '../truth';
import type { Sides } from './network';

interface Both {
  readonly seat: readonly Seen[];
  readonly control: readonly Seen[];
}

/** `timeout` or `ECONNREFUSED, timeout`; nothing for no attempt. */
const words = (seen: readonly Seen[]): string => [...new Set(seen.map(({ result }) => result))].join(', ');
const attempts = (seen: readonly Seen[]): number => seen.reduce((sum, { count }) => sum + count, 0);
const shown = (seen: readonly Seen[]): unknown[] =>
  seen.map(({ result, first, last, count }) => [result, first, last, count]);

export function told(target: PlannedTarget, ruling: Ruling, sides: Sides, both: Both): CheckResult {
  const { profile, node, nonce, controlNonce } = sides.group;
  const control: Evidence = {
    ...(target.alive === undefined ? {} : { alive: target.alive }),
    control: shown(both.control),
    controlNonce,
    ...(target.witness ? { witness: 'asked after the last attempt' } : {}),
    reachedWhatItMay: sides.allowed,
  };
  const evidence: Evidence = { attempts: shown(both.seat), nonce };
  const about = { check: target.check, profile: profile.digest, node, target: target.label, evidence };
  const message = `${target.label} ${sentence(target, ruling, both)}`;
  return { ...about, ...ruling, message, control } as CheckResult;
}

function sentence(target: PlannedTarget, { verdict, reason }: Ruling, { seat, control }: Both): string {
  const tried = `${words(seat) || 'no attempt'} (${attempts(seat)} attempts)`;
  if (verdict === 'PASS') {
    if (target.check === 'N13') return `is closed: the control got ${words(control)}, and the kubelet reaches it`;
    return target.expect === 'allow'
      ? `answers: ${tried}`
      : `is blocked: ${tried}; the control got ${words(control) || target.alive}`;
  }
  const sentences: Readonly<Record<string, string>> = {
    Reached: `was reached (${words(target.check === 'N13' ? control : seat)}): the policy is not enforced`,
    RequestGotOut: `heard the seat, though no answer came back (${words(seat)}): the policy stops replies alone`,
    Flapping: `was reached now and then: ${tried}`,
    OverBlocked: `is blocked for the seat (${words(seat)}), and the control reaches it: the policy blocks what it declares open`,
    DnsPathNotSelected: `does not answer the seat (${words(seat)}), and answers the control: the DNS rule does not select it; see the option dns`,
    LocalNodeOpen: `was reached (${words(seat)}): the network plugin does not keep pods from their own node`,
    DnsExfil: 'was answered: the resolver asks outside, so questions carry data out',
    TargetDead: `is down for the control too (${words(control)}), so that a failure of the seat (${words(seat)}) shows nothing`,
    NoNetworkAtAll: `is unreachable (${words(seat)}), but the seat reached nothing that it may reach either`,
    InterceptedByProxy: 'took the connection, but nothing came back and nothing arrived: a proxy is between',
    ControlBlocked: 'is blocked for the control too, which a policy selects',
    ControlLate: 'was reached by the control at another time only',
    NoControl: 'has no control: nothing shows that it could have been reached',
    NothingThere: 'is not there: the control does not find it either',
    NoResult: 'was not tried',
    NotShown: `gave an answer that proves nothing: ${words(seat)}`,
  };
  return sentences[reason ?? ''] ?? `was not judged: ${reason}`;
}
