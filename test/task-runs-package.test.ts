// Task runs in a package that is expanded again and again, as kpt does it: what a changed, finished or deleted run leaves.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isError } from '../functions/finding';
import { expandList } from '../functions/krm';
import type { TaskRunSpec } from '../functions/model';
import { OPTIONS, seatOf, TIERS, taskOf } from './generators';
import { type PackageFile, wireItems, wireList, writtenFiles } from './kpt-list';

const KPTFILE = { apiVersion: 'kpt.dev/v1', kind: 'Kptfile', metadata: { name: 'package' } };
const IMAGE = `registry.example/agent@sha256:${'a'.repeat(64)}`;
const harness = { adapter: 'claude', image: IMAGE };
const SEAT = seatOf('writer', 'team-a', { organization: 'acme', tierRef: { name: 'timed' }, harness });

const fileOf = (object: object, path: string): PackageFile => ({
  path,
  packagePath: '/package',
  documents: [JSON.stringify(object)],
});
const BASE = [KPTFILE, OPTIONS, ...TIERS, SEAT].map((object, n) => fileOf(object, n === 0 ? 'Kptfile' : `${n}.yaml`));
const withRun = (spec?: Partial<TaskRunSpec>): PackageFile[] =>
  spec ? [...BASE, fileOf(taskOf('fix', 'team-a', { seatRef: { name: 'writer' }, ...spec }), 'run.yaml')] : BASE;

function expand(files: readonly PackageFile[]): PackageFile[] {
  const stdin = Buffer.from(wireList(wireItems(files), undefined));
  const { output, findings } = expandList({ stdin, platform: undefined, findings: [], logToStderr: false });
  assert.equal(
    findings.filter(isError).map(({ message }) => message),
    [],
  );
  return writtenFiles([...output].join(''));
}
const generated = (files: readonly PackageFile[]): PackageFile[] =>
  files.filter(({ path }) => path.startsWith('generated/'));
const workers = (files: readonly PackageFile[]): string[] =>
  generated(files).flatMap(({ path }) => (path.startsWith('generated/task-') ? [path] : []));

const again = suite('a package with a task run, expanded again');
again('nothing changes', () => {
  const once = expand(withRun({ ttl: '1h' }));
  assert.is(workers(once).length, 1);
  assert.equal(expand(once), once);
});
for (const [sentence, after, left] of [
  ['a finished run leaves nothing but itself', { state: 'Finished', ttl: '1h' }, 0],
  ['a deleted run leaves nothing', undefined, 0],
  ['a changed run has another worker, and no earlier one', { ttl: '2h' }, 1],
] as const)
  again(sentence, () => {
    const before = expand(withRun({ ttl: '1h' }));
    const moved = expand([...withRun(after), ...generated(before)]);
    assert.is(workers(moved).length, left);
    assert.equal(
      workers(moved).filter((path) => workers(before).includes(path)),
      [],
    );
    assert.equal(moved, expand(withRun(after)), 'as if it had been so from the start');
  });
again('a run that is wanted again after it was finished has its worker of before', () => {
  assert.equal(
    expand(withRun({ state: 'Running', ttl: '1h' }))
      .map(({ path }) => path)
      .sort(),
    [
      ...expand(withRun({ ttl: '1h' }))
        .map(({ path }) => path)
        .sort(),
    ],
  );
});
again.run();
