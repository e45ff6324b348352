#!/usr/bin/env node
// The agent in a probe's pods: carries out one task, and leaves its result in the termination message.
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { AgentResult, AgentTask } from './model';
import { listen } from './probe/agent/listeners';
import { literal, start } from './probe/agent/rounds';
import { look, nameservers } from './probe/agent/sight';
import { askWitness } from './probe/agent/witness';
import { packResult } from './probe/agent-result';
import { AGENT_TASK } from './probe/identity';

const MESSAGE_FILE = process.env.SEATPLAN_TERMINATION_MESSAGE ?? '/dev/termination-log';
const BAD_INPUT = 64;
const BUG = 70;

async function run(task: AgentTask): Promise<void> {
  const startedAt = Math.round(performance.timeOrigin);
  const sinceStart = (): number => performance.now();
  const ending = new Promise<AgentResult['end']>((end) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => end('terminated'));
    if (task.role !== 'witness') setTimeout(() => end('done'), Math.max(0, task.seconds * 1000 - sinceStart()));
  });
  const ears = listen(task);
  const rounds = start(task, literal(task.targets, nameservers()), sinceStart);
  const seen = task.inspect ? look(task.inspect, task.nonce) : undefined;
  const end = await ending;
  rounds.stop();
  const witnessHeard = task.witness ? await askWitness(task.witness, task.attemptMs) : undefined;
  const silent = ears.silent();
  finish({
    version: 1,
    role: task.role,
    nonce: task.nonce,
    podUID: process.env.POD_UID ?? '',
    startedAt,
    endedAt: Date.now(),
    end,
    listening: await ears.listening,
    attempts: rounds.attempts(),
    heard: ears.heard(),
    ...(silent ? { silent } : {}),
    ...(witnessHeard ? { witnessHeard } : {}),
    ...(seen ? { seen } : {}),
  });
}

function finish(result: AgentResult): void {
  writeFileSync(MESSAGE_FILE, packResult(result));
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

function fail(code: number, message: string): void {
  try {
    writeFileSync(MESSAGE_FILE, message.slice(0, 2000));
  } catch {
    // stderr has it too
  }
  process.stderr.write(`seatplan probe agent: ${message}\n`, () => process.exit(code));
}

/** Whoever made the pod made the task with it; what is checked is that both speak the same language. */
function taskOf(text: string | undefined): AgentTask | undefined {
  try {
    const task = JSON.parse(text ?? '') as Partial<AgentTask>;
    const { role, nonce, seconds, settleSeconds, listen: ports, targets, attemptMs } = task;
    const isTask =
      ['seat', 'control', 'witness'].includes(role ?? '') &&
      /^[0-9a-f]{8,30}$/.test(nonce ?? '') &&
      [seconds, attemptMs].every((one) => typeof one === 'number' && one > 0) &&
      typeof settleSeconds === 'number' &&
      [ports?.tcp, ports?.udp, targets].every(Array.isArray);
    return isTask ? (task as AgentTask) : undefined;
  } catch {
    return undefined;
  }
}

const task = taskOf(process.env[AGENT_TASK]);
if (task)
  run(task).catch((error: unknown) =>
    fail(BUG, error instanceof Error ? (error.stack ?? error.message) : String(error)),
  );
else
  fail(
    BAD_INPUT,
    `the environment variable ${AGENT_TASK} holds no task of this version; pods of a probe are made by its Job`,
  );
