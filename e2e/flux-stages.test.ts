// The stages of every fixture, built by real kustomize as Flux builds them: together the objects of the package, each once.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { fixtures, withCopy } from '../test/fixtures';
import { must, run } from './command';
import { identity, type Manifest, readStream } from './objects';
import { program, suiteWith } from './prerequisites';

const test = suiteWith('stages in kustomize', 'kustomize');
const CLI = resolve(__dirname, '../dist/cli.js');
const STAGES = ['00-guard', '10-seats', '90-probe'];
let compared = 0;
/** What kpt and kustomize note on an object. */
const BOOKKEEPING = /^(internal\.)?config\.(kubernetes|k8s)\.io\/(path|index)$/;

/** By identity, without what tools note on an object and what kustomize therefore removes. */
function byIdentity(objects: readonly Manifest[]): Record<string, Manifest> {
  const result: Record<string, Manifest> = {};
  for (const object of objects) {
    const { annotations, ...metadata } = object.metadata;
    const kept = Object.entries(annotations ?? {}).filter(([key]) => !BOOKKEEPING.test(key));
    const id = identity(object);
    assert.not.ok(id in result, `${id} is there twice`);
    result[id] = {
      ...object,
      metadata: kept.length ? { ...metadata, annotations: Object.fromEntries(kept) } : metadata,
    };
  }
  return result;
}

const SPLIT =
  'apiVersion: seatplan.dev/v1alpha1\nkind: ExpandSeats\nmetadata: {name: split}\nspec: {output: {layout: split}}\n';

/** kustomize refuses an object that is there twice, and takes line ends in a Seat for such that YAML 1.2 does not know. */
const OTHERWISE = ['foreign-objects-stay-as-they-are', 'text-from-users-carries-escapes'];

for (const fixture of fixtures().filter(({ name, objects }) => objects && !OTHERWISE.includes(name))) {
  test(fixture.name, () =>
    withCopy(fixture, (copy) => {
      const folder = mkdtempSync(join(tmpdir(), 'seatplan-stages-'));
      try {
        const [config, out] = [join(folder, 'config.yaml'), join(folder, 'out')];
        writeFileSync(config, SPLIT);
        const words = ['render', copy, '--all', '--quiet', '--config', config] as const;
        const { status, stdout } = run([process.execPath, CLI, ...words]);
        if (status !== 0) return; // it needs its own config
        must([process.execPath, CLI, ...words, '--output', `dir=${out}`]);
        assert.equal(readdirSync(out).sort(), ['.seatplan-output', ...STAGES]);
        const built = STAGES.flatMap((stage) =>
          readStream(must([program('kustomize') ?? '', 'build', join(out, stage)])),
        );
        assert.equal(byIdentity(built), byIdentity(readStream(stdout)));
        compared += 1;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
  );
}

test('most of them were compared', () => assert.ok(compared > 50, String(compared)));
test.run();
