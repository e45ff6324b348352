// From a rendered artifact to proven seats with Flux's real kustomize-controller on a real cluster, and what Flux says when a
// probe fails. The three Kustomizations are those of deploy/flux/oci.
import * as assert from 'uvu/assert';
import { cluster, type Images, type Live } from './cluster';
import type { Controller } from './controller';
import { areReady, installFlux, KUSTOMIZATION, startFlux, told } from './flux-controller';
import { type Deployed, deploy, namespaceObjects, rendered } from './flux-package';
import { type Source, startSource } from './flux-source';
import { type Manifest, readFolder } from './objects';
import { suiteWith } from './prerequisites';
import { CONTROL_PLANE, declare, GVISOR, installPlatform, PSS, volumesFor } from './seat-package';

const test = suiteWith('Flux', 'cluster', 'flux', 'docker');
const NAMESPACE = `flux-seats-${process.pid}`;
const TIER = `flux-${process.pid}`;
const JOBS = `seatplan.dev/probed-namespace=${NAMESPACE}`;

interface Scene {
  readonly images: Images;
  readonly source: Source;
  readonly controller: Controller;
  readonly flux: Deployed;
}
let started: Promise<Scene> | undefined;
const scene = (): Promise<Scene> => (started ??= start());

async function start(): Promise<Scene> {
  const on = cluster();
  const images = on.images();
  await installPlatform(on, images);
  await installFlux(on);
  const source = await startSource();
  const controller = startFlux(on);
  const flux = await deploy(on, source, 'oci', `flux-${process.pid}`);
  return { images, source, controller, flux };
}

/** As Git has it; a new `epoch` asks for a new run of the probe. */
const packageOf = (images: Images, epoch: string, ...others: readonly Manifest[]): Manifest[] => [
  ...namespaceObjects(NAMESPACE),
  ...declare({
    namespace: NAMESPACE,
    images,
    tiers: { [TIER]: GVISOR },
    seats: { researcher: { tierRef: { name: TIER } }, away: { tierRef: { name: TIER }, state: 'Stopped' } },
    probe: { epoch },
    options: { output: { layout: 'split' } },
  }),
  ...others,
];

/** Lets a seat's account read Secrets: what the probe calls a FAIL. */
function leak(objects: readonly Manifest[]): Manifest[] {
  const account = objects.find(
    ({ kind, metadata: { name } }) => kind === 'ServiceAccount' && /^seat-researcher/.test(name),
  );
  const of = (kind: string, rest: object): Manifest => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind,
    metadata: { name: 'leak', namespace: NAMESPACE },
    ...rest,
  });
  return [
    of('Role', { rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }] }),
    of('RoleBinding', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'leak' },
      subjects: [{ kind: 'ServiceAccount', name: account?.metadata.name, namespace: NAMESPACE }],
    }),
  ];
}

const conditions = (object: Live | undefined): Record<string, string> => {
  const { conditions: all = [] } = (object?.status ?? {}) as { conditions?: { type: string; status: string }[] };
  return Object.fromEntries(all.map(({ type, status }) => [type, status]));
};

const jobs = () => cluster().list('jobs', CONTROL_PLANE, JOBS);

test('an artifact becomes seats that run and are proven, and all three Kustomizations Ready', async () => {
  const { images, flux } = await scene();
  const on = cluster();
  const objects = rendered(packageOf(images, 'first'), readFolder);
  await on.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels: PSS } },
    ...volumesFor(on, objects),
  ]);
  const { revision } = await flux.push(packageOf(images, 'first'));
  await areReady(on, flux.names, flux.namespace, revision, 180);
  const [job, ...others] = await jobs();
  assert.equal(others, []);
  assert.is(conditions(job).Complete, 'True');
  for (const seat of ['researcher', 'away'])
    assert.is(conditions(await on.get('seat', seat, NAMESPACE)).Ready, 'True', seat);
  const pods = await on.list('pods', NAMESPACE, 'steadmesh.io/component=seat');
  assert.is(pods.length, 1);
  assert.is(conditions(pods[0]).Ready, 'True');
});

test('a probe that fails is said by the Kustomization of the probe, and by no other', async () => {
  const { images, flux } = await scene();
  const on = cluster();
  const broken = packageOf(images, 'broken', ...leak(rendered(packageOf(images, 'broken'), readFolder)));
  const { revision } = await flux.push(broken);
  const { reason, message } = await on.waitFor('seats-probe is not Ready', 180, async () => {
    const ready = await told(on, 'seats-probe', flux.namespace);
    return ready?.status === 'False' && ready.reason === 'HealthCheckFailed' ? ready : undefined;
  });
  const [job] = await jobs();
  assert.is(conditions(job).Failed, 'True');
  assert.match(message, `Job/${CONTROL_PLANE}/${job?.metadata.name} status: 'Failed'`, reason);
  await areReady(on, ['seats-guard', 'seats-workloads'], flux.namespace, revision, 5);
  const { Ready, Stalled, IdentityEnforced } = conditions(await on.get('seat', 'researcher', NAMESPACE));
  assert.equal({ Ready, Stalled, IdentityEnforced }, { Ready: 'False', Stalled: 'True', IdentityEnforced: 'False' });
});

test('a stage with such a Seat is not healthy: in one before the probe it would keep the next probe away', async () => {
  const { flux } = await scene();
  const on = cluster();
  const [probe] = (await on.list(KUSTOMIZATION, flux.namespace)).filter(
    ({ metadata: { name } }) => name === 'seats-probe',
  );
  const { apiVersion = '', kind = '', spec } = probe ?? ({} as Live);
  const earlier = { ...spec, path: './90-probe/package', prune: false, dependsOn: [], healthCheckExprs: [] };
  const metadata = { name: 'earlier', namespace: flux.namespace };
  await on.apply([{ apiVersion, kind, metadata, spec: { ...earlier, deletionPolicy: 'Orphan' } }]);
  const { message } = await on.waitFor('the earlier stage fails', 60, async () => {
    const ready = await told(on, 'earlier', flux.namespace);
    return ready?.status === 'False' && ready.reason === 'HealthCheckFailed' ? ready : undefined;
  });
  assert.match(message, `Seat/${NAMESPACE}/researcher status: 'Failed'`);
  await on.delete(KUSTOMIZATION, 'earlier', flux.namespace);
});

test('what mends it in Git mends it in the cluster, without anybody else', async () => {
  const { images, flux } = await scene();
  const on = cluster();
  const { revision } = await flux.push(packageOf(images, 'mended'));
  await areReady(on, flux.names, flux.namespace, revision, 180);
  const [job, ...others] = await jobs();
  assert.equal(others, []);
  assert.is(conditions(job).Complete, 'True');
  assert.is(conditions(await on.get('seat', 'researcher', NAMESPACE)).Ready, 'True');
});

test('all that Flux brought goes with its Kustomizations, but the claims and what they hold', async () => {
  const { flux, controller, source } = await scene();
  const on = cluster();
  for (const name of flux.names) await on.delete(KUSTOMIZATION, name, flux.namespace);
  await on.waitFor('no Kustomization is left', 60, async () =>
    (await on.list(KUSTOMIZATION, flux.namespace)).length === 0 ? true : undefined,
  );
  await controller.stop();
  source.close();
  assert.equal(await on.list('statefulsets,seats,roles', NAMESPACE), []);
  assert.is((await on.list('persistentvolumeclaims', NAMESPACE)).length, 2);
  for (const { metadata } of await on.list('persistentvolumeclaims', NAMESPACE))
    await on.delete('persistentvolume', `${NAMESPACE}-${metadata.name}`);
  for (const name of [flux.namespace, NAMESPACE]) await on.delete('namespace', name);
});
test.run();
