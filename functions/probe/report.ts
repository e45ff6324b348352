// The report of a run: every result, what they mean for each seat and for the run, and what stays of earlier runs.
import type { CheckResult, ClusterFacts, GroupFacts, GroupReport, Obstacle, Plan, Report, RunRecord } from '../model';
import { headline } from './message';
import { countsOf, inOrder, isEnforced, summarise, worstOf } from './roll-up';
import { missing, placed, seatReports } from './seat-report';

export interface Run {
  readonly plan: Plan;
  /** Suffix of the Job's name: digest of all that the verdict depends on. */
  readonly digest: string;
  /** Nonce of the run. */
  readonly run: string;
  /** Unix ms. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Of all judges. Checks without any become INCONCLUSIVE here. */
  readonly results: readonly CheckResult[];
  readonly groups: readonly GroupFacts[];
  /** undefined: the cluster was not looked at. */
  readonly facts?: ClusterFacts | undefined;
  /** In ms; absent or undefined: not measured. */
  readonly startWindows: ReadonlyMap<GroupFacts, number | undefined>;
  /** What ended the run before its end, e.g. `Interrupted` or `Busy`: the reason for all that has no result. */
  readonly obstacle?: Obstacle | undefined;
}

/** RFC 3339 in UTC, whole seconds. */
export const timeOf = (unixMs: number): string => new Date(unixMs).toISOString().replace(/\.\d+Z$/, 'Z');

/**
 * Same input, same bytes, whatever the order of results. A FAIL stays one where the run was cut short; else an obstacle
 * makes it INCONCLUSIVE with the obstacle's reason.
 */
export function reportOf(run: Run): Report {
  const { plan, obstacle } = run;
  const { acceptGaps, validForSeconds } = plan.options;
  const places = placed(plan, run.groups, run.facts);
  const results = inOrder([...run.results, ...missing(places, run.results, obstacle)]);
  const seats = seatReports(plan, places, results);
  const cut = obstacle ? [{ verdict: 'INCONCLUSIVE', ...obstacle } as const] : [];
  const summary = worstOf([...cut, ...seats, summarise(results, acceptGaps)]);
  return {
    version: 1,
    namespace: plan.namespace,
    digest: run.digest,
    run: run.run,
    startedAt: timeOf(run.startedAt),
    endedAt: timeOf(run.endedAt),
    validUntil: timeOf(run.endedAt + validForSeconds * 1000),
    verdict: summary.verdict,
    reason: summary.reason,
    message: headline(summary, seats, results),
    ...countsOf(results),
    acceptedGaps: acceptGaps,
    seats,
    groups: run.groups.map((group) => groupOf(group, run.startWindows.get(group))),
    results,
    coverage: plan.coverage,
  };
}

function groupOf({ profile, node, seat, nonce, pods }: GroupFacts, startWindowMs: number | undefined): GroupReport {
  const made = Object.entries(pods).flatMap(([role, pod]) => {
    const { name, uid } = pod?.metadata ?? {};
    return name !== undefined && uid !== undefined ? [[role, { name, uid }] as const] : [];
  });
  return { profile: profile.digest, node, seat, nonce, pods: Object.fromEntries(made), startWindowMs };
}

/** 0: enforced, also with accepted gaps. 10: shown not to be. 2: not proven, or with a gap that nobody accepted. */
export const exitCodeOf = (report: Report): 0 | 10 | 2 => (report.verdict === 'FAIL' ? 10 : isEnforced(report) ? 0 : 2);

const KEPT_RUNS = 20;

/** Newest first, 20 of them; the newest FAIL always among them, however old. A run that is there already is replaced. */
export function recordsOf(report: Report, earlier: readonly RunRecord[]): RunRecord[] {
  const { run, digest, endedAt, verdict, reason, message } = report;
  const all = [{ run, digest, endedAt, verdict, reason, message }, ...earlier.filter((one) => one.run !== run)];
  const kept = all.slice(0, KEPT_RUNS);
  if (kept.some((one) => one.verdict === 'FAIL')) return kept;
  const failed = all.find((one) => one.verdict === 'FAIL');
  return failed ? [...kept.slice(0, -1), failed] : kept;
}
