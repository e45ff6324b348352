// A live pod against its template: what a real API server adds is known, and nothing else is.
import type { V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { managersOf, podDifferences } from '../functions/probe/judge/pod-diff';
import { renderStatefulSet } from '../functions/render/stateful-set';
import { recorded } from './recorded-seat';
import { resolved } from './rendered';

const test = suite('differences of a live pod');

// biome-ignore lint/suspicious/noExplicitAny: a test breaks objects in ways that their types forbid
type Loose = any;

function differences(edit: (pod: Loose, declared: Loose) => void = () => undefined): string[] {
  const { declared, pod, runtimeClass } = recorded();
  edit(pod, declared);
  const around = { pod: pod.metadata?.name, serviceAccountName: declared.spec?.serviceAccountName, runtimeClass };
  return podDifferences(declared, pod, around).map(({ path, kind }) => `${path} ${kind}`);
}

test('a pod that nobody touched is the declared one', () => assert.equal(differences(), []));

test('so is the template in the StatefulSet', () => {
  const { declared, statefulSet, runtimeClass } = recorded();
  const around = { pod: undefined, serviceAccountName: declared.spec?.serviceAccountName, runtimeClass };
  assert.equal(podDifferences(declared, statefulSet.spec!.template, around), []);
  statefulSet.spec!.template.spec!.nodeName = 'node-1';
  statefulSet.spec!.template.spec!.tolerations!.push({ key: 'sandbox', operator: 'Exists' });
  assert.equal(
    podDifferences(declared, statefulSet.spec!.template, around).map(({ path }) => path),
    ['nodeName', 'tolerations[sandbox/Exists]'],
  );
});

test('the record is of a template that is still rendered so', () => {
  const now = renderStatefulSet(resolved({ session: { ttl: '8h' } }, { runtimeClassName: 'gvisor' })).spec!.template;
  const { declared } = recorded();
  const fields = (value: object): string[] => Object.keys(value).sort();
  for (const field of fields(now.spec!)) assert.ok(field in declared.spec!, field);
  for (const field of fields(now.spec!.containers[0]!)) assert.ok(field in declared.spec!.containers[0]!, field);
});

const c = 'containers[seat-runner]';
const TAMPERED: readonly [what: string, edit: (pod: Loose, declared: Loose) => void, expected: readonly string[]][] = [
  ['sandbox removed', ({ spec }) => delete spec.runtimeClassName, ['runtimeClassName missing']],
  ['sandbox changed', ({ spec }) => (spec.runtimeClassName = 'runc'), ['runtimeClassName changed']],
  ['host network', ({ spec }) => (spec.hostNetwork = true), ['hostNetwork added']],
  ['host pids', ({ spec }) => (spec.hostPID = true), ['hostPID added']],
  ['shared pids', ({ spec }) => (spec.shareProcessNamespace = true), ['shareProcessNamespace added']],
  ['token mounted', ({ spec }) => (spec.automountServiceAccountToken = true), ['automountServiceAccountToken changed']],
  [
    'token not refused',
    ({ spec }) => delete spec.automountServiceAccountToken,
    ['automountServiceAccountToken missing'],
  ],
  ['other account', ({ spec }) => (spec.serviceAccountName = 'x'), ['serviceAccountName changed']],
  ['account under its old name', ({ spec }) => (spec.serviceAccount = 'x'), ['serviceAccount added']],
  ['image', ({ spec }) => (spec.containers[0].image = 'x:1'), [`${c}.image changed`]],
  ['command', ({ spec }) => (spec.containers[0].command = ['/bin/sh']), [`${c}.command[0] changed`]],
  ['argument', ({ spec }) => spec.containers[0].args.push('-x'), [`${c}.args[2] added`]],
  ['argument gone', ({ spec }) => spec.containers[0].args.pop(), [`${c}.args[1] missing`]],
  [
    'privileged',
    ({ spec }) => (spec.containers[0].securityContext.privileged = true),
    [`${c}.securityContext.privileged changed`],
  ],
  [
    'capability added',
    ({ spec }) => (spec.containers[0].securityContext.capabilities.add = ['NET_RAW']),
    [`${c}.securityContext.capabilities.add added`],
  ],
  [
    'capabilities kept',
    ({ spec }) => delete spec.containers[0].securityContext.capabilities,
    [`${c}.securityContext.capabilities missing`],
  ],
  [
    'root file system',
    ({ spec }) => delete spec.containers[0].securityContext.readOnlyRootFilesystem,
    [`${c}.securityContext.readOnlyRootFilesystem missing`],
  ],
  [
    'privilege escalation no longer refused',
    ({ spec }) => delete spec.containers[0].securityContext.allowPrivilegeEscalation,
    [`${c}.securityContext.allowPrivilegeEscalation missing`],
  ],
  [
    'all of /proc',
    ({ spec }) => (spec.containers[0].securityContext.procMount = 'Unmasked'),
    [`${c}.securityContext.procMount added`],
  ],
  [
    'an SELinux type',
    ({ spec }) => (spec.securityContext.seLinuxOptions = { level: 's0:c1', type: 'spc_t' }),
    ['securityContext.seLinuxOptions.type added'],
  ],
  [
    'a sysctl',
    ({ spec }) => (spec.securityContext.sysctls = [{ name: 'a', value: 'b' }]),
    ['securityContext.sysctls added'],
  ],
  [
    'sidecar in front',
    ({ spec }) => spec.containers.unshift({ name: 'istio-proxy', image: 'p' }),
    ['containers[istio-proxy] added'],
  ],
  ['init container', ({ spec }) => (spec.initContainers = [{ name: 'i' }]), ['initContainers[i] added']],
  ['debug container', ({ spec }) => (spec.ephemeralContainers = [{ name: 'd' }]), ['ephemeralContainers[d] added']],
  ['volume', ({ spec }) => spec.volumes.unshift({ name: 'h', hostPath: { path: '/' } }), ['volumes[h] added']],
  [
    'volume of another kind under its name',
    ({ spec }) => (spec.volumes[2] = { name: 'tmp', hostPath: { path: '/', type: '' } }),
    ['volumes[tmp].emptyDir missing', 'volumes[tmp].hostPath.path added'],
  ],
  [
    'mount',
    ({ spec }) => spec.containers[0].volumeMounts.push({ name: 'seat', mountPath: '/x' }),
    [`${c}.volumeMounts[/x] added`],
  ],
  [
    'mount made writable',
    ({ spec }) => delete spec.containers[0].volumeMounts[1].readOnly,
    [`${c}.volumeMounts[/etc/steadmesh/manifest].readOnly missing`],
  ],
  ['variable', ({ spec }) => spec.containers[0].env.unshift({ name: 'X', value: '1' }), [`${c}.env[X] added`]],
  ['variable twice', ({ spec }) => spec.containers[0].env.push({ name: 'HOME', value: '/' }), [`${c}.env[HOME] added`]],
  ['value', ({ spec }) => (spec.containers[0].env[9].value = '/root'), [`${c}.env[HOME].value changed`]],
  [
    'more memory',
    ({ spec }) => (spec.containers[0].resources.limits.memory = '129Mi'),
    [`${c}.resources.limits.memory changed`],
  ],
  ['no limit', ({ spec }) => delete spec.containers[0].resources.limits.cpu, [`${c}.resources.limits.cpu missing`]],
  ['host alias', ({ spec }) => (spec.hostAliases = [{ ip: '1.2.3.4', hostnames: ['a'] }]), ['hostAliases added']],
  ['other resolver', ({ spec }) => (spec.dnsPolicy = 'None'), ['dnsPolicy added']],
  ['resolver settings', ({ spec }) => (spec.dnsConfig = { nameservers: ['1.1.1.1'] }), ['dnsConfig.nameservers added']],
  ['host port', ({ spec }) => (spec.containers[0].ports[0].hostPort = 80), [`${c}.ports[8081/TCP].hostPort added`]],
  ['toleration', ({ spec }) => spec.tolerations.push({ operator: 'Exists' }), ['tolerations[/Exists] added']],
  ['affinity', ({ spec }) => delete spec.affinity, ['affinity missing']],
  [
    'longer token',
    ({ spec }) => (spec.volumes[3].projected.sources[0].serviceAccountToken.expirationSeconds = 9999),
    ['volumes[steadmesh-token].projected.sources[0].serviceAccountToken.expirationSeconds changed'],
  ],
  [
    'second token',
    ({ spec }) => spec.volumes[3].projected.sources.push({ serviceAccountToken: { path: 'api' } }),
    ['volumes[steadmesh-token].projected.sources[1] added'],
  ],
  [
    'label changed',
    ({ metadata }) => (metadata.labels['steadmesh.io/seat'] = 'x'),
    ['metadata.labels.steadmesh.io/seat changed'],
  ],
  [
    'annotation gone',
    ({ metadata }) => delete metadata.annotations['steadmesh.io/seat-id'],
    ['metadata.annotations.steadmesh.io/seat-id missing'],
  ],
  [
    'annotation that gVisor obeys',
    ({ metadata }) => (metadata.annotations['dev.gvisor.flag.network'] = 'host'),
    ['metadata.annotations.dev.gvisor.flag.network added'],
  ],
  [
    'a second network',
    ({ metadata }) => (metadata.annotations['k8s.v1.cni.cncf.io/networks'] = 'x'),
    ['metadata.annotations.k8s.v1.cni.cncf.io/networks added'],
  ],
  ['unknown field of a later version', ({ spec }) => (spec.newThing = { on: true }), ['newThing.on added']],
];
for (const [what, edit, expected] of TAMPERED) {
  test(`told: ${what}`, () => assert.equal(differences(edit), expected));
}

const HARMLESS: readonly [what: string, edit: (pod: Loose, declared: Loose) => void][] = [
  ['a quantity in another spelling', ({ spec }) => (spec.containers[0].resources.limits.cpu = '0.5')],
  ['images always pulled', ({ spec }) => (spec.containers[0].imagePullPolicy = 'Always')],
  [
    'a priority',
    ({ spec }) => Object.assign(spec, { priorityClassName: 'normal', priority: 5, preemptionPolicy: 'Never' }),
  ],
  [
    'labels and annotations of others',
    ({ metadata }) => Object.assign(metadata.annotations, { 'cni.projectcalico.org/podIP': '1' }),
  ],
  ['an SELinux level', ({ spec }) => (spec.securityContext.seLinuxOptions = { level: 's0:c1' })],
  [
    'order',
    ({ spec }) => [spec.volumes, spec.containers[0].env, spec.containers[0].volumeMounts].map((list) => list.reverse()),
  ],
  [
    'members that a client sets to undefined',
    ({ spec }) => Object.assign(spec, { hostNetwork: undefined, initContainers: undefined }),
  ],
  ['what Go leaves out', (_, { spec }) => Object.assign(spec, { hostPID: false, hostAliases: [], subdomain: '' })],
];
for (const [what, edit] of HARMLESS) test(`not told: ${what}`, () => assert.equal(differences(edit), []));

test('tolerations of the RuntimeClass are known only while it is read', () => {
  const { declared, pod } = recorded();
  const around = {
    pod: pod.metadata?.name,
    serviceAccountName: declared.spec?.serviceAccountName,
    runtimeClass: undefined,
  };
  assert.equal(
    podDifferences(declared, pod, around).map(({ path }) => path),
    ['tolerations[sandbox/Exists]'],
  );
});

const managers = (object: V1Pod | V1StatefulSet, steps: Loose[]): string[] =>
  managersOf(object.metadata?.managedFields, steps);

test('managers are those of the very field', () => {
  const { pod, statefulSet } = recorded();
  const runner = { element: { name: 'seat-runner' }, key: 'seat-runner' };
  const maker = ['kube-controller-manager'];
  assert.equal(managers(pod, ['spec', 'containers', runner, 'image']), maker);
  assert.equal(managers(pod, ['spec', 'containers', { element: { name: 'x' }, key: 'x' }, 'image']), []);
  assert.equal(managers(pod, ['metadata', 'labels', 'steadmesh.io/seat']), maker);
  assert.equal(
    managers(pod, ['spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'x', 'y']),
    maker,
  );
  assert.equal(managers(pod, ['spec', 'tolerations', { element: {}, key: '' }]), maker);
  assert.equal(managers(pod, ['spec', 'hostNetwork']), []);
  assert.equal(managers(statefulSet, ['spec', 'template', 'spec', 'containers', runner, 'image']), [
    'argocd-controller',
  ]);
  pod.metadata!.managedFields!.push({
    manager: 'kubectl',
    subresource: 'ephemeralcontainers',
    fieldsV1: { 'f:spec': { 'f:ephemeralContainers': { '.': {}, 'k:{"name":"d"}': { '.': {}, 'f:name': {} } } } },
  });
  assert.equal(managers(pod, ['spec', 'ephemeralContainers', { element: { name: 'd' }, key: 'd' }]), [
    'kubectl (ephemeralcontainers)',
  ]);
});

test.run();
