// Real `kpt live` against a real API server: what it waits for, and what that holds back.
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { ApiServer } from './apiserver';
import { must } from './command';
import { indexOf, namespaceOf, type Used, withLive } from './engine-live';
import { type Described, removeSeat, rewrite, writePackage } from './engine-package';
import { setStatus, startEngineServer, stored } from './engine-server';
import type { Manifest } from './objects';
import { programs, suiteWith } from './prerequisites';

const CLAIM = 'PersistentVolumeClaim';
const DEPENDS_ON = 'config.kubernetes.io/depends-on';
const OTHER = { instructions: 'You look things up.' };
/** Statuses as controllers write them. */
const SINCE = '2026-12-01T00:00:00Z';
const FAILED = {
  startTime: SINCE,
  failed: 1,
  conditions: ['FailureTarget', 'Failed'].map((type) => ({ type, status: 'True', lastTransitionTime: SINCE })),
};
const PROVEN = {
  observedGeneration: 1,
  conditions: [{ type: 'Ready', status: 'True', reason: 'Enforced', message: '', lastTransitionTime: SINCE }],
};
const test = suiteWith('kpt live waits', 'kpt', 'kube-apiserver', 'etcd', 'kubectl');

let started: Promise<ApiServer> | undefined;
const server = (): Promise<ApiServer> => {
  started ??= startEngineServer();
  return started;
};

const generated = ({ folder }: Used): string => join(folder, 'generated');

/** Has claims depend on their seat's policy, as StatefulSets do. */
const orderClaims = (object: Manifest, beside: readonly Manifest[]): Manifest => {
  const set = beside.find(({ kind }) => kind === 'StatefulSet');
  const depends = set?.metadata.annotations?.[DEPENDS_ON];
  if (object.kind !== CLAIM || depends === undefined) return object;
  const annotations = { ...object.metadata.annotations, [DEPENDS_ON]: depends };
  return { ...object, metadata: { ...object.metadata, annotations } };
};

/** The annotation by which a Seat is applied with what was rendered of it, and waited for after. */
const afterTheRole = (namespace: string): Record<string, string> => ({
  [DEPENDS_ON]: `rbac.authorization.k8s.io/namespaces/${namespace}/Role/probe-${namespace}`,
});

for (const kpt of programs('kpt')) {
  const version = must([kpt, 'version']).trim();
  const on = (
    title: string,
    described: Partial<Described> & { namespace: string },
    use: (used: Used) => Promise<void>,
  ) => test(`kpt ${version} ${title}`, async () => withLive(kpt, await server(), described, use));

  // -------------------------------------------------------------- what it waits for
  on('holds StatefulSets back while claims wait for a consumer', { namespace: 'waiting' }, async (used) => {
    const held = used.live.apply(used.folder);
    assert.is(held.exit, 3);
    assert.is(held.outcome('wait', CLAIM), 'Timeout');
    assert.is(held.outcome('wait', 'StatefulSet'), 'Successful', 'OnDelete is ready at once');
    assert.ok(indexOf(held, 'wait', CLAIM, 'Timeout') < indexOf(held, 'apply', 'StatefulSet'));
    for (const claim of await stored(used.server, CLAIM, used.namespace)) {
      await setStatus(used.server, claim, { phase: 'Bound' });
    }
    const bound = used.live.apply(used.folder);
    assert.is(bound.exit, 0);
    assert.is(bound.outcome('wait', CLAIM), 'Successful');
  });

  const stopped = { seats: { analyst: { state: 'Stopped', rollout: 'RollingUpdate' } } };
  on('takes a stopped seat for ready, its new claim never', { namespace: 'stopped', ...stopped }, async (used) => {
    used.live.apply(used.folder);
    const [set] = await stored(used.server, 'StatefulSet', used.namespace);
    await setStatus(used.server, set!, {
      observedGeneration: 1,
      replicas: 0,
      currentRevision: 'a',
      updateRevision: 'a',
    });
    const { exit, outcome } = used.live.apply(used.folder);
    assert.equal([exit, outcome('wait', 'StatefulSet'), outcome('wait', CLAIM)], [3, 'Successful', 'Timeout']);
  });

  on('waits in vain for a probe that has failed before', { namespace: 'failed', options: {} }, async (used) => {
    used.live.apply(used.folder);
    const jobs = await stored(used.server, 'Job', 'steadmesh-system');
    const job = jobs.find(({ metadata }) => metadata.name.startsWith(`probe-${used.namespace}-`));
    await setStatus(used.server, job!, FAILED);
    assert.match(used.live.status(used.folder), /job\.batch\/\S+ is Failed/);
    const { exit, outcome } = used.live.apply(used.folder);
    assert.is(exit, 3);
    assert.is(outcome('wait', 'Job'), 'Timeout');
    assert.is(outcome('apply', 'StatefulSet'), 'Successful');
  });

  for (const annotated of [false, true]) {
    const namespace = `proven${annotated ? '-after' : ''}`;
    const described = { namespace, seats: { analyst: {} }, options: {} };
    const title = `${annotated ? 'applies a change before it waits' : 'holds a change back'} for the proof of the seat`;
    const annotations = annotated ? afterTheRole(namespaceOf(kpt, namespace)) : {};
    on(title, { ...described, annotations }, async (used) => {
      used.live.apply(used.folder);
      const [seat] = await stored(used.server, 'Seat', used.namespace);
      await setStatus(used.server, seat!, PROVEN);
      writePackage(used.folder, { ...described, namespace: used.namespace, annotations, seats: { analyst: OTHER } });
      used.render();
      const changed = used.live.apply(used.folder);
      assert.is(changed.outcome('wait', 'Seat'), 'Timeout');
      const [applied, waited] = [indexOf(changed, 'apply', 'StatefulSet'), indexOf(changed, 'wait', 'Seat', 'Timeout')];
      assert.ok(annotated ? applied < waited : waited < applied, `${applied} ${waited}`);
    });
  }

  // why claims carry no such annotation: seatplan keeps a claim's file when its Seat goes
  on('would neither keep nor remove what a kept claim depends on', { namespace: 'mismatch' }, async (used) => {
    const { folder, live } = used;
    rewrite(generated(used), orderClaims);
    const free = live.apply(folder);
    assert.ok(indexOf(free, 'apply', 'StatefulSet') < indexOf(free, 'wait', CLAIM, 'Timeout'));
    removeSeat(folder, 'librarian');
    used.render();
    assert.is(live.apply(folder).outcome('prune', 'StatefulSet'), 'Successful');
    assert.is(live.apply(folder).outcome('prune', 'NetworkPolicy'), 'Skipped');
  });
}

test('the API server stops', async () => (await server()).stop());
test.run();
