// What a probe costs, on the real cluster of the tests: time to a verdict, pods, how soon the agent is at work under runc
// and gVisor, and the prober's memory for a namespace of 500 seats.
//   npm run bench:probe [-- --write]        --write puts the result into bench/PROBE.md
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cluster, type Live } from '../e2e/cluster';
import { bringUp, clear, makeStage, probe } from '../e2e/sabotage/stage';
import { CONTROL_PLANE, declare, expand, GVISOR, installPlatform, makeNamespace } from '../e2e/seat-package';
import type { Report } from '../functions/model';
import { isEnforced } from '../functions/probe/roll-up';
import { measure } from './measure';

const SEATS = 500;
/** To reach, as the plan of the project has them. */
const MOST = { verdictSeconds: 60, podsPerProfile: 3 } as const;
const ROOT = resolve(__dirname, '..');

interface Line {
  readonly what: string;
  readonly value: string;
  readonly target?: string;
  readonly met?: boolean;
}

/** Two seats of two profiles, with the settling time that users have. */
async function live(): Promise<Line[]> {
  const on = cluster();
  const images = on.images();
  await installPlatform(on, images);
  const stage = await makeStage(on, {
    namespace: 'bench-live',
    images,
    tiers: { 'bench-gvisor': GVISOR },
    seats: { sandboxed: { tierRef: { name: 'bench-gvisor' } }, plain: {} },
    probe: { settle: '20s' },
  });
  await bringUp(stage);
  const report = await probe(stage);
  const pod = await on.waitFor('the prober has ended', 60, async () => {
    const [one] = await on.list('pods', CONTROL_PLANE, `job-name=${stage.job}`);
    return terminated(one) ? one : undefined;
  });
  await clear(stage);
  const { startedAt, finishedAt } = terminated(pod) as { startedAt: string; finishedAt: string };
  if (!isEnforced(report)) throw new Error(report.message);
  const seconds = (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
  const pods = new Set(report.groups.flatMap((group) => Object.values(group.pods).map(({ uid }) => uid))).size;
  const perProfile = pods / report.groups.length;
  return [
    {
      what: 'seconds from the start of the prober to its verdict (settle 20 s, two profiles)',
      value: seconds.toFixed(0),
      target: `<= ${MOST.verdictSeconds}`,
      met: seconds <= MOST.verdictSeconds,
    },
    {
      what: 'pods per profile and node, the shared witness counted',
      value: perProfile.toFixed(1),
      target: `<= ${MOST.podsPerProfile}`,
      met: perProfile <= MOST.podsPerProfile,
    },
    ...['sandboxed', 'plain'].map((seat) => ({
      what: `milliseconds from the agent's start to the end of its first attempt (${seat === 'plain' ? 'runc' : 'gVisor'}, 0.2 CPU)`,
      value: String(firstAttempt(report, seat) ?? 'not measured'),
    })),
  ];
}

const terminated = (pod: Live | undefined): { startedAt: string; finishedAt: string } | undefined =>
  (
    pod?.status as
      | { containerStatuses?: { state: { terminated?: { startedAt: string; finishedAt: string } } }[] }
      | undefined
  )?.containerStatuses?.[0]?.state.terminated;

function firstAttempt({ results, seats }: Report, seat: string): unknown {
  const profile = seats.find((one) => one.seat === seat)?.profile;
  const window = results.find((one) => one.check === 'N18' && one.profile === profile);
  return window?.control?.firstAttemptEndedMs ?? window?.evidence?.firstAttemptEndedMs;
}

/** The plan of 500 seats whose pods do not run: all of them are looked for, judged and reported. */
async function many(): Promise<Line[]> {
  const on = cluster();
  const namespace = 'bench-many';
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-bench-'));
  const seats = Object.fromEntries(Array.from({ length: SEATS }, (_, n) => [`agent-${n}`, {}]));
  const objects = expand(declare({ namespace, images: on.images(), seats, probe: { timeout: '30s' } }));
  await makeNamespace(on, namespace);
  // the seats' own objects stay out of the cluster: what counts here is the plan
  await on.apply(
    objects.filter(({ metadata }) => metadata.namespace === CONTROL_PLANE).filter(({ kind }) => kind !== 'Job'),
  );
  const plan = objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.endsWith('-plan'));
  const { data = {} } = (plan ?? {}) as { data?: Record<string, string> };
  const text = data['plan.json'] ?? '';
  writeFileSync(join(folder, 'plan.json'), text);
  const command = [process.execPath, join(ROOT, 'dist/probe-seats.js'), '--plan', join(folder, 'plan.json')];
  process.env.KUBECONFIG = on.kubeconfig;
  // as in the image (Dockerfile), without which Node keeps far more
  process.env.NODE_OPTIONS = '--max-semi-space-size=2';
  process.env.SEATPLAN_TERMINATION_MESSAGE = join(folder, 'message');
  // 10: none of the seats' objects are there, and the probe says so
  const cost = await measure(command, { output: join(folder, 'log'), exit: 10 });
  rmSync(folder, { recursive: true });
  await on.delete('namespace', namespace);
  return [
    {
      what: `bytes of the plan for ${SEATS} seats`,
      value: String(Buffer.byteLength(text)),
      target: '<= 1000000',
      met: text.length <= 1_000_000,
    },
    {
      what: `seconds for a run on ${SEATS} seats of which nothing is there (30 s of them waiting)`,
      value: cost.wall.toFixed(1),
    },
    { what: `seconds of processor time of it`, value: cost.processor.toFixed(1) },
    {
      what: `MiB that it held at most, with the image's NODE_OPTIONS`,
      value: (cost.memory / 2 ** 20).toFixed(0),
      target: '<= 512',
      met: cost.memory <= 2 ** 29,
    },
  ];
}

async function main(): Promise<void> {
  const lines = [...(await live()), ...(await many())];
  const table = [
    '| what | measured | to reach |',
    '|---|---|---|',
    ...lines.map(
      ({ what, value, target = '', met }) => `| ${what} | ${value} | ${target}${met === false ? ' (missed)' : ''} |`,
    ),
  ].join('\n');
  process.stdout.write(`${table}\n`);
  if (process.argv.includes('--write')) {
    writeFileSync(
      join(__dirname, 'PROBE.md'),
      `# What a probe costs\n\nMeasured by \`npm run bench:probe -- --write\` on the cluster of e2e/cluster (one node, two processors).\n\n${table}\n`,
    );
  }
  process.exitCode = lines.some(({ met }) => met === false) ? 1 : 0;
}

void main();
