// Network checks of a group: what S tried, held against what C could reach and what W heard meanwhile.
import type { AgentResult, CheckResult, GroupFacts, Obstacle, Plan, PlannedTarget } from '../../model';
import { CHECKS } from '../checks';
import { MEASURED } from '../identity';
import { INGRESS_PREFIX } from '../targets';
import {
  around,
  isAnswer,
  isConnected,
  isControl,
  type Ruling,
  ruleAllowed,
  ruleDenied,
  ruleIngress,
  type Seen,
  seenOf,
  type Window,
  within,
} from '../truth';
import { summaries } from './network-summary';
import { told } from './network-words';

/** Both agents' results as the rules ask for them. */
export interface Sides {
  readonly group: GroupFacts;
  readonly seat: AgentResult;
  /** Later than S may take to settle, until its end: only this decides. */
  readonly measuring: Window;
  /** S's attempts at a target, by the id under which the agent kept them. */
  readonly seatSeen: (id: string) => readonly Seen[];
  readonly controlSeen: (
    id: string,
  ) =>
    | { readonly value: readonly Seen[]; readonly obstacle?: undefined }
    | { readonly obstacle: Obstacle; readonly value?: undefined };
  /** P: S reached what it may reach; for a seat that may reach nothing, the kubelet reached S. */
  readonly allowed: boolean;
  readonly controlNetwork: boolean;
  readonly proxied: { readonly seat: boolean; readonly control: boolean };
  /** Name of a policy that selects C, so that C is no control. */
  readonly blocker: string | undefined;
}

/** One result per target and what follows from all of them. `blocker`: a policy that selects the control pod. */
export function judgeNetwork(_plan: Plan, group: GroupFacts, blocker?: string): CheckResult[] {
  const { seatResult } = group;
  if (!seatResult.value) return untried(group, seatResult.obstacle);
  const sides = sidesOf(group, seatResult.value, blocker);
  const results = group.targets
    .filter(({ id }) => !id.startsWith(INGRESS_PREFIX))
    .flatMap((target) => judgeTarget(target, sides));
  const ingress = group.targets
    .filter(({ id }) => id.startsWith(INGRESS_PREFIX))
    .map((target) => judgeIngress(target, sides));
  return [...results, ...ingress, ...summaries([...results, ...ingress], sides)];
}

/** Without S nothing was tried, and every check that its profile asks for is open. */
function untried({ profile, node }: GroupFacts, obstacle: Obstacle): CheckResult[] {
  return profile.checks
    .filter((check) => CHECKS[check].area === 'network' && check !== 'U1' && check !== 'U2')
    .map((check) => ({ check, profile: profile.digest, node, verdict: 'INCONCLUSIVE', ...obstacle }));
}

function sidesOf(group: GroupFacts, seat: AgentResult, blocker: string | undefined): Sides {
  const measuring = { from: seat.startedAt + group.settleSeconds * 1000, to: seat.endedAt };
  const control = group.controlResult;
  const seatSeen = (id: string): readonly Seen[] => within(seenOf(seat.attempts[id], seat.startedAt), measuring);
  const controlSeen: Sides['controlSeen'] = (id) =>
    control.value
      ? { value: seenOf(control.value.attempts[id], control.value.startedAt) }
      : { obstacle: control.obstacle };
  const witnesses = group.targets.filter(({ witness }) => witness);
  const sawThrough = (one: PlannedTarget): boolean =>
    within(controlSeen(one.id).value ?? [], measuring).some((seen) =>
      isControl(seen, { target: one, controlHeard: hears(control.value, group.controlNonce, one), proxied: undefined }),
    );
  return {
    group,
    seat,
    measuring,
    seatSeen,
    controlSeen,
    allowed: mayReach(group, seat, seatSeen, measuring),
    controlNetwork: witnesses.some(sawThrough),
    proxied: {
      seat: witnesses.some(
        (one) => seatSeen(one.id).some(({ result }) => result === 'connected') && !heardLate(group, one),
      ),
      control: witnesses.some((one) => (controlSeen(one.id).value ?? []).some(({ result }) => result === 'connected')),
    },
    blocker,
  };
}

function mayReach(group: GroupFacts, seat: AgentResult, seatSeen: Sides['seatSeen'], { from }: Window): boolean {
  const allowed = group.targets.filter(({ expect }) => expect === 'allow').flatMap((one) => idsOf(one, seat));
  if (allowed.length === 0) return (seat.silent?.last ?? 0) >= from;
  return allowed.some((id) => seatSeen(id).some(({ result }) => isAnswer(result)));
}

/** The resolver's target stands for each nameserver that the agent found. */
const idsOf = ({ id, address }: PlannedTarget, { attempts }: AgentResult): readonly string[] =>
  address === 'resolver' ? Object.keys(attempts).filter((one) => one.startsWith(`${id}/`)) : [id];

const portName = ({ kind, port }: PlannedTarget): string =>
  `${kind === 'udp' || kind === 'dns-udp' ? 'udp' : 'tcp'}/${port}`;

/** Whether W heard a nonce on the target's port; undefined: W was not asked, or the target is another. */
function hears(control: AgentResult | undefined, nonce: string, target: PlannedTarget): boolean | undefined {
  if (!target.witness || !control?.witnessHeard) return undefined;
  return control.witnessHeard.some((one) => one.port === portName(target) && one.nonce.startsWith(nonce));
}
const heardLate = ({ controlResult, nonce }: GroupFacts, target: PlannedTarget): boolean | undefined =>
  hears(controlResult.value, `${nonce}${MEASURED}`, target);

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
    return told({ ...target, label }, rule(target, sides, seat, control), sides, {
      seat,
      control: control.value ?? [],
    });
  });
}

function rule(
  target: PlannedTarget,
  sides: Sides,
  seat: readonly Seen[],
  control: ReturnType<Sides['controlSeen']>,
): Ruling {
  const { group, blocker } = sides;
  if (target.expect === 'allow') {
    return ruleAllowed({ seat, control, blocker, dns: target.kind === 'dns-udp' || target.kind === 'dns-tcp' });
  }
  if (target.check === 'N6') return ruleTunnel(target, sides, seat, control);
  return ruleDenied({
    ...{ seat, control, target, blocker },
    heard: heardLate(group, target),
    controlHeard: hears(group.controlResult.value, group.controlNonce, target),
    allowed: sides.allowed,
    controlNetwork: sides.controlNetwork,
    proxied: sides.proxied,
  });
}

/** A zone that answers every name: an answer with a record came from outside. Blocked counts only while C gets that answer. */
function ruleTunnel(
  target: PlannedTarget,
  sides: Sides,
  seat: readonly Seen[],
  control: ReturnType<Sides['controlSeen']>,
): Ruling {
  const through = ({ result }: Seen): boolean => result === 'answer:NOERROR';
  if (seat.length === 0) return { verdict: 'INCONCLUSIVE', reason: 'NoResult' };
  if (seat.some(through)) return { verdict: 'GAP', reason: 'DnsExfil' };
  const proven = within(control.value ?? [], around(seat)).some(through);
  if (!proven) return { verdict: 'INCONCLUSIVE', reason: 'NoControl' };
  if (seat.some(isConnected)) return { verdict: 'PASS' }; // the resolver answers, and refuses this
  return ruleDenied({
    seat,
    control,
    target,
    heard: undefined,
    allowed: sides.allowed,
    controlNetwork: sides.controlNetwork,
  });
}

function judgeIngress(target: PlannedTarget, sides: Sides): CheckResult {
  const { seat, group, measuring } = sides;
  const control = sides.controlSeen(target.id);
  const during = control.value ? { value: within(control.value, measuring) } : control;
  const ruling = ruleIngress({
    control: during,
    late: (control.value?.length ?? 0) > 0,
    heard: seat.heard.some(({ nonce }) => nonce === `${group.controlNonce}${MEASURED}`),
    listening: (seat.silent?.last ?? 0) >= measuring.from,
    controlNetwork: sides.controlNetwork,
    blocker: sides.blocker,
  });
  return told(target, ruling, sides, { seat: [], control: during.value ?? [] });
}

/**
 * How long after S's start it could still reach a denied target, in ms of S's clock, as far as it is before settling; 0:
 * never. undefined: S left no result.
 */
export function startWindowOf({ targets, seatResult, settleSeconds }: GroupFacts): number | undefined {
  const { value } = seatResult;
  if (!value) return undefined;
  const ends = targets
    .filter(({ expect, gap, check }) => expect === 'deny' && !gap && check !== 'N6')
    .flatMap((target) => (value.attempts[target.id] ?? []).map((stretch) => ({ target, stretch })))
    .filter(({ target, stretch: [result] }) => (target.witness ? isAnswer(result) : isConnected({ result })))
    .map(({ stretch: [, first, last] }) => (first < settleSeconds * 1000 ? Math.min(last, settleSeconds * 1000) : 0));
  return Math.max(0, ...ends);
}
