// Runs the bundled agent of a probe's pods as a process, as a pod does: a task in its environment, a message in a file.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import type { AgentResult, AgentTask } from '../functions/model';
import { unpackResult } from '../functions/probe/agent-result';
import { AGENT_TASK } from '../functions/probe/identity';

export const POD_UID = '11111111-2222-3333-4444-555555555555';

export interface Ended {
  /** null: a signal ended it. */
  readonly code: number | null;
  readonly message: string;
  /** What the message holds. */
  readonly result: AgentResult | undefined;
  readonly stdout: string;
  readonly stderr: string;
}
export interface Running {
  readonly pid: number;
  readonly ended: Promise<Ended>;
}

/** The file of the bundle, in this folder. */
export function bundleAgent(folder: string): string {
  const outfile = join(folder, 'probe-agent.js');
  buildSync({
    entryPoints: [resolve(__dirname, '../functions/probe-agent.ts')],
    bundle: true,
    platform: 'node',
    target: 'node20',
    outfile,
  });
  return outfile;
}

/** `task` as text is passed on as it is; undefined: there is none. `command` goes before Node's, e.g. to enter a namespace. */
export function startAgent(
  file: string,
  task: AgentTask | string | undefined,
  command: readonly string[] = [],
): Running {
  const message = join(mkdtempSync(`${file}-`), 'message');
  const [program = '', ...args] = [...command, process.execPath, file];
  const child = spawn(program, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      SEATPLAN_TERMINATION_MESSAGE: message,
      POD_UID,
      ...(task === undefined ? {} : { [AGENT_TASK]: typeof task === 'string' ? task : JSON.stringify(task) }),
    },
  });
  const [out, err]: [string[], string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => err.push(text));
  const ended = new Promise<Ended>((done, fail) => {
    child.once('error', fail).once('close', (code) => {
      const text = textOf(message);
      done({ code, message: text, result: unpackResult(text), stdout: out.join(''), stderr: err.join('') });
    });
  });
  return { pid: child.pid ?? 0, ended };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Waits until a process listens on a TCP port, as the kernel shows its network namespace (man 5 proc_pid_net). */
export async function listens(pid: number, port: number): Promise<void> {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const LISTEN = '0A';
  const isOpen = (): boolean =>
    ['tcp', 'tcp6'].some((table) =>
      textOf(`/proc/${pid}/net/${table}`)
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .some(([, local = '', , state]) => local.endsWith(wanted) && state === LISTEN),
    );
  const deadline = Date.now() + 20_000;
  while (!isOpen()) {
    if (Date.now() > deadline) throw new Error(`nobody listens on port ${port}`);
    await new Promise((next) => setTimeout(next, 20));
  }
}
