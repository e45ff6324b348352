// Runs of the prober against an API server on which things go wrong: what it leaves behind, what it tells, and whom.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Report } from '../functions/model';
import { HOLDER, PROBE_LABEL, PROBE_POD_PREFIX, REPORT_KEY } from '../functions/probe/identity';
import { atOnce } from '../functions/probe/prober/facts';
import { TRIES_IN_A_HURRY } from '../functions/probe/prober/retry';
import { exitCodeOf } from '../functions/probe/report';
import { CREATE, count, OTHER, PODS, REPORT, type Scene, scene, TELL } from './prober-scenes';

/** Names of the probe's pods that are still there. */
const left = ({ server }: Scene): readonly string[] =>
  [...server.pods.values()]
    .filter(({ metadata }) => metadata?.labels?.[PROBE_LABEL] !== undefined)
    .map(({ metadata }) => metadata?.name ?? '');
const holderOf = ({ server }: Scene): string | undefined => server.report?.metadata?.annotations?.[HOLDER];
const isFree = (one: Scene): boolean => holderOf(one) === undefined;
const published = ({ server }: Scene): Report => JSON.parse(server.report?.data?.[REPORT_KEY] ?? '{}') as Report;
/** What the Seat was told of a condition, oldest first. */
const told = ({ server }: Scene, type: string): readonly (string | undefined)[] =>
  server.told.map(({ conditions }) => conditions?.find((one) => one.type === type)?.status);

const test = suite('runs of the prober');

test('three pods, each deleted by its uid; the Seat told before and after; then the report, and the lock is free', async () => {
  const one = await scene('ordinary');
  assert.is(one.report().groups.length, 1);
  assert.equal(left(one), []);
  assert.equal([...one.server.deleted.values()].sort(), ['uid-1', 'uid-2', 'uid-3']);
  assert.equal(told(one, 'Reconciling'), ['True', 'False']);
  assert.ok(one.server.calls.lastIndexOf(TELL) < one.server.calls.lastIndexOf(REPORT));
  assert.is(published(one).run, one.report().run);
  assert.ok(isFree(one));
});

test('the control asks the witness for the nonces of its own pair, and no others', async () => {
  const { tasks } = (await scene('ordinary')).server;
  const nonces = new Map(tasks.map(({ role, nonce }) => [role, nonce]));
  const asked = tasks.find(({ role }) => role === 'control')?.witness?.nonces;
  assert.equal(asked, [nonces.get('seat'), nonces.get('control')]);
});

test('a seat that is stopped and as declared is enforced without a pod', async () => {
  const one = await scene('stopped');
  assert.is(one.report().verdict, 'PASS', one.report().message);
  assert.equal(told(one, 'SandboxEnforced'), [undefined, 'True']);
  assert.is(count(one.server, CREATE), 0);
});

test('told to end while it measures: no other pod, none left, Interrupted published', async () => {
  const one = await scene('endedMeasuring');
  assert.is(count(one.server, CREATE), 2);
  assert.equal(left(one), []);
  assert.is(published(one).reason, 'Interrupted');
  assert.equal(told(one, 'SandboxEnforced'), [undefined, 'Unknown']);
  assert.is(exitCodeOf(one.report()), 2);
  assert.ok(isFree(one));
});

test('told to end while another holds the lock: it ends, and takes nothing from it', async () => {
  const one = await scene('endedWaiting');
  assert.is(one.report().reason, 'Interrupted');
  assert.equal(one.server.told, []);
  assert.is(holderOf(one), OTHER);
});

test('told to end while the API server is away: no call is tried as often as if there were time', async () => {
  const one = await scene('endedAway');
  assert.is(one.report().reason, 'Interrupted');
  for (const call of [CREATE, TELL, REPORT]) assert.ok(count(one.server, call) <= TRIES_IN_A_HURRY + 1, call);
});

test('an API server that is away for longer than a call tries does not end a measurement', async () => {
  const one = await scene('restart');
  assert.equal(Object.keys(one.report().groups[0]?.pods ?? {}).sort(), ['control', 'seat', 'witness']);
  assert.not.ok(one.report().results.some(({ reason }) => reason === 'ApiUnavailable'));
  assert.equal(left(one), []);
});

test('a pod whose creation was answered by a cut connection is the one that is used', async () => {
  const one = await scene('cut');
  assert.is(one.server.deleted.size, 3);
  assert.equal(left(one), []);
  assert.is(one.report().groups[0]?.pods.witness?.uid, 'uid-1');
});

test('a pod that was made though a quota then refused it is deleted', async () => {
  const one = await scene('cutAndRefused');
  assert.equal(left(one), []);
  assert.is(one.server.deleted.size, 1);
  assert.ok(one.report().results.some(({ reason }) => reason === 'QuotaDenied'));
});

test('a Seat that cannot be told makes the run inconclusive, and the report says why', async () => {
  const one = await scene('seatRefuses');
  assert.equal([published(one).verdict, published(one).reason], ['INCONCLUSIVE', 'NotPermitted']);
  assert.is(exitCodeOf(one.report()), 2);
  assert.ok(isFree(one));
});

test('no Seat stays enforced whose report cannot be written', async () => {
  const one = await scene('noReport');
  assert.is(one.report().verdict, 'INCONCLUSIVE');
  assert.equal(told(one, 'SandboxEnforced'), [undefined, 'True', 'Unknown']);
  assert.ok(isFree(one));
});

test('without the object for its report and its lock a run tells nobody anything', async () => {
  const one = await scene('absentReport');
  assert.equal([one.report().verdict, one.report().reason], ['INCONCLUSIVE', 'NotFound']);
  assert.equal(one.server.told, []);
});

test('a lock that is lost while it measures: no pod is left, and neither Seat nor report is told', async () => {
  const one = await scene('lostMeasuring');
  assert.equal([one.report().verdict, one.report().reason], ['INCONCLUSIVE', 'Interrupted']);
  assert.equal(left(one), []);
  assert.equal(told(one, 'Reconciling'), ['True']);
  assert.is(one.server.report?.data, undefined);
  assert.is(holderOf(one), OTHER);
});

test('a lock that is lost before the report is written: the report stays, and the run is inconclusive', async () => {
  const one = await scene('lostPublishing');
  assert.equal([one.report().verdict, one.report().reason], ['INCONCLUSIVE', 'Interrupted']);
  assert.is(one.server.report?.data, undefined);
  assert.is(holderOf(one), OTHER);
});

test('an engine that writes at the same time is in nobody’s way', async () => {
  const one = await scene('crowded');
  assert.is(published(one).verdict, 'PASS');
  assert.ok(one.server.report?.metadata?.labels?.engine);
  assert.ok(isFree(one));
});

test('pods of earlier runs go before any is made, and what only has the label stays', async () => {
  const one = await scene('leftovers');
  const old = `${PROBE_POD_PREFIX}old`;
  assert.is(one.server.deleted.get(old), `uid-of-${old}`);
  assert.ok(one.server.calls.indexOf(`DELETE ${PODS}/${old}`) < one.server.calls.indexOf(CREATE));
  assert.equal([...left(one)].sort(), ['else', `${PROBE_POD_PREFIX}bare`]);
});

test('a cluster without Seats has its verdict in the report alone', async () => {
  const one = await scene('noSeats');
  assert.is(published(one).verdict, 'PASS');
  assert.ok(one.lines.some((line) => line.startsWith('the cluster does not know Seats')));
});

test('a bug is thrown, after the pods are gone and the lock is free', async () => {
  const one = await scene('bug');
  assert.throws(one.report, (error: unknown) => error instanceof TypeError);
  assert.is(count(one.server, CREATE), 1);
  assert.equal(left(one), []);
  assert.ok(isFree(one));
});

test('work at once: none begins after a failure, and what had begun is waited for', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const soon = (): Promise<void> => new Promise((done) => setImmediate(done));
  const work = async (one: number): Promise<void> => {
    begun.push(one);
    await soon();
    if (one === 1) throw new Error('one');
    await soon();
    ended.push(one);
  };
  const [result] = await Promise.allSettled([atOnce([1, 2, 3, 4, 5, 6], 2, work)]);
  assert.is(result.status, 'rejected');
  assert.equal([begun, ended], [[1, 2], [2]]);
});

test.run();
