// Real `kpt live` against a real API server: in which order it stores what we render, and what it keeps.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { ApiServer } from './apiserver';
import { must } from './command';
import { namespaceOf, type Used, withLive } from './engine-live';
import { type Described, removeSeat, rewrite } from './engine-package';
import { contents, KINDS, makeNamespace, startEngineServer, stored } from './engine-server';
import { type Manifest, readFolder } from './objects';
import { programs, suiteWith } from './prerequisites';

const CLAIM = 'PersistentVolumeClaim';
const OWNING = 'config.k8s.io/owning-inventory';
const KEEP = { 'cli-utils.sigs.k8s.io/on-remove': 'keep' };
const test = suiteWith('kpt live', 'kpt', 'kube-apiserver', 'etcd', 'kubectl');

let started: Promise<ApiServer> | undefined;
const server = (): Promise<ApiServer> => {
  started ??= startEngineServer();
  return started;
};

const isOf = ({ metadata }: Manifest, seat: string): boolean => metadata.labels?.['steadmesh.io/seat'] === seat;
const isClaim = ({ kind }: Manifest): boolean => kind === CLAIM;
const generated = ({ folder }: Used): string => join(folder, 'generated');

/** When objects of a kind were stored: nothing writes to them after. */
const versions = async ({ server, namespace }: Used, kind: string): Promise<number[]> =>
  (await stored(server, kind, namespace)).map(({ metadata }) => Number(metadata.resourceVersion));
const names = async ({ server, namespace }: Used, kind: string): Promise<string[]> =>
  (await stored(server, kind, namespace)).map(({ metadata }) => metadata.name);

async function policiesCameFirst(used: Used): Promise<boolean> {
  const [policies, sets] = [await versions(used, 'NetworkPolicy'), await versions(used, 'StatefulSet')];
  assert.is(policies.length, 2);
  assert.is(sets.length, 2);
  return Math.max(...policies) < Math.min(...sets);
}

/** As before the annotation: kpt orders by kind alone. */
const independent = (object: Manifest): Manifest => {
  const { 'config.kubernetes.io/depends-on': _, ...annotations } = object.metadata.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
};

const claimsIn = async (used: Used): Promise<string[]> =>
  readFolder(generated(used))
    .filter(isClaim)
    .map(({ metadata }) => metadata.name)
    .sort();
const removeClaim = (used: Used, seat: string): void =>
  rewrite(generated(used), (object) => (isClaim(object) && isOf(object, seat) ? undefined : object));

for (const kpt of programs('kpt')) {
  const version = must([kpt, 'version']).trim();
  const on = (
    title: string,
    described: Partial<Described> & { namespace: string },
    use: (used: Used) => Promise<void>,
  ) => test(`kpt ${version} ${title}`, async () => withLive(kpt, await server(), described, use));

  // -------------------------------------------------------------- order
  on('stores every policy before any StatefulSet', { namespace: 'ordered' }, async (used) => {
    used.live.apply(used.folder);
    assert.ok(await policiesCameFirst(used));
  });

  on('would not without the annotation', { namespace: 'unordered' }, async (used) => {
    rewrite(generated(used), independent);
    used.live.apply(used.folder);
    assert.not(await policiesCameFirst(used));
  });

  const split = { output: { layout: 'split' }, probe: { mode: 'none' } };
  on('does in the split layout too', { namespace: 'split', options: split }, async (used) => {
    used.live.apply(used.folder);
    assert.ok(await policiesCameFirst(used));
  });

  on('refuses a package whose namespace changed after rendering', { namespace: 'moved' }, async (used) => {
    const target = `${used.namespace}-to`;
    await makeNamespace(used.server, target);
    rewrite(generated(used), ({ metadata, ...object }) => ({
      ...object,
      metadata: { ...metadata, namespace: target },
    }));
    const { exit, events } = used.live.apply(used.folder);
    assert.is(exit, 1);
    assert.match(events.at(-1)?.error ?? '', 'external dependency');
    for (const kind of KINDS) assert.equal(await names({ ...used, namespace: target }, kind), [], kind);
  });

  // -------------------------------------------------------------- what is applied, and how often
  on('applies no options, no Kptfile and nothing local', { namespace: 'local' }, async (used) => {
    const { events } = used.live.apply(used.folder);
    const kinds = [...new Set(events.filter(({ type }) => type === 'apply').map(({ kind = '' }) => kind))].sort();
    const rendered = ['ConfigMap', 'NetworkPolicy', 'PersistentVolumeClaim', 'Seat', 'ServiceAccount', 'StatefulSet'];
    assert.equal(kinds, rendered);
  });

  for (const flags of [[], ['--server-side']]) {
    const how = ['apply', ...flags].join(' ');
    on(`changes nothing with a second ${how}`, { namespace: `twice${flags.length}`, options: {} }, async (used) => {
      const all = () =>
        Promise.all(KINDS.map(async (kind) => contents(await stored(used.server, kind, used.namespace))));
      used.live.apply(used.folder, ...flags);
      const once = await all();
      const { outcome } = used.live.apply(used.folder, ...flags);
      assert.is(outcome('apply', 'StatefulSet'), 'Successful');
      assert.equal(await all(), once);
    });
  }

  // -------------------------------------------------------------- what is kept
  on('keeps a claim that left the package', { namespace: 'kept' }, async (used) => {
    const { folder, live } = used;
    live.apply(folder);
    const claims = await names(used, CLAIM);
    removeSeat(folder, 'librarian');
    used.render();
    assert.equal(await claimsIn(used), claims); // its file stays until somebody removes it
    removeClaim(used, 'librarian');
    const { outcome } = live.apply(folder);
    assert.is(outcome('prune', CLAIM), 'Skipped');
    assert.is(outcome('prune', 'StatefulSet'), 'Successful');
    assert.equal(await names(used, CLAIM), claims);
    const kept = (await stored(used.server, CLAIM, used.namespace)).filter((claim) => isOf(claim, 'librarian'));
    assert.equal(
      kept.map(({ metadata }) => [metadata.deletionTimestamp, metadata.annotations?.[OWNING]]),
      [[undefined, undefined]],
    );
  });

  on('takes a kept claim back only if it is told to', { namespace: 'returned' }, async (used) => {
    const { folder, live } = used;
    live.apply(folder);
    live.destroy(folder);
    assert.equal(await names(used, 'StatefulSet'), []);
    assert.equal((await names(used, CLAIM)).length, 2);
    const strict = live.apply(folder);
    assert.is(strict.outcome('apply', 'StatefulSet'), 'Successful');
    assert.is(strict.outcome('apply', CLAIM), 'Skipped');
    assert.is(live.apply(folder, '--inventory-policy=adopt').outcome('apply', CLAIM), 'Successful');
  });

  const deleted = { seats: { analyst: { workspace: { retention: 'Delete' } } } };
  on('deletes a claim that its Seat gives up', { namespace: 'given-up', ...deleted }, async (used) => {
    used.live.apply(used.folder);
    rewrite(generated(used), (object) => (isClaim(object) ? undefined : object));
    assert.is(used.live.apply(used.folder).outcome('prune', CLAIM), 'Successful');
    for (const { metadata } of await stored(used.server, CLAIM, used.namespace)) assert.ok(metadata.deletionTimestamp);
  });

  for (const annotations of [{}, KEEP]) {
    const kept = annotations === KEEP;
    const namespace = `namespace${kept ? '-kept' : ''}`;
    const name = namespaceOf(kpt, namespace);
    const others = [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } }];
    const title = `${kept ? 'keeps' : 'deletes, when applied again,'} a namespace that left with its seats`;
    on(title, { namespace, others }, async ({ folder, live, server }) => {
      live.apply(folder);
      for (const file of ['analyst.yaml', 'librarian.yaml', 'others.yaml', 'generated'])
        rmSync(join(folder, file), { recursive: true });
      const phase = async () => (await server.call('GET', `/api/v1/namespaces/${name}`)).body.status;
      live.apply(folder);
      assert.equal(await phase(), { phase: 'Active' });
      live.apply(folder);
      assert.equal(await phase(), { phase: kept ? 'Active' : 'Terminating' });
    });
  }

  on('removes a policy after its pods, if told so', { namespace: 'foreground' }, async (used) => {
    const { folder, live } = used;
    live.apply(folder);
    for (const seat of ['librarian', 'analyst']) {
      removeSeat(folder, seat);
      used.render();
      live.apply(folder, ...(seat === 'analyst' ? ['--prune-propagation-policy=Foreground'] : []));
      // without it the StatefulSet is gone at once, its pod not; nobody here ends what is deleted in the foreground
      const left = (kind: string) => stored(used.server, kind, used.namespace);
      const of = async (kind: string) => (await left(kind)).filter((object) => isOf(object, seat)).length;
      const expected = seat === 'analyst' ? 1 : 0;
      assert.equal([await of('StatefulSet'), await of('NetworkPolicy')], [expected, expected]);
    }
  });
}

test('the API server stops', async () => (await server()).stop());
test.run();
