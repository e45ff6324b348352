// A whole Argo CD core with our plugin on a real cluster: from a commit to proven seats, and what users see when something fails.
// The tests are one story: each begins where the one before it ended.
import * as assert from 'uvu/assert';
import { isDegraded, isGood } from './argocd-core/application';
import { applicationOf, assertDocumented } from './argocd-core/documented';
import { ARGOCD } from './argocd-core/install';
import * as packages from './argocd-core/packages';
import { idOf, isJob, jobs, live, PATH, policyOf, scene, seatOf, TEAM } from './argocd-core/scene';
import { VERSION } from './argocd-core/stage';
import { identity, type Manifest } from './objects';
import { suiteWith } from './prerequisites';
import { CONTROL_PLANE, volumesFor } from './seat-package';

const test = suiteWith('Argo CD core', 'cluster', 'docker', 'argocd', 'kustomize', 'redis');
const ALL = { reader: { tierRef: { name: 'tier-gvisor' } }, writer: {}, away: { state: 'Stopped' } };
const REST = { reader: ALL.reader, away: ALL.away };

test('kinds that the project does not permit are named, and nothing is applied', async () => {
  const s = await scene();
  s.commit({ 'seats.yaml': packages.seats(s, TEAM, ALL) });
  const [project, application] = applicationOf(s.git.url, PATH, TEAM) as [Manifest & { spec: object }, Manifest];
  await s.on.apply([{ ...project, spec: { ...project.spec, clusterResourceWhitelist: [] } }, application]);
  const { operationState } = await s.app.becomes('refused', 60, (status) => status.operationState !== undefined);
  assertDocumented(operationState?.message, 'is not permitted in project seats');
  assert.equal(await s.on.list('seats,statefulsets,networkpolicies', TEAM), []);
  await s.on.apply([project]);
});

test('a commit becomes seats that run and are proven', async () => {
  const s = await scene();
  const objects = s.objects();
  // the stopped seat's claim has none: it waits for its first consumer
  await s.on.apply(
    volumesFor(
      s.on,
      objects.filter((one) => seatOf(one) !== 'away'),
    ),
  );
  const { conditions, resources = [] } = await s.app.becomes('Synced and Healthy', 150, isGood);

  assert.equal(conditions ?? [], []);
  assert.equal(resources.map(idOf).sort(), objects.map(identity).sort());
  assert.equal(resources.filter(({ status }) => status !== 'Synced').map(idOf), []);
  for (const object of objects) assert.ok(await live(s, object), identity(object));
  const claim = objects.find((one) => one.kind === 'PersistentVolumeClaim' && seatOf(one) === 'away');
  assert.is((await live(s, claim!))?.status?.phase, 'Pending');

  const wait = ['wait', '--timeout=60s'];
  const job = objects.find(isJob)?.metadata.name;
  await s.on.kubectl([...wait, '--for=condition=Complete', `job/${job}`, '--namespace', CONTROL_PLANE]);
  await s.on.kubectl([...wait, '--for=condition=Ready', 'seat', '--all', '--namespace', TEAM]);
});

test('each policy was stored before its StatefulSet', async () => {
  const { seen, objects } = await scene();
  const sets = objects().filter(({ kind }) => kind === 'StatefulSet');
  assert.is(sets.length, 3);
  for (const { metadata } of sets) {
    const [policy, set] = ['NetworkPolicy', 'StatefulSet'].map((kind) => seen.added.get(`${kind}/${metadata.name}`));
    assert.ok(policy && set && policy < set, `${metadata.name}: policy ${policy}, StatefulSet ${set}`);
  }
});

test('what the probe wrote makes nothing OutOfSync', async () => {
  const { on, app } = await scene();
  const report = await on.get('configmap', `probe-${TEAM}-report`, CONTROL_PLANE);
  assert.ok(Object.keys(report?.data ?? {}).length > 0);
  await app.refresh('hard');
  const status = await app.now();
  assert.ok(isGood(status));
  assert.equal(status.conditions ?? [], []);
});

for (const [what, spec] of Object.entries({ deletes: undefined, opens: { egress: [{}] } })) {
  test(`a policy is restored when somebody ${what} it`, async () => {
    const s = await scene();
    const before = await policyOf(s, 'reader');
    const { name, uid } = before!.metadata;
    if (spec) await s.on.patch('networkpolicy', name, TEAM, { spec });
    else await s.on.delete('networkpolicy', name, TEAM);
    await s.on.waitFor(`policy ${name} is as it was`, 30, async () => {
      const now = await policyOf(s, 'reader');
      const isNew = spec !== undefined || now?.metadata.uid !== uid;
      return (isNew && JSON.stringify(now?.spec) === JSON.stringify(before?.spec)) || undefined;
    });
  });
}

test('a field that Git does not name is not undone: an opened ingress stays until the policy is made anew', async () => {
  const s = await scene();
  const { name, uid } = (await policyOf(s, 'reader'))!.metadata;
  await s.on.patch('networkpolicy', name, TEAM, { spec: { ingress: [{}] } });
  await s.app.refresh('hard');
  assert.is((await s.app.now()).sync?.status, 'Synced');
  assert.equal((await policyOf(s, 'reader'))?.spec?.ingress, [{}]);

  await s.on.delete('networkpolicy', name, TEAM);
  const anew = await s.on.waitFor(`another policy ${name}`, 30, async () => {
    const now = await policyOf(s, 'reader');
    return now && now.metadata.uid !== uid ? now : undefined;
  });
  assert.is(anew.spec?.ingress, undefined);
});

test('a failed probe degrades the Application, and says why', async () => {
  const s = await scene();
  const before = await jobs(s);
  const account = s.objects().find((one) => one.kind === 'ServiceAccount' && seatOf(one) === 'reader')?.metadata.name;
  s.commit({ 'rights.yaml': packages.rights(TEAM, account ?? ''), 'options.yaml': packages.options({ epoch: '2' }) });
  await s.app.refresh();
  const {
    resources = [],
    sync,
    health,
  } = await s.app.becomes(
    'Degraded by Job and Seat',
    120,
    (status) => status.resources?.filter(isDegraded).length === 2,
  );
  assert.is(sync?.status, 'Synced');
  assertDocumented(health?.message, 'Caused by ');
  const [job, seat] = resources.filter(isDegraded);
  assert.equal([job?.kind, seat?.kind, seat?.name], ['Job', 'Seat', 'reader']);
  assertDocumented(job?.health?.message, 'failed with exit code 10 matching FailJob rule');
  assertDocumented(seat?.health?.message, `I3: the ServiceAccount ${account} may list pods`, 'may list pods');
  assert.equal(
    before.filter((name) => name === job?.name),
    [],
  );
});

test('mending Git heals it and prunes the old Job; a Seat that left Git is pruned, but its claim stays', async () => {
  const s = await scene();
  const gone = s
    .objects()
    .filter((one) => seatOf(one) === 'writer' || (one.kind === 'Seat' && one.metadata.name === 'writer'));
  s.commit({ 'rights.yaml': undefined, 'options.yaml': undefined, 'seats.yaml': packages.seats(s, TEAM, REST) });
  await s.app.refresh();
  const job = s.objects().find(isJob)!.metadata.name;
  const { conditions, resources = [] } = await s.app.becomes(
    'Healthy with the new Job',
    120,
    (status) => isGood(status) && status.resources?.some(({ name }) => name === job) === true,
  );
  assert.equal(conditions ?? [], []);
  assert.equal(await jobs(s), [job]);
  assert.is(gone.length, 6);
  for (const object of gone) {
    assert.is((await live(s, object)) !== undefined, object.kind === 'PersistentVolumeClaim', identity(object));
  }
  assert.equal(
    resources.filter(({ status }) => status !== 'Synced').map(({ kind }) => kind),
    ['PersistentVolumeClaim'],
  );
  // Argo CD's order, not ours: the docs tell to stop a seat first
  const { name } = gone.find(({ kind }) => kind === 'StatefulSet')!.metadata;
  assert.ok(s.seen.deleted.get(`NetworkPolicy/${name}`)! < s.seen.deleted.get(`StatefulSet/${name}`)!);
});

test('what is refused is told in the words of the findings, and nothing is pruned', async () => {
  const s = await scene();
  const uids = async (): Promise<string[]> =>
    (await s.on.list('seats,statefulsets,networkpolicies', TEAM)).map(({ metadata }) => metadata.uid);
  const before = await uids();
  const good = packages.seats(s, TEAM, REST);

  s.commit({ 'seats.yaml': good.replace('tier-gvisor', 'tier-gvisr') });
  const unknown = await s.app.complaint();
  assertDocumented(unknown, 'ComparisonError: Failed to load target state');
  assertDocumented(unknown, 'error UNKNOWN_TIER Seat/team-argo/reader spec.tierRef.name', 'error UNKNOWN_TIER');

  s.commit({ 'seats.yaml': packages.configMap(TEAM) });
  assertDocumented(await s.app.complaint(), 'NOTHING_TO_RENDER');
  s.commit({ 'seats.yaml': good, 'kustomization.yaml': 'resources: [seats.yaml]\nnamePrefix: x-\n' });
  assertDocumented(await s.app.complaint(), 'KUSTOMIZATION_NOT_APPLIED');
  assert.equal(await uids(), before);

  s.commit({ 'kustomization.yaml': undefined, 'seats.yaml': '# nothing is left\n' });
  const plugin = { name: `seatplan-${VERSION}`, parameters: [{ name: 'allow-empty', string: 'true' }] };
  await s.app.patch({ source: { plugin } });
  assertDocumented(await s.app.complaint(), 'auto-sync will wipe out all resources');
  assert.equal(await uids(), before);

  s.commit({ 'seats.yaml': good });
  await s.app.patch({ source: { plugin: { parameters: null } } });
  assert.is(await s.app.complaint(), '');
  await s.app.becomes('good again', 30, isGood);
  assert.equal(await uids(), before);
});

test('after three failures Argo CD tells the error from its cache, until a hard refresh', async () => {
  const s = await scene();
  s.commit({ 'kustomization.yaml': 'namePrefix: x-\n' });
  for (let i = 0; i < 3; i++) await s.app.refresh();
  const asked = s.argocd.generated(VERSION);
  assertDocumented(await s.app.complaint(), 'Manifest generation error (cached)');
  assert.is(s.argocd.generated(VERSION), asked);
  await s.app.refresh('hard');
  assert.is(s.argocd.generated(VERSION), asked + 1);
  s.commit({ 'kustomization.yaml': undefined });
  assert.is(await s.app.complaint(), '');
});

test('another build of the plugin renders an old commit after a hard refresh, another name at once', async () => {
  const s = await scene();
  const asked = s.argocd.generated(VERSION);
  await s.argocd.startPlugin(VERSION);
  await s.app.refresh();
  assert.is(s.argocd.generated(VERSION), asked);
  await s.app.refresh('hard');
  assert.is(s.argocd.generated(VERSION), asked + 1);

  await s.argocd.startPlugin('v0.2.0'); // side by side
  await s.app.patch({ source: { plugin: { name: 'seatplan-v0.2.0' } } });
  await s.on.waitFor('the new plugin is asked', 30, async () => s.argocd.generated('v0.2.0') > 0 || undefined);
  await s.app.becomes('good', 30, isGood);
  await s.argocd.stopPlugin('v0.2.0');
  await s.app.refresh();
  assert.ok(isGood(await s.app.now()), 'from the cache');
  await s.app.refresh('hard');
  assertDocumented((await s.app.now()).conditions?.[0]?.message, 'could not find cmp-server plugin with name');
  await s.app.patch({ source: { plugin: { name: `seatplan-${VERSION}` } } });
  await s.app.becomes('good again', 30, isGood);
});

test('deleting the Application deletes the seats, but no claim', async () => {
  const s = await scene();
  await s.on.patch('application', TEAM, ARGOCD, {
    metadata: { finalizers: ['resources-finalizer.argocd.argoproj.io'] },
  });
  await s.on.kubectl(['delete', 'application', TEAM, '--namespace', ARGOCD, '--timeout=60s']);
  const left = await s.on.list('seats,statefulsets,networkpolicies,persistentvolumeclaims,jobs', TEAM);
  assert.equal([...new Set(left.map(({ kind }) => kind))], ['PersistentVolumeClaim']);
  assert.is(left.length, 3);
  assert.equal(await jobs(s), []);
});

test('leaves', async () => {
  const { seen, close } = await scene();
  seen.stop();
  await close();
});

test.run();
