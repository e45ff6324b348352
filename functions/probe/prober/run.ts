// One run of the probe, from the lock to the published report. Start reading here.
import { randomBytes } from 'node:crypto';
import type { CheckResult, ClusterFacts, GroupFacts, Obstacle, Plan, Report } from '../../model';
import { judgeNetwork, startWindowOf } from '../judge/network';
import { blockerOf, judgeParity, judgePolicies } from '../judge/policies';
import { judgeSeats } from '../judge/seats';
import { judgeSight } from '../judge/sight';
import { judgeTasks } from '../judge/tasks';
import { reportOf } from '../report';
import { bound } from '../workload';
import { type Api, ApiError } from './api';
import { gather } from './facts';
import { groupsOf } from './groups';
import { type Held, take } from './lock';
import { type Measured, measure } from './measure';
import { looked, obstacleOf } from './obstacles';
import { ProbePods, sweep } from './pods';
import { type LiveSeat, publishProbing, publishReport, publishSeats, readSeats } from './publish';
import { look } from './surroundings';
import { publishTasks } from './task-status';
import { waitForSeats } from './wait';

export interface Settings {
  readonly plan: Plan;
  readonly digest: string;
  /** Name and uid of the prober's pod. */
  readonly holder: string;
  /** Resolves when the process is told to end. */
  readonly stop: Promise<void>;
  /** A line of progress for people. */
  readonly say: (line: string) => void;
}

const LOST: Obstacle = { reason: 'Interrupted', message: 'another probe has taken the lock' };

/** Everything that was found, in the making: what a stopped run can still report. */
interface Findings {
  facts?: ClusterFacts;
  measured: Measured;
}

/**
 * Throws only what is a bug. Pods are gone when it returns, and the report is published; where the API server does not let
 * it, the run is INCONCLUSIVE, whatever it found: nobody could read it.
 */
export async function run(api: Api, settings: Settings): Promise<Report> {
  const { digest, holder, stop, say } = settings;
  let { plan } = settings;
  const startedAt = Date.now();
  const deadline = startedAt + plan.options.timeoutSeconds * 1000;
  const id = randomBytes(8).toString('hex');
  const found: Findings = { measured: { groups: [], results: [] } };
  let interrupted: Obstacle | undefined;
  const interrupt = (message: string) => (): void => {
    interrupted ??= { reason: 'Interrupted', message };
  };
  void stop.then(() => {
    interrupt('the probe was told to end')();
    api.hurry();
  });
  const stopped = (): boolean => interrupted !== undefined;
  const endingWith = (obstacle?: Obstacle): Ending => ({
    ...{ plan, digest, run: id, startedAt, endedAt: Date.now() },
    obstacle: interrupted ?? obstacle,
  });
  const close = (obstacle?: Obstacle): Report => conclude(endingWith(obstacle), found);

  try {
    return await underLock();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    say(error.message);
    return close(obstacleOf(error));
  }

  async function underLock(): Promise<Report> {
    const waiting = (other: string): void => say(`waiting for another probe to end: ${other}`);
    const held = await take(api, plan, holder, { deadline, stopped, waiting });
    if (!held) {
      const without = close({ reason: 'Busy', message: 'another probe of this namespace is at work' });
      say(without.message);
      return without;
    }
    try {
      return await underSeats(held);
    } finally {
      await held.release();
    }
  }

  async function underSeats(held: Held): Promise<Report> {
    void held.lost.then(interrupt(LOST.message));
    const pods = new ProbePods(api, plan, stopped);
    const seats = await readSeats(api, plan, say);
    let report: Report;
    try {
      const swept = await sweep(api, plan, stopped);
      if (swept) say(`deleted ${swept} pods that an earlier run left`);
      await publishProbing(api, plan, seats);
      await waitForSeats(api, plan, { deadline, stopped, say });
      found.facts = await gather(api, plan, stopped);
      plan = bound(plan, found.facts.sandboxClaims.value ?? []);
      const common = await look(api, plan);
      const groups = groupsOf(plan, found.facts.pods);
      found.measured = await measure(groups, { plan, facts: found.facts, common, pods, say });
      report = close();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      report = close(obstacleOf(error));
    } finally {
      await pods.endAll();
    }
    say(report.message);
    return publish(held, seats, report);
  }

  /** What cannot be published in full is INCONCLUSIVE, and says so wherever it can. */
  async function publish(held: Held, seats: ReadonlyMap<string, LiveSeat>, judged: Report): Promise<Report> {
    // another prober that has the lock by now has a newer word
    const renewed = await looked(held.renew);
    if (renewed.value === false) return close(LOST);
    // whoever sees the report finds the Seats' status told already
    const told = await looked(() => publishSeats(api, plan, seats, judged));
    await publishTasks(api, plan, found.facts, say);
    if (told.obstacle) say(`not every Seat could be told: ${told.obstacle.message}`);
    const report = told.obstacle ? close(told.obstacle) : judged;
    const { value: isPublished, obstacle } = await looked(() => publishReport(api, plan, report, holder));
    if (!obstacle) return isPublished ? report : close(LOST);
    say(`the report cannot be published: ${obstacle.message}`);
    const nobodyAnswers = told.obstacle?.reason === 'ApiUnavailable' && obstacle.reason === 'ApiUnavailable';
    if (nobodyAnswers) return close(obstacle);
    // no Seat may be called enforced where nobody can look it up
    const failures = conclude(endingWith(obstacle), found, ({ verdict }) => verdict === 'FAIL');
    await looked(() => publishSeats(api, plan, seats, failures));
    return close(obstacle);
  }
}

interface Ending {
  readonly plan: Plan;
  readonly digest: string;
  readonly run: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly obstacle: Obstacle | undefined;
}

function conclude(
  ending: Ending,
  { facts, measured }: Findings,
  keep: (result: CheckResult) => boolean = () => true,
): Report {
  const { plan } = ending;
  const results: CheckResult[] = [
    ...measured.results,
    ...(facts ? [...judgePolicies(plan, facts), ...judgeSeats(plan, facts), ...judgeTasks(plan, facts)] : []),
    ...measured.groups.flatMap((group) => judgeGroup(plan, group, facts)),
  ];
  const startWindows = new Map(measured.groups.map((group) => [group, startWindowOf(group)]));
  return reportOf({ ...ending, results: results.filter(keep), groups: measured.groups, facts, startWindows });
}

function judgeGroup(plan: Plan, group: GroupFacts, facts: ClusterFacts | undefined): CheckResult[] {
  const { node, profile } = group;
  const runtimeClass = profile.template.spec?.runtimeClassName;
  return [
    ...judgeNetwork(plan, group, facts && blockerOf(group, facts.policies)),
    ...(facts ? judgeParity(group, facts.policies) : []),
    ...judgeSight(
      plan,
      group,
      node === undefined ? undefined : facts?.nodes[node],
      runtimeClass === undefined ? undefined : facts?.runtimeClasses[runtimeClass],
    ),
  ];
}
