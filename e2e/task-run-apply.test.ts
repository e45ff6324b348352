// What a real API server makes of a worker that is applied again: the same bytes start nothing, and docs/task-runs.md says
// what edits do.
import { dirname } from 'node:path';
import * as assert from 'uvu/assert';
import { fixtures, withCopy } from '../test/fixtures';
import { type ApiServer, startApiServer } from './apiserver';
import { type Ran, run } from './command';
import { renderEmbedded } from './embedded';
import type { Manifest } from './objects';
import { suiteWith } from './prerequisites';

const test = suiteWith('workers that are applied again', 'kube-apiserver', 'etcd', 'kubectl');
const NAMESPACE = 'team-a';

interface Pod extends Manifest {
  readonly spec: {
    readonly containers: readonly object[];
    readonly tolerations?: readonly object[];
    readonly [field: string]: unknown;
  };
}
interface Live {
  readonly metadata: { readonly uid: string; readonly resourceVersion: string };
  readonly status: { readonly phase?: string };
}

let server: ApiServer;
/** As a package's renderer gives them: the objects of one run that has tolerations and reads its seat's workspace. */
let objects: Manifest[];

const worker = (): Pod => objects.find(({ kind }) => kind === 'Pod') as Pod;
const pathOf = ({ metadata }: Manifest): string => `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}`;
const live = async (): Promise<Live> => (await server.call('GET', pathOf(worker()))).body as unknown as Live;
const apply = async (items: readonly Manifest[]): Promise<Ran> =>
  run(
    [
      `${server.bin}/kubectl`,
      '--kubeconfig',
      server.kubeconfig,
      'apply',
      '--server-side',
      '--force-conflicts',
      '-f',
      '-',
    ],
    {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
      env: { KUBECACHEDIR: dirname(server.kubeconfig) },
    },
  );

test('the objects of a run are stored', async () => {
  server = await startApiServer();
  const fixture = fixtures().find(({ name }) => name === 'a-seat-has-task-runs')!;
  const rendered = withCopy(fixture, (copy) => Object.values(renderEmbedded(copy, fixture)));
  objects = rendered.filter(({ metadata }) => metadata.name.startsWith('task-engineer-fix'));
  await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const gvisor = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'gvisor' }, handler: 'runsc' };
  await server.create(gvisor);
  assert.ok(worker().spec.tolerations?.length, 'admission adds tolerations to these');
  const { status, stderr } = await apply(objects);
  assert.is(status, 0, stderr);
});

test('a finished worker that is applied again stays finished, and is the same pod', async () => {
  const ended = JSON.stringify({ status: { phase: 'Succeeded' } });
  const patched = await server.call('PATCH', `${pathOf(worker())}/status`, ended, 'application/merge-patch+json');
  assert.is(patched.code, 200, patched.body.message);
  const before = await live();
  assert.is(before.status.phase, 'Succeeded');
  for (const _ of [1, 2]) {
    const { status, stderr } = await apply(objects);
    assert.is(status, 0, stderr);
  }
  const after = await live();
  assert.equal([after.metadata, after.status], [before.metadata, before.status]);
});

test('an edit of what cannot change is refused, and leaves it as it is', async () => {
  const before = await live();
  const edited = { ...worker(), spec: { ...worker().spec, serviceAccountName: 'other' } };
  const { status, stderr } = await apply([edited]);
  assert.is.not(status, 0);
  assert.match(stderr, 'pod updates may not change fields other than');
  assert.equal((await live()).metadata, before.metadata);
});

test('an image alone can change, and even that does not make another pod', async () => {
  const before = await live();
  const containers = worker().spec.containers.map((one) => ({ ...one, image: 'registry.example/other:1' }));
  const { status, stderr } = await apply([{ ...worker(), spec: { ...worker().spec, containers } } as Pod]);
  assert.is(status, 0, stderr);
  const after = await live();
  assert.is(after.metadata.uid, before.metadata.uid);
  assert.is(after.status.phase, 'Succeeded');
});

test('a worker that was deleted is made again: only `state: Finished` in Git keeps it gone', async () => {
  const before = await live();
  await server.call('DELETE', `${pathOf(worker())}?gracePeriodSeconds=0`);
  await apply(objects);
  const after = await live();
  assert.is.not(after.metadata.uid, before.metadata.uid);
  assert.is(after.status.phase, 'Pending');
});

test('tolerations that a RuntimeClass adds make the second apply of a worker with its own fail', async () => {
  const tolerations = [{ key: 'sandboxed', operator: 'Exists', effect: 'NoSchedule' }];
  const tolerant = {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'tolerant' },
    handler: 'runsc',
  };
  await server.create({ ...tolerant, scheduling: { tolerations } } as Manifest);
  const name = `${worker().metadata.name}-tolerant`;
  const pod = {
    ...worker(),
    metadata: { ...worker().metadata, name },
    spec: { ...worker().spec, runtimeClassName: 'tolerant' },
  };
  assert.is((await apply([pod])).status, 0);
  const { status, stderr } = await apply([pod]);
  assert.is.not(status, 0);
  assert.match(stderr, 'toleration');
});

test('the API server stops', async () => server.stop());
test.run();
