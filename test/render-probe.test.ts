// The probe of a namespace: what is rendered, where, and with which rights.
import type { KubernetesObject, V1ClusterRole, V1Job, V1Role } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalJSON } from '../functions/kubernetes/canonical-json';
import type { Options, ProbeOptions, ResolvedSeat } from '../functions/model';
import { OWNER_ANNOTATION, parseOwner } from '../functions/owner';
import {
  HOLDER,
  jobName,
  PLAN_FILE,
  PLAN_FOLDER,
  PLAN_KEY,
  PROBE_DIGEST,
  proberName,
} from '../functions/probe/identity';
import { probesOf, renderProbes } from '../functions/render/probe';
import { renderSeats } from '../functions/render/seats';
import { resolved, wholeOf } from './rendered';
import { optionsWith } from './seats';

const DEFAULTS = optionsWith();
const withProbe = (probe: Partial<ProbeOptions>): Options => ({ ...DEFAULTS, probe: { ...DEFAULTS.probe, ...probe } });
const placesOf = (seats: readonly ResolvedSeat[], options: Options, layout: 'flat' | 'split' = 'flat') => [
  ...renderProbes(probesOf(seats, options).value, layout),
];
const objectsOf = (seats: readonly ResolvedSeat[] = [resolved()], options = DEFAULTS): KubernetesObject[] =>
  placesOf(seats, options).map(({ object }) => object);
const ofKind = <T extends KubernetesObject>(objects: readonly KubernetesObject[], kind: string): T[] =>
  objects.filter((object) => object.kind === kind) as T[];
const jobOf = (seats?: readonly ResolvedSeat[], options?: Options): V1Job => {
  const [job] = ofKind<V1Job>(objectsOf(seats, options), 'Job');
  assert.ok(job);
  return job;
};
const inNamespace = (namespace: string): ResolvedSeat => ({ ...resolved(), namespace });

const objects = suite('objects');
objects('each is of the probe of its namespace, once, and the Job is the last', () => {
  const all = objectsOf([resolved(), inNamespace('team-b')]);
  const names = all.map(({ kind, metadata }) => `${kind}/${metadata?.namespace}/${metadata?.name}`);
  assert.is(new Set(names).size, names.length);
  const kinds = all.map(({ kind }) => kind);
  assert.equal(kinds.slice(0, kinds.length / 2), kinds.slice(kinds.length / 2));
  assert.is(kinds.indexOf('Job'), kinds.length / 2 - 1);
  for (const { apiVersion = '', kind, metadata } of all) {
    const ownership = parseOwner(metadata?.annotations?.[OWNER_ANNOTATION] ?? '');
    const namespace = metadata?.labels?.['seatplan.dev/probed-namespace'];
    assert.equal(ownership?.owner, { group: 'seatplan.dev', kind: 'ExpandSeats', namespace, name: 'probe' });
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : 'core';
    assert.equal(ownership?.object, { group, kind, name: metadata?.name });
  }
});
objects('everything is in the control plane but the Role that the seats need', () => {
  const places = objectsOf().map(({ kind, metadata }) => `${kind} ${metadata?.namespace}`);
  assert.equal(
    places.filter((one) => one.endsWith(' team-a')),
    ['Role team-a', 'RoleBinding team-a'],
  );
});
objects('there are none without the probe, and none without seats', () => {
  assert.equal(objectsOf([resolved()], withProbe({ mode: 'none' })), []);
  assert.equal(objectsOf([]), []);
});
objects('nothing cluster-scoped with rights in namespaces only, and no class that nobody made', () => {
  const all = objectsOf([resolved()], withProbe({ rbac: 'namespace' }));
  assert.ok(all.length > 0 && all.every(({ metadata }) => metadata?.namespace !== undefined));
  const { spec } = jobOf([resolved()], withProbe({ rbac: 'namespace' }));
  assert.is(spec?.template.spec?.priorityClassName, undefined);
});
objects('a namespace that is the control plane has two Roles', () => {
  const all = objectsOf([inNamespace(DEFAULTS.controlPlaneNamespace)]);
  assert.is(new Set(ofKind(all, 'Role').map(({ metadata }) => metadata?.name)).size, 2);
});
objects('the plan in the ConfigMap is the plan', () => {
  const [probe] = probesOf([resolved()], DEFAULTS).value;
  const [config] = objectsOf().filter(({ metadata }) => metadata?.name === 'probe-team-a-plan');
  const { data } = config as { data?: Record<string, string> };
  assert.is(data?.[PLAN_KEY], canonicalJSON(probe?.plan));
  assert.equal(JSON.parse(data?.[PLAN_KEY] ?? ''), probe?.plan);
});
objects('the report comes empty: the prober fills it and may not create it', () => {
  const reports = ofKind(objectsOf(), 'ConfigMap').filter(({ metadata }) => !metadata?.name?.endsWith('-plan'));
  assert.equal(
    reports.map((object) => Object.keys(object)),
    [['apiVersion', 'kind', 'metadata']],
  );
  assert.is(reports[0]?.metadata?.annotations?.[HOLDER], undefined);
});
objects('a long namespace has names that fit, and that no other has', () => {
  const [one, other] = [`${'a'.repeat(62)}b`, `${'a'.repeat(62)}c`];
  assert.is.not(proberName(one), proberName(other));
  for (const { metadata } of objectsOf([inNamespace(one)])) assert.ok(metadata!.name!.length <= 63, metadata?.name);
});
objects.run();

const files = suite('files');
files('flat: one for each namespace, in the order of the objects', () => {
  const seats = [resolved(), inNamespace('team-b')];
  const places = [...renderSeats(wholeOf(seats, 'flat', probesOf(seats, DEFAULTS).value))];
  const probes = places.filter(({ file }) => file.startsWith('probe-'));
  assert.equal([...new Set(probes.map(({ file }) => file))], ['probe-team-a.yaml', 'probe-team-b.yaml']);
  const first = places.filter(({ file }) => file === 'probe-team-a.yaml');
  assert.equal(
    first.map(({ index }) => index),
    first.map((_, n) => n),
  );
});
files('split: a kustomization of their own, and none without a probe', () => {
  const seat: ResolvedSeat = { ...resolved(), layout: 'split' };
  const pathsOf = (options: Options): string[] =>
    [...renderSeats(wholeOf([seat], 'split', probesOf([seat], options).value))].map(({ file }) => file);
  const folders = (options: Options): string[] => [...new Set(pathsOf(options).map((path) => path.split('/')[0]!))];
  assert.equal(folders(DEFAULTS), ['00-guard', '10-seats', '90-probe']);
  assert.ok(pathsOf(DEFAULTS).includes('90-probe/kustomization.yaml'));
  assert.equal(folders(withProbe({ mode: 'none' })), ['00-guard', '10-seats']);
});
files.run();

const rights = suite('rights');
rights('are these, and no others', () => {
  const all = objectsOf();
  const roles = [...ofKind<V1Role>(all, 'Role'), ...ofKind<V1ClusterRole>(all, 'ClusterRole')];
  const lines = roles
    .flatMap(({ rules }) => rules ?? [])
    .map(({ apiGroups, resources, resourceNames, verbs }) =>
      [apiGroups?.[0], resources?.join(), resourceNames?.join() ?? '*', verbs.join()].join(' '),
    );
  assert.equal(lines, [
    ' pods * create,delete,get,list',
    ' events * create,list',
    ' persistentvolumeclaims * list',
    'apps statefulsets * list',
    'networking.k8s.io networkpolicies * list',
    'steadmesh.io seats * list',
    'steadmesh.io seats/status lead patch',
    ' configmaps probe-team-a-report get,patch',
    ' nodes * get,list',
    ' persistentvolumes * get',
    'node.k8s.io runtimeclasses * get',
    'discovery.k8s.io endpointslices kubernetes get',
    'authorization.k8s.io subjectaccessreviews * create',
  ]);
});
rights('belong to the account of the prober alone', () => {
  const bindings = objectsOf().filter(({ kind }) => kind?.endsWith('RoleBinding'));
  assert.is(bindings.length, 3);
  for (const binding of bindings)
    assert.equal((binding as unknown as { subjects: object[] }).subjects, [
      { kind: 'ServiceAccount', name: 'probe-team-a', namespace: 'steadmesh-system' },
    ]);
});
rights.run();

const job = suite('Job');
job('ends with all that it waits for, and a little more', () => {
  const { spec } = jobOf([resolved()], withProbe({ timeoutSeconds: 100, settleSeconds: 30 }));
  assert.is(spec?.template.spec?.activeDeadlineSeconds, 3800);
  assert.is(spec?.ttlSecondsAfterFinished, undefined);
});
job('a confirmed FAIL, bad input and a bug are not tried again; an eviction costs no try', () => {
  const { spec } = jobOf();
  assert.is(spec?.backoffLimit, 2);
  assert.equal(spec?.podFailurePolicy?.rules, [
    { action: 'FailJob', onExitCodes: { containerName: 'prober', operator: 'In', values: [10, 64, 70] } },
    { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
  ]);
  assert.is(spec?.template.spec?.containers[0]?.name, 'prober');
});
job('finds the plan where it looks, and knows its digest', () => {
  const { metadata, spec } = jobOf();
  const [container] = spec!.template.spec!.containers;
  assert.equal(container?.volumeMounts, [{ name: 'plan', mountPath: PLAN_FOLDER, readOnly: true }]);
  assert.is(PLAN_FILE, `${PLAN_FOLDER}/${PLAN_KEY}`);
  const digest = container?.env?.find(({ name }) => name === PROBE_DIGEST)?.value ?? '';
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.is(metadata?.name, jobName('probe-team-a', digest));
});
job('no policy of a seat and no StatefulSet selects its pod', () => {
  const labels = Object.keys(jobOf().spec?.template.metadata?.labels ?? {});
  assert.equal(
    labels.filter((key) => !key.startsWith('app.kubernetes.io/') && !key.startsWith('seatplan.dev/')),
    [],
  );
});
job('requests are limits', () => {
  const { requests, limits } = jobOf().spec!.template.spec!.containers[0]!.resources!;
  assert.ok(requests);
  assert.equal(requests, limits);
});
job.run();
