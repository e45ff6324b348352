#!/usr/bin/env node
// The agent in a probe's pods: carries out one task, and leaves its result in the termination message.
import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { AgentResult, AgentTask, Target } from './model';
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
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end('terminated'));
    if (task.role !== 'witness') setTimeout(() => end('done'), Math.max(0, task.seconds * 1000 - sinceStart()));
  });
  const ears = listen(task);
  const rounds = start(task, literal(task.targets, nameservers()), sinceStart);
  const seen = task.inspect ? look(task.inspect, task.nonce) : undefined;
  const end = await ending;
  rounds.stop();
  // who is told to end has little time left, less than a witness that does not answer may take
  const ask = end === 'done' ? task.witness : undefined;
  const witnessHeard = ask && (await askWitness(ask, task.attemptMs));
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

/** A pod without the file (another path was declared) still tells all in its log. */
function leave(message: string): void {
  try {
    writeFileSync(MESSAGE_FILE, message);
  } catch (error) {
    process.stderr.write(`seatplan probe agent: no termination message: ${String(error)}\n`);
  }
}

function finish(result: AgentResult): void {
  leave(packResult(result));
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
}

function fail(code: number, message: string): void {
  leave(message.slice(0, 2000));
  process.stderr.write(`seatplan probe agent: ${message}\n`, () => process.exit(code));
}

const bug = (error: unknown): void =>
  fail(BUG, error instanceof Error ? (error.stack ?? error.message) : String(error));

const KINDS = ['http', 'tcp', 'udp', 'dns-udp', 'dns-tcp'];
const isPort = (port: unknown): boolean => Number.isInteger(port) && Number(port) > 0 && Number(port) < 65536;
const isTarget = ({ id, kind, address, port }: Partial<Target>): boolean =>
  [id, address].every((one) => typeof one === 'string') && KINDS.includes(kind ?? '') && isPort(port);

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
      [ports?.tcp, ports?.udp].every((some) => Array.isArray(some) && some.every(isPort)) &&
      Array.isArray(targets) &&
      targets.every(isTarget);
    return isTask ? (task as AgentTask) : undefined;
  } catch {
    return undefined;
  }
}

const task = taskOf(process.env[AGENT_TASK]);
process.on('uncaughtException', bug);
if (task) run(task).catch(bug);
else
  fail(
    BAD_INPUT,
    `the environment variable ${AGENT_TASK} holds no task of this version; pods of a probe are made by its Job`,
  );
