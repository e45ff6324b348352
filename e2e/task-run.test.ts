// Task runs on a real cluster, under gVisor: they end, reach no more than they asked for beside a seat that may more, are
// stopped at their deadline, and do not run again when they are applied again.
import { release } from 'node:os';
import * as assert from 'uvu/assert';
import { type Cluster, cluster, type Live } from './cluster';
import type { Manifest } from './objects';
import { suiteWith } from './prerequisites';
import { CONTROL_PLANE, declare, expand, installPlatform, makeNamespace, openCanary, volumesFor } from './seat-package';

const test = suiteWith('task runs', 'cluster', 'docker');
const NAMESPACE = 'working';
const PLATFORM = `steadmesh-platform.${CONTROL_PLANE}.svc:8080`;
const SEAT_LABEL = { 'steadmesh.io/seat': 'engineer' };

/** What a worker prints of what it saw. */
interface Seen {
  readonly kernel: string;
  /** By `host:port`, whether it answered. */
  readonly reached: Readonly<Record<string, boolean>>;
  /** How `/seat` is mounted. */
  readonly seat: 'ro' | 'rw';
  /** Whether a file could be written there. */
  readonly wrote: boolean;
  readonly input: string;
}

/** The network engine acts a moment after a pod's start, so it waits first. */
const WORK = `
const { connect } = require('node:net'), fs = require('node:fs');
const tried = (target) => new Promise((done) => {
  const [host, port] = target.split(':');
  const socket = connect({ host, port: Number(port), timeout: 3000 }, () => done([target, true]));
  for (const end of ['error', 'timeout']) socket.on(end, () => { socket.destroy(); done([target, false]); });
});
let wrote = true;
try { fs.writeFileSync('/seat/mark', 'x'); } catch { wrote = false; }
const mounts = fs.readFileSync('/proc/self/mounts', 'utf8').split('\\n').map((line) => line.split(' '));
const seat = mounts.find(([, path]) => path === '/seat')[3].split(',').find((one) => one === 'ro' || one === 'rw');
setTimeout(async () => {
  const reached = Object.fromEntries(await Promise.all(process.argv.slice(1).map(tried)));
  const input = fs.readFileSync(process.env.STEADMESH_MANIFEST_DIR + '/input.md', 'utf8');
  console.log(JSON.stringify({ kernel: require('node:os').release(), reached, seat, wrote, input }));
  process.exit(0);
}, 8000);
`;

interface Scene {
  readonly on: Cluster;
  readonly canary: string;
  readonly objects: readonly Manifest[];
  close(): void;
}
let scene: Promise<Scene> | undefined;

async function setUp(): Promise<Scene> {
  const on = cluster();
  const images = on.images();
  await installPlatform(on, images);
  const opened = await openCanary(on);
  // in a cluster that this machine is not reachable from, a pod of the cluster stands for what only the seat may reach
  const canary = opened?.address ?? `${await addressOfDNS(on)}:9153`;
  const [address, port] = canary.split(':');
  const network = [{ cidr: `${address}/32`, ports: [Number(port)] }];
  const harness = { image: images.probe, command: ['/usr/local/bin/node', '-e', WORK, canary, PLATFORM] };
  const work = {
    seatRef: { name: 'engineer' },
    harness,
    input: { text: 'Look around.' },
    resources: { limits: { cpu: '500m', memory: '256Mi' }, requests: { cpu: '10m', memory: '64Mi' } },
    ttl: '5m',
  };
  const declared = declare({
    namespace: NAMESPACE,
    images,
    seats: { engineer: { sandbox: { runtimeClassName: 'gvisor' }, access: { network } } },
    tasks: {
      wide: { ...work, access: { network }, workspace: 'readOnly' },
      narrow: work,
      endless: { seatRef: work.seatRef, ttl: '5s' },
    },
    options: { probe: { mode: 'none' } },
  });
  const objects = expand(declared);
  await makeNamespace(on, NAMESPACE);
  await on.apply([...declared.filter(({ kind }) => kind !== 'ExpandSeats'), ...volumesFor(on, objects), ...objects]);
  const narrow = workerIn(objects, 'narrow');
  const labels = { ...narrow.metadata.labels, ...SEAT_LABEL };
  await on.apply([{ ...narrow, metadata: { ...narrow.metadata, name: 'mislabelled', labels } }]);
  return { on, canary, objects, close: () => opened?.close() };
}
const once = (): Promise<Scene> => (scene ??= setUp());

async function addressOfDNS(on: Cluster): Promise<string> {
  const [pod] = await on.list('pods', 'kube-system', 'k8s-app=kube-dns');
  return (pod?.status as { podIP?: string } | undefined)?.podIP ?? '';
}

function workerIn(objects: readonly Manifest[], run: string): Manifest {
  const found = objects.find(
    ({ kind, metadata }) => kind === 'Pod' && metadata.name.startsWith(`task-engineer-${run}-`),
  );
  if (!found) throw new Error(`no worker is rendered for ${run}`);
  return found;
}

const phaseOf = (pod: Live | undefined): string => (pod?.status as { phase?: string } | undefined)?.phase ?? '';

async function ended(run: string): Promise<Live> {
  const { on, objects } = await once();
  const name = run === 'mislabelled' ? run : workerIn(objects, run).metadata.name;
  return on.waitFor(`the worker ${name} ends`, 90, async () => {
    const pod = await on.get('pod', name, NAMESPACE);
    return ['Succeeded', 'Failed'].includes(phaseOf(pod)) ? pod : undefined;
  });
}

async function seenBy(run: string): Promise<Seen> {
  const { on } = await once();
  const pod = await ended(run);
  const printed = await on.kubectl(['logs', pod.metadata.name, '-n', NAMESPACE]);
  assert.is(phaseOf(pod), 'Succeeded', printed);
  return JSON.parse(printed) as Seen;
}

test('a worker runs to completion under gVisor, with its input', async () => {
  const { kernel, input } = await seenBy('narrow');
  assert.is.not(kernel, release());
  assert.is(input, 'Look around.');
});

test('it reaches what it asked for, out of what its seat may', async () => {
  const { canary } = await once();
  assert.equal((await seenBy('wide')).reached, { [canary]: true, [PLATFORM]: true });
});

test('it does not reach what only its seat may', async () => {
  const { canary } = await once();
  assert.equal((await seenBy('narrow')).reached, { [canary]: false, [PLATFORM]: true });
});

test('with the label of its seat it would: policies add up, and nothing but the labels keeps them apart', async () => {
  const { canary } = await once();
  assert.equal((await seenBy('mislabelled')).reached, { [canary]: true, [PLATFORM]: true });
});

test('it writes to a volume of its own, and reads the workspace of its seat only', async () => {
  const [own, seats] = [await seenBy('narrow'), await seenBy('wide')];
  assert.equal([own.seat, own.wrote], ['rw', true]);
  assert.equal([seats.seat, seats.wrote], ['ro', false]);
});

test('one that does not end is stopped at its deadline', async () => {
  const pod = await ended('endless');
  assert.is(phaseOf(pod), 'Failed');
  assert.is((pod.status as { reason: string }).reason, 'DeadlineExceeded');
});

test('applied again, finished workers stay as they ended', async () => {
  const { on, objects } = await once();
  const runs = ['wide', 'narrow', 'endless'];
  const before = await Promise.all(runs.map(ended));
  await on.apply(objects);
  await new Promise((done) => setTimeout(done, 5000)); // the kubelet would have started a container by now
  for (const { metadata, status } of before) {
    const pod = await on.get('pod', metadata.name, NAMESPACE);
    assert.is(pod?.metadata.uid, metadata.uid);
    assert.equal(pod?.status, status);
  }
});

test('leaves', async () => {
  const { on, objects, close } = await once();
  close();
  await on.kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
  for (const { metadata } of volumesFor(on, objects)) await on.delete('persistentvolume', metadata.name);
});

test.run();
