// The probe's pods: like the seat's where it matters, without what a probe must not touch, and fit for Pod Security `restricted`.
import type { V1Pod, V1PodSpec } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { meets, requirementsOf } from '../functions/kubernetes/label-selector';
import { policySelector, runnerSelector } from '../functions/labels';
import type { AgentRole, AgentTask, Options, Plan, ResolvedSeat } from '../functions/model';
import { AGENT_TASK, PROBE_LABEL, probePodName } from '../functions/probe/identity';
import { planOf, templateOf } from '../functions/probe/plan';
import { listenerPort, PROBE_CONTAINER, probePod, probePodLabels } from '../functions/probe/pods';
import { renderNetworkPolicy } from '../functions/render/network-policy';
import { renderStatefulSet } from '../functions/render/stateful-set';
import { resolved } from './rendered';
import { optionsWith, PROBE } from './seats';

const ROLES: readonly AgentRole[] = ['seat', 'control', 'witness'];
const TASK: AgentTask = {
  role: 'seat',
  nonce: '0123456789abcdef',
  seconds: 30,
  settleSeconds: 20,
  listen: { tcp: [8081, 8443], udp: [53] },
  targets: [{ id: 'a', kind: 'http', address: '10.0.0.1', port: 80, path: '/$(POD_UID)' }],
  attemptMs: 3000,
};

/** A seat with all that can be said about its pod. */
const SEAT = resolved(
  {
    resources: { limits: { cpu: 1, memory: '1Gi', 'ephemeral-storage': '2Gi' } },
    workspace: { size: '5Gi' },
  } as Parameters<typeof resolved>[0],
  { allowedNodeLabels: { zone: 'a' } },
);
const RICH: ResolvedSeat = {
  ...SEAT,
  priorityClassName: 'seats',
  tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'seats' }],
  imagePullSecrets: ['pull'],
  resourceClaims: [{ name: 'gpu', resourceClaimName: 'gpu' }],
  shared: [{ claimName: 'data', mountPath: '/data', readOnly: true }],
} as unknown as ResolvedSeat;

const planFor = (seat: ResolvedSeat): Plan =>
  planOf('team-a', [seat], { ...optionsWith({ probeImage: 'probe' }), probe: PROBE } as Options, (one) => ({
    template: renderStatefulSet(one).spec!.template,
    policy: renderNetworkPolicy(one).spec!,
  }));
interface Wish {
  readonly node?: string | undefined;
  readonly seat?: ResolvedSeat;
  readonly plan?: Plan;
}
function make(role: AgentRole, wish: Wish = { node: 'node-1' }): V1Pod {
  const { node, seat = RICH, plan = planFor(seat) } = wish;
  const parts = { plan, profile: plan.profiles[0]!, seat: plan.seats[0]!, nonce: TASK.nonce };
  return probePod(role, { ...parts, node, task: { ...TASK, role } });
}
const specOf = (pod: V1Pod): V1PodSpec => pod.spec!;
const template = templateOf(planFor(RICH).profiles[0]!, planFor(RICH).seats[0]!);

const pods = suite('probe pods');

pods('S is selected as the seat is, C and W are not, and no StatefulSet adopts any', () => {
  const selects = (matchLabels: Readonly<Record<string, string>>, pod: V1Pod): boolean =>
    meets(pod.metadata!.labels!, requirementsOf({ matchLabels }));
  const guard = { 'steadmesh.io/component': 'seat' };
  for (const role of ROLES) {
    const pod = make(role);
    assert.is(selects(policySelector(RICH), pod), role === 'seat');
    assert.is(selects(guard, pod), role === 'seat');
    assert.is(selects(runnerSelector(RICH), pod), false);
    assert.is('steadmesh.io/workload' in pod.metadata!.labels!, false);
    assert.is(pod.metadata!.labels![PROBE_LABEL], role === 'seat' ? 'netpol' : role);
  }
  for (const key of Object.keys(policySelector(RICH))) {
    assert.not(key in probePodLabels('control', template.metadata!.labels!));
  }
});

pods('the name is the reference’s by the profile, and another in each run', () => {
  const digest = `sha256:0123456789${'f'.repeat(54)}`;
  assert.is(probePodName(digest, 'abcdef0123456789'), 'steadmesh-netprobe-0123456789-abcdef01');
});
pods('S and C differ in labels, name, nonce, task and volumes only', () => {
  const [seat, control] = [make('seat'), make('control')];
  const bare = ({ spec }: V1Pod): unknown => {
    const { containers, volumes: _, ...rest } = spec!;
    return {
      ...rest,
      containers: containers.map(({ env: _env, volumeMounts: _mounts, ...container }) => container),
    };
  };
  assert.equal(bare(control), bare(seat));
  assert.equal(specOf(control).volumes, undefined);
  assert.is(seat.metadata!.name!.slice(0, -1), control.metadata!.name!.slice(0, -1));
  assert.equal(
    ROLES.map((role) => make(role).metadata!.name!.at(-1)),
    ['s', 'c', 'w'],
  );
});

/** Fields of the seat's pod: those that a probe pod has too, and those that it must have otherwise or not at all. */
const SAME = ['automountServiceAccountToken', 'enableServiceLinks', 'imagePullSecrets', 'runtimeClassName'];
SAME.push('securityContext', 'serviceAccountName', 'tolerations');
const OTHER = ['affinity', 'containers', 'priorityClassName', 'resourceClaims', 'restartPolicy'];
OTHER.push('terminationGracePeriodSeconds', 'volumes');

pods('every field of a seat pod is known here', () => {
  const fields = template.spec as unknown as Readonly<Record<string, unknown>>;
  const probe = specOf(make('seat')) as unknown as Readonly<Record<string, unknown>>;
  assert.equal(Object.keys(fields).sort(), [...SAME, ...OTHER].sort());
  for (const field of SAME) assert.equal(probe[field], fields[field], field);
  assert.equal(specOf(make('seat')).containers[0]!.securityContext, template.spec!.containers[0]!.securityContext);
});

pods('no claim, no secret, no device, no priority of the seat', () => {
  for (const role of ROLES) {
    const spec = specOf(make(role));
    assert.is(spec.priorityClassName, 'seatplan-probe-team-a');
    assert.is(spec.resourceClaims, undefined);
    for (const volume of spec.volumes ?? []) {
      const [kind] = Object.keys(volume).filter((key) => key !== 'name');
      assert.ok(['emptyDir', 'configMap', 'projected'].includes(kind!), kind);
    }
  }
  const spec = specOf(make('seat'));
  assert.equal(
    spec.volumes!.map(({ name }) => name),
    template.spec!.volumes!.map(({ name }) => name),
  );
  assert.equal(
    spec.volumes!.find(({ name }) => name === 'seat'),
    { name: 'seat', emptyDir: { sizeLimit: '16Mi' } },
  );
  assert.equal(spec.containers[0]!.volumeMounts, template.spec!.containers[0]!.volumeMounts);
  const plan = { ...planFor(RICH), priorityClassName: undefined };
  assert.is(specOf(make('seat', { plan })).priorityClassName, undefined);
});

pods('a node is asked for in every term, and never passes by the scheduler', () => {
  const termsOf = (pod: V1Pod) =>
    specOf(pod).affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const own = template.spec!.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!;
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['node-1'] }];
  assert.equal(
    termsOf(make('seat')),
    own.nodeSelectorTerms.map((term) => ({ ...term, matchFields })),
  );
  const free = resolved();
  assert.equal(termsOf(make('control', { node: 'node-1', seat: free })), [{ matchFields }]);
  assert.is(specOf(make('control', { seat: free })).affinity, undefined);
  assert.equal(termsOf(make('seat', {})), own.nodeSelectorTerms);
  assert.is(specOf(make('seat')).nodeName, undefined);
});

pods('the task comes through the expansion of the kubelet unharmed', () => {
  const { env } = specOf(make('seat')).containers[0]!;
  const text = env!.find(({ name }) => name === AGENT_TASK)!.value!;
  assert.not(/(?<!\$)(?:\$\$)*\$\(/.test(text), 'a reference is left');
  assert.equal(JSON.parse(text.replaceAll('$$', '$')), TASK);
});

pods('the kubelet tries the listener and never ends a pod; no Service finds it', () => {
  for (const role of ROLES) {
    const spec = specOf(make(role));
    const [{ startupProbe, livenessProbe, readinessProbe } = { startupProbe: undefined }] = spec.containers as [
      V1PodSpec['containers'][number],
    ];
    assert.equal(startupProbe, livenessProbe);
    assert.is(startupProbe!.tcpSocket!.port, 8081);
    assert.is(startupProbe!.periodSeconds, 1);
    assert.ok(startupProbe!.failureThreshold! > TASK.seconds + 120);
    assert.is(readinessProbe, undefined);
    assert.equal(spec.readinessGates, [{ conditionType: 'seatplan.dev/never' }]);
    assert.is(spec.activeDeadlineSeconds, 150);
    assert.is(spec.restartPolicy, 'Never');
  }
  assert.is(listenerPort(planFor(RICH).profiles[0]!), 8081);
});

pods('requests are limits, and temporary storage is asked for where the seat does', () => {
  const { requests, limits } = specOf(make('seat')).containers[0]!.resources!;
  assert.equal(requests, limits);
  assert.equal(limits, { cpu: '200m', memory: '256Mi', 'ephemeral-storage': '64Mi' });
  const plain = specOf(make('seat', { seat: resolved() })).containers[0]!.resources!;
  assert.equal(plain.limits, { cpu: '200m', memory: '256Mi' });
});

pods('no mesh, and what it proves is written on it', () => {
  const { annotations } = make('seat').metadata!;
  assert.equal(Object.keys(annotations!).sort(), [
    'cluster-autoscaler.kubernetes.io/safe-to-evict',
    'linkerd.io/inject',
    'sidecar.istio.io/inject',
    'steadmesh.io/probe-nonce',
    'steadmesh.io/profile-digest',
  ]);
});

/** kubernetes.io/docs/concepts/security/pod-security-standards, `restricted`, by hand. */
pods('Pod Security `restricted`', () => {
  const safeSysctls = ['net.ipv4.ip_unprivileged_port_start'];
  const volumeKinds = [
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'persistentVolumeClaim',
    'projected',
  ];
  for (const role of ROLES) {
    const spec = specOf(make(role));
    assert.equal([spec.hostNetwork, spec.hostPID, spec.hostIPC, spec.initContainers].filter(Boolean), []);
    for (const { name } of spec.securityContext?.sysctls ?? []) assert.ok(safeSysctls.includes(name), name);
    for (const volume of spec.volumes ?? []) {
      assert.ok(Object.keys(volume).every((key) => key === 'name' || volumeKinds.includes(key)));
    }
    assert.equal(
      spec.containers.map(({ name }) => name),
      [PROBE_CONTAINER],
    );
    for (const { securityContext, ports } of spec.containers) {
      assert.is(securityContext!.allowPrivilegeEscalation, false);
      assert.is(securityContext!.runAsNonRoot, true);
      assert.not.equal(securityContext!.runAsUser, 0);
      assert.equal(securityContext!.capabilities, { drop: ['ALL'] });
      assert.is(securityContext!.seccompProfile!.type, 'RuntimeDefault');
      assert.not(securityContext!.privileged);
      assert.ok(ports!.every(({ hostPort }) => hostPort === undefined));
    }
  }
});

pods('only W may open low ports', () => {
  assert.equal(
    ROLES.map((role) => specOf(make(role)).securityContext!.sysctls?.length ?? 0),
    [0, 0, 1],
  );
});

pods.run();
