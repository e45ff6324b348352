// Judges every planned seat by what the API server shows of its pod, workload, claim, node and account.
import type { CheckResult, ClusterFacts, Plan } from '../../model';
import { judgeDeclared } from './admission';
import { judgeImage } from './image';
import { type LiveSeat, liveSeats, of } from './live-seat';
import { judgePlacement } from './placement';
import { judgeRevision, judgeStopped } from './revision';
import { judgeRights } from './rights';
import { judgeSession } from './session';
import { judgeClaim } from './storage';

/** A1, A2, A4, I3, J1, S1 and T1 for each seat of the plan, in its order. Throws an Error for a plan that lacks a seat's profile. */
export const judgeSeats = (plan: Plan, facts: ClusterFacts): CheckResult[] =>
  liveSeats(plan, facts).flatMap((live) => (live.seat.running ? judgeRunning(live) : judgeNotRunning(live)));

const judgeRunning = (live: LiveSeat): CheckResult[] =>
  [judgeDeclared, judgeImage, judgeRevision, judgeRights, judgePlacement, judgeClaim, judgeSession].map((judge) =>
    judge(live),
  );

/** What is about a pod has nothing to look at; claim and account outlive the pod. */
const judgeNotRunning = (live: LiveSeat): CheckResult[] => [
  ...(['A1', 'A2'] as const).map((check) => of(live, check).skip('Stopped', 'the seat is stopped')),
  judgeStopped(live),
  judgeRights(live),
  of(live, 'J1').skip('Stopped', 'the seat is stopped'),
  judgeClaim(live),
  of(live, 'T1').skip('Stopped', 'the seat is stopped'),
];
