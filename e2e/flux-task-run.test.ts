// A finished worker and Flux's real kustomize-controller: an edit of its seat that the pod could not take fails nothing and
// starts nothing, and a finished run is pruned.
import * as assert from 'uvu/assert';
import type { Live } from './cluster';
import { areReady } from './flux-controller';
import { type Deployed, deploy, namespaceObjects } from './flux-package';
import { type Scene, startScene, stopScene } from './flux-scene';
import { playControllers } from './flux-statuses';
import type { Manifest } from './objects';
import { suiteWith } from './prerequisites';
import { declare } from './seat-package';

const NAMESPACE = 'working';
const image = (digit: string): string => `registry.example/agent@sha256:${digit.repeat(64)}`;

const test = suiteWith('Flux and finished workers', 'flux', 'kube-apiserver', 'etcd', 'kubectl');
let scene: Scene;
let flux: Deployed;
let statuses: { stop(): Promise<void> };
let finished: Live;

/** One seat and its run; `harness.command` is a field that no Pod can change. */
const packageWith = (harness: object, run: object = {}): Manifest[] => [
  ...namespaceObjects(NAMESPACE),
  ...declare({
    namespace: NAMESPACE,
    images: { seat: image('a'), probe: image('b') },
    seats: { ana: { harness: { adapter: 'claude', image: image('a'), ...harness } } },
    tasks: { fix: { seatRef: { name: 'ana' }, ttl: '1h', ...run } },
    options: { probe: { mode: 'none' } },
  }),
];
const workers = (): Promise<readonly Live[]> => scene.cluster.list('pods', NAMESPACE, 'steadmesh.io/task-run');
/** As the kubelet would say it. */
async function end({ metadata }: Live): Promise<void> {
  const path = `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}/status`;
  const ended = JSON.stringify({ status: { phase: 'Succeeded' } });
  const { code, body } = await scene.server.call('PATCH', path, ended, 'application/merge-patch+json');
  assert.is(code, 200, body.message);
}
const push = async (objects: readonly Manifest[]): Promise<void> => {
  const { revision } = await flux.push(objects);
  await areReady(scene.cluster, flux.names, flux.namespace, revision);
};

test('the worker ends', async () => {
  scene = await startScene();
  statuses = playControllers(scene.cluster);
  flux = await deploy(scene.cluster, scene.source, 'one', 'flux-working');
  const first = await flux.push(packageWith({}));
  const created = await scene.cluster.waitFor('the worker', 60, async () => (await workers())[0]);
  await end(created);
  await areReady(scene.cluster, flux.names, flux.namespace, first.revision);
  finished = (await workers())[0]!;
});

test('an edit of its seat reaches the seat, fails nothing, and leaves the worker as it is', async () => {
  await push(packageWith({ image: image('c'), command: ['/other'] }));
  const [workload] = await scene.cluster.list('statefulsets', NAMESPACE);
  assert.match(JSON.stringify(workload?.spec), image('c'));
  const [worker, ...others] = await workers();
  assert.is(others.length, 0);
  assert.is(worker?.metadata.uid, finished.metadata.uid);
  assert.equal([worker?.spec, worker?.status], [finished.spec, finished.status]);
});

test('another spec is another worker, and the earlier one goes', async () => {
  await flux.push(packageWith({}, { ttl: '2h' }));
  const next = await scene.cluster.waitFor('the next worker alone', 60, async () => {
    const [one, ...others] = (await workers()).filter(({ metadata }) => !metadata.deletionTimestamp);
    return one && others.length === 0 && one.metadata.uid !== finished.metadata.uid ? one : undefined;
  });
  assert.is.not(next.metadata.name, finished.metadata.name);
  await end(next);
});

test('a run that is Finished in Git leaves no worker, and stays as a record', async () => {
  await push(packageWith({}, { ttl: '2h', state: 'Finished' }));
  assert.equal(await workers(), []);
  assert.equal(await scene.cluster.list('networkpolicies', NAMESPACE, 'steadmesh.io/task-run'), []);
  assert.is((await scene.cluster.list('taskruns', NAMESPACE)).length, 1);
});

test('the servers stop', async () => {
  await statuses.stop();
  await stopScene(scene);
});
test.run();
