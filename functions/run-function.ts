// Runs a KRM function as a process: a ResourceList on stdin, one on stdout, and the exit code that orchestrators go by.

import { readFileSync } from 'node:fs';
import { readPlatform } from './cli/load';
import { batched, EXIT, type ExitCode, Refusal, sinkOf } from './cli/shell';
import { asLines } from './escape';
import { isError } from './finding';
import type { Answer, Call } from './krm';
import { textOf } from './report/text';
import { readFiles } from './stages/read/files';

/** `help` is printed for `--help`; any other argument is refused. */
export function runFunction(help: string, answer: (call: Call) => Answer): void {
  const errors = sinkOf(2, false);
  try {
    process.exitCode = run(help, answer);
  } catch (error) {
    if (error instanceof Refusal) {
      errors.write(`${asLines(`error: ${error.message}`)}\n`);
      process.exitCode = error.exitCode;
      return;
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    errors.write(`this is a bug of seatplan; please report it with the input that shows it:\n${asLines(text)}\n`);
    process.exitCode = EXIT.bug;
  }
}

function run(help: string, answer: (call: Call) => Answer): ExitCode {
  const stdout = sinkOf(1, false);
  const [argument, ...more] = process.argv.slice(2);
  if (argument === '--help' || argument === '-h') {
    stdout.write(help);
    return EXIT.fine;
  }
  if (argument !== undefined) {
    sinkOf(2, false).write(`error: unknown argument ${JSON.stringify([argument, ...more].join(' '))}\n\n${help}`);
    return EXIT.usage;
  }
  const { SEATPLAN_PLATFORM: platformPath, LOG_TO_STDERR: log } = process.env;
  const platform = platformPath ? readPlatform(platformPath, ({ files }) => readFiles(files, 'platform')) : undefined;
  const { output, findings, print } = answer({
    stdin: readFileSync(0),
    platform: platform?.value,
    findings: platform?.findings ?? [],
    logToStderr: log !== undefined && log !== '' && log !== 'false',
  });
  const { emit, end } = batched(stdout);
  for (const piece of output) emit(piece);
  end();
  if (print) sinkOf(2, false).write(textOf(findings, { colours: false }));
  return findings.some(isError) ? EXIT.findings : EXIT.fine;
}
