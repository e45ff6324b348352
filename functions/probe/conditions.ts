// The status of a Seat after a run, as kstatus, Flux and Argo CD read it, and while a run is on; Events for what changed.

import type { Gap, Report, SeatReport, Summary } from '../model';
import { CONDITIONS } from './checks';
import { line } from './message';
import { timeOf } from './report';
import { isEnforced, worstOf } from './roll-up';
import { workloadOf } from './workload';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** RFC 3339. */
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

export interface SeatStatus {
  readonly observedGeneration?: number;
  readonly configRevision?: string;
  readonly workload?: { readonly kind: string; readonly name: string };
  readonly conditions?: readonly Condition[];
  readonly lastProbe?: {
    readonly digest: string;
    readonly time: string;
    readonly verdict: string;
    readonly passed: number;
    readonly failed: number;
    readonly inconclusive: number;
    readonly gaps: readonly Gap[];
    readonly validUntil: string;
  };
}

/** A Seat of the cluster. `generation` is that of the spec which was probed: read it before the run, not after. */
export interface ProbedSeat {
  readonly generation: number;
  readonly status?: SeatStatus | undefined;
}

/** In bytes: the limit of an Event's note (k8s.io/kubernetes pkg/apis/core/validation/events.go). */
const LONGEST_MESSAGE = 1024;
const ROLL_UP = 'SandboxEnforced';
type Claim = Omit<Condition, 'lastTransitionTime' | 'observedGeneration'>;

/**
 * All of the status that is ours, for server-side apply on the status subresource: what is not in it is removed, and
 * conditions of other owners stay. `now` is Unix ms.
 *
 * kstatus (cli-utils pkg/kstatus) reads FAIL as Failed (Stalled), INCONCLUSIVE and a gap that nobody accepted as
 * InProgress (Ready Unknown: a later run may tell), and enforced as Current. Reconciling and Stalled are never both True:
 * kstatus would take the one that comes first.
 */
export function statusOf(
  report: Report,
  seat: SeatReport,
  { generation, status }: ProbedSeat,
  now: number,
): SeatStatus {
  const areas = Object.entries(CONDITIONS).flatMap(([type, names]) => {
    const summaries = names.flatMap((name) => seat.areas[name] ?? []);
    return summaries.length ? [enforcement(type, worstOf(summaries))] : [];
  });
  const failed = seat.verdict === 'FAIL';
  const { reason, message } = seat;
  const claims: Claim[] = [
    ...areas,
    enforcement(ROLL_UP, seat),
    enforcement('Ready', seat),
    { type: 'Reconciling', status: 'False', reason: 'ProbeEnded', message: 'no probe runs' },
    failed
      ? { type: 'Stalled', status: 'True', reason, message }
      : { type: 'Stalled', status: 'False', reason: 'NotFailed', message: 'nothing is shown not to be enforced' },
  ];
  return {
    observedGeneration: generation,
    ...(seat.configRevision === undefined ? {} : { configRevision: seat.configRevision }),
    workload: workloadOf(seat),
    conditions: dated(claims, status, generation, now),
    lastProbe: {
      digest: report.digest,
      time: report.endedAt,
      verdict: seat.verdict,
      passed: seat.passed,
      failed: seat.failed,
      inconclusive: seat.inconclusive,
      gaps: seat.gaps,
      validUntil: report.validUntil,
    },
  };
}

const enforcement = (type: string, summary: Summary): Claim => ({
  type,
  status: summary.verdict === 'FAIL' ? 'False' : isEnforced(summary) ? 'True' : 'Unknown',
  reason: summary.reason,
  message: summary.message,
});

/**
 * While a run is on: Reconciling, and neither Ready nor Stalled; what the last run found about enforcement stays, with
 * the generation that it was found for. For server-side apply, as `statusOf`.
 */
export function probingStatus({ generation, status = {} }: ProbedSeat, now: number): SeatStatus {
  const message = 'a probe checks what is enforced';
  const claims: Claim[] = [
    { type: 'Ready', status: 'Unknown', reason: 'Probing', message },
    { type: 'Reconciling', status: 'True', reason: 'Probing', message },
    { type: 'Stalled', status: 'False', reason: 'Probing', message },
  ];
  const { configRevision, workload, lastProbe } = status;
  return {
    observedGeneration: generation,
    ...(configRevision === undefined ? {} : { configRevision }),
    ...(workload === undefined ? {} : { workload }),
    conditions: [...(status.conditions ?? []).filter(isEnforcement), ...dated(claims, status, generation, now)],
    ...(lastProbe === undefined ? {} : { lastProbe }),
  };
}

const isEnforcement = ({ type }: Pick<Condition, 'type'>): boolean =>
  type === ROLL_UP || Object.hasOwn(CONDITIONS, type);

/** The time of the last transition is kept where the status is the same. */
function dated(
  claims: readonly Claim[],
  previous: SeatStatus | undefined,
  generation: number,
  now: number,
): Condition[] {
  return claims.map((claim) => {
    const before = previous?.conditions?.find(({ type }) => type === claim.type);
    return {
      type: claim.type,
      status: claim.status,
      reason: claim.reason,
      message: line(claim.message, LONGEST_MESSAGE),
      lastTransitionTime: before?.status === claim.status ? before.lastTransitionTime : timeOf(now),
      observedGeneration: generation,
    };
  });
}

export interface Transition {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/**
 * For Events: enforcement conditions whose status or reason is another than before; not that a probe starts or ends, and
 * not each condition of a seat that passes its first probe.
 */
export function transitionsOf(previous: SeatStatus | undefined, next: SeatStatus): Transition[] {
  const before = new Map(previous?.conditions?.map((one) => [one.type, one]));
  const isNews = ({ type, status, reason }: Condition): boolean => {
    const old = before.get(type);
    return old ? old.status !== status || old.reason !== reason : status !== 'True' || type === ROLL_UP;
  };
  return (next.conditions ?? [])
    .filter((condition) => isEnforcement(condition) && isNews(condition))
    .map(({ type, status, reason, message }) => ({
      type: status === 'True' ? 'Normal' : 'Warning',
      reason,
      message: line(`${type} is ${status}: ${message}`, LONGEST_MESSAGE),
    }));
}
