// The Docker engine of the tests: the one that answers, else one of our own with its own socket, data and no network.
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { must, run, type Surroundings } from './command';
import { program } from './prerequisites';

const BASE = 'localhost/seatplan-node:test';
const VERSION: string = require('../package.json').version;
/** The images under test, by role; same names as the published ones. */
export const IMAGES = {
  'expand-seats': `ghcr.io/seatplan/expand-seats:v${VERSION}`,
  'validate-seats': `ghcr.io/seatplan/validate-seats:v${VERSION}`,
  'probe-seats': `ghcr.io/seatplan/probe-seats:v${VERSION}`,
  'argocd-cmp': `ghcr.io/seatplan/argocd-cmp:v${VERSION}`,
} as const;

type Environment = NonNullable<Surroundings['env']>;
let environment: Environment | undefined;

/** Environment in which `docker`, kpt and kustomize find an engine that holds the images under test. */
export function docker(): Environment {
  if (environment) return environment;
  const env = run(['docker', 'info']).status === 0 ? {} : start();
  must([resolve(__dirname, 'base-image.sh'), BASE], { env });
  const bases = ['NODE_IMAGE', 'CMP_BASE'].flatMap((name) => ['--build-arg', `${name}=${BASE}`]);
  for (const [role, image] of Object.entries(IMAGES)) {
    must(['docker', 'build', '--target', role, '--tag', image, ...bases, '--network=none', '.'], {
      cwd: resolve(__dirname, '..'),
      env,
    });
  }
  environment = env;
  return env;
}

/** Starts an engine that ends with this process: without a bridge or a firewall rule, as all containers run offline. */
function start(): Environment {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-docker-'));
  const socket = `unix://${folder}/docker.sock`;
  const config = join(folder, 'daemon.json');
  writeFileSync(config, '{}');
  const log = openSync(join(folder, 'log'), 'a');
  const engine = spawn(
    'setpriv',
    // should this process be killed, the kernel tells the engine to stop
    ['--pdeathsig', 'TERM', program('dockerd') ?? 'dockerd', '--host', socket, '--config-file', config].concat(
      ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec'), '--pidfile', join(folder, 'pid')],
      ['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false'],
    ),
    { stdio: ['ignore', log, log], detached: true },
  );
  engine.unref();
  const { pid } = engine;
  if (pid === undefined) throw new Error('cannot start dockerd');
  process.once('exit', () => stop(pid, folder));
  const env = { DOCKER_HOST: socket };
  wait(
    30,
    () => run(['docker', 'info'], { env }).status === 0,
    () => readFileSync(join(folder, 'log'), 'utf8'),
  );
  return env;
}

function stop(pid: number, folder: string): void {
  process.kill(pid, 'SIGTERM');
  wait(
    20,
    () => !isRunning(pid),
    () => 'the Docker engine does not stop',
  );
  rmSync(folder, { recursive: true, force: true });
}

const isRunning = (pid: number): boolean => {
  try {
    // a child that nobody has waited for yet is a zombie (state Z): it has ended
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
  } catch {
    return false;
  }
};

function wait(seconds: number, condition: () => boolean, complaint: () => string): void {
  const end = Date.now() + seconds * 1000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(complaint());
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}
