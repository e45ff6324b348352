// Real kustomize, and the one in kubectl: our functions as generator, transformer and validator, in containers and by exec.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { type Fixture, fixtures, withCopy } from '../test/fixtures';
import { must, type Ran, run } from './command';
import { docker } from './docker';
import { configFile, renderEmbedded } from './embedded';
import { copyExample, isConfig, type Role, withFolder, writeKustomization, writeResources } from './kustomization';
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
import { program, programs, suiteWith } from './prerequisites';

const ROLES = ['generator', 'transformer', 'validator'] as const satisfies readonly Role[];

/** A validator only checks: nothing is rendered. */
const expectedOf = (role: Role, rendered: Record<string, Manifest>): Record<string, Manifest> =>
  role === 'validator' ? {} : rendered;

function builds({ status, stdout, stderr }: Ran, expected: Record<string, Manifest>): void {
  assert.is(status, 0, stderr);
  sameObjects(renderedByIdentity(readStream(stdout)), expected);
}

/** Makes every Seat of the example name a tier that is not there. */
function spoil(folder: string): void {
  for (const file of filesBelow(folder).map((name) => join(folder, name))) {
    writeFileSync(file, readFileSync(file, 'utf8').replace(/(tierRef:\s+name: )\S+/g, '$1no-such-tier'));
  }
}

// ---------------------------------------------------------------- the examples of deploy/kustomize, in containers
const KUSTOMIZE = [program('kustomize') ?? 'kustomize', 'build'] as const;
const KUBECTLS = programs('kubectl').map((file) => [file, 'kustomize'] as const);

const containers = suiteWith('kustomize with containers', 'kustomize', 'kubectl', 'docker');
for (const command of [KUSTOMIZE, ...KUBECTLS]) {
  const build = (folder: string): Ran => run([...command, '--enable-alpha-plugins', folder], { env: docker() });
  for (const role of ROLES) {
    containers(`${command.join(' ')} runs the ${role} example`, () =>
      withFolder((folder) => {
        const example = copyExample(folder, role);
        const ran = build(example);
        const expected = expectedOf(role, renderEmbedded(example));
        builds(ran, expected);
        if (role === 'validator') assert.equal(readStream(ran.stdout).length, 3);
        else assert.ok(Object.keys(expected).length > 5);
      }),
    );
    containers(`${command.join(' ')} fails on a finding of the ${role} example and shows it`, () =>
      withFolder((folder) => {
        const example = copyExample(folder, role);
        spoil(example);
        const { status, stdout, stderr } = build(example);
        assert.is(status, 1);
        assert.is(stdout, '');
        assert.match(stderr, 'UNKNOWN_TIER');
      }),
    );
  }
}

containers('an overlay acts on what the transformer added', () =>
  withFolder((folder) => {
    copyExample(folder, 'transformer');
    writeFileSync(join(folder, 'kustomization.yaml'), 'resources: [transformer]\nnamespace: elsewhere\n');
    const printed = must([...KUSTOMIZE, '--enable-alpha-plugins', folder], { env: docker() });
    const namespaces = Object.values(renderedByIdentity(readStream(printed))).map(({ metadata }) => metadata.namespace);
    // what is the cluster's own has none
    assert.equal([...new Set(namespaces.filter((namespace) => namespace !== undefined))], ['elsewhere']);
  }),
);
containers.run();

// ---------------------------------------------------------------- every fixture that kustomize can load, by exec
const exec = suiteWith('kustomize with exec', 'kustomize');
const withExec = (folder: string): Ran => run([...KUSTOMIZE, '--enable-alpha-plugins', '--enable-exec', folder]);

/** Line ends that only YAML knows: kustomize, with or without us, makes a space of them. */
const LOST_IN_KUSTOMIZE = /[\u0085\u2028\u2029]/;

/** Duplicates and what is no resource kustomize refuses: those are for kpt and the shell. */
const isLoadable = (objects: readonly Manifest[]): boolean =>
  !LOST_IN_KUSTOMIZE.test(JSON.stringify(objects)) &&
  withFolder((folder) => {
    writeResources(folder, objects);
    return run([...KUSTOMIZE, folder]).status === 0;
  });

/** A generator sees no resources, and has room for seats in an ExpandSeats only. */
const suits = (role: Role, objects: readonly Manifest[], config: Manifest | undefined): boolean =>
  role !== 'generator' || (config?.kind !== 'ConfigMap' && !objects.some(({ kind }) => kind === 'RuntimeClass'));

const isForKustomize = ({ objects, isPackage, platform }: Fixture): boolean =>
  objects !== undefined && isPackage && platform === undefined;

let loaded = 0;
function agreesWithEmbedded(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    // what an earlier run rendered belongs to a kpt package: a kustomization is no complete one, so nothing is pruned there
    const declared = readFolder(copy).filter((object) => !isRendered(object));
    const [config] = configFile(copy) ? readStream(readFileSync(configFile(copy)!, 'utf8')) : declared.filter(isConfig);
    const objects = declared.filter((object) => !config || identity(object) !== identity(config));
    if (!isLoadable(objects)) return;
    loaded += 1;
    const expected = renderEmbedded(copy, fixture);
    for (const role of ROLES.filter((each) => suits(each, objects, config))) {
      withFolder((folder) => {
        writeKustomization(folder, role, objects, config);
        builds(withExec(folder), expectedOf(role, expected));
      });
    }
  });
}

for (const fixture of fixtures().filter(isForKustomize)) {
  exec(`generator, transformer and validator agree with the embedded runner on ${fixture.name}`, () =>
    agreesWithEmbedded(fixture),
  );
}

exec('kustomize can load most fixtures', () => assert.ok(loaded > 40, `only ${loaded}`));

exec('the transformer keeps what it did not make', () =>
  withFolder((folder) => {
    const objects = readFolder(resolve(__dirname, '../deploy/kustomize/transformer')).filter(
      (object) => !isConfig(object),
    );
    writeKustomization(folder, 'transformer', objects);
    const built = readStream(withExec(folder).stdout).map(identity);
    for (const id of objects.map(identity)) assert.ok(built.includes(id), id);
  }),
);
exec.run();
