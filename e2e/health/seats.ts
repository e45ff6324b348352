// Seats as a cluster holds them at each stage of being probed, their statuses made by what writes them.
import type { Area, CheckID, CheckResult, Gap, Plan, Report } from '../../functions/model';
import { CHECKS } from '../../functions/probe/checks';
import {
  type Condition,
  type ProbedSeat,
  probingStatus,
  type SeatStatus,
  statusOf,
} from '../../functions/probe/conditions';
import { seatReports } from '../../functions/probe/seat-report';
import type { Manifest } from '../objects';

type Placed = Parameters<typeof seatReports>[1][number];

const START = Date.parse('2026-12-01T12:00:00Z');
const END = Date.parse('2026-12-01T12:01:40Z');
/** Of the spec that was probed. */
const PROBED = 1;

const AREAS: readonly Area[] = ['network', 'runtime', 'identity', 'admission'];
const PASSED: readonly CheckResult[] = (Object.keys(CHECKS) as CheckID[])
  .filter((check) => AREAS.includes(CHECKS[check].area))
  .map((check) => ({ check, verdict: 'PASS', message: CHECKS[check].title, control: {} }));
const [REACHED, NO_POD, START_WINDOW]: readonly CheckResult[] = [
  { check: 'N10', verdict: 'FAIL', reason: 'Reached', message: 'API server 10.96.0.1:443 was reached' },
  { check: 'A4', verdict: 'INCONCLUSIVE', reason: 'SeatNotRunning', message: 'the seat has no pod that is ready' },
  { check: 'N18', verdict: 'GAP', reason: 'StartWindow', message: 'open for 312 ms after the pod started' },
];

/** What a run publishes that found these results instead of those of the same checks. */
function ended(
  found: readonly (CheckResult | undefined)[],
  acceptGaps: readonly Gap[],
  before: ProbedSeat,
): SeatStatus {
  const results = PASSED.map((passed) => found.find((one) => one?.check === passed.check) ?? passed);
  const seat = {
    ...{ seat: 'engineer', name: 'seat-engineer-1f6ba76a', profile: 'sha256:5c0ff', configRevision: 'sha256:77e0d' },
    running: true,
  } as Placed['seat'];
  const place: Placed = { seat, profile: undefined, node: 'node-1', group: undefined };
  const [report] = seatReports({ options: { acceptGaps } } as Plan, [place], results);
  const run = { digest: 'cbab3fae', endedAt: '2026-12-01T12:01:39Z', validUntil: '2026-12-02T12:01:39Z' } as Report;
  return statusOf(run, report!, before, END);
}

const probing = (status?: SeatStatus): ProbedSeat => ({
  generation: PROBED,
  status: probingStatus({ generation: PROBED, status }, START),
});
const NOT_ENFORCED = ended([REACHED], [], probing());

/** Of another writer: conditions are a list by type, so that each has its own. */
const REVIEWED: Condition = {
  ...{ type: 'example.com/Reviewed', status: 'True', reason: 'SignedOff', message: 'reviewed by the security team' },
  lastTransitionTime: '2026-12-01T11:58:00Z',
};

/** By what the Seat looks like to its users. */
const STATUSES: Readonly<Record<string, SeatStatus | undefined>> = {
  unprobed: undefined,
  'unprobed-but-reviewed': { conditions: [REVIEWED] },
  probing: probing().status,
  'probing-again': probing(NOT_ENFORCED).status,
  enforced: ended([], [], probing()),
  'enforced-with-gaps': ended([START_WINDOW], ['StartWindow'], probing()),
  'gap-not-accepted': ended([START_WINDOW], [], probing()),
  inconclusive: ended([NO_POD], [], probing()),
  'not-enforced': NOT_ENFORCED,
};

export interface LiveSeat extends Manifest {
  readonly metadata: Manifest['metadata'] & { readonly generation: number };
  readonly status?: SeatStatus;
}
const seat = (generation: number, status: SeatStatus | undefined): LiveSeat => ({
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'Seat',
  metadata: { name: 'engineer', namespace: 'team-a', generation },
  spec: {
    organization: 'acme',
    tierRef: { name: 'standard' },
    harness: { adapter: 'claude-code', image: `ghcr.io/acme/agent@sha256:${'d4'.repeat(32)}` },
  },
  ...(status ? { status } : {}),
});

/** As the API server shows them. */
export const SEATS: Readonly<Record<string, LiveSeat>> = {
  ...Object.fromEntries(Object.entries(STATUSES).map(([name, status]) => [name, seat(PROBED, status)])),
  edited: seat(PROBED + 1, STATUSES.enforced),
};
