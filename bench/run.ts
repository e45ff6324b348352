// `npm run bench`: measures whole processes side by side with `helm template`, and whether the promised numbers hold.
//   --repeat N  runs per case, of which the median counts (default 5)      --write  writes bench/RESULTS.md
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Case, CLI, type Contender, prepare } from './cases';
import { differences } from './equivalence';
import { type Cost, measure } from './measure';
import { type Report, resultsPage, tables } from './report';
import { judge, type Measured } from './targets';

const RESULTS = join(__dirname, 'RESULTS.md');

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { repeat: { type: 'string', default: '5' }, write: { type: 'boolean' } } });
  const repeat = Number(values.repeat);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Error('--repeat takes a whole number above zero');
  if (!existsSync(CLI)) throw new Error('dist/ is missing: npm run build');
  if ((loadavg()[0] ?? 0) > cpus().length / 2)
    process.stderr.write('the machine is busy: wall times will be too long\n');
  const helm = join(textOf('bash', resolve(__dirname, '../e2e/tools.sh'), 'helm'), 'helm');
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-bench-'));
  try {
    const measured: Measured[] = [];
    for (const one of prepare(folder, helm)) measured.push(...(await runCase(one, repeat, folder)));
    const report: Report = { measured, verdicts: judge(measured), repeat, versions: versions(helm) };
    process.stdout.write(`\n${tables(report)}`);
    const earlier = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
    if (values.write) writeFileSync(RESULTS, resultsPage(report, earlier));
    if (report.verdicts.some(({ met }) => !met)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const textOf = (program: string, ...args: string[]): string => execFileSync(program, args, { encoding: 'utf8' }).trim();

const versions = (helm: string): string[] => [
  `seatplan ${textOf(process.execPath, CLI, '--version')}`,
  `Node ${process.version}`,
  `helm ${textOf(helm, 'version', '--template', '{{.Version}}')}`,
];

async function runCase({ name, contenders, rounds }: Case, repeat: number, folder: string): Promise<Measured[]> {
  const runs = contenders.map((contender) => ({ contender, output: join(folder, 'out'), costs: [] as Cost[] }));
  const outputs: string[] = [];
  for (let round = 0; round < repeat * rounds; round += 1) {
    for (const { contender, output, costs } of runs) {
      costs.push(await measure(contender.command, { ...contender, output }));
      if (round === 0) outputs.push(checkedOutput(contender, output));
    }
  }
  const [ours, theirs] = outputs;
  if (name === '1 seat') checkEqual(ours, theirs);
  return runs.map(({ contender, costs }) => {
    const cost = medians(costs);
    process.stdout.write(`${name}, ${contender.name}: ${cost.wall.toFixed(3)} s\n`);
    return { case: name, contender: contender.name, cost };
  });
}

/** A program that leaves out half of the work would be fast. */
function checkedOutput({ name, kindLine, objects }: Contender, file: string): string {
  const text = `\n${readFileSync(file, 'latin1')}`;
  const found = text.split(`\n${kindLine}`).length - 1;
  if (found !== objects) throw new Error(`${name} wrote ${found} objects instead of ${objects}`);
  return text;
}

function checkEqual(ours = '', theirs = ''): void {
  const kinds = differences(ours, theirs);
  if (kinds.length)
    throw new Error(`seatplan and the chart differ in ${kinds.join(', ')}: bring bench/chart up to date`);
}

const medians = (costs: readonly Cost[]): Cost => ({
  wall: median(costs.map(({ wall }) => wall)),
  processor: median(costs.map(({ processor }) => processor)),
  memory: median(costs.map(({ memory }) => memory)),
});

function median(values: readonly number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  const middle = ordered.length / 2;
  return ((ordered[Math.ceil(middle) - 1] ?? 0) + (ordered[Math.floor(middle)] ?? 0)) / 2;
}

void main();
