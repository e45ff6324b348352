// Runs a program of the outside world and waits: what the end-to-end tests call instead of child_process.
import { spawnSync } from 'node:child_process';

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface Surroundings {
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

const MINUTES = 10;

/** Runs to the end, whatever the exit code. Throws only where the program could not be started or did not end. */
export function run(command: readonly [string, ...string[]], { cwd, env, input }: Surroundings = {}): Ran {
  const { error, status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...env },
    input: input ?? '',
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    timeout: MINUTES * 60_000,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** As `run`, but an exit code other than 0 is thrown with all that was printed. */
export function must(command: readonly [string, ...string[]], surroundings: Surroundings = {}): string {
  const { status, stdout, stderr } = run(command, surroundings);
  if (status !== 0) throw new Error(`${command.join(' ')}: exit ${status}\n${stdout}\n${stderr}`);
  return stdout;
}
