// What a sync of Argo CD waits for: from the request to Argo CD's real plugin server to its answer, beside a plugin that only
// prints the same objects. Sending, unpacking and splitting are Argo CD's own, and the same for both.
//   npm run bench:argocd [-- --write]        --write puts the result into bench/ARGOCD.md
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { appIn, textsOf } from '../e2e/argocd-app';
import { type Sidecar, startSidecar } from '../e2e/argocd-server';
import { type App, environment } from '../e2e/cmp-client';
import { must } from '../e2e/command';
import { program } from '../e2e/prerequisites';
import { writePackage } from './packages';

const ROOT = resolve(__dirname, '..');
const SEATS = [10, 100, 1000] as const;
/** The fastest counts: whatever else runs on the machine only makes one slower. */
const RUNS = 9;
/** To reach with the most seats. */
const MOST_SECONDS = 2;
/** Where the server's config lies in the container. */
const CONFIG = '/home/argocd/cmp-server/config';

interface Line {
  readonly seats: number;
  readonly objects: number;
  readonly seconds: number;
  readonly printing: number;
}

/** The seats with their probes, the tier and the config as the platform level. */
function write(folder: string, count: number): { readonly app: string; readonly platform: Record<string, string> } {
  const [app, platform] = [join(folder, `${count}`), join(folder, `platform-${count}`)];
  writePackage(app, count);
  writePackage(platform, 0);
  for (const file of ['tier.yaml', 'expand-seats.yaml']) rmSync(join(app, file));
  const texts = textsOf(platform);
  texts['expand-seats.yaml'] = (texts['expand-seats.yaml'] ?? '').replace(/ {2}probe:\n.*\n/, '');
  return { app, platform: texts };
}

/** The config of a plugin that prints the file that its variable names: this machine's `cat`, whose libraries the image has. */
function printer(folder: string): string {
  const config = join(folder, 'printer');
  mkdirSync(config);
  copyFileSync(program('cat') ?? '/bin/cat', join(config, 'cat'));
  chmodSync(config, 0o755);
  const description = readFileSync(join(ROOT, 'deploy/argocd/plugin.yaml'), 'utf8');
  writeFileSync(
    join(config, 'plugin.yaml'),
    description.replace(/command: \[.*\]/, `command: [${CONFIG}/cat, ${CONFIG}/objects.yaml]`),
  );
  return config;
}

async function time(plugin: Sidecar, app: App): Promise<{ readonly seconds: number; readonly objects: number }> {
  const start = process.hrtime.bigint();
  const { length } = await plugin.generate({ ...app, env: environment() });
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9, objects: length };
}

async function compare(ours: Sidecar, other: Sidecar, config: string, folder: string, seats: number): Promise<Line> {
  const { app: path, platform } = write(folder, seats);
  ours.mount(platform);
  const render = [process.execPath, join(ROOT, 'dist/cli.js'), 'render', '--all', '--platform', ours.platform] as const;
  writeFileSync(join(config, 'objects.yaml'), must([...render, path]));
  const app = appIn(path);
  const times: { readonly ours: number; readonly printing: number }[] = [];
  let objects = 0;
  for (let run = 0; run < RUNS; run += 1) {
    const [one, two] = [await time(ours, app), await time(other, app)];
    if (one.objects !== two.objects) throw new Error(`${one.objects} objects against ${two.objects}`);
    objects = one.objects;
    times.push({ ours: one.seconds, printing: two.seconds });
  }
  return {
    seats,
    objects,
    seconds: Math.min(...times.map((one) => one.ours)),
    printing: Math.min(...times.map((one) => one.printing)),
  };
}

async function main(): Promise<void> {
  if ((loadavg()[0] ?? 0) > cpus().length / 2) process.stderr.write('the machine is busy: times will be too long\n');
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-bench-'));
  const config = printer(folder);
  const ours = await startSidecar();
  const other = await startSidecar(config);
  const lines: Line[] = [];
  try {
    for (const seats of SEATS) lines.push(await compare(ours, other, config, folder, seats));
  } finally {
    for (const plugin of [ours, other]) plugin.stop();
    rmSync(folder, { recursive: true });
  }
  const met = (lines.at(-1)?.seconds ?? Infinity) <= MOST_SECONDS;
  const table = [
    '| seats | objects | seconds | seconds of a plugin that prints the same | ratio |',
    '|---|---|---|---|---|',
    ...lines.map(
      ({ seats, objects, seconds, printing }) =>
        `| ${seats} | ${objects} | ${seconds.toFixed(2)} | ${printing.toFixed(2)} | ${(seconds / printing).toFixed(1)} |`,
    ),
    '',
    `To reach: ${SEATS.at(-1)} seats within ${MOST_SECONDS} seconds (${met ? 'reached' : 'missed'}).`,
  ].join('\n');
  process.stdout.write(`${table}\n`);
  if (process.argv.includes('--write')) {
    writeFileSync(
      join(__dirname, 'ARGOCD.md'),
      '# What a sync of Argo CD waits for\n\nMeasured by `npm run bench:argocd -- --write` on two processors: from a request over the socket of ' +
        `argocd-cmp-server 3.6.1\nto its answer, with the image of the plugin; the fastest of ${RUNS} runs.\nMuch of it is Argo CD's own: it unpacks the ` +
        'repository, reads the objects and sends them as JSON, also for a plugin that only prints a file.\n\n' +
        `${table}\n`,
    );
  }
  process.exitCode = met ? 0 : 1;
}

void main();
