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
const TOOLS = resolve(__dirname, '../e2e/tools.sh');

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { repeat: { type: 'string', default: '5' }, write: { type: 'boolean' } } });
  const repeat = Number(values.repeat);
  if (!Number.isInteger(repeat) || repeat < 1) throw new Error('--repeat takes a whole number above zero');
  if (!existsSync(CLI)) throw new Error('dist/ is missing: npm run build');
  if ((loadavg()[0] ?? 0) > cpus().length / 2)
    process.stderr.write('the machine is busy: wall times will be too long\n');
  const helm = join(textOf('bash', TOOLS, 'helm'), 'helm');
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-bench-'));
  try {
    const cases = prepare(folder, helm);
    const [oneSeat] = cases;
    if (oneSeat) checkEquivalence(oneSeat);
    const measured = await runAll(cases, repeat, folder);
    const report: Report = { measured, verdicts: judge(measured), repeat, versions: versions() };
    process.stdout.write(`\n${tables(report)}`);
    const earlier = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
    if (values.write) writeFileSync(RESULTS, resultsPage(report, earlier));
    if (report.verdicts.some(({ met }) => !met)) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const textOf = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: 'utf8', stdio: 'pipe' }).trim();

/** A helm built from its module does not know its own patch version. */
const versions = (): string[] => [
  `seatplan ${textOf(process.execPath, CLI, '--version')}`,
  `Node ${process.version}`,
  `helm ${/^HELM_VERSION=(\S+)/m.exec(readFileSync(TOOLS, 'utf8'))?.[1]}`,
];

/** Cases and programs take turns, so that a slow moment of the machine meets them all. */
async function runAll(cases: readonly Case[], repeat: number, folder: string): Promise<Measured[]> {
  const output = join(folder, 'out');
  const runs = cases.flatMap(({ name, rounds, contenders }) =>
    contenders.map((contender) => ({ name, rounds, contender, costs: [] as Cost[] })),
  );
  for (let round = 1; round <= repeat; round += 1) {
    process.stderr.write(`round ${round} of ${repeat}\n`);
    for (const { contender, costs, rounds } of runs) {
      for (let n = 0; n < rounds; n += 1) {
        costs.push(await measure(contender.command, { ...contender, output }));
        checkCount(contender, readFileSync(output, 'latin1'));
      }
    }
  }
  return runs.map(({ name, contender, costs }) => ({ case: name, contender: contender.name, cost: medians(costs) }));
}

/** A program that leaves out half of the work would be fast. */
function checkCount({ name, kindLine, objects }: Contender, text: string): void {
  const found = `\n${text}`.split(`\n${kindLine}`).length - 1;
  if (found !== objects) throw new Error(`${name} wrote ${found} objects instead of ${objects}`);
}

/** Both programs of a case say the same; that of one seat is enough to read. */
function checkEquivalence({ contenders }: Case): void {
  const [ours = '', theirs = ''] = contenders.map(({ command: [program = '', ...args] }) => textOf(program, ...args));
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
