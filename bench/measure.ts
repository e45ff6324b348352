// Runs a program once and says what it cost: wall time, processor time and the most memory it held.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface Cost {
  /** Seconds. `processor` is user and system time of all threads. */
  readonly wall: number;
  readonly processor: number;
  /** Bytes. */
  readonly memory: number;
}

/** Wall and processor time are bash's own `time`, to the millisecond; it waits for the child and asks the kernel. */
const TIMED = 'TIMEFORMAT="%R %U %S"; time "$@" 2>&3';
const MILLISECONDS_BETWEEN_LOOKS = 4;

/** `exit` is the code that it must end with. Output goes to a file, as it would to a pipe's reader, but without a second program that takes processor time. */
export function measure(
  command: readonly string[],
  files: { input?: string; output: string; exit?: number },
): Promise<Cost> {
  const input = files.input === undefined ? 'ignore' : openSync(files.input, 'r');
  const output = openSync(files.output, 'w');
  const bash = spawn('bash', ['-c', TIMED, 'bash', ...command], { stdio: [input, output, 'pipe', 'pipe'] });
  const times = collect(bash.stderr as NodeJS.ReadableStream);
  const errors = collect(bash.stdio[3] as NodeJS.ReadableStream);
  let memory = 0;
  const look = setInterval(() => {
    memory = Math.max(memory, mostMemoryBelow(bash.pid ?? 0));
  }, MILLISECONDS_BETWEEN_LOOKS);
  return new Promise((resolve, reject) => {
    bash.on('error', reject);
    bash.on('close', (code) => {
      clearInterval(look);
      closeSync(output);
      if (typeof input === 'number') closeSync(input);
      if (code !== (files.exit ?? 0)) return reject(new Error(`${command.join(' ')}: exit ${code}\n${errors()}`));
      const [wall = 0, user = 0, system = 0] = times().trim().split(' ').map(Number);
      resolve({ wall, processor: user + system, memory });
    });
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  return () => Buffer.concat(chunks).toString();
}

/** The kernel keeps the high-water mark (VmHWM), so that looking now and then misses only the last moment's growth. */
function mostMemoryBelow(shell: number): number {
  try {
    const child = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').trim();
    const status = readFileSync(`/proc/${child}/status`, 'utf8');
    if (/^Name:\s+bash$/m.test(status)) return 0; // forked, but not yet the program
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0; // gone, or not Linux
  }
}
