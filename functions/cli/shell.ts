// What a command may do to the world outside: the process as a value, so that commands can be run by tests.
import { writeSync } from 'node:fs';

export interface Shell {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly output: Sink;
  readonly errors: Sink;
  readonly readStdin: () => Uint8Array;
  /** Names what this process leaves behind, so that the next run knows whose it was. */
  readonly processID: number;
  readonly isRunning: (processID: number) => boolean;
}

export interface Sink {
  readonly write: (text: string) => void;
  readonly colours: boolean;
}

export const EXIT = { fine: 0, findings: 1, usage: 2, bug: 70 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the user must mend, but not in a resource: a file that cannot be read, a wrong argument. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.findings,
  ) {
    super(message);
  }
}

export const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code ?? '');

/** Does file work; a failure of the system becomes a refusal that names what was tried, e.g. `cannot read a/b.yaml`. */
export function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal || !codeOf(error)) throw error;
    throw new Refusal(`${what}: ${(error as Error).message}`);
  }
}

/** Everything a command prints, whole: a pipe takes 64 KiB at a time, and may be gone (then nobody wants the rest). */
export function sinkOf(descriptor: number, colours: boolean): Sink {
  let closed = false;
  const write = (text: string): void => {
    if (closed) return;
    try {
      writeWhole(descriptor, Buffer.from(text));
    } catch (error) {
      if (codeOf(error) !== 'EPIPE') throw error;
      closed = true;
    }
  };
  return { colours, write: (text) => attempt('cannot write the output', () => write(text)) };
}

const PAUSE = new Int32Array(new SharedArrayBuffer(4));

/** Writes all bytes; waits while a non-blocking reader is slow. */
export function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      Atomics.wait(PAUSE, 0, 0, 5);
    }
  }
}

const BATCH = 1 << 18;

/** Gathers many small pieces into few writes. `end` writes what is left. */
export function batched(sink: Sink): { emit: (chunk: string) => void; end: () => void } {
  let pieces: string[] = [];
  let length = 0;
  const end = (): void => {
    if (length) sink.write(pieces.join(''));
    pieces = [];
    length = 0;
  };
  const emit = (chunk: string): void => {
    pieces.push(chunk);
    length += chunk.length;
    if (length >= BATCH) end();
  };
  return { emit, end };
}
