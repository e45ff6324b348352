// What kustomize-controller applies first, keeps and removes, on an API server without controllers: nobody writes there but
// Flux and this test, so that resourceVersions tell the order.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type ApiServer, startApiServer } from './apiserver';
import { type Cluster, connect, type Live } from './cluster';
import { areReady, type Controller, installFlux, startController } from './flux-controller';
import { DEPLOY, deploy } from './flux-package';
import { type Source, startSource } from './flux-source';
import { playControllers } from './flux-statuses';
import type { Manifest } from './objects';
import { suiteWith } from './prerequisites';
import { CONTROL_PLANE, declare } from './seat-package';

const DIGEST = `sha256:${'5eed'.repeat(16)}`;
const images = { seat: `registry.example/agent@${DIGEST}`, probe: `registry.example/probe@${DIGEST}` };
const KINDS = 'networkpolicies,statefulsets,serviceaccounts,configmaps,persistentvolumeclaims,roles,rolebindings,jobs';

const test = suiteWith('Flux, order and pruning', 'flux', 'kube-apiserver', 'etcd', 'kubectl');

interface Scene {
  readonly server: ApiServer;
  readonly cluster: Cluster;
  readonly source: Source;
  controller: Controller;
}
let started: Promise<Scene> | undefined;
const scene = (): Promise<Scene> => (started ??= start());

async function start(): Promise<Scene> {
  const server = await startApiServer();
  const cluster = connect(server.kubeconfig, undefined);
  await installFlux(cluster);
  await cluster.apply([namespaceOf(CONTROL_PLANE)]);
  return { server, cluster, source: await startSource(), controller: startController(cluster) };
}

const namespaceOf = (name: string, annotations = {}): Manifest => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations },
});
const KEPT = { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' };

interface Package {
  readonly namespace: string;
  readonly layout: 'flat' | 'split';
  readonly seats: readonly string[];
  /** Absent: Git has the namespace. */
  readonly withoutNamespace?: true;
  readonly spec?: Readonly<Record<string, unknown>>;
}
const packageOf = ({ namespace, layout, seats, withoutNamespace, spec = {} }: Package): Manifest[] => [
  ...(withoutNamespace ? [] : [namespaceOf(namespace, KEPT)]),
  ...declare({
    namespace,
    images,
    seats: Object.fromEntries(seats.map((seat) => [seat, spec])),
    options: { output: { layout } },
  }),
];

/** Of the one seat's objects that are there. */
async function seatObjects(cluster: Cluster, namespace: string): Promise<{ policy?: Live; workload?: Live }> {
  const [policy] = await cluster.list('networkpolicies', namespace);
  const [workload] = await cluster.list('statefulsets', namespace);
  return { ...(policy && { policy }), ...(workload && { workload }) };
}

/** Whether the policy was stored before the workload, once both are. */
const policyFirst = (cluster: Cluster, namespace: string): Promise<boolean> =>
  cluster.waitFor(`policy and workload in ${namespace}`, 60, async () => {
    const { policy, workload } = await seatObjects(cluster, namespace);
    return policy && workload && Number(revision(policy)) < Number(revision(workload));
  });
const revision = ({ metadata }: Live): string => (metadata as { resourceVersion?: string }).resourceVersion ?? '';

test('in one Kustomization a StatefulSet is stored before its NetworkPolicy', async () => {
  const { cluster, source } = await scene();
  const { push } = await deploy(cluster, source, 'one', 'flux-flat');
  await push(packageOf({ namespace: 'flat', layout: 'flat', seats: ['ana'] }));
  assert.is(
    await policyFirst(cluster, 'flat'),
    false,
    'Flux orders them itself by now: the documentation is out of date',
  );
});

test('stages close that gap', async () => {
  const { cluster, source } = await scene();
  const { push } = await deploy(cluster, source, 'oci', 'flux-split');
  await push(packageOf({ namespace: 'split', layout: 'split', seats: ['ana'] }));
  assert.is(await policyFirst(cluster, 'split'), true);
});

test('and so does the flag', async () => {
  const s = await scene();
  await s.controller.stop();
  const patch = readFileSync(join(DEPLOY, 'one/stage-flag.yaml'), 'utf8');
  const flag = /^ +value: (\S+)$/m.exec(patch)?.[1] ?? '';
  s.controller = startController(s.cluster, [flag]);
  const { push } = await deploy(s.cluster, s.source, 'one', 'flux-flagged');
  await push(packageOf({ namespace: 'flagged', layout: 'flat', seats: ['ana'] }));
  assert.is(await policyFirst(s.cluster, 'flagged'), true);
  await s.controller.stop();
  s.controller = startController(s.cluster);
});

const idsIn = async (cluster: Cluster, namespace: string, name: string): Promise<string[]> => {
  const all = await cluster.list(KINDS, namespace);
  return all.filter(({ metadata }) => metadata.name.includes(name)).map(({ kind }) => kind);
};

let statuses: { stop(): Promise<void> } | undefined;
test('a cluster brings seats up', async () => {
  statuses = playControllers((await scene()).cluster); // not before: it writes resourceVersions too
});

test('a seat that leaves Git leaves its claim; a namespace stays, and all else goes', async () => {
  const { cluster, source } = await scene();
  const flux = await deploy(cluster, source, 'oci', 'flux-pruned');
  const pruned = { namespace: 'pruned', layout: 'split' } as const;
  const first = await flux.push(packageOf({ ...pruned, seats: ['ana', 'ben'] }));
  await areReady(cluster, flux.names, flux.namespace, first.revision);
  assert.is((await idsIn(cluster, 'pruned', 'seat-ben')).length, 5);

  const second = await flux.push(packageOf({ ...pruned, seats: ['ana'], withoutNamespace: true }));
  await areReady(cluster, flux.names, flux.namespace, second.revision);
  assert.equal(await idsIn(cluster, 'pruned', 'seat-ben'), ['PersistentVolumeClaim']);
  assert.is((await idsIn(cluster, 'pruned', 'seat-ana')).length, 5);
  assert.is((await cluster.list('seats', 'pruned')).length, 1);
  assert.is((await cluster.get('namespace', 'pruned'))?.status?.phase, 'Active');

  const last = await flux.push(packageOf({ ...pruned, seats: [], withoutNamespace: true }), '--allow-empty');
  await areReady(cluster, flux.names, flux.namespace, last.revision);
  assert.equal([...new Set(await idsIn(cluster, 'pruned', ''))], ['PersistentVolumeClaim']);
  assert.equal(
    (await cluster.list('jobs,configmaps', CONTROL_PLANE)).filter(({ metadata }) => metadata.name.includes('pruned')),
    [],
  );
});

test('the servers stop', async () => {
  const { controller, source, server } = await scene();
  await statuses?.stop();
  await controller.stop();
  source.close();
  await server.stop();
});
test.run();
