// A shell in which the commands of docs/kpt-live.md run as they stand there.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import type { ApiServer } from './apiserver';
import { type Ran, run } from './command';
import { removeSeat, writePackage } from './engine-package';

const ROOT = resolve(__dirname, '..');
const SEATS = { analyst: {}, librarian: {} };

export interface Shell {
  readonly server: ApiServer;
  /** Runs commands in the folder that holds `research` and `schemas`. */
  run(commands: string): Ran;
  /** Has the package hold these Seats only; what was rendered stays. */
  have(...seats: readonly (keyof typeof SEATS)[]): void;
  /** Stops the server too. */
  stop(): Promise<void>;
}

/** What each of the programs is called by on the PATH, besides `seatplan`, and the command that it stands for. */
export function openShell(server: ApiServer, commands: Readonly<Record<string, string>>): Shell {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-shell-'));
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, command] of Object.entries({ ...commands, seatplan: `${process.execPath} ${ROOT}/dist/cli.js` })) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${command} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  symlinkSync(join(ROOT, 'schemas'), join(folder, 'schemas'));
  const env = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    KUBECONFIG: server.kubeconfig,
    KUBECACHEDIR: join(folder, 'cache'),
  };
  const research = join(folder, 'research');
  return {
    server,
    run: (text) => run(['bash', '-ec', text], { cwd: folder, env }),
    have(...seats) {
      writePackage(research, { namespace: 'research', seats: SEATS });
      for (const seat of Object.keys(SEATS)) if (!seats.some((name) => name === seat)) removeSeat(research, seat);
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
