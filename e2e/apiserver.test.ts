// A real API server on what we declare and render: it takes the CRDs, every valid fixture and all that is rendered of it,
// takes each seat's Pod under Pod Security `restricted`, and refuses what our schemas refuse, at the same path.
import { dirname, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { type ExpectedFinding, type Fixture, fixtures, withCopy } from '../test/fixtures';
import { type ApiServer, startApiServer } from './apiserver';
import { type Ran, run } from './command';
import { renderEmbedded } from './embedded';
import { type Manifest, readFolder } from './objects';
import { suiteWith } from './prerequisites';

const SCHEMAS = resolve(__dirname, '../schemas');
const RESTRICTED = 'restricted-seats';
const test = suiteWith('API server', 'kube-apiserver', 'etcd', 'kubectl');

let started: Promise<ApiServer> | undefined;
const server = (): Promise<ApiServer> => {
  started ??= start();
  return started;
};

async function start(): Promise<ApiServer> {
  const apiServer = await startApiServer();
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await ensure(apiServer, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: RESTRICTED, labels } });
  return apiServer;
}

const kubectl = async (args: readonly string[], input = ''): Promise<Ran> => {
  const { kubeconfig, bin } = await server();
  return run([`${bin}/kubectl`, '--kubeconfig', kubeconfig, ...args], {
    input,
    env: { KUBECACHEDIR: dirname(kubeconfig) },
  });
};

/** Tries again, for half a minute: what one request brings into being reaches the next one a moment later. */
async function eventually<T>(attempt: () => Promise<T>, isDone: (result: T) => boolean, tries = 60): Promise<T> {
  const result = await attempt();
  if (isDone(result) || tries === 0) return result;
  await new Promise((done) => setTimeout(done, 500));
  return eventually(attempt, isDone, tries - 1);
}

/** Creates an object unless it is there. */
async function ensure({ create }: ApiServer, object: Manifest & { handler?: string; value?: number }): Promise<void> {
  const { code, body } = await create(object);
  if (code >= 300 && code !== 409) throw new Error(`${object.kind} ${object.metadata.name}: ${body.message}`);
}

const isDeclared = ({ kind }: Manifest): boolean => ['Seat', 'TaskRun', 'TrustTier'].includes(kind);

// ---------------------------------------------------------------- CRDs
test('kubectl apply -f schemas/ works, also a second time', async () => {
  for (const _ of [1, 2]) {
    const { status, stderr } = await kubectl([
      'apply',
      '--server-side',
      '--force-conflicts',
      '--validate=strict',
      '-f',
      SCHEMAS,
    ]);
    assert.is(status, 0, stderr);
  }
});

for (const [field, words] of [
  ['seat.spec', ['harness', 'tierRef', 'workspace']],
  ['trusttier.spec', ['runtimeClassName', 'egress', 'isolation']],
  ['tt.status', ['conditions', 'warmPoolReady']],
  ['taskrun.spec', ['seatRef', 'input', 'access']],
  ['taskrun.status', ['run', 'conditions']],
] as const) {
  test(`kubectl explain ${field} describes the field and those below it`, async () => {
    // the description of a new kind is published a moment after the kind
    const { status, stdout, stderr } = await eventually(
      () => kubectl(['explain', field]),
      (ran) => ran.status === 0,
    );
    assert.is(status, 0, stderr);
    assert.not.match(stdout, '<no description>');
    for (const word of words) assert.match(stdout, word);
  });
}

test('kubectl get knows the short names and the categories', async () => {
  for (const name of ['tt', 'tier', 'seat', 'maqpna', 'steadmesh']) {
    const { status, stderr } = await kubectl(['get', name, '--all-namespaces']);
    assert.is(status, 0, stderr);
  }
});

// ---------------------------------------------------------------- what is valid
async function isAccepted(fixture: Fixture): Promise<void> {
  const { declared, rendered } = withCopy(fixture, (copy) => ({
    declared: readFolder(copy).filter(isDeclared),
    rendered: Object.values(renderEmbedded(copy, fixture)),
  }));
  for (const name of new Set([...declared, ...rendered].map(({ metadata }) => metadata.namespace))) {
    if (name) await ensure(await server(), { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  // created, not applied: to server-side apply a null is a value, when an object is created it is dropped
  for (const object of declared) {
    const { code, body } = await (await server()).dryRun(object);
    assert.ok(code < 300, body.message);
  }
  for (const pod of rendered.filter(isPod)) await installClasses(pod.spec);
  const flags = ['--server-side', '--dry-run=server', '--validate=strict'];
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: rendered });
  const { status, stdout, stderr } = await kubectl(['apply', ...flags, '-f', '-'], list);
  if (rendered.length > 0) assert.is(status, 0, stderr);
  assert.is(stdout.split('\n').filter(Boolean).length, rendered.length);
  await podsAreAccepted(rendered);
}

interface PodSpec {
  readonly runtimeClassName?: string;
  readonly priorityClassName?: string;
  readonly containers: readonly { readonly securityContext?: object }[];
}
interface Workload extends Manifest {
  readonly spec: { readonly template: { readonly metadata: Manifest['metadata']; readonly spec: PodSpec } };
}
const isWorkload = (object: Manifest): object is Workload => object.kind === 'StatefulSet' || object.kind === 'Job';
const isPod = (object: Manifest): object is Manifest & { readonly spec: PodSpec } => object.kind === 'Pod';

/** The pods of workloads, and those that are rendered as they are. */
const podsOf = (objects: readonly Manifest[]): { name: string; metadata: Manifest['metadata']; spec: PodSpec }[] => [
  ...objects
    .filter(isWorkload)
    .map(({ metadata: { name }, spec: { template } }) => ({ name, metadata: template.metadata, spec: template.spec })),
  ...objects.filter(isPod).map(({ metadata: { namespace: _, ...metadata }, spec }) => ({
    ...{ name: metadata.name, metadata, spec },
  })),
];

async function podsAreAccepted(objects: readonly Manifest[]): Promise<void> {
  for (const object of objects) if (object.kind === 'PriorityClass') await ensure(await server(), object);
  for (const { name, metadata, spec } of podsOf(objects)) {
    await installClasses(spec);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec };
    const { dryRun } = await server();
    // admission reads PriorityClasses from a cache
    const accepted = await eventually(
      () => dryRun(pod, { namespace: RESTRICTED }),
      ({ body }) => !body.message?.includes('no PriorityClass with name'),
    );
    assert.ok(accepted.code < 300, accepted.body.message);
    const [first, ...others] = spec.containers;
    const privileged = {
      ...first,
      securityContext: { ...first?.securityContext, allowPrivilegeEscalation: true, privileged: true },
    };
    const tampered = { ...pod, spec: { ...pod.spec, containers: [privileged, ...others] } };
    const refused = await dryRun(tampered, { namespace: RESTRICTED });
    assert.is(refused.code, 403, refused.body.message);
    assert.match(refused.body.message ?? '', 'violates PodSecurity');
  }
}

/** The classes that a Pod names must be there, or admission refuses it. */
async function installClasses({ runtimeClassName, priorityClassName }: PodSpec): Promise<void> {
  const to = await server();
  if (runtimeClassName) {
    const metadata = { name: runtimeClassName };
    await ensure(to, { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata, handler: 'any' });
  }
  if (priorityClassName) {
    const metadata = { name: priorityClassName };
    await ensure(to, { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata, value: 1000 });
  }
}

// ---------------------------------------------------------------- what is not
/** The server decodes a file's text as kubectl does before it; of that only what it gets is compared. */
const isOfSchema = ({ severity, source }: ExpectedFinding): boolean =>
  severity === 'error' && (source === 'schema' || source === 'cel');

async function isRefused(fixture: Fixture): Promise<void> {
  const objects = withCopy(fixture, readFolder).filter(isDeclared);
  for (const { code, resource, path } of fixture.findings.filter(isOfSchema)) {
    const object = objects.find((candidate) => nameOf(candidate) === resource);
    assert.ok(object, `${fixture.name} holds no ${resource}`);
    const answer = await (await server()).dryRun(object);
    assert.ok(answer.code >= 400, `accepted, though ${code} at ${path}`);
    // of a namespace that cannot exist the server says that it does not exist
    if (path === 'metadata.namespace') continue;
    const fields = (answer.body.details?.causes ?? []).map(({ field }) => field);
    const words = `${fields.join('\n')}\n${answer.body.message}`;
    assert.ok(words.includes(path), `${path} is not among: ${words}`);
  }
}

/** As `findings.txt` names a resource. */
const nameOf = ({ kind, metadata }: Manifest): string =>
  [kind, ...(metadata.namespace ? [metadata.namespace] : []), metadata.name].join('/');

for (const fixture of fixtures()) {
  if (fixture.objects !== undefined) {
    test(`${fixture.name} and all that it renders is accepted, its Pods too`, () => isAccepted(fixture));
  } else if (fixture.findings.some(isOfSchema)) {
    test(`${fixture.name} is refused at the same path`, () => isRefused(fixture));
  }
}

test('the API server stops', async () => (await server()).stop());
test.run();
