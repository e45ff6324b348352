// A real controller as a process of this machine, that works on the tests' cluster.
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from './cluster';
import { program } from './prerequisites';

export interface Controller {
  /** The last lines of its log. */
  tail(): string;
  stop(): Promise<void>;
}

export function startController(
  name: string,
  { kubeconfig }: Pick<Cluster, 'kubeconfig'>,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Controller {
  const folder = mkdtempSync(join(tmpdir(), `seatplan-${name}-`));
  const file = join(folder, 'log');
  const log = openSync(file, 'w');
  const child = spawn(program(name) ?? name, args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, KUBECONFIG: kubeconfig, TMPDIR: folder, ...env },
  });
  const gone = new Promise((done) => child.once('exit', done));
  const kill = (): boolean => child.kill('SIGKILL');
  process.once('exit', kill); // never leave it behind when a test crashes
  return {
    tail: () => readFileSync(file, 'utf8').split('\n').slice(-30).join('\n'),
    async stop() {
      process.off('exit', kill);
      child.kill();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
