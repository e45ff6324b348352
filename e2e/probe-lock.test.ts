// The prober's lock and report on a real API server: with its own rights, against other writers, and under what engines do to the object.
import type { KubernetesObject, V1ConfigMap } from '@kubernetes/client-node';
import * as assert from 'uvu/assert';
import type { Report } from '../functions/model';
import { HOLDER, REPORT_KEY, RUNS_KEY, reportName } from '../functions/probe/identity';
import type { Api } from '../functions/probe/prober/api';
import { type Held, markOf, type Pace, take } from '../functions/probe/prober/lock';
import * as paths from '../functions/probe/prober/paths';
import { publishReport } from '../functions/probe/prober/publish';
import { probesOf, renderProbes } from '../functions/render/probe';
import { resolved } from '../test/rendered';
import { optionsWith } from '../test/seats';
import { type ApiServer, startApiServer } from './apiserver';
import { suiteWith } from './prerequisites';
import { adminOf, proberOf } from './prober-client';

const test = suiteWith('the lock of the prober', 'kube-apiserver', 'etcd');
const probes = probesOf([resolved()], optionsWith({})).value;
const { plan } = probes[0]!;
const objects: readonly KubernetesObject[] = [...renderProbes(probes, 'flat')].map(({ object }) => object);
const rendered = objects.find(({ metadata }) => metadata?.name === reportName(plan.prober))!;
const path = paths.configMap(plan.controlPlaneNamespace, reportName(plan.prober));
/** Nobody is taken for gone, and nothing is renewed but on demand. */
const SLOW: Pace = { stale: 600_000, renew: 600_000, askAgain: 10 };

let server: ApiServer;
let prober: Api;
let admin: Api;
const live = (): Promise<V1ConfigMap> => admin.call('GET', path);
const holder = async (): Promise<string | undefined> => markOf((await live()).metadata?.annotations?.[HOLDER])?.holder;
const taken = async (who: string): Promise<Held> => {
  const held = await take(prober, plan, who, { deadline: 0, stopped: () => false, waiting: () => undefined }, SLOW);
  assert.ok(held);
  return held;
};
const reportOf = (run: string): Report => ({ run, verdict: 'PASS' }) as Report;

test('the API server has the objects of a probe', async () => {
  server = await startApiServer();
  for (const name of [plan.namespace, plan.controlPlaneNamespace])
    await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const object of objects) assert.ok((await server.create(object)).code < 300, object.metadata?.name);
  admin = adminOf(server);
  prober = await proberOf(server, plan);
});

test('it is taken and given back with the rights that are rendered', async () => {
  const held = await taken('me');
  assert.is(await holder(), 'me');
  await held.release();
  assert.is((await live()).metadata?.annotations?.[HOLDER], undefined);
});

test('of those that have read the same one gets it', async () => {
  let isOver = false;
  const stopped = (): boolean => isOver;
  const waiting = { deadline: Number.POSITIVE_INFINITY, stopped, waiting: () => undefined };
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map(async (who) => {
    const held = await take(prober, plan, who, waiting, SLOW);
    isOver ||= held !== undefined;
    return { who, held };
  });
  const winners = (await Promise.all(all)).filter(({ held }) => held);
  assert.equal(
    winners.map(({ who }) => who),
    [await holder()],
  );
  await winners[0]?.held?.release();
});

test('the report is published beside the name, and earlier runs are kept', async () => {
  const held = await taken('me');
  for (const run of ['one', 'two']) assert.is(await publishReport(prober, plan, reportOf(run), 'me'), true);
  assert.is(await holder(), 'me');
  assert.is(await held.renew(), true);
  await held.release();
  const { data } = await live();
  assert.is(JSON.parse(data?.[REPORT_KEY] ?? '').run, 'two');
  assert.equal(
    JSON.parse(data?.[RUNS_KEY] ?? '').map(({ run }: Report) => run),
    ['two', 'one'],
  );
});

test('who has lost it publishes nothing', async () => {
  const held = await taken('me');
  await admin.call('PATCH', path, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { [HOLDER]: JSON.stringify({ holder: 'you', acquired: '', renewed: '' }) } } },
  });
  assert.is(await held.renew(), false);
  assert.is(await publishReport(prober, plan, reportOf('three'), 'me'), false);
  await held.release();
  assert.is(await holder(), 'you');
  assert.is(JSON.parse((await live()).data?.[REPORT_KEY] ?? '').run, 'two');
  await admin.call('PATCH', path, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { annotations: { [HOLDER]: null } } },
  });
});

for (const [engine, contentType] of [
  ['a server-side apply', 'application/apply-patch+yaml'],
  ['a merge of what was rendered', 'application/merge-patch+json'],
] as const) {
  test(`${engine} leaves name and report alone`, async () => {
    const held = await taken('me');
    const query = contentType.includes('apply') ? { fieldManager: 'engine', force: 'true' } : {};
    await admin.call('PATCH', path, { contentType, query: query as Record<string, string>, body: rendered });
    assert.is(await holder(), 'me');
    assert.is(JSON.parse((await live()).data?.[REPORT_KEY] ?? '').run, 'two');
    assert.is(await held.renew(), true);
    await held.release();
    await admin.call('PATCH', path, { contentType, query: query as Record<string, string>, body: rendered });
    assert.is((await live()).metadata?.annotations?.[HOLDER], undefined);
  });
}

test('an engine that replaces the object takes the name away, which is put on again', async () => {
  const held = await taken('me');
  await admin.call('PUT', path, { body: rendered });
  assert.is(await holder(), undefined);
  assert.is(await held.renew(), true);
  assert.is(await holder(), 'me');
  await held.release();
});

test('while it is asked for, no report crosses the network', async () => {
  const big = { data: { [REPORT_KEY]: 'x'.repeat(500_000) } };
  await admin.call('PATCH', path, { contentType: 'application/merge-patch+json', body: big });
  const seen = await prober.call<V1ConfigMap>('GET', path, { metadataOnly: true });
  assert.is(seen.data, undefined);
  assert.is(seen.kind, 'PartialObjectMetadata');
});

test('the API server stops', () => server.stop());
test.run();
