// Runs every uvu suite below the folders (or files) given, one after the other, and ends with `N passed, N failed`.
// A file without a test, a folder without a file, or a suite that was never `.run()` fails: uvu alone calls that green.
import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import * as fc from 'fast-check';

type Handler = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>;
declare global {
  var UVU_DEFER: number | undefined;
  var UVU_INDEX: number | undefined;
  var UVU_QUEUE: Handler[][] | undefined;
}

const testFiles = (path: string): string[] =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.test.ts') && !name.includes('node_modules'))
        .sort()
        .map((name) => join(path, name));

/** Always the same cases, so that a commit passes or fails for what it holds; another SEATPLAN_SEED draws others. */
fc.configureGlobal({ seed: Number(process.env.SEATPLAN_SEED ?? 20261130) });

async function run(roots: string[]): Promise<void> {
  const files = roots.flatMap(testFiles);
  globalThis.UVU_DEFER = 1;
  const queue: Handler[][] = [];
  globalThis.UVU_QUEUE = queue;
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const [index, file] of files.entries()) {
    globalThis.UVU_INDEX = index;
    queue[index] = [];
    require(resolve(file));
    const started = Date.now();
    const before = { ...sum };
    let tests = 0;
    for (const handler of queue[index] ?? []) {
      const [errors, passed, skipped, total] = await handler();
      if (errors !== true) process.stdout.write(`${errors}\n`);
      sum.passed += passed;
      sum.skipped += skipped;
      sum.failed += total - passed;
      tests += total + skipped;
    }
    if (tests === 0) {
      process.stdout.write(`FAIL ${file}: holds no test that runs\n`);
      sum.failed += 1;
    }
    const failed = sum.failed - before.failed;
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    process.stdout.write(
      `${failed ? 'FAIL' : 'ok  '} ${relative('.', file)}: ${sum.passed - before.passed} passed, ${failed} failed, ${seconds} s\n`,
    );
  }
  if (files.length === 0) sum.failed += 1;
  const skipped = sum.skipped ? `, ${sum.skipped} skipped` : '';
  process.stdout.write(`${sum.passed} passed, ${sum.failed} failed${skipped}\n`);
  process.exitCode = sum.failed ? 1 : 0;
}

void run(process.argv.slice(2).length ? process.argv.slice(2) : ['test', 'e2e']);
