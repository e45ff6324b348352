// Field paths to places in the text, in every style that a package may hold.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { locate } from '../functions/stages/read/locate';

const BLOCK = `apiVersion: v1
spec:
  harness:
    env:
      - name: A
        value: 1
  files: {"a.txt": b, 'c d': e}
  yes: 1
  base: &base {q: 1}
  merged:
    <<: *base
  alias: *base
  empty:
`;
const test = suite('locate');
const PLACES: Record<string, readonly [line: number, column: number] | undefined> = {
  'spec.harness.env[0].value': [6, 16],
  'spec.harness.env[0]': [5, 9],
  'spec.files["a.txt"]': [7, 20],
  'spec.files["c d"]': [7, 30],
  'spec.true': [8, 8],
  'spec.merged.q': [9, 19],
  'spec.alias.q': [9, 19],
  'spec.empty': [13, 9],
  'spec.harness.image': [3, 3],
  'spec.harness.env[7].name': [4, 5],
  'spec.nowhere.at.all': [2, 1],
  nowhere: undefined,
};
for (const [path, place] of Object.entries(PLACES)) {
  test(path, () => assert.equal(locate(BLOCK, path), place && { line: place[0], column: place[1] }));
}
test('JSON', () => assert.equal(locate('{"a": {"b": [1, {"c": 2}]}}', 'a.b[1].c'), { line: 1, column: 23 }));
test('KYAML', () =>
  assert.equal(locate('---\n{\n  a: {\n    b: [\n      "x",\n    ],\n  },\n}\n', 'a.b[0]'), { line: 5, column: 7 }));
test('a text that is no YAML, or too deep, has no places', () => {
  assert.is(locate(': : :\n\t- [', 'a.b'), undefined);
  assert.is(locate('['.repeat(10_000), 'a'), undefined);
});
test.run();
