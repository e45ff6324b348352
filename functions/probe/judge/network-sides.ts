// What both probe pods of a group told, in the form in which the truth table asks for it.
import type { AgentResult, GroupFacts, Looked, PlannedTarget, Stretch } from '../../model';
import { MEASURED } from '../identity';
import {
  FIRST_STRETCHES,
  isAnswer,
  isConnected,
  isControl,
  MOST_STRETCHES,
  type Seen,
  seenOf,
  type Window,
  within,
} from '../truth';

export interface Sides {
  readonly group: GroupFacts;
  readonly seat: AgentResult;
  /** From when S must have settled until its end: only this decides. */
  readonly measuring: Window;
  /** S's attempts at a target in the measuring part, by the id under which the agent kept them. */
  readonly seatSeen: (id: string) => readonly Seen[];
  /** All of C's, whenever they were. */
  readonly controlSeen: (id: string) => Looked<readonly Seen[]>;
  /** P: S reached what it may reach; for a seat that may reach nothing, the kubelet reached S. */
  readonly allowed: boolean;
  /** C reached the witness in the measuring part. */
  readonly controlNetwork: boolean;
  /** A pod is behind a proxy: the witness took its connections, and neither answered nor heard of them. */
  readonly proxied: { readonly seat: boolean; readonly control: boolean };
  /** Name of a policy that selects C or W, so that C may be no control. */
  readonly blocker: string | undefined;
}

/** S has tried everything once by then, in ms after its start: one attempt takes up to 3 s. */
export const FIRST_ROUND = 5000;

export function sidesOf(group: GroupFacts, seat: AgentResult, blocker: string | undefined): Sides {
  const measuring = { from: seat.startedAt + group.settleSeconds * 1000, to: seat.endedAt };
  const control = group.controlResult;
  const seatSeen = (id: string): readonly Seen[] => within(seenOf(seat.attempts[id], seat.startedAt), measuring);
  const controlSeen: Sides['controlSeen'] = (id) =>
    control.value
      ? { value: seenOf(control.value.attempts[id], control.value.startedAt) }
      : { obstacle: control.obstacle };
  const witnesses = group.targets.filter(({ witness }) => witness);
  const reachedWitness = (target: PlannedTarget): boolean =>
    within(controlSeen(target.id).value ?? [], measuring).some((seen) =>
      isControl(seen, { target, controlHeard: controlHeard(group, target), proxied: undefined }),
    );
  const isProxied = (seen: readonly Seen[], heard: boolean | undefined): boolean =>
    heard === false && seen.some(isConnected) && !seen.some(({ result }) => result === 'echo');
  return {
    group,
    seat,
    measuring,
    seatSeen,
    controlSeen,
    allowed: reachedAllowed(group, seat, seatSeen, measuring),
    controlNetwork: witnesses.some(reachedWitness),
    proxied: {
      seat: witnesses.some((one) => isProxied(seatSeen(one.id), heardLate(group, one))),
      control: witnesses.some((one) => isProxied(controlSeen(one.id).value ?? [], controlHeard(group, one))),
    },
    blocker,
  };
}

function reachedAllowed(group: GroupFacts, seat: AgentResult, seatSeen: Sides['seatSeen'], { from }: Window): boolean {
  const allowed = group.targets.filter(({ expect }) => expect === 'allow').flatMap((one) => idsOf(one, seat));
  if (allowed.length === 0) return (seat.silent?.last ?? 0) >= from;
  return allowed.some((id) => seatSeen(id).some(({ result }) => isAnswer(result)));
}

/** The resolver's target stands for each nameserver that the agent found. */
export const idsOf = ({ id, address }: PlannedTarget, { attempts }: AgentResult): readonly string[] =>
  address === 'resolver' ? Object.keys(attempts).filter((one) => one.startsWith(`${id}/`)) : [id];

/** S's attempts at a target were kept from `from` on (ms after its start): a message has little room, and agents drop some. */
export function isWhole(stretches: readonly Stretch[] | undefined, from: number): boolean {
  const first = stretches?.[0]?.[1] ?? Number.POSITIVE_INFINITY;
  if (first > Math.max(from, FIRST_ROUND)) return false;
  const afterDropped = stretches?.[FIRST_STRETCHES]?.[1] ?? 0;
  return (stretches?.length ?? 0) < MOST_STRETCHES || afterDropped <= from;
}

const portName = ({ kind, port }: PlannedTarget): string =>
  `${kind === 'udp' || kind === 'dns-udp' ? 'udp' : 'tcp'}/${port}`;

const isOf = (nonce: string, heard: string): boolean => heard === nonce || heard === nonce + MEASURED;

/**
 * Whether W heard a nonce on the target's port; undefined: the target is another, W did not tell, or what it told lacks
 * something that it answered C: what else is missing may have come all the same.
 */
function hears(group: GroupFacts, nonce: (heard: string) => boolean, target: PlannedTarget): boolean | undefined {
  const list = group.controlResult.value?.witnessHeard;
  if (!target.witness || !list) return undefined;
  const isThere = list.some((one) => one.port === portName(target) && nonce(one.nonce));
  return isThere || isComplete(list, group) ? isThere : undefined;
}

function isComplete(
  list: NonNullable<AgentResult['witnessHeard']>,
  { targets, controlResult, controlNonce }: GroupFacts,
) {
  const answered = targets.filter(
    ({ witness, id }) => witness && controlResult.value?.attempts[id]?.some(([result]) => result === 'echo'),
  );
  return answered.every((target) =>
    list.some(({ port, nonce }) => port === portName(target) && isOf(controlNonce, nonce)),
  );
}

/** W heard S at the target in the measuring part. */
export const heardLate = (group: GroupFacts, target: PlannedTarget): boolean | undefined =>
  hears(group, (nonce) => nonce === group.nonce + MEASURED, target);
/** W heard S at the target before that. */
export const heardEarly = (group: GroupFacts, target: PlannedTarget): boolean | undefined =>
  hears(group, (nonce) => nonce === group.nonce, target);
/** W heard C at the target, at any time. */
export const controlHeard = (group: GroupFacts, target: PlannedTarget): boolean | undefined =>
  hears(group, (nonce) => isOf(group.controlNonce, nonce), target);
