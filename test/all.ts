// What `npm test` runs after the build and the checks: every suite, coverage, the differential run; one sum at the end.
import { spawn } from 'node:child_process';
import { missing } from '../e2e/prerequisites';

interface Sum {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
const PASSED: Sum = { passed: 1, failed: 0, skipped: 0 };
const FAILED: Sum = { passed: 0, failed: 1, skipped: 0 };
const SKIPPED: Sum = { passed: 0, failed: 0, skipped: 1 };

const SUM_LINE = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;
const DIFFERENTIAL = 'e2e/differential/run.ts';
const DIFFERENTIAL_CASES = process.env.SEATPLAN_DIFFERENTIAL_CASES ?? '2000';
/** Always the same, so that a commit passes or fails for what it holds; runs by hand draw new ones. */
const DIFFERENTIAL_SEED = process.env.SEATPLAN_SEED ?? '2026';
const LINES = '95';
/** Entry points touch the process, not the rules: tests run them as they ship. Types hold no line to run. */
const NOT_COUNTED = [
  ...['cli', 'expand-seats', 'run-function', 'validate-seats'].map((name) => `functions/${name}.ts`),
  ...['functions/model.ts', 'functions/model/**', 'functions/stages/schema/structure.ts'],
  // talk to a cluster, and are run by the tests on a real one
  ...['cli/status', 'cli/status-cluster', 'probe-agent', 'probe-seats', 'probe/prober/*'].map(
    (name) => `functions/${name}.ts`,
  ),
];

/** Runs a command, shows what it prints but for its own sum, and returns that sum. */
function watch(command: readonly string[]): Promise<{ sum: Sum | undefined; code: number | null }> {
  return new Promise((done, fail) => {
    const child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
    let sum: Sum | undefined;
    let rest = '';
    const show = (line: string): void => {
      const [, passed, failed, skipped = '0'] = SUM_LINE.exec(line) ?? [];
      if (passed === undefined) process.stdout.write(`${line}\n`);
      else sum = { passed: Number(passed), failed: Number(failed), skipped: Number(skipped) };
    };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(show);
    });
    child.once('error', fail).once('close', (code) => {
      if (rest) show(rest);
      done({ sum, code });
    });
  });
}

/** A suite that ends without a sum, or with an exit code that contradicts it, has failed. */
async function suites(command: readonly string[]): Promise<Sum> {
  const { sum = FAILED, code } = await watch(command);
  return code === 0 || sum.failed > 0 ? sum : { ...sum, failed: 1 };
}

/** A step that only passes or fails. */
async function step(name: string, command: readonly string[]): Promise<Sum> {
  const { code } = await watch(command);
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name}\n`);
  return code === 0 ? PASSED : FAILED;
}

async function differential(): Promise<Sum> {
  const lacks = missing(['kube-apiserver', 'etcd']);
  if (lacks.length > 0) {
    process.stdout.write(`SKIP differential run: ${lacks.join('; ')}\n`);
    return process.env.CI ? FAILED : SKIPPED;
  }
  return step('our validation agrees with the API server', [
    'ts-node',
    DIFFERENTIAL,
    '--cases',
    DIFFERENTIAL_CASES,
    '--seed',
    DIFFERENTIAL_SEED,
  ]);
}

const COVERAGE = ['--all', '--include=functions/**', ...NOT_COUNTED.map((file) => `--exclude=${file}`)];

async function all(): Promise<void> {
  const sums = [
    await suites(['c8', ...COVERAGE, '--reporter=none', '--clean', 'ts-node', 'test/run.ts', 'test']),
    await step(`tests reach ${LINES} % of the lines of functions/`, [
      ...['c8', 'report', ...COVERAGE, '--reporter=text', '--reporter=lcovonly'],
      ...['--check-coverage', `--lines=${LINES}`, '--branches=0', '--functions=0', '--statements=0'],
    ]),
    await suites(['ts-node', 'test/run.ts', 'e2e']),
    await differential(),
  ];
  const add = (key: keyof Sum): number => sums.reduce((total, sum) => total + sum[key], 0);
  const skipped = add('skipped') ? `, ${add('skipped')} skipped` : '';
  process.stdout.write(`${add('passed')} passed, ${add('failed')} failed${skipped}\n`);
  process.exitCode = add('failed') ? 1 : 0;
}

void all();
