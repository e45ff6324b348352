#!/usr/bin/env node
// The prober: runs once, publishes what is enforced, and says it with its exit code. The Job's container.
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { version } from '../package.json';
import { asLines } from './escape';
import type { Plan, Report } from './model';
import { PLAN_FILE, PROBE_DIGEST } from './probe/identity';
import { terminationMessage } from './probe/message';
import { Api } from './probe/prober/api';
import { run } from './probe/prober/run';
import { exitCodeOf } from './probe/report';

const HELP = `probe-seats ${version}: checks that what Git declares of seats is what a cluster enforces.

It is the container of the Job that seatplan renders, and reads its plan from ${PLAN_FILE}.
  probe-seats --plan FILE   runs with another plan, and with the kubeconfig where there is no pod

Exit codes: 0 enforced, 10 shown not to be enforced, 2 inconclusive, 64 bad input, 70 a bug.
`;
const EXIT = { badInput: 64, bug: 70 } as const;
const MESSAGE_FILE = process.env.SEATPLAN_TERMINATION_MESSAGE ?? '/dev/termination-log';

const say = (line: string): void => {
  process.stdout.write(`${asLines(`${new Date().toISOString().slice(11, 19)} ${line}`)}\n`);
};

/** The last words of a pod: `kubectl get pod` and engines show them. By hand there is nobody to read them. */
function leave(text: string): void {
  try {
    writeFileSync(MESSAGE_FILE, text);
  } catch {
    // the log has it too
  }
}

class BadInput extends Error {}

function findCluster(): Api {
  let api: Api | undefined;
  try {
    api = Api.find();
  } catch (error) {
    throw new BadInput(`cannot read the kubeconfig: ${(error as Error).message}`);
  }
  if (!api) throw new BadInput('there is no cluster: neither a pod nor a kubeconfig names one');
  return api;
}

function readPlan(file: string): Plan {
  let plan: Partial<Plan>;
  try {
    plan = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new BadInput(`cannot read the plan ${file}: ${(error as Error).message}`);
  }
  const { version: known, namespace, prober, image, options, profiles, seats } = plan;
  if (known !== 1)
    throw new BadInput(`the plan ${file} has version ${String(known)}; this image knows 1: give both the same release`);
  const isWhole =
    [namespace, prober, image].every((one) => typeof one === 'string') &&
    options &&
    Array.isArray(profiles) &&
    Array.isArray(seats);
  if (!isWhole) throw new BadInput(`the plan ${file} is not one that seatplan rendered`);
  return plan as Plan;
}

async function main(words: readonly string[]): Promise<number> {
  if (words.includes('--help')) {
    process.stdout.write(HELP);
    return 0;
  }
  const file = words[0] === '--plan' && words.length === 2 ? words[1] : words.length === 0 ? PLAN_FILE : undefined;
  if (file === undefined) throw new BadInput(`unknown arguments: ${words.join(' ')}; see --help`);
  const plan = readPlan(file);
  const api = findCluster();
  const stop = new Promise<void>((end) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end());
  });
  const { POD_NAME = hostname(), POD_UID = String(process.pid), [PROBE_DIGEST]: digest = '' } = process.env;
  say(
    `probe of namespace ${plan.namespace}: ${plan.seats.length} seats, ${plan.profiles.length} profiles, seatplan ${version}`,
  );
  const report: Report = await run(api, { plan, digest, holder: `${POD_NAME}_${POD_UID}`, stop, say });
  leave(terminationMessage(report));
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return exitCodeOf(report);
}

main(process.argv.slice(2)).then(
  (code) => end(code),
  (error: unknown) => {
    const isInput = error instanceof BadInput;
    const text = error instanceof Error ? (isInput ? error.message : (error.stack ?? error.message)) : String(error);
    leave(isInput ? `bad input: ${text}` : `a bug of seatplan ${version}: ${text}`.slice(0, 4000));
    process.stderr.write(`${asLines(text)}\n`);
    end(isInput ? EXIT.badInput : EXIT.bug);
  },
);

/** Open connections to the API server must not keep a finished prober alive. */
function end(code: number): void {
  process.stdout.write('', () => process.exit(code));
}
