// Seats in agent-sandbox's Sandboxes, as seatplan renders them, with its real controller on a real cluster.
import * as assert from 'uvu/assert';
import { installAgentSandbox, startAgentSandbox } from './agent-sandbox/controller';
import { template } from './agent-sandbox/template';
import { type Cluster, cluster, type Images, type Live } from './cluster';
import type { Controller } from './controller';
import type { Manifest } from './objects';
import { suiteWith } from './prerequisites';
import { declare, expand, GVISOR, installPlatform, makeNamespace, volumesFor } from './seat-package';

const test = suiteWith('agent-sandbox', 'cluster', 'docker', 'agent-sandbox');
const NAMESPACE = 'boxed';
const SANDBOX = 'sandboxes.agents.x-k8s.io';
const CLAIM = 'sandboxclaims.extensions.agents.x-k8s.io';
const POOL = 'sandboxwarmpools.extensions.agents.x-k8s.io';
const POOLED = { ...GVISOR, sandboxTemplateName: 'coder', warmPoolSize: 1, warmPoolNamespaces: [NAMESPACE] };
const TIERS = { boxed: GVISOR, pooled: POOLED, 'pooled-too': { ...POOLED, warmPoolSize: 0 } };
type Seats = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

interface Stage {
  readonly on: Cluster;
  readonly images: Images;
  readonly controller: Controller;
}
let opened: Promise<Stage> | undefined;
const stage = (): Promise<Stage> => (opened ??= open());

async function open(): Promise<Stage> {
  const on = cluster();
  const images = on.images();
  await installPlatform(on, images);
  await installAgentSandbox(on);
  await makeNamespace(on, NAMESPACE);
  return { on, images, controller: startAgentSandbox(on) };
}

/** What a package renders to, with its template and without its probe. */
const render = ({ images }: Stage, seats: Seats): Manifest[] => {
  const declared = declare({ namespace: NAMESPACE, images, tiers: TIERS, seats, options: { probe: { mode: 'none' } } });
  return expand([...declared, template(NAMESPACE, images.seat)]);
};

/** Applies a package as an engine does, the template that it holds beside it. */
async function sync(at: Stage, seats: Seats): Promise<Manifest[]> {
  const objects = render(at, seats);
  await at.on.apply([template(NAMESPACE, at.images.seat), ...volumesFor(at.on, objects), ...objects]);
  return objects;
}

const nameOf = (objects: readonly Manifest[], kind: string, part = ''): string =>
  objects.find((one) => one.kind === kind && one.metadata.name.includes(part))?.metadata.name ?? '';

interface Conditions {
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[] | null;
  readonly sandbox?: { readonly name?: string };
  readonly readyReplicas?: number;
}
const statusOf = (live: Live | undefined): Conditions => (live?.status ?? {}) as Conditions;
const ready = (live: Live | undefined) => statusOf(live).conditions?.find(({ type }) => type === 'Ready');

async function until<T>({ on, controller }: Stage, what: string, look: () => Promise<T | undefined>): Promise<T> {
  return on.waitFor(what, 60, look).catch((error: Error) => {
    throw new Error(`${error.message}\n${controller.tail()}`);
  });
}
const isReady = (at: Stage, kind: string, name: string): Promise<Live> =>
  until(at, `${kind} ${name} is ready`, async () => {
    const live = await at.on.get(kind, name, NAMESPACE);
    return ready(live)?.status === 'True' ? live : undefined;
  });
const isGone = (at: Stage, kind: string, name: string): Promise<true> =>
  until(at, `${kind} ${name} is gone`, async () => (await at.on.get(kind, name, NAMESPACE)) === undefined || undefined);
const hasReason = (at: Stage, kind: string, name: string, reason: string): Promise<Live> =>
  until(at, `${kind} ${name}: ${reason}`, async () => {
    const live = await at.on.get(kind, name, NAMESPACE);
    return ready(live)?.reason === reason ? live : undefined;
  });

const CLAIMING = { tierRef: { name: 'pooled' }, resources: undefined };
const BOXED = { tierRef: { name: 'boxed' }, workload: 'Sandbox' };

test('a seat claims a sandbox that was warm, in its tier’s runtime, with its own marks', async () => {
  const at = await stage();
  await sync(at, {});
  const warm = await until(at, 'the pool is ready', async () => {
    const pool = await at.on.get(POOL, 'maqpna-pooled', NAMESPACE);
    return statusOf(pool).readyReplicas === 1 ? (await at.on.list('pods', NAMESPACE))[0] : undefined;
  });
  const objects = await sync(at, { claimer: { ...CLAIMING, instructions: 'Be kind.' } });
  const claim = await isReady(at, CLAIM, nameOf(objects, 'SandboxClaim'));
  assert.is(statusOf(claim).sandbox?.name, warm.metadata.name, 'the warm one');
  const pod = await until(at, 'the marks are on the pod', async () => {
    const live = await at.on.get('pod', warm.metadata.name, NAMESPACE);
    return live?.metadata.labels?.['sandbox.users.io/seat'] ? live : undefined;
  });
  assert.is(pod.metadata.labels?.['sandbox.users.io/seat'], 'claimer');
  assert.is(pod.metadata.annotations?.['steadmesh.io/seat-id'], 'claimer');
  assert.is(pod.metadata.annotations?.['seatplan.dev/instructions'], 'Be kind.');
  assert.is(pod.spec?.runtimeClassName, 'gvisor');
});

test('another tier is another claim: the engine prunes the first, and its sandbox ends', async () => {
  const at = await stage();
  const before = await sync(at, { mover: CLAIMING });
  const first = nameOf(before, 'SandboxClaim', 'mover');
  const { sandbox } = statusOf(await isReady(at, CLAIM, first));
  const after = await sync(at, { mover: { ...CLAIMING, tierRef: { name: 'pooled-too' } } });
  const second = nameOf(after, 'SandboxClaim', 'mover');
  assert.is.not(first, second);
  assert.not.ok(after.some(({ metadata }) => metadata.name === first));
  await at.on.delete(CLAIM, first, NAMESPACE);
  const claim = await isReady(at, CLAIM, second);
  assert.is.not(statusOf(claim).sandbox?.name, sandbox?.name);
  await isGone(at, 'pod', sandbox?.name ?? '');
});

test('a Sandbox runs the seat’s own pod, sleeps and wakes, and leaves its workspace behind', async () => {
  const at = await stage();
  const objects = await sync(at, { sleeper: BOXED });
  const name = nameOf(objects, 'Sandbox', 'sleeper');
  await isReady(at, SANDBOX, name);
  const pod = await at.on.get('pod', name, NAMESPACE);
  assert.is(pod?.spec?.serviceAccountName, nameOf(objects, 'ServiceAccount', 'sleeper'));
  assert.is(pod?.spec?.runtimeClassName, 'gvisor');
  assert.is(pod?.spec?.activeDeadlineSeconds, 8 * 3600);
  const workspace = nameOf(objects, 'PersistentVolumeClaim', 'sleeper');
  assert.ok(JSON.stringify(pod?.spec).includes(`"claimName":"${workspace}"`));

  await sync(at, { sleeper: { ...BOXED, state: 'Stopped' } });
  await hasReason(at, SANDBOX, name, 'SandboxSuspended');
  await isGone(at, 'pod', name);
  await sync(at, { sleeper: BOXED });
  const awake = await isReady(at, SANDBOX, name);
  assert.is.not((await at.on.get('pod', name, NAMESPACE))?.metadata.uid, pod?.metadata.uid);
  assert.ok(awake);

  await at.on.delete(SANDBOX, name, NAMESPACE);
  await isGone(at, 'pod', name);
  const kept = await at.on.get('pvc', workspace, NAMESPACE);
  assert.ok(kept && !kept.metadata.deletionTimestamp && !kept.metadata.ownerReferences);
});

test('a session ends with its ttl, and at its time', async () => {
  const at = await stage();
  const soon = new Date(Date.now() + 12_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const objects = await sync(at, {
    brief: { ...BOXED, session: { ttl: '4s' } },
    dated: { ...BOXED, session: { expiresAt: soon } },
    lent: { ...CLAIMING, session: { expiresAt: soon } },
  });
  await hasReason(at, SANDBOX, nameOf(objects, 'Sandbox', 'brief'), 'PodFailed');
  await hasReason(at, SANDBOX, nameOf(objects, 'Sandbox', 'dated'), 'SandboxExpired');
  await hasReason(at, CLAIM, nameOf(objects, 'SandboxClaim', 'lent'), 'ClaimExpired');
  await isGone(at, 'pod', nameOf(objects, 'Sandbox', 'dated'));
});

test('a template at its open default is refused', async () => {
  const at = await stage();
  const open = template(NAMESPACE, at.images.seat) as Manifest & { spec: Record<string, unknown> };
  const { networkPolicy: _, ...spec } = open.spec;
  const declared = declare({ namespace: NAMESPACE, images: at.images, tiers: TIERS, seats: { claimer: CLAIMING } });
  assert.throws(() => expand([...declared, { ...open, spec } as Manifest]), /TEMPLATE_WEAKER_THAN_TIER/);
});

test('nothing is left of it', async () => {
  const at = await stage();
  await at.on.kubectl(['delete', 'namespace', NAMESPACE, '--timeout=60s']);
  await at.controller.stop();
  // released volumes are bound to nobody again
  const volumes = (await at.on.list('persistentvolume')).filter(({ metadata }) =>
    metadata.name.startsWith(`${NAMESPACE}-`),
  );
  for (const { metadata } of volumes) await at.on.delete('persistentvolume', metadata.name);
});
test.run();
