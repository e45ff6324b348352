// The fence on a real API server: the prober's account may create the pods of a probe, each but for what makes it something else.
import type { KubernetesObject, V1Pod } from '@kubernetes/client-node';
import * as assert from 'uvu/assert';
import type { AgentRole, AgentTask, ResolvedSeat } from '../functions/model';
import { PROBE_LABEL } from '../functions/probe/identity';
import { probePod } from '../functions/probe/pods';
import type { Api } from '../functions/probe/prober/api';
import * as paths from '../functions/probe/prober/paths';
import { probesOf, renderProbes } from '../functions/render/probe';
import { resolved } from '../test/rendered';
import { optionsWith } from '../test/seats';
import { type ApiServer, startApiServer } from './apiserver';
import { CODE, IDENTITY, INVALID, VOLUMES } from './fence-attacks';
import { SCHEDULING, SECURITY } from './fence-attacks-node';
import type { Edit } from './fence-edits';
import { suiteWith } from './prerequisites';
import { adminOf, proberOf } from './prober-client';

const NAMESPACE = 'team-a';
const MANY = 3000;
const test = suiteWith('the fence around the prober', 'kube-apiserver', 'etcd', 'kubectl');

const SEAT = resolved();
const [probe] = probesOf([SEAT], optionsWith({})).value;
const { plan } = probe!;
const objectsOf = (seats: readonly ResolvedSeat[]): KubernetesObject[] =>
  [...renderProbes(probesOf(seats, optionsWith({})).value, 'flat')].map(({ object }) => object);

const TASK: AgentTask = {
  role: 'seat',
  nonce: '0123456789abcdef',
  seconds: 30,
  settleSeconds: 20,
  listen: { tcp: [8081, 8443], udp: [53] },
  targets: [],
  attemptMs: 3000,
};

const BARE = { containers: [{ name: 'x', image: 'x' }] };

let server: ApiServer;
let prober: Api;
let admin: Api;
test('the API server takes all objects of a probe', async () => {
  server = await startApiServer();
  for (const name of [NAMESPACE, plan.controlPlaneNamespace])
    await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const [name, handler] of [
    ['gvisor', 'runsc'],
    ['runc', 'runc'],
  ])
    await server.create({ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name }, handler } as never);
  for (const object of objectsOf([SEAT])) {
    const { code, body } = await server.create(object);
    assert.ok(code < 300, `${object.kind} ${object.metadata?.name}: ${body.message}`);
  }
  admin = adminOf(server);
  prober = await proberOf(server, plan);
  // a policy counts a moment after it is there
  for (
    let tries = 0;
    tries < 120 && (await create(pod('seat', ({ spec }) => (spec.hostPID = true)))) === '';
    tries += 1
  )
    await new Promise((done) => setTimeout(done, 500));
});

function pod(role: AgentRole, edit: Edit = () => {}): V1Pod {
  const parts = { plan, profile: plan.profiles[0]!, seat: plan.seats[0]!, node: undefined };
  const one = structuredClone(probePod(role, { ...parts, nonce: TASK.nonce, task: { ...TASK, role } }));
  edit({ metadata: one.metadata!, spec: one.spec!, container: one.spec!.containers[0]! });
  return one;
}

const refusal = async (work: () => Promise<unknown>): Promise<string> => {
  try {
    await work();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};
/** Why a pod is refused on trial; empty: it is taken. */
const create = (one: V1Pod, by: Api = prober): Promise<string> =>
  refusal(() =>
    by.call('POST', paths.pods(one.metadata!.namespace!), {
      query: { dryRun: 'All', fieldValidation: 'Strict' },
      body: one,
    }),
  );

for (const role of ['seat', 'control', 'witness'] as const) {
  test(`the pod of the ${role} is taken`, async () => assert.is(await create(pod(role)), ''));
}

for (const [what, [edit, message]] of Object.entries({
  ...IDENTITY,
  ...CODE,
  ...VOLUMES,
  ...SCHEDULING,
  ...SECURITY,
})) {
  test(`a pod ${what} is refused, and taken of others`, async () => {
    const one = pod('seat', edit);
    const why = await create(one);
    assert.match(why, 'ValidatingAdmissionPolicy');
    assert.match(why, message);
    assert.is(await create(one, admin), '');
  });
}
for (const [what, [edit, message]] of Object.entries(INVALID)) {
  test(`a pod ${what} is taken of nobody`, async () => {
    const one = pod('seat', edit);
    assert.match(await create(one, admin), message);
    assert.is.not(await create(one), '');
  });
}
const HARMLESS: Readonly<Record<string, Edit>> = {
  'that shares its processes with itself': ({ spec }) => (spec.shareProcessNamespace = true),
  'with a user namespace': ({ spec }) => (spec.hostUsers = false),
  'that tolerates a taint': ({ spec }) => (spec.tolerations = [{ key: 'x', operator: 'Exists' }]),
  'of another scheduler': ({ spec }) => (spec.schedulerName = 'more'),
  'that a webhook has put its mark on': ({ metadata }) => (metadata.annotations!['policies.example/seen'] = 'true'),
  'that asks for no disk': ({ container }) => delete container.resources!.limits!['ephemeral-storage'],
};
for (const [what, edit] of Object.entries(HARMLESS)) {
  test(`a pod ${what} is taken`, async () => assert.is(await create(pod('seat', edit)), ''));
}

test('the prober deletes its own pods, and no others', async () => {
  for (const [name, labels, may] of [
    ['steadmesh-netprobe-a', { [PROBE_LABEL]: 'netpol' }, true],
    ['steadmesh-netprobe-b', {}, false],
    [`${SEAT.name}-0`, { [PROBE_LABEL]: 'netpol' }, false],
  ] as const) {
    const one = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NAMESPACE, labels }, spec: BARE };
    assert.is((await server.create(one)).code, 201);
    const why = await refusal(() => prober.call('DELETE', paths.pods(NAMESPACE, name)));
    if (may) assert.is(why, '');
    else assert.match(why, /the prober deletes only a probe's pods/);
    await server.call('DELETE', `${paths.pods(NAMESPACE, name)}?gracePeriodSeconds=0`);
  }
});

test('another namespace has not given the prober any right', async () => {
  const elsewhere = pod('seat', ({ metadata }) => (metadata.namespace = plan.controlPlaneNamespace));
  assert.match(await create(elsewhere), 'forbidden');
});
test('nobody else is fenced in', async () => {
  assert.is(
    await create(
      pod('seat', ({ container }) => (container.image = 'busybox')),
      admin,
    ),
    '',
  );
});
test(`the API server takes the fence around ${MANY} seats`, async () => {
  const seats = Array.from({ length: MANY }, (_, n) => ({ ...SEAT, name: `seat-${'x'.repeat(35)}-${n}` }));
  for (const object of objectsOf(seats as ResolvedSeat[]).filter(({ kind }) => /Admission|^Role$/.test(kind ?? ''))) {
    const { code, body } = await server.dryRun({ ...object, metadata: { ...object.metadata, name: 'many' } });
    assert.ok(code < 300, body.message);
  }
});
test('the API server stops', () => server.stop());
test.run();
