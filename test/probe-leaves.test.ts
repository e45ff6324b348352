// Differences of JSON values: what makes one of the other, and back.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applied, differences, plain, replaced } from '../functions/probe/leaves';
import { hold } from './expanded';

const leaves = suite('differences of JSON');
const json = fc.jsonValue({ maxDepth: 4 });
/** Two values that have much in common. */
const edited = json.chain((base) =>
  fc.tuple(fc.constant(base), fc.array(fc.tuple(fc.nat(), json), { maxLength: 3 })).map(([value, edits]) => {
    let other: unknown = value;
    for (const [at, one] of edits) other = edit(other, at, one);
    return [value, other] as const;
  }),
);
function edit(value: unknown, at: number, one: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 || at % 3 === 0) return [...value, one];
    const place = at % value.length;
    return at % 3 === 1 ? value.toSpliced(place, 1) : value.with(place, edit(value[place], at >> 2, one));
  }
  if (typeof value !== 'object' || value === null) return one;
  const keys = Object.keys(value);
  const key = keys[at % (keys.length + 1)];
  const entries = Object.entries(value);
  if (key === undefined) return Object.fromEntries([...entries, [`key${at}`, one]]);
  return Object.fromEntries(
    entries.flatMap(([k, v]) => (k !== key ? [[k, v]] : at % 2 ? [[k, edit(v, at >> 2, one)]] : [])),
  );
}
leaves('what differs, applied, gives the other value', () => {
  hold(
    fc.property(fc.oneof(edited, fc.tuple(json, json)), ([base, other]) => {
      const found = differences(base, other);
      assert.equal(plain(applied(base, found)), plain(other));
      assert.equal(plain(applied(base, plain(found))), plain(other));
    }),
    500,
  );
});
leaves('nothing differs from itself, and nothing is changed in place', () => {
  hold(
    fc.property(edited, ([base, other]) => {
      const before = JSON.stringify(base);
      assert.equal(differences(base, JSON.parse(before)), []);
      applied(base, differences(base, other));
      assert.is(JSON.stringify(base), before);
    }),
  );
});
const DIFFERENCES: Record<string, readonly [base: unknown, other: unknown, found: readonly unknown[]]> = {
  'a leaf': [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [[['a', 'c'], 3]]],
  'a member more and a member less': [{ a: 1 }, { b: null }, [[['b'], null], [['a']]]],
  'a longer list': [
    [1],
    [2, 3, 4],
    [
      [[0], 2],
      [[1], 3],
      [[2], 4],
    ],
  ],
  'a shorter list, from the back': [[1, 2, 3], [1], [[[2]], [[1]]]],
  'another kind of value': [{ a: [] }, { a: {} }, [[['a'], {}]]],
  'the root': [1, [1], [[[], [1]]]],
  'a name that is no ordinary member': [
    JSON.parse('{"__proto__":1}'),
    JSON.parse('{"__proto__":2}'),
    [[['__proto__'], 2]],
  ],
};
for (const [name, [base, other, found]] of Object.entries(DIFFERENCES)) {
  leaves(name, () => {
    assert.equal(differences(base, other), found);
    assert.is(JSON.stringify(applied(base, differences(base, other))), JSON.stringify(other));
  });
}
leaves('a path that leads nowhere throws', () => {
  for (const path of [['a', 'b'], [0], ['list', 2], ['list', 'a']])
    assert.throws(() => applied({ a: 1, list: [1] }, [[path, 1]]), RangeError);
});
leaves('words are replaced before values are compared', () => {
  const words = new Map([['a', 'b']]);
  assert.equal(differences({ x: 'a', y: ['a'] }, { x: 'b', y: ['a'] }, words), [[['y', 0], 'a']]);
});
leaves('words are replaced as values, whole, and not as keys', () => {
  const words = new Map([['a', 'b']]);
  assert.equal(replaced({ a: ['a', 'aa', 1, { c: 'a' }] }, words), { a: ['b', 'aa', 1, { c: 'b' }] });
});
leaves('integers beyond numbers become numbers, as for every reader of JSON', () => {
  assert.equal(plain({ seconds: 5n, none: undefined }), { seconds: 5 });
  assert.equal(differences({ a: 5, b: 1, c: {} }, { a: 5n, b: 2n, c: { d: undefined } }), [[['b'], 2]]);
  assert.equal(differences({ a: 1 }, { a: undefined }), [[['a']]]);
});
leaves.run();
