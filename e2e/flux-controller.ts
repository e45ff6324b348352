// Flux's real kustomize-controller as a process of this machine, and what it says of a Kustomization.
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from './cluster';
import { type Manifest, readStream } from './objects';
import { program, SHARE } from './prerequisites';

export const FLUX_NAMESPACE = 'flux-system';
export const KUSTOMIZATION = 'kustomizations.kustomize.toolkit.fluxcd.io';

export interface Controller {
  /** The last lines of its log. */
  tail(): string;
  stop(): Promise<void>;
}

/** The CRDs of Kustomizations and of sources, and Flux's namespace. */
export async function installFlux(cluster: Cluster): Promise<void> {
  const folder = join(SHARE, 'flux');
  const crds = readdirSync(folder).flatMap((file) => readStream(readFileSync(join(folder, file), 'utf8')));
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: FLUX_NAMESPACE } }, ...crds]);
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
}

/** `flags` as in its Deployment. Dependencies are asked for each second, instead of each half minute. */
export function startController(cluster: Cluster, flags: readonly string[] = []): Controller {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-flux-'));
  const file = join(folder, 'log');
  const log = openSync(file, 'w');
  const args = [
    '--watch-all-namespaces',
    '--enable-leader-election=false',
    '--requeue-dependency=1s',
    '--metrics-addr=0',
    '--health-addr=127.0.0.1:0',
    ...flags,
  ];
  const child = spawn(program('kustomize-controller') ?? '', args, {
    stdio: ['ignore', log, log],
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig, RUNTIME_NAMESPACE: FLUX_NAMESPACE, TMPDIR: folder },
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

/** The Ready condition, and what was applied. */
export interface Told {
  readonly name: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly applied: string | undefined;
}

export async function told(cluster: Cluster, name: string, namespace: string): Promise<Told | undefined> {
  const found = await cluster.get(KUSTOMIZATION, name, namespace);
  const { conditions = [], lastAppliedRevision: applied } = (found?.status ?? {}) as {
    conditions?: { type: string; status: string; reason: string; message: string }[];
    lastAppliedRevision?: string;
  };
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready && { name, status: ready.status, reason: ready.reason, message: ready.message, applied };
}

/** Waits until all of the Kustomizations are Ready at the revision. */
export async function areReady(
  cluster: Cluster,
  names: readonly string[],
  namespace: string,
  revision: string,
  seconds = 60,
): Promise<void> {
  let last: (Told | undefined)[] = [];
  const look = async (): Promise<true | undefined> => {
    last = await Promise.all(names.map((name) => told(cluster, name, namespace)));
    return last.every((one) => one?.status === 'True' && one.applied === revision) || undefined;
  };
  await cluster.waitFor(`${names.join(', ')} Ready at ${revision}`, seconds, look).catch((error: Error) => {
    throw new Error(`${error.message}\n${JSON.stringify(last, null, 1)}`);
  });
}

/** Asks for a reconciliation now, as `flux reconcile kustomization` does. */
export const reconcile = ({ kubectl }: Cluster, name: string, namespace: string): Promise<string> =>
  kubectl([
    ...['annotate', '--overwrite', `${KUSTOMIZATION}/${name}`, '--namespace', namespace],
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
  ]);

export const isKustomization = ({ apiVersion }: Manifest): boolean =>
  apiVersion.startsWith('kustomize.toolkit.fluxcd.io/');
