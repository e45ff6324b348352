// Argo CD's own programs as processes of this machine: what its core installation runs as pods, with Debian's redis-server.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cluster } from '../cluster';
import { program } from '../prerequisites';

/** Network of the cluster that e2e/cluster starts. The controller's metrics listen on every address: on none of this machine. */
const NETWORK = '/run/netns/seatplan';

const PLUGIN = 'plugin-';

export interface Processes {
  /** Of everything that they write: logs, sockets, their Git checkouts. */
  readonly folder: string;
  /** Starts, or starts anew, a sidecar: argocd-cmp-server with our plugin of this version. */
  startPlugin(version: string): Promise<void>;
  stopPlugin(version: string): Promise<void>;
  /** How often Argo CD asked the plugin of this version for manifests. */
  generated(version: string): number;
  log(name: string): string;
  stop(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((done, fail) => {
    const server = createServer().once('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });

/** `kubeconfig` is the controller's; the sidecar has the plugin's program `cli` and the platform level in `platform`. */
export async function startProcesses(
  { hostAddress, waitFor }: Cluster,
  { kubeconfig, namespace, cli, platform }: { kubeconfig: string; namespace: string; cli: string; platform: string },
): Promise<Processes> {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-argocd-'));
  const [redis, repo, repoMetrics, metrics] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const plugins = join(folder, 'plugins');
  for (const name of ['plugins', 'tmp', 'bin']) mkdirSync(join(folder, name));
  // of Argo CD's image; the repo-server asks it about each commit, ours are not signed
  writeFileSync(join(folder, 'bin/git-verify-wrapper.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const environment = {
    ARGOCD_PLUGINSOCKFILEPATH: plugins,
    ARGOCD_ASK_PASS_SOCK: join(folder, 'ask-pass.sock'),
    ARGOCD_GPG_ENABLED: 'false',
    TMPDIR: join(folder, 'tmp'),
    HOME: folder,
  };
  const running = new Map<string, ChildProcess>();
  const log = (name: string): string => readFileSync(join(folder, `${name}.log`), 'utf8');

  function start(
    name: string,
    command: readonly [string, ...string[]],
    more: Readonly<Record<string, string>> = {},
  ): void {
    const file = openSync(join(folder, `${name}.log`), 'a');
    // when this process ends the kernel ends them: at SIGTERM argocd-cmp-server 3.6.1 removes its socket and serves on
    const inside = hostAddress === undefined ? [] : ['nsenter', `--net=${NETWORK}`, '--'];
    const [path, ...words] = [program(command[0]) ?? command[0], ...command.slice(1)];
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', ...inside, path, ...words], {
      stdio: ['ignore', file, file],
      env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, ...environment, ...more },
    });
    child.unref();
    running.set(name, child);
  }
  const end = async (name: string): Promise<void> => {
    const child = running.get(name);
    running.delete(name);
    if (!child || child.exitCode !== null) return;
    child.ref();
    const gone = new Promise((done) => child.once('exit', done));
    child.kill(name.startsWith(PLUGIN) ? 'SIGKILL' : 'SIGTERM');
    await gone;
  };
  const says = (name: string, text: string): Promise<unknown> =>
    waitFor(`${name} says "${text}"`, 30, async () => {
      if (running.get(name)?.exitCode != null) throw new Error(`${name} ended:\n${log(name)}`);
      return log(name).includes(text) || undefined;
    });

  start('redis', ['redis-server', '--bind', '127.0.0.1', '--port', `${redis}`, '--save', '', '--dir', folder]);
  await says('redis', 'Ready to accept connections');
  const cache = ['--redis', `127.0.0.1:${redis}`, '--logformat', 'text'];
  start('repo-server', [
    ...(['argocd-repo-server', '--address', '127.0.0.1', '--port', `${repo}`, '--disable-tls', ...cache] as const),
    ...['--metrics-address', '127.0.0.1', '--metrics-port', `${repoMetrics}`, '--client-ca-path', ''],
  ]);
  await says('repo-server', 'starting grpc server');
  start(
    'controller',
    [
      ...(['argocd-application-controller', '--kubeconfig', kubeconfig, '--namespace', namespace, ...cache] as const),
      ...['--repo-server', `127.0.0.1:${repo}`, '--repo-server-plaintext', '--metrics-port', `${metrics}`],
      // what the user interface shows of each object stands in the Application's status too
      '--persist-resource-health',
    ],
    // it reads here what a pod finds in its volumes
    { KUBECONFIG: kubeconfig, ARGOCD_FAKE_IN_CLUSTER: 'true' },
  );

  return {
    folder,
    log,
    async startPlugin(version) {
      const name = PLUGIN + version;
      await end(name);
      const config = join(folder, name);
      mkdirSync(config, { recursive: true });
      const text = readFileSync(resolve(__dirname, '../../deploy/argocd/plugin.yaml'), 'utf8')
        .replace(/version: .*/, `version: ${version}`)
        .replace('/app/cli.js', cli);
      writeFileSync(join(config, 'plugin.yaml'), text);
      start(name, ['argocd-cmp-server', '--config-dir-path', config], {
        ARGOCD_CMP_WORKDIR: config,
        SEATPLAN_PLATFORM: platform,
      });
      await waitFor(
        'the socket of the plugin',
        10,
        async () => existsSync(join(plugins, `seatplan-${version}.sock`)) || undefined,
      );
    },
    stopPlugin: (version) => end(PLUGIN + version),
    generated: (version) => log(PLUGIN + version).split('Generating manifests with deadline').length - 1,
    async stop() {
      for (const name of [...running.keys()].reverse()) await end(name);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
