// From a package in Git to proven seats, on a real cluster: gVisor and runc, gateway-only and deny-all, in one namespace.
import { resolve } from 'node:path';
import * as assert from 'uvu/assert';
import type { CheckID, Report } from '../functions/model';
import { isEnforced } from '../functions/probe/roll-up';
import { cluster, type Live } from './cluster';
import { run } from './command';
import { suiteWith } from './prerequisites';
import { bringUp, clear, makeStage, probe, type Stage } from './sabotage/stage';
import { CONTROL_PLANE, DENY_ALL, GVISOR, installPlatform, openCanary } from './seat-package';
import { verdicts } from './verdicts';

const test = suiteWith('probe', 'cluster', 'docker');
const NAMESPACE = 'proven';
const CLI = resolve(__dirname, '../dist/cli.js');

interface Proven {
  readonly stage: Stage;
  readonly report: Report;
}
let proven: Promise<Proven> | undefined;

async function prove(): Promise<Proven> {
  const on = cluster();
  const images = on.images();
  await installPlatform(on, images);
  const canary = await openCanary(on);
  const stage = await makeStage(on, {
    namespace: NAMESPACE,
    images,
    tiers: { 'tier-gvisor': GVISOR, 'tier-sealed': DENY_ALL },
    seats: {
      researcher: { tierRef: { name: 'tier-gvisor' } },
      reviewer: { tierRef: { name: 'tier-gvisor' } },
      auditor: { tierRef: { name: 'tier-sealed' } },
      clerk: {},
      away: { state: 'Stopped' },
    },
    probe: canary ? { canaries: [canary.address] } : {},
  });
  await bringUp(stage);
  const report = await probe(stage);
  canary?.close();
  return { stage, report };
}
const once = (): Promise<Proven> => (proven ??= prove());

const PASS = ['PASS'];
/** The network engine of the tests' cluster acts a moment after a pod's start. */
const SOON = [PASS, ['GAP StartWindow']];

test('everything that is declared is enforced', async () => {
  const { report } = await once();
  assert.ok(isEnforced(report), report.message);
  assert.equal(
    report.results
      .filter(({ verdict }) => verdict === 'FAIL' || verdict === 'INCONCLUSIVE')
      .map(({ check, message }) => [check, message]),
    [],
  );
  assert.is(report.seats.length, 5);
});

test('no PASS is without its control', async () => {
  const { report } = await once();
  const passed = report.results.filter(({ verdict }) => verdict === 'PASS');
  assert.ok(passed.length > 100, String(passed.length));
  assert.equal(
    passed.filter(({ control }) => Object.keys(control ?? {}).length === 0).map(({ check }) => check),
    [],
  );
});

const EVERYWHERE: readonly CheckID[] = [
  ...(['N3', 'N5', 'N7', 'N10', 'N13', 'N14', 'U1', 'U2'] as const),
  ...(['P1', 'P2', 'P3', 'P7', 'P8', 'P9', 'P11', 'F1', 'F2', 'I1', 'I2', 'I3', 'S1', 'A1', 'A2', 'A4'] as const),
];
for (const seat of ['researcher', 'auditor', 'clerk']) {
  test(`${seat}: each check that its pod asks for`, async () => {
    const { report } = await once();
    for (const check of EVERYWHERE) assert.equal(verdicts(report, check, seat), PASS, check);
    assert.ok(
      SOON.some((expected) => JSON.stringify(expected) === JSON.stringify(verdicts(report, 'N18', seat))),
      'N18',
    );
    assert.equal(verdicts(report, 'N15', seat), ['SKIP SingleStack']);
  });
}

test('gVisor is proven, and its seccomp gap is known', async () => {
  const { report } = await once();
  for (const seat of ['researcher', 'reviewer', 'auditor']) {
    assert.equal(verdicts(report, 'R1', seat), PASS);
    assert.equal(verdicts(report, 'R2', seat), PASS);
    assert.equal(verdicts(report, 'P4', seat), ['GAP SandboxBoundary']);
    assert.equal(verdicts(report, 'T1', seat), PASS);
  }
  assert.equal(verdicts(report, 'P4', 'clerk'), PASS);
});

test('an allowed target answers, and a seat that may reach nothing is proven by who reaches it', async () => {
  const { report } = await once();
  for (const check of ['N1', 'N4'] as const) {
    assert.equal(verdicts(report, check, 'researcher'), PASS);
    assert.equal(verdicts(report, check, 'auditor'), ['SKIP NotDeclared']);
  }
});

test('seats of one profile share three pods, and each has its own word', async () => {
  const { report } = await once();
  assert.is(report.groups.length, 3);
  const [researcher, reviewer] = ['researcher', 'reviewer'].map((name) =>
    report.seats.find(({ seat }) => seat === name),
  );
  assert.is(researcher?.profile, reviewer?.profile);
  assert.is(researcher?.provenBy, reviewer?.provenBy);
  assert.equal(verdicts(report, 'U1', 'reviewer'), PASS);
  const pods = new Set(report.groups.flatMap(({ pods: made }) => Object.values(made).map(({ uid }) => uid)));
  assert.is(pods.size, 2 * 3 + 1);
});

test('a stopped seat has no pod, and owes nothing else', async () => {
  const { report } = await once();
  assert.equal(verdicts(report, 'A4', 'away'), PASS);
  assert.equal(verdicts(report, 'A1', 'away'), ['SKIP Stopped']);
});

test('Seats are Ready as kubectl, kstatus and engines wait for it', async () => {
  const { stage } = await once();
  await stage.cluster.kubectl(['wait', '--for=condition=Ready', 'seat', '--all', '-n', NAMESPACE, '--timeout=30s']);
  const seat = (await stage.cluster.get('seat', 'researcher', NAMESPACE)) as Live;
  const status = seat.status as {
    observedGeneration: number;
    conditions: { type: string; status: string }[];
    lastProbe: { digest: string };
  };
  assert.is(status.observedGeneration, seat.metadata.generation);
  const isTrue = (type: string): boolean => status.conditions.some((one) => one.type === type && one.status === 'True');
  for (const type of [
    'NetworkEnforced',
    'RuntimeEnforced',
    'IdentityEnforced',
    'AdmittedAsDeclared',
    'SandboxEnforced',
  ]) {
    assert.ok(isTrue(type), type);
  }
  assert.not.ok(isTrue('Stalled') || isTrue('Reconciling'));
  assert.ok(stage.job.endsWith(status.lastProbe.digest.slice(0, 10)));
});

test('the Job is complete, says so in a line, and leaves no pod among the seats', async () => {
  const { stage } = await once();
  await stage.cluster.kubectl([
    'wait',
    '--for=condition=Complete',
    `job/${stage.job}`,
    '-n',
    CONTROL_PLANE,
    '--timeout=30s',
  ]);
  const [pod] = await stage.cluster.list('pods', CONTROL_PLANE, `job-name=${stage.job}`);
  const { containerStatuses } = (pod?.status ?? {}) as {
    containerStatuses: { state: { terminated: { message: string } } }[];
  };
  const message = containerStatuses[0]?.state.terminated.message ?? '';
  assert.match(message, /^PASS: 4 seats enforced, 1 stopped/);
  assert.ok(Buffer.byteLength(message) <= 4096);
  assert.equal(
    (await stage.cluster.list('pods', NAMESPACE, 'steadmesh.io/probe')).filter(
      ({ metadata }) => !metadata.deletionTimestamp,
    ),
    [],
  );
});

test('seatplan status shows it, in three formats', async () => {
  const { stage } = await once();
  const status = (...words: string[]) =>
    run([process.execPath, CLI, 'status', '-n', NAMESPACE, '--kubeconfig', stage.cluster.kubeconfig, ...words]);
  const table = status();
  assert.is(table.status, 0, table.stderr);
  assert.match(table.stdout, /^NAMESPACE +SEAT +TIER +ENFORCED +REASON/);
  assert.match(table.stdout, /proven +researcher +tier-gvisor +True +EnforcedWithGaps/);
  const { seats } = JSON.parse(status('--format', 'json').stdout) as { seats: { enforced: string }[] };
  assert.equal(
    seats.map(({ enforced }) => enforced),
    Array(5).fill('True'),
  );
  assert.match(status('--format', 'junit').stdout, 'tests="5" failures="0" errors="0"');
});

test('the same package applied again starts no other Job', async () => {
  const { stage } = await once();
  const again = await makeStage(stage.cluster, stage.declared);
  assert.is(again.job, stage.job);
});

test('leaves', async () => {
  const { stage } = await once();
  if (!process.env.E2E_KEEP_CLUSTER) await clear(stage);
});

test.run();
