// Real kustomize, and the one in kubectl: our functions as generator, transformer and validator, in containers and by exec.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { fixtures, withCopy } from '../test/fixtures';
import { must, type Ran, run } from './command';
import { docker } from './docker';
import { renderEmbedded } from './embedded';
import { copyExample, type Role, withFolder, writeKustomization } from './kustomization';
import {
  filesBelow,
  identity,
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
    assert.equal([...new Set(namespaces)], ['elsewhere']);
  }),
);
containers.run();

// ---------------------------------------------------------------- every fixture that kustomize can load, by exec
const exec = suiteWith('kustomize with exec', 'kustomize');
const plain = (folder: string): Ran => run([...KUSTOMIZE, folder]);
const withExec = (folder: string): Ran => run([...KUSTOMIZE, '--enable-alpha-plugins', '--enable-exec', folder]);

/** kustomize refuses duplicates and what is no resource: those fixtures are for kpt and the command line. */
const isLoadable = (objects: readonly Manifest[]): boolean =>
  withFolder((folder) => {
    writeKustomization(folder, objects);
    return plain(folder).status === 0;
  });

let loaded = 0;
for (const fixture of fixtures().filter(({ objects, platform }) => objects !== undefined && !platform)) {
  exec(`all roles agree with the embedded runner on ${fixture.name}`, () =>
    withCopy(fixture, (copy) => {
      const objects = readFolder(copy);
      if (!isLoadable(objects)) return;
      loaded += 1;
      const expected = renderEmbedded(copy);
      for (const role of ROLES) {
        withFolder((folder) => {
          writeKustomization(folder, objects, role);
          builds(withExec(folder), expectedOf(role, expected));
        });
      }
    }),
  );
}

exec('kustomize could load most fixtures', () => assert.ok(loaded >= 10, `only ${loaded}`));

exec('the transformer keeps what it did not make', () =>
  withFolder((folder) => {
    const objects = readFolder(resolve(__dirname, '../deploy/kustomize/transformer')).filter(
      ({ kind }) => kind !== 'ExpandSeats',
    );
    writeKustomization(folder, objects, 'transformer');
    const built = readStream(withExec(folder).stdout).map(identity);
    for (const id of objects.map(identity)) if (!id.includes('Kustomization')) assert.ok(built.includes(id), id);
  }),
);
exec.run();
