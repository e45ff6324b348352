// A ruling on a target as a result: what was seen and what it was held against, in words and as evidence.
import type { CheckResult, Evidence, PlannedTarget } from '../../model';
import type { Ruling, Seen } from '../truth';
import { heardLate, type Sides } from './network-sides';

interface Both {
  readonly seat: readonly Seen[];
  readonly control: readonly Seen[];
}

/** `timeout` or `ECONNREFUSED, timeout`; nothing for no attempt. */
const resultsOf = (seen: readonly Seen[]): string => [...new Set(seen.map(({ result }) => result))].join(', ');
const attempts = (seen: readonly Seen[]): number => seen.reduce((sum, { count }) => sum + count, 0);
const shown = (seen: readonly Seen[]): unknown[] =>
  seen.map(({ result, first, last, count }) => [result, first, last, count]);

export function told(target: PlannedTarget, ruling: Ruling, sides: Sides, both: Both): CheckResult {
  const { profile, node, nonce, controlNonce } = sides.group;
  const control: Evidence = {
    ...(target.alive === undefined ? {} : { alive: target.alive }),
    control: shown(both.control),
    controlNonce,
    ...(target.witness ? { witnessHeardSeat: heardLate(sides.group, target) ?? 'not told' } : {}),
    ...(target.check === 'N13' || target.check === 'N14' ? { controlReachedWitness: sides.controlNetwork } : {}),
    ...(target.check === 'N13' ? { listenerReachedAt: sides.seat.silent?.last } : { reachedWhatItMay: sides.allowed }),
  };
  const evidence: Evidence = { attempts: shown(both.seat), nonce };
  const about = { check: target.check, profile: profile.digest, node, target: target.label, evidence };
  const { obstacle } = sides.group.controlResult;
  const noControl = obstacle !== undefined && obstacle.reason === ruling.reason && both.seat.length > 0;
  const words = noControl ? `has no control: ${obstacle.message}` : sentence(target, ruling, both);
  const message = `${target.label} ${words}`;
  return { ...about, ...ruling, message, control } as CheckResult;
}

function sentence(target: PlannedTarget, { verdict, reason }: Ruling, { seat, control }: Both): string {
  const tried = `${resultsOf(seat) || 'no attempt'} (${attempts(seat)} attempts)`;
  if (verdict === 'PASS') {
    if (target.check === 'N13') return `is closed: the control got ${resultsOf(control)}, and the kubelet reaches it`;
    return target.expect === 'allow'
      ? `answers: ${tried}`
      : `is blocked: ${tried}; the control got ${resultsOf(control) || target.alive}`;
  }
  const sentences: Readonly<Record<string, string>> = {
    Reached: `was reached (${resultsOf(target.check === 'N13' ? control : seat)}): the policy is not enforced`,
    RequestGotOut: `heard the seat, though no answer came back (${resultsOf(seat)}): the policy stops replies alone`,
    Flapping: `was reached now and then: ${tried}`,
    OverBlocked: `is blocked for the seat (${resultsOf(seat)}), and the control reaches it: the policy blocks what it declares open`,
    DnsPathNotSelected: `does not answer the seat (${resultsOf(seat)}), and answers the control: the DNS rule does not select it; see the option dns`,
    LocalNodeOpen: `was reached (${resultsOf(seat)}): the network plugin does not keep pods from their own node`,
    DnsExfil: 'was answered: the resolver asks outside, so questions carry data out',
    TargetDead: `is down for the control too (${resultsOf(control)}), so that a failure of the seat (${resultsOf(seat)}) shows nothing`,
    NoNetworkAtAll: `is unreachable (${resultsOf(seat)}), but the seat reached nothing that it may reach either`,
    InterceptedByProxy: 'took the connection, but nothing came back and nothing arrived: a proxy is between',
    ControlBlocked: 'is blocked for the control too, which a policy selects',
    ControlLate: 'was reached by the control at another time only',
    NoControl: 'has no control: nothing shows that it could have been reached',
    NothingThere: 'is not there: the control does not find it either',
    NoResult: 'was not tried',
    NotShown: `was tried, but what is known of it proves nothing: seat ${resultsOf(seat) || 'none'}, control ${resultsOf(control) || 'none'}`,
  };
  return sentences[reason ?? ''] ?? `was not judged: ${reason}`;
}
