import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { decode } from '../functions/stages/read/decode';
import { headerOf, readHeader } from '../functions/stages/read/header';

const SEAT = 'apiVersion: steadmesh.io/v1alpha1\nkind: Seat\n';
const sees = suite('the cheap look sees what the decoder sees');

/** The decoder's word counts wherever the text is readable. */
function agree(text: string): void {
  const { value, problems } = decode(text);
  if (problems.length) return;
  assert.equal(readHeader(text), headerOf(value), text);
}

const TRICKY: Record<string, string> = {
  'a carriage return ends a line': `spec: x\r${SEAT}`,
  'a carriage return ends a line further in': `spec:\n  a: b\r${SEAT.replace('\n', '\r')}`,
  'a carriage return ends a comment': `# x\r${SEAT}`,
  'the line breaks of YAML 1.1 end a line': `spec: x\u2028kind: Seat\u0085apiVersion: steadmesh.io/v1alpha1\n`,
  'a kind goes on below its line': `${SEAT}  More\nspec: {}\n`,
  'a name goes on below its line': `${SEAT}metadata:\n  name: a\n    b\n`,
  'a namespace goes on below a comment': `${SEAT}metadata:\n  namespace: a\n    b # c\n  name: c\n`,
  'an annotation goes on below its line': `${SEAT}metadata:\n  annotations:\n    a: b\n      c\n`,
  'a quoted text holds keys at the margin': `data:\n  x: "\n${SEAT}# "\n`,
  'a no-break space is part of a word': 'kind: Seat\u00a0\napiVersion: v1\n',
  'a no-break space begins no comment': 'kind: Seat\u00a0#\napiVersion: v1\n',
  'a byte order mark is part of a word': 'kind: Seat\uFEFF\napiVersion: v1\n',
  'a name of digits': `${SEAT}metadata:\n  name: 0444\n  namespace: 1e3\n`,
  'a name of many digits': `${SEAT}metadata:\n  name: 12345678901234567890\n`,
  'an annotation that is a boolean': `${SEAT}metadata:\n  annotations:\n    a: yes\n    b: 0x10\n    c: 1_0\n    d: "yes"\n`,
  'an empty annotation': `${SEAT}metadata:\n  annotations:\n    a:\n    b: ""\n    c: ~\n`,
  'a merge key': `x: &x {kind: Seat}\n<<: *x\napiVersion: steadmesh.io/v1alpha1\n`,
  'a quoted merge key': `x: &x {kind: Seat}\n"<<": *x\napiVersion: v1\nkind: A\n`,
  'an escaped key': '"k\\u0069nd": Seat\napiVersion: steadmesh.io/v1alpha1\n',
  'a tagged key': '!!str kind: Seat\napiVersion: steadmesh.io/v1alpha1\n',
  'a complex key': '? kind\n: Seat\n? apiVersion\n: steadmesh.io/v1alpha1\n',
  'a space before the colon': 'kind : Seat\napiVersion : steadmesh.io/v1alpha1\n',
  'a tab behind the colon': 'kind:\tSeat\napiVersion:\t"v1"\t# c\n',
  'a block scalar with an indicator': `data: |2\n    kind: A\n${SEAT}`,
  'a document in brackets': '{kind: Seat,\napiVersion: steadmesh.io/v1alpha1}\n',
  'metadata twice removed': `metadata:\n  labels:\n    name: x\n    annotations: y\n  name: real\n${SEAT}`,
  'lists at the margin': `rules:\n- kind: A\n  name: b\n${SEAT}`,
  'metadata in brackets that go on': `${SEAT}metadata: {name: a,\n  namespace: b}\n`,
  'a prototype for an annotation': `${SEAT}metadata:\n  annotations:\n    __proto__: a\n    constructor: b\n`,
};
for (const [sentence, text] of Object.entries(TRICKY)) {
  sees(sentence, () => {
    assert.equal(decode(text).problems, [], 'the case itself must be readable');
    agree(text);
  });
}

const WORDS = [
  'Seat',
  'kind',
  'a',
  'steadmesh.io/v1alpha1',
  'null',
  '~',
  'true',
  '1',
  '"x"',
  "'y'",
  '"',
  "'",
  '|',
  '>-',
  '&a',
  '*a',
  '{',
  '}',
  '[',
  ']',
  '{}',
  '[]',
  '{a: b}',
  '!!str',
  '#',
  '# c',
  ' ',
  '\t',
  '-',
  '- ',
  '?',
  ':',
  ',',
  '\\',
  '\r',
  '\u2028',
  '\u00a0',
  '<<',
  '%',
  '@',
  '`',
];
const KEYS = [
  'kind',
  'apiVersion',
  'metadata',
  'name',
  'namespace',
  'annotations',
  'spec',
  '"kind"',
  "'name'",
  '<<',
  'a',
  '? kind',
  '- kind',
  '-',
  '#',
];
const line = fc
  .tuple(
    fc.nat({ max: 6 }),
    fc.constantFrom(...KEYS),
    fc.constantFrom(': ', ':', ':  ', ' : ', ' ', ':\t'),
    fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
    fc.constantFrom('', ' ', ' # c'),
  )
  .map(([indent, key, colon, words, end]) => `${' '.repeat(indent)}${key}${colon}${words.join('')}${end}`);
const nearly = fc.array(
  fc.oneof(
    line,
    fc.constantFrom(
      'kind: Seat',
      'apiVersion: steadmesh.io/v1alpha1',
      'metadata:',
      '  name: x',
      '  annotations:',
      '    a: b',
      '  labels:',
      'spec:',
      '',
    ),
  ),
  { maxLength: 9 },
);

sees('whatever the text', () => {
  fc.assert(
    fc.property(nearly, fc.constantFrom('\n', '\r\n'), (lines, end) => agree(lines.join(end))),
    { numRuns: 5_000, seed: 3 },
  );
});
sees('a line of any length', () => {
  const long = `metadata:\n  annotations:\n    a: '${"it''s ".repeat(4_000_000)}'\n${SEAT}`;
  assert.is(readHeader(long).kind, 'Seat');
});
sees.run();
