// Packages of seats that a cluster runs: declared here, expanded as users do it, applied as a GitOps engine does.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import type { Cluster, Images } from './cluster';
import { must } from './command';
import { type Manifest, readStream } from './objects';

const ROOT = resolve(__dirname, '..');
const LOCAL = { 'config.kubernetes.io/local-config': 'true' };
/** Namespace of the platform and of the probe's Jobs. */
export const CONTROL_PLANE = 'steadmesh-system';
export const PSS = { 'pod-security.kubernetes.io/enforce': 'restricted' };
const FEW = { limits: { cpu: '100m', memory: '64Mi' }, requests: { cpu: '10m', memory: '32Mi' } };

/** What a test says of a package; everything else is as most users have it. */
export interface Declared {
  readonly namespace: string;
  /** By digest. */
  readonly images: Pick<Images, 'seat' | 'probe'>;
  /** By name; the spec's fields replace those below. */
  readonly seats: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** By name: specs of TaskRuns. */
  readonly tasks?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** By name: specs of TrustTiers. */
  readonly tiers?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly probe?: Readonly<Record<string, unknown>>;
  /** Any but those of the probe. */
  readonly options?: Readonly<Record<string, unknown>>;
}

/** Tiers of the tests. Names of tiers are the cluster's, so that all packages share them. */
export const GVISOR = { runtimeClassName: 'gvisor', isolation: 'gvisor', defaultResources: FEW, maxSessionTTL: '8h' };
export const DENY_ALL = { ...GVISOR, egress: 'deny-all' };

/** Seats, tiers and options as Git has them. */
export function declare({
  namespace,
  images,
  seats,
  tasks = {},
  tiers = {},
  probe = {},
  options = {},
}: Declared): Manifest[] {
  return [
    {
      apiVersion: 'seatplan.dev/v1alpha1',
      kind: 'ExpandSeats',
      metadata: { name: 'options', annotations: LOCAL },
      spec: {
        requireTier: false,
        dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } },
        probeImage: images.probe,
        probe: { settle: '8s', ...probe },
        ...options,
      },
    },
    ...Object.entries(tiers).map(([name, spec]) => ({
      apiVersion: 'maqpna.com/v1alpha1',
      kind: 'TrustTier',
      metadata: { name },
      spec,
    })),
    ...Object.entries(seats).map(([name, spec]) => ({
      apiVersion: 'steadmesh.io/v1alpha1',
      kind: 'Seat',
      metadata: { name, namespace },
      spec: { organization: 'acme', harness: { adapter: 'claude', image: images.seat }, resources: FEW, ...spec },
    })),
    ...Object.entries(tasks).map(([name, spec]) => ({
      apiVersion: 'steadmesh.io/v1alpha1',
      kind: 'TaskRun',
      metadata: { name, namespace },
      spec,
    })),
  ];
}

/** Expanded by the command line as it ships; throws its findings where it refuses. */
export const expand = (declared: readonly Manifest[]): Manifest[] =>
  readStream(
    must([process.execPath, join(ROOT, 'dist/cli.js'), 'render', '-'], {
      input: declared.map((object) => JSON.stringify(object)).join('\n---\n'),
    }),
  );

/** The CRDs, the control plane's namespace and a stand-in for the platform, ready. */
export async function installPlatform(cluster: Cluster, { tool }: Images): Promise<void> {
  const read = (file: string): string => readFileSync(file, 'utf8');
  const crds = readdirSync(join(ROOT, 'schemas')).map((name) => read(join(ROOT, 'schemas', name)));
  const platform = read(join(__dirname, 'cluster/platform.yaml')).replace('localhost/tool:1', tool);
  for (const text of [...crds, platform]) await cluster.apply(readStream(text));
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  await cluster.kubectl(
    ['rollout', 'status', 'deployment/steadmesh-platform', '-n', CONTROL_PLANE].concat('--timeout=90s'),
  );
}

/** A namespace under Pod Security `restricted`, with its default ServiceAccount. */
export async function makeNamespace(cluster: Cluster, name: string): Promise<void> {
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: PSS } }]);
  await cluster.waitFor(`ServiceAccount default in ${name}`, 30, () => cluster.get('serviceaccount', 'default', name));
}

/** A volume for each claim, where the cluster provisions nothing. */
export const volumesFor = ({ volumeFolder }: Cluster, objects: readonly Manifest[]): Manifest[] =>
  objects
    .filter(({ kind }) => volumeFolder && kind === 'PersistentVolumeClaim')
    .map(({ metadata: { name, namespace } }) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: `${namespace}-${name}` },
      spec: {
        capacity: { storage: '100Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Retain',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name },
        hostPath: { path: `${volumeFolder}/${namespace}-${name}`, type: 'DirectoryOrCreate' },
      },
    }));

/** A server on this machine, which seats must not reach; undefined in a cluster that it may not be reachable from. */
export async function openCanary({ hostAddress }: Cluster): Promise<{ address: string; close(): void } | undefined> {
  if (hostAddress === undefined) return undefined;
  const server = createServer((_, response) => response.end('canary'));
  await new Promise<void>((done) => server.listen(0, hostAddress, done));
  server.unref(); // a test that fails before it closes this must still end
  const { port } = server.address() as { port: number };
  return { address: `${hostAddress}:${port}`, close: () => server.close() };
}
