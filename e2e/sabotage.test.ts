// Breaks the cluster behind Git's back, one thing at a time, and expects the probe to say so: never a PASS, and with its reason.
//   SEATPLAN_SABOTAGE_RUNS=20 npx ts-node test/run.ts e2e/sabotage.test.ts    each row 20 times, as the table in docs/sabotage.md
//   SEATPLAN_SABOTAGE_ONLY=policy-deleted,healthy ...                         these rows only
import * as assert from 'uvu/assert';
import { cluster } from './cluster';
import { suiteWith } from './prerequisites';
import { NETWORK } from './sabotage/network';
import { POD } from './sabotage/pod';
import { RUN } from './sabotage/run';
import { type Outcome, runRow, runRows } from './sabotage/run-row';
import { toTable } from './sabotage/table';
import { installPlatform, openCanary } from './seat-package';

const test = suiteWith('sabotage', 'cluster', 'docker');
const RUNS = Number(process.env.SEATPLAN_SABOTAGE_RUNS ?? 1);
const only = process.env.SEATPLAN_SABOTAGE_ONLY?.split(',');
const ROWS = [...NETWORK, ...POD, ...RUN].filter(({ name }) => only?.includes(name) ?? true);

const outcomes: Outcome[] = [];
let all: Promise<void> | undefined;

async function runAll(): Promise<void> {
  const on = cluster();
  const images = on.images();
  await installPlatform(on, images);
  const canary = await openCanary(on);
  const rows = on.hostAddress === undefined ? ROWS.filter(({ node }) => !node) : ROWS;
  for (let round = 0; round < RUNS; round += 1) {
    await runRows(
      rows,
      (row) => runRow(on, row, images, canary?.address, round),
      (outcome) => {
        outcomes.push(outcome);
        const { row, report, seconds, problems } = outcome;
        process.stdout.write(
          `${problems.length ? 'FAIL' : 'ok  '} ${row.name}: ${report?.verdict} ${report?.reason}, ${seconds.toFixed(0)} s\n${problems.map((one) => `     ${one}\n`).join('')}`,
        );
      },
    );
  }
  canary?.close();
  if (RUNS > 1) process.stdout.write(`${toTable(outcomes)}\n`);
}

for (const row of ROWS) {
  test(`${row.what}: ${row.verdict}`, async () => {
    all ??= runAll();
    await all;
    const own = outcomes.filter((outcome) => outcome.row === row);
    if (own.length === 0 && row.node) return;
    assert.is(own.length, RUNS);
    assert.equal(
      own.flatMap(({ problems }) => problems),
      [],
    );
  });
}

test.run();
