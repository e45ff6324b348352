// The guards on a real API server: what is rendered passes, and each thing that weakens a tier or passes for a seat is refused
// or reported; without the guards all of it is taken.
import type { KubernetesObject, V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import * as assert from 'uvu/assert';
import type { AgentRole, Plan } from '../functions/model';
import { probePod } from '../functions/probe/pods';
import { type Answer, type ApiServer, startApiServer } from './apiserver';
import { ATTESTED, BARE, type Edit, SANDBOXED, WEAKER, WORKER } from './guard-attacks';
import type { Manifest } from './objects';
import { suiteWith } from './prerequisites';
import { declare, expand, GVISOR } from './seat-package';

const test = suiteWith('guards of tiers', 'kube-apiserver', 'etcd');
const NAMESPACE = 'guarded';
const IMAGE = `ghcr.io/acme/agent@sha256:${'d4'.repeat(32)}`;
const STATEFUL_SETS = 'system:serviceaccount:kube-system:statefulset-controller';
const SANDBOXES = 'system:serviceaccount:agent-sandbox-system:agent-sandbox-controller';
const MALLORY = 'mallory';
const UID = '4c1ff2b1-3f0e-4bd3-9b3f-2f6a5d0a5b11';

const STANDARD = { ...GVISOR, allowedNodeLabels: { 'topology.kubernetes.io/region': 'eu-central-1' } };
const DECLARED = declare({
  namespace: NAMESPACE,
  images: { seat: IMAGE, probe: IMAGE },
  tiers: { standard: STANDARD, attested: { ...GVISOR, isolation: 'confidential', attestationRequired: true } },
  seats: {
    engineer: { tierRef: { name: 'standard' } },
    boxed: { tierRef: { name: 'standard' }, workload: 'Sandbox' },
    sealed: { tierRef: { name: 'attested' } },
  },
  options: { admission: 'Deny' },
});
const RUN: Manifest = {
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'TaskRun',
  metadata: { name: 'review', namespace: NAMESPACE },
  spec: { seatRef: { name: 'engineer' }, workspace: 'readOnly' },
};
const OBJECTS = expand([...DECLARED, RUN]);
const isGuard = ({ kind, metadata }: Manifest): boolean =>
  kind.startsWith('ValidatingAdmissionPolicy') && !metadata.name.includes('probe-');
const find = <T extends KubernetesObject>(kind: string, part = ''): T =>
  structuredClone(OBJECTS.find((one) => one.kind === kind && one.metadata.name.includes(part))) as unknown as T;

/** As a controller makes a pod of its object. */
function podOf(owner: { kind: string; name: string }, name: string, template: V1Pod | undefined): V1Pod {
  const [apiVersion, labels] =
    owner.kind === 'StatefulSet'
      ? ['apps/v1', {}]
      : ['agents.x-k8s.io/v1beta1', { 'agents.x-k8s.io/sandbox-name-hash': 'da1fd924' }];
  const pod = structuredClone(template!);
  const reference = { apiVersion: String(apiVersion), ...owner, uid: UID, controller: true, blockOwnerDeletion: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { ...pod.metadata?.labels, ...labels },
      annotations: { ...pod.metadata?.annotations },
      ownerReferences: [reference],
    },
    spec: pod.spec!,
  };
}
const ofStatefulSet = (part = 'engineer'): V1Pod => {
  const set = find<V1StatefulSet>('StatefulSet', part);
  const name = set.metadata!.name!;
  return podOf({ kind: set.kind!, name }, `${name}-0`, set.spec!.template as V1Pod);
};
interface Sandbox extends KubernetesObject {
  spec: { podTemplate: V1Pod };
}
const ofSandbox = (): V1Pod => {
  const { metadata, spec } = find<Sandbox>('Sandbox');
  return podOf({ kind: 'Sandbox', name: metadata!.name! }, metadata!.name!, spec.podTemplate);
};

function edited<T extends V1Pod>(pod: T, edit: Edit): T {
  edit({
    metadata: pod.metadata as Parameters<Edit>[0]['metadata'],
    spec: pod.spec!,
    container: pod.spec!.containers[0]!,
  });
  return pod;
}

let server: ApiServer;
const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;
const BOXES = `/apis/agents.x-k8s.io/v1beta1/namespaces/${NAMESPACE}/sandboxes`;
const TRIAL = '?dryRun=All&fieldValidation=Strict';
const tried = (user: string, path: string, object: object): Promise<Answer> =>
  server.as(user)('POST', `${path}${TRIAL}`, JSON.stringify(object));

/** Every attack: who makes it, where, and what. */
const ATTACKS: readonly (readonly [what: string, user: string, path: string, object: () => object, refusal: RegExp])[] =
  [
    ...Object.entries(WEAKER).map(
      ([what, [edit, refusal]]) =>
        [`a seat’s pod ${what}`, STATEFUL_SETS, PODS, () => edited(ofStatefulSet(), edit), refusal] as const,
    ),
    ...Object.entries(ATTESTED).map(
      ([what, [edit, refusal]]) =>
        [
          `an attested seat’s pod ${what}`,
          STATEFUL_SETS,
          PODS,
          () => edited(ofStatefulSet('sealed'), edit),
          refusal,
        ] as const,
    ),
    ...Object.entries(BARE).map(
      ([what, [edit, refusal]]) =>
        [`a pod of Mallory’s ${what}`, MALLORY, PODS, () => edited(ofStatefulSet(), edit), refusal] as const,
    ),
    ...Object.entries(WORKER).map(
      ([what, [edit, refusal]]) =>
        [`a worker ${what}`, MALLORY, PODS, () => edited(find<V1Pod>('Pod'), edit), refusal] as const,
    ),
    ...Object.entries(SANDBOXED).map(
      ([what, [edit, refusal]]) =>
        [
          `a Sandbox ${what}`,
          MALLORY,
          BOXES,
          () => {
            const box = find<Sandbox>('Sandbox');
            edited(box.spec.podTemplate, edit);
            return box;
          },
          refusal,
        ] as const,
    ),
  ];

test('without the guards all of it is taken', async () => {
  server = await startApiServer();
  for (const name of [NAMESPACE, 'steadmesh-system'])
    await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const handler of ['gvisor', 'runc'])
    await server.create({
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: handler },
      handler,
    } as never);
  for (const [name, user] of [
    ['mallory', MALLORY],
    ['boxes', SANDBOXES],
    ['sets', STATEFUL_SETS],
    ['manager', 'system:kube-controller-manager'],
  ] as const)
    await server.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', name: user, apiGroup: 'rbac.authorization.k8s.io' }],
    } as never);
  for (const object of OBJECTS.filter((one) =>
    ['ServiceAccount', 'Role', 'RoleBinding', 'PriorityClass'].includes(one.kind),
  ))
    await server.create(object);
  for (const name of ['seat-other-00000000', 'default'])
    await server.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: NAMESPACE } });
  for (const [what, user, path, object] of ATTACKS) {
    const { code, body } = await tried(user, path, object());
    assert.is(code, 201, `${what}: ${body.message}`);
  }
});

test('the API server takes the guards, and finds nothing wrong with their expressions', async () => {
  for (const object of OBJECTS.filter(isGuard)) {
    const { code, body } = await server.create(object);
    assert.is(code, 201, `${object.metadata.name}: ${body.message}`);
  }
  // a policy counts a moment after it is there
  for (let tries = 0; tries < 120; tries += 1) {
    const answers = await Promise.all(
      [WEAKER['in another runtime']!, WEAKER['of no tier']!].map(([edit]) =>
        tried(STATEFUL_SETS, PODS, edited(ofStatefulSet(), edit)),
      ),
    );
    if (answers.every(({ code }) => code >= 400)) break;
    await new Promise((done) => setTimeout(done, 500));
  }
});

for (const [what, user, path, object, refusal] of ATTACKS) {
  test(`${what} is refused`, async () => {
    const { code, body } = await tried(user, path, object());
    assert.is(code, 422, body.message);
    assert.match(body.message ?? '', refusal);
  });
}

const taken = ({ code, body }: Answer): void => assert.is(code, 201, body.message);
test('what is rendered passes: pods of StatefulSets and Sandboxes, Sandboxes, workers', async () => {
  taken(await tried(STATEFUL_SETS, PODS, ofStatefulSet()));
  taken(await tried(STATEFUL_SETS, PODS, ofStatefulSet('sealed')));
  taken(await tried('system:kube-controller-manager', PODS, ofStatefulSet()));
  taken(await tried(SANDBOXES, PODS, ofSandbox()));
  taken(await tried(MALLORY, BOXES, find<Sandbox>('Sandbox')));
  taken(await tried(MALLORY, PODS, find<V1Pod>('Pod')));
});
test('the probe’s pods pass, of its own account', async () => {
  const plan = JSON.parse(
    find<KubernetesObject & { data: { 'plan.json': string } }>('ConfigMap', '-plan').data['plan.json'],
  ) as Plan;
  const prober = `system:serviceaccount:steadmesh-system:${plan.prober}`;
  const nonce = '0123456789abcdef';
  for (const role of ['seat', 'control', 'witness'] as readonly AgentRole[])
    for (const seat of plan.seats) {
      const profile = plan.profiles.find(({ digest }) => digest === seat.profile)!;
      const task = {
        role,
        nonce,
        seconds: 30,
        settleSeconds: 20,
        listen: { tcp: [8081], udp: [53] },
        targets: [],
        attemptMs: 3000,
      };
      const pod = probePod(role, { plan, profile, seat, node: undefined, nonce, task });
      taken(await tried(prober, PODS, pod));
      assert.is((await tried(MALLORY, PODS, pod)).code, 422, role);
    }
});
test('other pods are left alone, also insecure ones and those of the platform', async () => {
  const other = (labels: Record<string, string>): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'other', namespace: NAMESPACE, labels },
    spec: { hostNetwork: true, containers: [{ name: 'x', image: 'x', securityContext: { privileged: true } }] },
  });
  taken(await tried(MALLORY, PODS, other({ app: 'web' })));
  taken(await tried(MALLORY, PODS, other({ 'steadmesh.io/component': 'platform' })));
});

test('a pod that is there keeps its labels, and gets no containers', async () => {
  const pod = ofStatefulSet();
  assert.is((await server.as(STATEFUL_SETS)('POST', PODS, JSON.stringify(pod))).code, 201);
  const path = `${PODS}/${pod.metadata!.name}`;
  const merge = (patch: object, to = path): Promise<Answer> =>
    server.as(MALLORY)('PATCH', to, JSON.stringify(patch), 'application/strategic-merge-patch+json');
  const refused = ({ code, body }: Answer, why: RegExp): void => {
    assert.is(code, 422, body.message);
    assert.match(body.message ?? '', why);
  };
  for (const labels of [
    { 'steadmesh.io/seat': null },
    { 'steadmesh.io/seat': 'boxed' },
    { 'steadmesh.io/workload': null },
  ])
    refused(await merge({ metadata: { labels } }), /keeps the labels/);
  refused(await merge({ metadata: { labels: { 'maqpna.com/tier': null } } }), /keeps the labels/);
  refused(await merge({ metadata: { annotations: { 'dev.gvisor.x': 'y' } } }), /takes orders/);
  const { securityContext } = pod.spec!.containers[0]!; // nothing but that it is one more
  const debug = { spec: { ephemeralContainers: [{ name: 'debug', image: 'busybox', securityContext }] } };
  refused(await merge(debug, `${path}/ephemeralcontainers`), /gets no further containers/);
  assert.is((await merge({ metadata: { labels: { seen: 'yes' }, annotations: { seen: 'yes' } } })).code, 200);
});
test('a pod that is there is tended also when its tier gets stricter, and no new one is made as it was', async () => {
  const policy = OBJECTS.find(({ metadata }) => metadata.name === 'seatplan-tier-standard')!;
  const path = `/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/${policy.metadata.name}`;
  const stricter = JSON.parse(JSON.stringify(policy.spec).replaceAll('eu-central-1', 'eu-central-2'));
  const type = 'application/merge-patch+json';
  assert.is((await server.call('PATCH', path, JSON.stringify({ spec: stricter }), type)).code, 200);
  const one = (): V1Pod => edited(ofStatefulSet(), ({ metadata }) => Object.assign(metadata, { name: 'trial' }));
  for (let tries = 0; tries < 120 && (await tried(STATEFUL_SETS, PODS, one())).code === 201; tries += 1)
    await new Promise((done) => setTimeout(done, 500));
  assert.is((await tried(STATEFUL_SETS, PODS, one())).code, 422);
  const marks = JSON.stringify({ metadata: { annotations: { tended: 'yes' } } });
  const pod = `${PODS}/${ofStatefulSet().metadata!.name}`;
  assert.is((await server.as(STATEFUL_SETS)('PATCH', pod, marks, type)).code, 200);
  assert.is((await server.call('PATCH', path, JSON.stringify({ spec: policy.spec }), type)).code, 200);
  for (let tries = 0; tries < 120 && (await tried(STATEFUL_SETS, PODS, one())).code !== 201; tries += 1)
    await new Promise((done) => setTimeout(done, 500));
});

test('a Sandbox that is there does not get weaker', async () => {
  const box = find<Sandbox>('Sandbox');
  taken(await server.as(MALLORY)('POST', BOXES, JSON.stringify(box)));
  const patch = (change: object): Promise<Answer> =>
    server.as(MALLORY)(
      'PATCH',
      `${BOXES}/${box.metadata!.name}`,
      JSON.stringify(change),
      'application/merge-patch+json',
    );
  const weaker = { spec: { podTemplate: { spec: { runtimeClassName: 'runc' } } } };
  assert.is((await patch(weaker)).code, 422);
  const unmarked = {
    spec: { podTemplate: { metadata: { labels: { 'maqpna.com/tier': null } }, ...weaker.spec.podTemplate } },
  };
  assert.is((await patch(unmarked)).code, 422);
  assert.is((await patch({ spec: { operatingMode: 'Suspended' } })).code, 200);
});

test('audited, it is taken, and its sender is warned', async () => {
  const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
  const audit = expand([
    ...DECLARED.map((one) =>
      one.kind === 'ExpandSeats' ? { ...one, spec: { ...(one.spec as object), admission: 'Audit' } } : one,
    ),
    RUN,
  ]).filter((one) => isGuard(one) && one.kind.endsWith('Binding'));
  assert.is(audit.length, 3);
  for (const { metadata, spec } of audit) {
    const { code } = await server.call(
      'PATCH',
      `${bindings}/${metadata.name}`,
      JSON.stringify({ spec }),
      'application/merge-patch+json',
    );
    assert.is(code, 200);
  }
  const [edit] = WEAKER['in another runtime']!;
  for (let tries = 0; tries < 120; tries += 1) {
    const answer = await tried(STATEFUL_SETS, PODS, edited(ofStatefulSet(), edit));
    if (answer.code === 201 || answer.code === 409) break;
    await new Promise((done) => setTimeout(done, 500));
  }
  for (const [what, user, path, object, refusal] of ATTACKS) {
    const one = object() as { metadata: { name: string } };
    one.metadata.name = `trial-${one.metadata.name}`.slice(0, 63);
    const { code, body, warnings = [] } = await tried(user, path, one);
    assert.is(code, 201, `${what}: ${body.message}`);
    assert.match(warnings.join(' '), refusal, what);
  }
});

test('the end', () => server.stop());
test.run();
