// `render --output dir=OUT` in the split layout: three complete stages, each object in one of them and in its Kustomization.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { stageOf } from '../functions/stages/write/stages';
import { CONFIG, type Files, type Folder, inFolder, PACKAGE, SERVICE } from './command';

const SPLIT = { 'config.yaml': CONFIG('{output: {layout: split}}') };
/** A cluster would refuse it; as text it has all that a writer of YAML would change. */
const POLICY = `# Ours, by hand.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: 'deny'} # keep
spec: {podSelector: {}, x: 0080}
`;
const object = (apiVersion: string, kind: string, name: string) =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\n`;

/** Texts of the files that a run wrote, by path. */
async function written(context: Folder, files: Files, ...more: string[]): Promise<Record<string, string>> {
  const { root, write, seatplan } = context;
  const out = `${root}-out/x`;
  const { exitCode, errors } = await seatplan(['render', `--output=dir=${out}`, ...more, write(files)]);
  assert.is(exitCode, 0, errors);
  const paths = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((path) => path.includes('/'));
  const texts = paths
    .filter((path) => statSync(join(out, path)).isFile())
    .map((path) => [path, readFileSync(join(out, path), 'utf8')]);
  rmSync(`${root}-out`, { recursive: true });
  return Object.fromEntries(texts);
}

/** `Kind/name` of every object, by stage. */
function objectsOf(files: Readonly<Record<string, string>>): Record<string, string[]> {
  const stages: Record<string, string[]> = {};
  for (const [path, text] of Object.entries(files)) {
    if (path.endsWith('kustomization.yaml')) continue;
    const stage = path.slice(0, path.indexOf('/'));
    const list = stages[stage] ?? [];
    stages[stage] = list;
    for (const document of parseAllDocuments(text)) {
      const { kind, metadata } = document.toJS();
      list.push(`${kind}/${metadata.name}`);
    }
  }
  return stages;
}

const test = inFolder('stages');
test('each holds what the layout says, and its Kustomization names all of it', async (context) => {
  const files = await written(
    context,
    {
      ...PACKAGE,
      ...SPLIT,
      'mixed.yaml': [
        object('v1', 'Namespace', 'agents'),
        object('apps/v1', 'Deployment', 'web'),
        object('x.io/v1', 'Odd', 'o'),
      ].join('---\n'),
    },
    '--all',
  );
  const stages = objectsOf(files);
  const guard = stages['00-guard'] ?? [];
  for (const one of ['Namespace/agents', 'TrustTier/tier-0']) assert.ok(guard.includes(one), one);
  assert.equal(guard.map((one) => one.split('/')[0]).sort(), [
    'Namespace',
    'NetworkPolicy',
    'ServiceAccount',
    'TrustTier',
  ]);
  assert.equal((stages['10-seats'] ?? []).map((one) => one.split('/')[0]).sort(), [
    'ConfigMap',
    'Deployment',
    'Odd',
    'PersistentVolumeClaim',
    'Service',
    'StatefulSet',
  ]);
  assert.ok(stages['90-probe']?.includes('Seat/ana'));
  assert.ok(stages['90-probe']?.some((one) => one.startsWith('Job/')));
  for (const stage of Object.keys(stages)) {
    const { resources } = parse(files[`${stage}/kustomization.yaml`] ?? '');
    const expected = Object.keys(files)
      .filter((path) => path.startsWith(`${stage}/`) && path !== `${stage}/kustomization.yaml`)
      .map((path) => path.slice(stage.length + 1));
    assert.equal(resources, expected.sort());
  }
});
test("holds the package's own objects byte for byte, whatever their files are called", async (context) => {
  const { root, seatplan } = context;
  const rendered = await written(context, { ...PACKAGE, ...SPLIT }, '--all');
  const [taken = ''] = Object.keys(rendered).filter((path) => /^00-guard\/seat-[^/]*\.yaml$/.test(path));
  const name = taken.slice('00-guard/'.length);
  const files = await written(
    context,
    {
      [name]: POLICY,
      'generated/00-guard/x.yaml': POLICY.replace('deny', 'x'),
      'mixed.yaml': `${SERVICE}---\n${POLICY.replace('deny', 'y')}---\n${SERVICE.replace("'web'", "'z'")}`,
    },
    '--all',
  );
  assert.is(files[taken], rendered[taken], 'a file of the same name overwrites nothing');
  assert.is(files[`00-guard/package/${name}`], POLICY);
  assert.is(files['00-guard/package/generated/00-guard/x.yaml'], POLICY.replace('deny', 'x'));
  assert.is(files['00-guard/package/mixed.yaml'], POLICY.replace('deny', 'y'));
  assert.is(files['10-seats/package/mixed.yaml'], `${SERVICE}---\n${SERVICE.replace("'web'", "'z'")}`);
  assert.ok((await seatplan(['render', '--all', root])).output.includes(SERVICE));
});
test('holds every object that the stream holds, once, and again the same', async (context) => {
  const { root, seatplan } = context;
  const files = await written(context, { ...PACKAGE, ...SPLIT }, '--all');
  const { output } = await seatplan(['render', '--all', root]);
  const stream = parseAllDocuments(output).map((document) => document.toJS());
  assert.equal(
    Object.values(objectsOf(files)).flat().sort(),
    stream.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort(),
  );
  assert.equal(await written(context, {}, '--all'), files);
});
test('of rendered objects alone has no folder of the package', async (context) => {
  const files = await written(context, { ...PACKAGE, ...SPLIT });
  assert.ok(Object.keys(files).every((path) => /^(?:00-guard|10-seats|90-probe)\/[^/]+$/.test(path)));
});
test('of a package that was rendered before hold nothing twice', async (context) => {
  const { write } = context;
  const first = await written(context, { ...PACKAGE, ...SPLIT }, '--all');
  for (const [path, text] of Object.entries(first)) {
    if (!path.includes('/package/')) write({ [`generated/${path}`]: text });
  }
  assert.equal(await written(context, {}, '--all'), first);
});
test('are there without an object too, and build to nothing', async (context) => {
  const files = await written(
    context,
    { ...PACKAGE, 'config.yaml': CONFIG('{output: {layout: split, inputs: drop}, probe: {mode: none}}') },
    '--all',
  );
  assert.equal(
    Object.keys(files).filter((path) => path.startsWith('90-probe')),
    ['90-probe/kustomization.yaml'],
  );
  const { resources, buildMetadata } = parse(files['90-probe/kustomization.yaml'] ?? '');
  assert.equal({ resources, buildMetadata }, { resources: [], buildMetadata: ['originAnnotations'] });
});
for (const [apiVersion, kind, stage] of [
  ['v1', 'Namespace', 'guard'],
  ['v1', 'Secret', 'guard'],
  ['v1', 'Service', 'seats'],
  ['v1', 'Pod', 'seats'],
  ['v1', 'PersistentVolumeClaim', 'seats'],
  ['apps/v1', 'StatefulSet', 'seats'],
  ['batch/v1', 'Job', 'seats'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'guard'],
  ['cilium.io/v2', 'CiliumNetworkPolicy', 'guard'],
  ['policy.networking.k8s.io/v1alpha1', 'AdminNetworkPolicy', 'guard'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', 'guard'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'guard'],
  ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'guard'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'seats'],
  ['maqpna.com/v1alpha1', 'TrustTier', 'guard'],
  ['steadmesh.io/v1alpha1', 'Seat', 'probe'],
  ['steadmesh.io/v1alpha1', 'TaskRun', 'probe'],
  ['agents.x-k8s.io/v1beta1', 'Sandbox', 'seats'],
  ['example.com/v1', 'Namespace', 'seats'],
] as const) {
  test(`${kind} of ${apiVersion} is of stage ${stage}`, () => assert.is(stageOf({ apiVersion, kind }), stage));
}
test.run();
