#!/usr/bin/env node
// `seatplan`, the command line: hands the process to the command asked for. Starts fast; commands load what they need.
import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { version } from '../package.json';
import { run } from './cli/command-line';
import { EXIT, type Shell, sinkOf } from './cli/shell';
import { asLines } from './escape';

const { env } = process;
const colours = (descriptor: number): boolean => !env.NO_COLOR && env.TERM !== 'dumb' && isatty(descriptor);

const shell: Shell = {
  environment: env,
  version,
  output: sinkOf(1, colours(1)),
  errors: sinkOf(2, colours(2)),
  readStdin: () => readFileSync(0),
  processID: process.pid,
  isRunning: (processID) => {
    try {
      return process.kill(processID, 0);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EPERM';
    }
  },
};

/** `exitCode` and no `exit()`: what was written must reach its reader first. */
run(process.argv.slice(2), shell).then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.exitCode = EXIT.bug;
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    shell.errors.write(
      `seatplan: this is a bug of seatplan, not of your files. Please report these lines and, if you can, the input:\n` +
        `seatplan ${version}, Node ${process.version}, ${process.platform} ${process.arch}\n${asLines(what)}\n`,
    );
  },
);
