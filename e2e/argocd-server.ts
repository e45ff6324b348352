// Argo CD's real plugin server in our real image, as the sidecar runs it: user 999, nothing to write but /tmp, no network.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { connect, type PluginServer } from './cmp-client';
import { must, type Ran, run } from './command';
import { docker, IMAGES } from './docker';
import { program } from './prerequisites';

const PLUGINS = '/home/argocd/cmp-server/plugins';
const CONFIG = '/home/argocd/cmp-server/config';
const VERSION: string = require('../package.json').version;

export interface Sidecar extends PluginServer {
  /** Replaces the platform level, as the kubelet changes a mounted ConfigMap. */
  mount(files: Readonly<Record<string, string>>): void;
  /** A folder with the same files, for the command line. */
  readonly platform: string;
  readonly socket: string;
  /** Runs our command line in the container. */
  exec(...args: readonly string[]): Ran;
  /** Sends a signal to the server. */
  signal(name: string): void;
  /** Command lines of what runs in the container. */
  processes(): string[];
  /** Ends the server without a word; its socket stays. */
  kill(): void;
  stop(): void;
}

/** `config`: a folder in the place of the image's, which holds plugin.yaml. Ends itself only by `stop`. */
export async function startSidecar(config?: string): Promise<Sidecar> {
  const env = docker();
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-argocd-'));
  const [plugins, mounted, platform] = ['plugins', 'mounted', 'platform'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const one of [folder, plugins, mounted, platform]) {
    mkdirSync(one, { recursive: true });
    chmodSync(one, 0o777); // the container's user is another one
  }
  const volumes = [
    `${program('argocd-cmp-server')}:/var/run/argocd/argocd-cmp-server:ro`,
    `${plugins}:${PLUGINS}`,
    `${mounted}:/etc/seatplan:ro`,
    ...(config === undefined ? [] : [`${resolve(config)}:${CONFIG}:ro`]),
  ].flatMap((volume) => ['--volume', volume]);
  const command = ['docker', 'run', '--detach', '--user', '999', '--read-only', '--tmpfs', '/tmp'] as const;
  const tight = ['--network', 'none', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
  const entry = ['--entrypoint', '/var/run/argocd/argocd-cmp-server', IMAGES['argocd-cmp']];
  const container = must([...command, ...tight, ...volumes, ...entry], { env }).trim();
  const socket = join(plugins, `seatplan-v${VERSION}.sock`);
  const client = connect(socket);
  const stop = (): void => {
    client.close();
    run(['docker', 'rm', '--force', container], { env });
    rmSync(folder, { recursive: true, force: true });
  };
  const sidecar: Sidecar = {
    ...client,
    platform,
    socket,
    mount: (files) => {
      rmSync(platform, { recursive: true, force: true });
      mkdirSync(platform);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(platform, name), text);
      mountAsKubelet(mounted, files);
    },
    exec: (...args) => run(['docker', 'exec', container, 'node', '/app/cli.js', ...args], { env }),
    signal: (name) => void must(['docker', 'kill', '--signal', name, container], { env }),
    processes: () => must(['docker', 'top', container, '-o', 'pid,args'], { env }).trim().split('\n').slice(1),
    kill: () => void must(['docker', 'kill', container], { env }),
    stop,
  };
  for (let tries = 0; sidecar.exec('cmp', 'healthz').status !== 0; tries += 1) {
    if (tries > 60) {
      const log = run(['docker', 'logs', container], { env });
      stop();
      throw new Error(`argocd-cmp-server does not serve: ${log.stderr}`);
    }
    await new Promise((done) => setTimeout(done, 250));
  }
  return sidecar;
}

/** Files are links into `..data`, which is a link to the folder of one version (Kubernetes, pkg/volume/util/atomic_writer.go). */
function mountAsKubelet(folder: string, files: Readonly<Record<string, string>>): void {
  const version = '..2026_12_01_00_00_00.1';
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  mkdirSync(join(folder, version));
  symlinkSync(version, join(folder, '..data'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, version, name), text);
    symlinkSync(`..data/${name}`, join(folder, name));
  }
}
