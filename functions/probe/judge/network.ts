// Network checks of a group: what S tried, held against what C could reach and what W heard meanwhile.
import type { AgentResult, CheckResult, GroupFacts, Looked, Obstacle, Plan, PlannedTarget } from '../../model';
import { CHECKS } from '../checks';
import { MEASURED } from '../identity';
import { INGRESS_PREFIX } from '../targets';
import { around, isConnected, type Ruling, ruleAllowed, ruleDenied, ruleIngress, type Seen, within } from '../truth';
import { controlHeard, heardLate, idsOf, isWhole, type Sides, sidesOf } from './network-sides';
import { summaries } from './network-summary';
import { told } from './network-words';

export { startWindowOf } from './network-start';

/**
 * One result per target, and what follows from all of them. `blocker`: name of a policy that selects C or W. Without S's
 * result every network check of the profile is INCONCLUSIVE for that reason; without C's only a FAIL can be told.
 */
export function judgeNetwork(_plan: Plan, group: GroupFacts, blocker?: string): CheckResult[] {
  const { seatResult } = group;
  if (!seatResult.value) return untried(group, seatResult.obstacle);
  const sides = sidesOf(group, seatResult.value, blocker);
  const isIngress = ({ id }: PlannedTarget): boolean => id.startsWith(INGRESS_PREFIX);
  const egress = group.targets.filter((target) => !isIngress(target)).flatMap((target) => judgeTarget(target, sides));
  const ingress = group.targets.filter(isIngress).map((target) => judgeIngress(target, sides));
  const entered = group.targets.flatMap((target) => judgeSeatEntered(target, sides));
  return [
    ...egress,
    ...(ingress.length > 0 ? ingress : noIngress(group)),
    ...entered,
    ...summaries([...egress, ...ingress], sides),
  ];
}

/** Without S nothing was tried, and every check that its profile asks for is open. */
const untried = (group: GroupFacts, obstacle: Obstacle): CheckResult[] =>
  group.profile.checks
    .filter((check) => CHECKS[check].area === 'network' && check !== 'U1' && check !== 'U2')
    .map((check) => ({ check, ...about(group), verdict: 'INCONCLUSIVE', ...obstacle }));

const about = ({ profile, node }: GroupFacts) => ({ profile: profile.digest, node });

/** C was never made, so that nobody tried S's own port. */
function noIngress(group: GroupFacts): CheckResult[] {
  const message = 'no control pod tried to reach the seat';
  const obstacle = group.controlResult.obstacle ?? { reason: 'NoControl', message };
  return [{ check: 'N13', ...about(group), verdict: 'INCONCLUSIVE', ...obstacle }];
}

function judgeTarget(target: PlannedTarget, sides: Sides): CheckResult[] {
  const ids = idsOf(target, sides.seat);
  if (ids.length === 0) {
    const ruling: Ruling = { verdict: 'INCONCLUSIVE', reason: 'NoResult' };
    return [told(target, ruling, sides, { seat: [], control: [] })];
  }
  return ids.map((id) => {
    const seat = sides.seatSeen(id);
    const control = sides.controlSeen(id);
    const label = id === target.id ? target.label : `${target.label} ${id.slice(target.id.length + 1)}`;
    const ruling = kept(rule(target, sides, seat, control), sides.seat.attempts[id], sides);
    return told({ ...target, label }, ruling, sides, { seat, control: control.value ?? [] });
  });
}

/** Among attempts that were not kept may be one that got through. */
const kept = (ruling: Ruling, stretches: AgentResult['attempts'][string] | undefined, { group }: Sides): Ruling =>
  ruling.verdict === 'PASS' && !isWhole(stretches, group.settleSeconds * 1000)
    ? { verdict: 'INCONCLUSIVE', reason: 'NotShown' }
    : ruling;

function rule(target: PlannedTarget, sides: Sides, seat: readonly Seen[], control: Looked<readonly Seen[]>): Ruling {
  const { group, blocker, allowed, controlNetwork, proxied } = sides;
  if (target.expect === 'allow') {
    return ruleAllowed({ seat, control, blocker, dns: target.kind === 'dns-udp' || target.kind === 'dns-tcp' });
  }
  if (target.check === 'N6') return ruleTunnel(target, sides, seat, control);
  const heard = { heard: heardLate(group, target), controlHeard: controlHeard(group, target) };
  return ruleDenied({ seat, control, target, blocker, ...heard, allowed, controlNetwork, proxied });
}

/** A zone that answers every name: an answer with a record came from outside. Anything else counts only while C gets that answer. */
function ruleTunnel(
  target: PlannedTarget,
  { allowed, controlNetwork }: Sides,
  seat: readonly Seen[],
  control: Looked<readonly Seen[]>,
): Ruling {
  const through = ({ result }: Seen): boolean => result === 'answer:NOERROR';
  if (seat.length === 0) return { verdict: 'INCONCLUSIVE', reason: 'NoResult' };
  if (seat.some(through)) return { verdict: 'GAP', reason: 'DnsExfil' };
  const open: Ruling = { verdict: 'INCONCLUSIVE', reason: 'NoControl' };
  if (!within(control.value ?? [], around(seat)).some(through)) return open;
  if (seat.every(({ result }) => result === 'answer:REFUSED')) return { verdict: 'PASS' };
  // Any other answer may be the zone's own: the question got out.
  if (seat.some(isConnected)) return open;
  return ruleDenied({ seat, control, target, heard: undefined, allowed, controlNetwork });
}

function judgeIngress(target: PlannedTarget, sides: Sides): CheckResult {
  const { seat, group, measuring, controlNetwork, blocker } = sides;
  const control = sides.controlSeen(target.id);
  const during: typeof control = control.value ? { value: within(control.value, measuring) } : control;
  const ruling = ruleIngress({
    control: during,
    late: (control.value?.length ?? 0) > 0,
    heard: seat.heard.some(
      ({ nonce, at }) =>
        nonce === group.controlNonce + MEASURED || (nonce === group.controlNonce && at >= measuring.from),
    ),
    listening: (seat.silent?.last ?? 0) >= measuring.from,
    controlNetwork,
    blocker,
  });
  return told(target, ruling, sides, { seat: [], control: during.value ?? [] });
}

/** What N14 tries are live seats. C has no rule that lets it out, so that where it gets in, the seat's own ingress is open. */
function judgeSeatEntered(target: PlannedTarget, { controlSeen, measuring, proxied, group }: Sides): CheckResult[] {
  if (target.check !== 'N14' || target.seat === undefined || proxied.control) return [];
  const reached = within(controlSeen(target.id).value ?? [], measuring).filter(isConnected);
  if (reached.length === 0) return [];
  const evidence = { control: reached.map(({ result, first, last, count }) => [result, first, last, count]) };
  const message = `${target.label} was reached by a pod that is no seat: its policy is not enforced`;
  return [
    {
      check: 'N13',
      seat: target.seat,
      verdict: 'FAIL',
      reason: 'Reached',
      target: target.label,
      message,
      evidence: { ...evidence, node: group.node },
    },
  ];
}
