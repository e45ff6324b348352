// Text to value as the API server reads it; every case was compared with the real one by e2e/differential.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decode } from '../functions/stages/read/decode';

const value = suite('decode: a text becomes a value');
const VALUES: Record<string, unknown> = {
  yes: true,
  On: true,
  y: true,
  n: false,
  OFF: false,
  tRue: 'tRue',
  '~': null,
  '': null,
  '0444': 292,
  '0o17': 15,
  '0x1F': 31,
  '0b11': 3,
  '-0b11': -3,
  '08': 8,
  '1_000': 1000,
  _1: '_1',
  '-0': 0,
  '1e3': 1000,
  '1e400': '1e400',
  '.5': 0.5,
  '1.': 1,
  '0.5': 0.5,
  '12:30:45': '12:30:45',
  '2001-01-01': '2001-01-01',
  '9007199254740993': 9007199254740993n,
  '18446744073709551616': 18446744073709552000,
  '"yes"': 'yes',
  "'08'": '08',
  '!!str 1': '1',
  '!!int "3"': 3,
  '!!float 3': 3,
  '!!binary YQ==': 'a',
  '!mine yes': 'yes',
  '! "true"': 'true',
  '{a: b, c: [d]}': { a: 'b', c: ['d'] },
};
for (const [source, expected] of Object.entries(VALUES)) {
  value(`\`${source}\` is what YAML 1.1 says`, () => {
    assert.equal(decode(`a: ${source}`), { value: { a: expected }, problems: [] });
  });
}
value('keys become texts, whatever they are', () => {
  const keys = { '1': 'a', '16': 'b', '1.5': 'c', '1e+06': 'd', true: 'e', '.inf': 'f' };
  assert.equal(decode('1: a\n0x10: b\n1.5: c\n1000000.0: d\nyes: e\n.INF: f').value, keys);
});
value('merge keys merge, in the spelling of kpt too', () => {
  assert.equal(decode('a: &x {b: 1}\nc: {<<: *x, d: 2}\ne: {!!merge <<: [*x]}').value, {
    a: { b: 1 },
    c: { b: 1, d: 2 },
    e: { b: 1 },
  });
});
value('a quoted << is a key like any other', () => assert.equal(decode('"<<": {a: 1}').value, { '<<': { a: 1 } }));
value('closing brackets may stand at the margin', () => {
  assert.equal(decode('a:\n  b: [\n    1 # ]\n  ]\n  c: {\n}\nd: 1').value, { a: { b: [1], c: {} }, d: 1 });
});
value('a comment needs no space after a bracket or a quote', () => {
  assert.equal(decode('a: "x"#c\nb: [1]#c\nc: {d: 1}#c').value, { a: 'x', b: [1], c: { d: 1 } });
});
value('a tab may part a key from its value', () =>
  assert.equal(decode('a:\t[1]\nb:\t{c: d}\n').value, { a: [1], b: { c: 'd' } }),
);
value('other line breaks of YAML 1.1 count', () =>
  assert.equal(decode('a: b\u0085c: d\u2028e: f').value, { a: 'b', c: 'd', e: 'f' }),
);
value('JSON keeps its escapes', () => assert.equal(decode('{"a": "\\/\\ud83d\\ude00"}').value, { a: '/😀' }));
value('an empty text is null', () => assert.equal(decode('# nothing\n').value, null));
value('`__proto__` is a key, and touches no prototype', () => {
  const { value } = decode('__proto__: {polluted: true}\na: 1') as { value: Record<string, unknown> };
  assert.ok(Object.hasOwn(value, '__proto__'));
  assert.is(Object.getPrototypeOf(value), Object.prototype);
  assert.is(({} as { polluted?: boolean }).polluted, undefined);
});
value.run();

const problem = suite('decode: a text is refused');
const PROBLEMS: Record<string, readonly [text: string, code: string, line: number, column: number, path?: string]> = {
  'a repeated key': ['a: 1\nb: 2\na: 3', 'DUPLICATE_KEY', 3, 1, 'a'],
  'a repeated key deep down': ['a:\n  - b: 1\n    "b": 2', 'DUPLICATE_KEY', 3, 5, 'a[0].b'],
  'a number and a text that make one key': ['1: a\n"1": b', 'DUPLICATE_KEY', 2, 1, '["1"]'],
  'a field beside the merge key that brings it': ['a: &x {b: 1}\nc: {<<: *x, b: 2}', 'DUPLICATE_KEY', 2, 13, 'c.b'],
  infinity: ['a: .inf', 'INVALID_YAML', 1, 4],
  'no number': ['a: [.nan]', 'INVALID_YAML', 1, 5],
  'a null key': ['~: a', 'INVALID_YAML', 1, 1],
  'a list as a key': ['? [a]\n: b', 'INVALID_YAML', 1, 3],
  'a merge of a text': ['<<: a', 'INVALID_YAML', 1, 5],
  'an alias of nothing': ['a: *x', 'INVALID_YAML', 1, 5],
  'an alias inside its own anchor': ['a: &a [*a]', 'INVALID_YAML', 1, 9],
  'a value that is not of its tag': ['a: !!int x', 'INVALID_YAML', 1, 10],
  'binary that is none': ['a: !!binary "%"', 'INVALID_YAML', 1, 13],
  'half a character': ['a: "\\ud800"', 'INVALID_YAML', 1, 4],
  'escapes of JSON in YAML': ['a: "\\/"', 'INVALID_YAML', 1, 4],
  'a NUL byte': ['a: \u0000', 'INVALID_YAML', 1, 4],
  'a raw surrogate': ['a: \ud800', 'INVALID_YAML', 1, 4],
  'a tab for indentation': ['a: b\n\t\nc: d', 'INVALID_YAML', 2, 1],
  'text behind the document': ['{a: b}\nc', 'INVALID_YAML', 2, 1],
};
for (const [sentence, [text, code, line, column, path]] of Object.entries(PROBLEMS)) {
  problem(sentence, () => {
    const { problems } = decode(text);
    assert.equal(
      problems.map((found) => [found.code, found.line, found.column, found.path]),
      [[code, line, column, path]],
    );
  });
}
problem('all repeated keys, not only the first', () => {
  const { problems } = decode('a: 1\na: 2\na: 3\nb: {c: 1, c: 2}');
  assert.equal(
    problems.map(({ path }) => path),
    ['a', 'a', 'b.c'],
  );
});
problem('tabs that stand in texts or between brackets are none of that', () => {
  assert.equal(decode('a: |\n  x\n  \t\n  y\nb: [\n\t1,\n\t\n  2 # ]\n\t\n]\nc: "x\n  \t\n  y"\n').problems, []);
});
problem('nesting 10,000 deep', () => {
  for (const text of [
    '['.repeat(10_000),
    '{a: '.repeat(10_000),
    Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
  ]) {
    assert.equal(
      decode(text).problems.map(({ code }) => code),
      ['INVALID_YAML'],
    );
  }
});
problem('an alias bomb, before it goes off', () => {
  const levels = Array.from(
    { length: 9 },
    (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(', ')}]`,
  );
  assert.equal(
    decode(`l0: &l0 [x]\n${levels.join('\n')}`).problems.map(({ code }) => code),
    ['ALIAS_EXPANSION'],
  );
});
problem.run();

const marks = suite('a question mark between brackets');
marks('begins a key, with or without a space behind it', () => {
  for (const text of ['{?a: 1}', '{? a: 1}', '{ ?a : 1 }'])
    assert.equal(decode(text), { value: { a: 1 }, problems: [] });
});
marks('is no text, as the server has it', () => {
  for (const text of ['{a: ?b}', '[?b]'])
    assert.equal(
      decode(text).problems.map(({ code }) => code),
      ['INVALID_YAML'],
    );
});
marks('is text in quotes and outside of brackets', () => {
  assert.equal(decode('{a: "?b"}').value, { a: '?b' });
  assert.equal(decode('a: ?b\n?c: d\n').value, { a: '?b', '?c': 'd' });
});
marks.run();
