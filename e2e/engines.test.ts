// One package, five ways to a cluster: the command line, kpt, kustomize, Argo CD's plugin and Flux' stages make the same objects.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { dump, load } from 'js-yaml';
import * as assert from 'uvu/assert';
import { type Fixture, fixtures, withCopy } from '../test/fixtures';
import { must } from './command';
import { byExec, renderWith } from './engine-package';
import { isConfig, withFolder, writeKustomization } from './kustomization';
import {
  filesBelow,
  identity,
  isRendered,
  type Manifest,
  readFolder,
  readStream,
  renderedByIdentity,
  sameObjects,
} from './objects';
import { program, suiteWith } from './prerequisites';

const CLI = resolve(__dirname, '../dist/cli.js');
const DEPENDS_ON = 'config.kubernetes.io/depends-on';
const STAGES = ['00-guard', '10-seats', '90-probe'];
const test = suiteWith('engines', 'kpt', 'kustomize');

/** All objects that an engine would apply of a package. */
type Engine = (copy: string) => Manifest[];

const commandLine: Engine = (copy) => readStream(must([process.execPath, CLI, 'render', copy]));

const kpt: Engine = (copy) => {
  byExec(copy);
  renderWith(program('kpt') ?? 'kpt', copy);
  return readFolder(copy);
};

const kustomize: Engine = (copy) => {
  const objects = readFolder(copy).filter((object) => !isConfig(object) && object.kind !== 'Kptfile');
  return withFolder((folder) => {
    writeKustomization(folder, 'transformer', objects, readFolder(copy).find(isConfig));
    return build(folder, '--enable-alpha-plugins', '--enable-exec');
  });
};
const build = (folder: string, ...flags: readonly string[]): Manifest[] =>
  readStream(must([program('kustomize') ?? 'kustomize', 'build', ...flags, folder]));

const argocd: Engine = (copy) => readStream(must([process.execPath, CLI, 'cmp', 'generate'], { cwd: copy }));

/** As kustomize-controller builds what CI pushed: each stage by itself, without plugins. */
const flux: Engine = (copy) => {
  const out = mkdtempSync(join(tmpdir(), 'seatplan-stages-'));
  try {
    must([process.execPath, CLI, 'render', '--all', '--output', `dir=${out}/stages`, copy]);
    return STAGES.flatMap((stage) => build(join(out, 'stages', stage)));
  } finally {
    rmSync(out, { recursive: true });
  }
};

/** Rendered objects without the engines' notes, and what each waits for, which reads like such a note. */
function rendered(objects: readonly Manifest[]): { objects: Record<string, Manifest>; order: Record<string, string> } {
  const order = objects.filter(isRendered).flatMap((object) => {
    const after = object.metadata.annotations?.[DEPENDS_ON];
    return after === undefined ? [] : [[identity(object), after]];
  });
  return { objects: renderedByIdentity(objects), order: Object.fromEntries(order) };
}

/** Asserts that an engine makes of the package what the command line makes of it. */
function agrees(engine: Engine, fixture: Fixture, prepare: (copy: string) => void = () => {}): void {
  const [actual, expected] = [engine, commandLine].map((each) =>
    withCopy(fixture, (copy) => {
      prepare(copy);
      return rendered(each(copy));
    }),
  );
  sameObjects(actual!.objects, expected!.objects);
  assert.equal(actual!.order, expected!.order);
  const sets = Object.keys(expected!.objects).filter((id) => id.startsWith('apps/StatefulSet/'));
  assert.ok(sets.length > 0);
  assert.equal(Object.keys(expected!.order).sort(), sets.sort());
  for (const after of Object.values(expected!.order)) {
    const [group, , namespace, kind, name] = after.split('/');
    assert.ok(expected!.objects[[group, kind, namespace, name].join('/')], after);
  }
}

/** A folder's own kustomization is no object; the plugin refuses what it would not do. */
function withoutKustomizations(copy: string): void {
  for (const name of filesBelow(copy).filter((file) => file.endsWith('kustomization.yaml'))) rmSync(join(copy, name));
}

/** Stages are there in the split layout only. */
function split(copy: string): void {
  withoutKustomizations(copy);
  const file = join(copy, 'options.yaml');
  const { spec, ...config } = load(readFileSync(file, 'utf8')) as { spec: { output?: object } };
  writeFileSync(file, dump({ ...config, spec: { ...spec, output: { ...spec.output, layout: 'split' } } }));
}

const named = (name: string): Fixture => fixtures().find((fixture) => fixture.name === name)!;
const TEAMS = named('two-teams-share-three-tiers');

const FLAT = { kpt, kustomize, 'the Argo CD plugin': argocd };
const PACKAGES = [
  TEAMS.name,
  'the-split-layout-puts-policies-before-workloads',
  'a-probe-with-all-its-options',
  'a-seat-says-everything',
  'a-stopped-seat',
  'dollar-signs-reach-the-agent-as-written',
  'the-gvisor-sample-of-the-reference',
].map(named);

for (const [engine, make] of Object.entries(FLAT)) {
  for (const fixture of PACKAGES) {
    test(`${engine} makes of ${fixture.name} what the command line makes`, () => {
      agrees(make, fixture, withoutKustomizations);
    });
  }
}

for (const [engine, make] of Object.entries({ ...FLAT, "Flux' stages": flux })) {
  for (const fixture of PACKAGES.filter(({ folder }) => filesBelow(folder).includes('options.yaml'))) {
    test(`${engine} in the split layout makes of ${fixture.name} what the command line makes`, () => {
      agrees(make, fixture, split);
    });
  }
}

// ---------------------------------------------------------------- and that this can fail
const replace =
  (kind: string, fields: object) =>
  (object: Manifest): Manifest =>
    object.kind === kind ? { ...object, ...fields } : object;
const annotate = (kind: string, key: string, value: string) => (object: Manifest) => {
  const annotations = { ...object.metadata.annotations, [key]: value };
  return replace(kind, { metadata: { ...object.metadata, annotations } })(object);
};
const rename = (object: Manifest): Manifest => ({ ...object, metadata: { ...object.metadata, name: 'another' } });

function isRefused(comparison: () => void): boolean {
  try {
    comparison();
    return false;
  } catch {
    return true;
  }
}

for (const [what, change] of Object.entries({
  'another value': (objects: Manifest[]) => objects.map(replace('StatefulSet', { spec: {} })),
  'another annotation': (objects: Manifest[]) => objects.map(annotate('NetworkPolicy', 'a', 'b')),
  'another order': (objects: Manifest[]) => objects.map(annotate('StatefulSet', DEPENDS_ON, 'apps/StatefulSet/a')),
  'one object less': (objects: Manifest[]) => objects.filter(({ kind }) => kind !== 'NetworkPolicy'),
  'one object more': (objects: Manifest[]) => [...objects, ...objects.slice(0, 1).map(rename)],
  'one object twice': (objects: Manifest[]) => [...objects, ...objects.slice(0, 1)],
})) {
  test(`${what} would be seen`, () => {
    assert.ok(isRefused(() => agrees((copy) => change(commandLine(copy)), named('a-stopped-seat'))));
  });
}

test.run();
