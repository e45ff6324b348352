// Runs rows of the sabotage table on a cluster, several at a time, and says where a report is not what its row expects.
import type { Report } from '../../functions/model';
import { isEnforced } from '../../functions/probe/roll-up';
import type { Cluster, Images } from '../cluster';
import type { Row } from './row';
import { bringUp, clear, makeStage, probe, type Stage } from './stage';

export interface Outcome {
  readonly row: Row;
  readonly report: Report | undefined;
  /** From the Job's creation to its report. */
  readonly seconds: number;
  /** Empty: as expected. */
  readonly problems: readonly string[];
}

/** Rows at a time: each asks for 0.8 of a processor, and the node may have two. */
const AT_A_TIME = 2;

/** Runs each row once; those that touch the whole cluster last, alone. `name` makes namespaces of rounds differ. */
export async function runRows(
  rows: readonly Row[],
  run: (row: Row) => Promise<Outcome>,
  done: (outcome: Outcome) => void,
): Promise<void> {
  const queue = rows.filter(({ alone }) => !alone);
  const worker = async (): Promise<void> => {
    for (let row = queue.shift(); row; row = queue.shift()) done(await run(row));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  for (const row of rows.filter(({ alone }) => alone)) done(await run(row));
}

/** One row from an empty namespace to its report, and away again. Never throws: what went wrong is a problem. */
export async function runRow(
  cluster: Cluster,
  row: Row,
  images: Images,
  canary: string | undefined,
  round: number,
): Promise<Outcome> {
  const probeOptions = canary === undefined ? {} : { canaries: [canary] };
  let stage: Stage | undefined;
  let started = Date.now();
  let seconds = 0;
  let report: Report | undefined;
  const problems: string[] = [];
  try {
    stage = await makeStage(cluster, {
      seats: { a: {} },
      ...row.package,
      probe: { ...probeOptions, ...row.package?.probe },
      namespace: `${row.name}-${round}`,
      images,
    });
    await row.before?.(stage);
    await bringUp(stage);
    await row.sabotage?.(stage);
    started = Date.now();
    [report] = await Promise.all([probe(stage), meanwhile(row, stage)]);
    seconds = (Date.now() - started) / 1000;
    problems.push(...judge(row, report));
    await row.after?.(stage, report);
  } catch (error) {
    problems.push((error as Error).message);
  }
  try {
    if (stage) await row.restore?.(stage);
    if (stage && !process.env.E2E_KEEP_CLUSTER) await clear(stage);
  } catch (error) {
    problems.push((error as Error).message);
  }
  return { row, report, seconds, problems };
}

async function meanwhile(row: Row, stage: Stage): Promise<void> {
  if (!row.meanwhile) return;
  await stage.cluster.waitFor('a probe pod runs', 120, async () => {
    const pods = await stage.cluster.list('pods', stage.namespace, 'steadmesh.io/probe=netpol');
    return pods.find(({ status }) => status?.phase === 'Running');
  });
  await row.meanwhile(stage);
}

/** Where the report is not what the row expects; no PASS may lack its control, whatever the row. */
export function judge({ verdict, reason, findings }: Row, report: Report): string[] {
  // gaps that are accepted by default are this cluster's: its network engine acts a moment after a pod's start
  const seen = isEnforced(report) ? 'PASS' : report.verdict;
  const found = report.results.filter((result) => result.verdict === verdict);
  const names = new Set(found.map(({ check, reason: why }) => `${check} ${why}`));
  return [
    ...(seen === verdict ? [] : [`${report.verdict} ${report.reason} instead of ${verdict}: ${report.message}`]),
    ...(reason === undefined || report.reason === reason ? [] : [`${report.reason} instead of ${reason}`]),
    ...(verdict === 'PASS'
      ? []
      : findings.filter((name) => !names.has(name)).map((name) => `${verdict} ${name} is missing`)),
    ...report.results
      .filter(
        (result) =>
          result.verdict === 'FAIL' && !(verdict === 'FAIL' && findings.includes(`${result.check} ${result.reason}`)),
      )
      .map(({ check, reason: why, message }) => `unexpected FAIL ${check} ${why}: ${message}`),
    ...report.results
      .filter((result) => result.verdict === 'PASS' && Object.keys(result.control ?? {}).length === 0)
      .map(({ check }) => `PASS ${check} without a control`),
  ];
}
