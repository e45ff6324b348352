// How Argo CD, kpt live and Flux judge everything that is rendered, in every state: by their own readers, and with what
// deploy/ gives to Argo CD and to Flux. The table is in health/table.ts.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { type ApiServer, startApiServer } from './apiserver';
import { argocd } from './health/argocd';
import { fluxCheck, type HealthCheckExpr } from './health/flux';
import type { Shown } from './health/recorded';
import { allShown } from './health/shown';
import { TABLE } from './health/table';
import { filesBelow, type Manifest, readStream } from './objects';
import { SHARE, suiteWith } from './prerequisites';

const DEPLOY = resolve(__dirname, '../deploy/flux');
const SNIPPET: { readonly healthCheckExprs: readonly HealthCheckExpr[] } = parse(
  readFileSync(join(DEPLOY, 'health-checks.yaml'), 'utf8'),
);

const test = suiteWith('health in every engine', 'argocd', 'kustomize', 'flux', 'kube-apiserver', 'etcd');
let server: ApiServer | undefined;
let shown: Readonly<Record<string, Shown>> = {};
test('objects of every kind that is rendered can be had', async () => {
  server = await startApiServer();
  shown = await allShown(server);
  assert.equal(Object.keys(shown).sort(), Object.keys(TABLE).sort());
});

test('each engine says what the table says', () => {
  const states = Object.keys(TABLE);
  assert.ok(states.length > 60);
  const questions = states.map((state) => shown[state]!);
  const alone = fluxCheck(questions);
  const helped = fluxCheck(questions.map((question) => ({ ...question, ...SNIPPET })));
  const judge = argocd('.');
  const told = states.map((state, index) => [
    state,
    [
      judge(questions[index]!.object)?.status ?? '-',
      ...[alone[index]!.kpt, alone[index]!.flux, helped[index]!.flux].map(({ status }) => status),
    ].join(' '),
  ]);
  assert.equal(
    Object.fromEntries(told),
    Object.fromEntries(Object.entries(TABLE).map(([state, [judged]]) => [state, judged])),
  );
});

test('docs/health.md speaks of every kind', () => {
  const docs = readFileSync(resolve(__dirname, '../docs/health.md'), 'utf8');
  const kinds = new Set(Object.keys(TABLE).map((state) => state.split(' ')[0]!));
  assert.equal(
    [...kinds].filter((kind) => !new RegExp(`^\\|.*\\b${kind}\\b.*\\|`, 'm').test(docs)),
    [],
  );
});

test('an expression that is none is refused, and one that meets no status is an error', () => {
  const claim = shown['SandboxClaim unseen']!;
  const [expr] = SNIPPET.healthCheckExprs;
  assert.throws(() => fluxCheck([{ ...claim, healthCheckExprs: [{ ...expr!, current: 'status.phase ==' }] }]), /CEL/);
  assert.match(fluxCheck([{ ...claim, ...SNIPPET }])[0]?.flux.message ?? '', 'no such attribute');
});

const key = ({ apiVersion, kind }: HealthCheckExpr): string => `${apiVersion.split('/').slice(0, -1).join('')}/${kind}`;
const squeezed = (expr: HealthCheckExpr): object =>
  Object.fromEntries(Object.entries(expr).map(([field, text]) => [field, String(text).replace(/\s+/g, ' ')]));
const ALL = new Map(SNIPPET.healthCheckExprs.map((expr) => [key(expr), squeezed(expr)]));

interface Kustomization extends Manifest {
  readonly spec: { readonly healthCheckExprs?: readonly HealthCheckExpr[] };
}
const kustomizations = (file: string): Kustomization[] =>
  readStream(readFileSync(join(DEPLOY, file), 'utf8')).filter(
    (object): object is Kustomization =>
      object.kind === 'Kustomization' && object.apiVersion.startsWith('kustomize.toolkit.'),
  );

test('Kustomizations of deploy/flux have the expressions of the snippet, and no other', () => {
  const used = new Set<string>();
  for (const file of filesBelow(DEPLOY).filter((name) => name.endsWith('.yaml'))) {
    for (const expr of kustomizations(file).flatMap(({ spec }) => spec.healthCheckExprs ?? [])) {
      assert.equal(squeezed(expr), ALL.get(key(expr)), `${file}: ${key(expr)}`);
      used.add(key(expr));
    }
  }
  assert.equal([...used].sort(), [...ALL.keys()].sort());
});

test('the API server takes the snippet in a Kustomization, strictly', async () => {
  const file = 'kustomize.toolkit.fluxcd.io_kustomizations.yaml';
  const [crd] = readStream(readFileSync(join(SHARE, 'flux', file), 'utf8'));
  await server!.create(crd!);
  const kustomization = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'seats', namespace: 'default' },
    spec: { interval: '10m', prune: true, wait: true, sourceRef: { kind: 'OCIRepository', name: 'seats' }, ...SNIPPET },
  };
  let answer = await server!.dryRun(kustomization);
  // what a kind has just been created for may take a moment to be served
  for (let n = 0; n < 50 && answer.code === 404; n += 1) {
    await new Promise((done) => setTimeout(done, 200));
    answer = await server!.dryRun(kustomization);
  }
  assert.is(answer.code, 201, answer.body.message);
});
test('the server stops', async () => server?.stop());
test.run();
