// The fence on a real API server: the prober's account may create the pods of a probe, each but for what makes it something else.
import type { KubernetesObject, V1Container, V1Pod, V1PodSpec, V1Volume } from '@kubernetes/client-node';
import * as assert from 'uvu/assert';
import type { AgentRole, AgentTask, Plan, ResolvedSeat } from '../functions/model';
import { PROBE_LABEL } from '../functions/probe/identity';
import { probePod } from '../functions/probe/pods';
import { probesOf, renderProbes } from '../functions/render/probe';
import { resolved } from '../test/rendered';
import { optionsWith } from '../test/seats';
import { type ApiServer, startApiServer } from './apiserver';
import { run } from './command';
import { suiteWith } from './prerequisites';

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

let server: ApiServer;
test('the API server takes all objects of a probe', async () => {
  server = await startApiServer();
  for (const name of [NAMESPACE, plan.controlPlaneNamespace])
    await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const metadata = { name: 'gvisor' };
  await server.create({ apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata, handler: 'runsc' } as never);
  for (const object of objectsOf([SEAT])) {
    const { code, body } = await server.create(object);
    assert.ok(code < 300, `${object.kind} ${object.metadata?.name}: ${body.message}`);
  }
  // a policy counts a moment after it is there
  for (
    let tries = 0;
    tries < 120 && (await create(pod('seat', ({ spec }) => (spec.hostPID = true)))) === '';
    tries += 1
  )
    await new Promise((done) => setTimeout(done, 500));
});
type Edit = (pod: { metadata: NonNullable<V1Pod['metadata']>; spec: V1PodSpec; container: V1Container }) => unknown;

function pod(role: AgentRole, edit: Edit = () => {}): V1Pod {
  const parts = { plan, profile: plan.profiles[0]!, seat: plan.seats[0]!, node: undefined };
  const one = structuredClone(probePod(role, { ...parts, nonce: TASK.nonce, task: { ...TASK, role } }));
  edit({ metadata: one.metadata!, spec: one.spec!, container: one.spec!.containers[0]! });
  return one;
}

const accountOf = ({ controlPlaneNamespace, prober }: Plan): string =>
  `system:serviceaccount:${controlPlaneNamespace}:${prober}`;

/** Why a pod is refused; empty: it is taken. */
async function create(one: V1Pod, as: readonly string[] = ['--as', accountOf(plan)]): Promise<string> {
  const command = [`${server.bin}/kubectl`, '--kubeconfig', server.kubeconfig, ...as] as const;
  const { status, stderr } = run([...command, 'create', '--dry-run=server', '-f', '-'] as never, {
    input: JSON.stringify(one),
  });
  return status === 0 ? '' : stderr;
}

for (const role of ['seat', 'control', 'witness'] as const) {
  test(`the pod of the ${role} is taken`, async () => assert.is(await create(pod(role)), ''));
}

const volume =
  (one: Omit<V1Volume, 'name'>): Edit =>
  ({ spec }) =>
    spec.volumes!.push({ name: 'more', ...one });
const context =
  (key: string, value: unknown): Edit =>
  ({ container }) =>
    Object.assign(container.securityContext!, { [key]: value });

const REFUSED: Readonly<Record<string, readonly [Edit, RegExp]>> = {
  'without the label of a probe': [({ metadata }) => delete metadata.labels![PROBE_LABEL], /only with a probe's label/],
  'with another label of a probe': [
    ({ metadata }) => (metadata.labels![PROBE_LABEL] = 'more'),
    /only with a probe's label/,
  ],
  'that a StatefulSet adopts': [
    ({ metadata }) => (metadata.labels!['steadmesh.io/workload'] = 'seat-runner'),
    /by which a StatefulSet adopts it/,
  ],
  'with two containers': [
    ({ spec, container }) => spec.containers.push({ ...container, name: 'more' }),
    /one container/,
  ],
  'with an init container': [
    ({ spec, container }) => (spec.initContainers = [{ name: 'more', image: container.image! }]),
    /one container/,
  ],
  'of another image': [({ container }) => (container.image = 'busybox'), /image and command/],
  'with another command': [({ container }) => (container.command = ['sh']), /image and command/],
  'with the command left out': [({ container }) => delete container.command, /image and command/],
  'with arguments': [({ container }) => (container.args = ['-e', 'x']), /image and command/],
  'with a Secret in its environment': [
    ({ container }) => container.env!.push({ name: 'S', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }),
    /no environment from Secrets/,
  ],
  'with a whole Secret in its environment': [
    ({ container }) => (container.envFrom = [{ secretRef: { name: 's' } }]),
    /no environment from Secrets/,
  ],
  'with a hook': [
    ({ container }) => (container.lifecycle = { preStop: { exec: { command: ['sh'] } } }),
    /no lifecycle hooks/,
  ],
  'with a Secret as a volume': [volume({ secret: { secretName: 's' } }), /only volumes that are empty/],
  "with a seat's claim": [volume({ persistentVolumeClaim: { claimName: 'ws' } }), /only volumes that are empty/],
  'with a folder of the node': [volume({ hostPath: { path: '/' } }), /only volumes that are empty/],
  'with a projected Secret': [volume({ projected: { sources: [{ secret: { name: 's' } }] } }), /only volumes that/],
  'with a token for the API': [
    volume({ projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }),
    /only volumes that are empty/,
  ],
  'with a token mounted': [({ spec }) => (spec.automountServiceAccountToken = true), /no API token/],
  'of another account': [({ spec }) => (spec.serviceAccountName = 'admin'), /only the seats' accounts/],
  'of no account': [
    ({ spec, container }) => {
      delete spec.serviceAccountName;
      delete spec.volumes;
      delete container.volumeMounts;
    },
    /only the seats' accounts/,
  ],
  'with a claim on a device': [
    ({ spec }) => (spec.resourceClaims = [{ name: 'gpu', resourceClaimName: 'gpu' }]),
    /no claims on devices/,
  ],
  'without a deadline': [({ spec }) => delete spec.activeDeadlineSeconds, /a deadline of at most/],
  'that lives for a day': [({ spec }) => (spec.activeDeadlineSeconds = 86_400), /a deadline of at most/],
  'that restarts': [({ spec }) => (spec.restartPolicy = 'Always'), /no restarts/],
  "on the host's network": [({ spec }) => (spec.hostNetwork = true), /nothing of the host/],
  "among the host's processes": [({ spec }) => (spec.hostPID = true), /nothing of the host/],
  "with the host's IPC": [({ spec }) => (spec.hostIPC = true), /nothing of the host/],
  'with a port of the host': [({ container }) => (container.ports![0]!.hostPort = 8081), /nothing of the host/],
  'with another sysctl': [
    ({ spec }) => (spec.securityContext!.sysctls = [{ name: 'net.ipv4.ping_group_range', value: '0 0' }]),
    /no sysctl/,
  ],
  'that may be root': [context('runAsNonRoot', false), /restricted/],
  'that is privileged': [
    ({ container }) => Object.assign(container.securityContext!, { privileged: true, allowPrivilegeEscalation: true }),
    /restricted/,
  ],
  'that may gain privileges': [context('allowPrivilegeEscalation', true), /restricted/],
  'with a writable root': [context('readOnlyRootFilesystem', false), /restricted/],
  'with a capability': [context('capabilities', { drop: ['ALL'], add: ['NET_RAW'] }), /restricted/],
  'that keeps capabilities': [context('capabilities', {}), /restricted/],
  'without seccomp': [context('seccompProfile', { type: 'Unconfined' }), /restricted/],
  'without a security context': [({ container }) => delete container.securityContext, /restricted/],
};
for (const [what, [edit, message]] of Object.entries(REFUSED)) {
  test(`a pod ${what} is refused`, async () => assert.match(await create(pod('seat', edit)), message));
}

test('another namespace has not given the prober any right', async () => {
  const elsewhere = pod('seat', ({ metadata }) => (metadata.namespace = plan.controlPlaneNamespace));
  assert.match(await create(elsewhere), 'forbidden');
});
test('nobody else is fenced in', async () => {
  assert.is(
    await create(
      pod('seat', ({ container }) => (container.image = 'busybox')),
      [],
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
