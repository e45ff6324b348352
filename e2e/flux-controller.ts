// Flux's real kustomize-controller as a process of this machine, and what it says of a Kustomization.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster';
import { type Controller, startController } from './controller';
import { type Manifest, readStream } from './objects';
import { SHARE } from './prerequisites';

export const FLUX_NAMESPACE = 'flux-system';
export const KUSTOMIZATION = 'kustomizations.kustomize.toolkit.fluxcd.io';

/** The CRDs of Kustomizations and of sources, and Flux's namespace. */
export async function installFlux(cluster: Cluster): Promise<void> {
  const folder = join(SHARE, 'flux');
  const crds = readdirSync(folder).flatMap((file) => readStream(readFileSync(join(folder, file), 'utf8')));
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: FLUX_NAMESPACE } }, ...crds]);
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
}

/** `flags` as in its Deployment. Dependencies are asked for each second, instead of each half minute. */
export const startFlux = (cluster: Cluster, flags: readonly string[] = []): Controller =>
  startController(
    'kustomize-controller',
    cluster,
    [
      '--watch-all-namespaces',
      '--enable-leader-election=false',
      '--requeue-dependency=1s',
      '--metrics-addr=0',
      '--health-addr=127.0.0.1:0',
      ...flags,
    ],
    { RUNTIME_NAMESPACE: FLUX_NAMESPACE },
  );

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
