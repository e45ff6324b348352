// Our fast writer and js-yaml's dump must agree to the byte, whatever the object.
import * as fc from 'fast-check';
import { dump, load } from 'js-yaml';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toListEntry, toYAML } from '../functions/stages/write/yaml';

const yaml = suite('YAML text');

const OPTIONS = { lineWidth: -1, noRefs: true, seqNoIndent: true } as const;
/** The end of a document is no part of an object: in a list it would end the list. */
const reference = (value: object): string => dump(value, OPTIONS).replace(/\n\.\.\.\n$/, '\n');

const characters = fc.constantFrom(
  ...'abyn019_-.:/@# \t\n\r\'"|>&*!%{}[],?~=+\\<éß\u0000\u007f\u0085\u00a0\u2028\ufeff\ud83d',
);
const anyStrings = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: characters }),
  fc.array(fc.string({ unit: fc.constantFrom(...'ab: #-"\'') }), { maxLength: 6 }).map((lines) => lines.join('\n')),
  fc.constantFrom('y', 'No', 'TRUE', 'null', '~', '0444', '1_000', '12:30:45', '2001-01-01', '<<', '=', '1e3', '.inf'),
  fc.stringMatching(/^\d{1,3}[eE.xob_:]?\d{0,3}([mhsnu]|[KMGTPE]i?)?$/),
  fc.constantFrom('10Gi', '250m', 'a: b', 'a :b', 'a #b', 'a:', 'sha256:0f', 'a  b', 'a\n\n', 'a\nb', '\na', ' a\nb'),
);
/** js-yaml does not know these; they have tests of their own. */
const COMMAND = /^[ \t]*::|##[A-Za-z]*\[|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/m;
const DOCUMENT_MARK = /^(?:---|\.\.\.)(?:\s|$)/;
const strings = anyStrings.filter((text) => !COMMAND.test(text) && !DOCUMENT_MARK.test(text));
const objects = fc.object({
  key: strings,
  values: [strings, fc.double(), fc.maxSafeInteger(), fc.boolean(), fc.constant(null), fc.constant(undefined)],
  withNullPrototype: true,
  maxDepth: 5,
});

const RUNS = { numRuns: 2000 };

yaml('any object is written as js-yaml writes it', () => {
  fc.assert(
    fc.property(objects, (object) => {
      assert.is(toYAML(object), reference(object));
    }),
    RUNS,
  );
});

yaml('any string is written as js-yaml writes it, as key, value and list item', () => {
  fc.assert(
    fc.property(strings, (text) => {
      const object = { [text]: text, nested: { [text]: [text, [text], { [text]: { [text]: text } }] } };
      assert.is(toYAML(object), reference(object));
    }),
    RUNS,
  );
});

yaml('an entry of a list reads back as the object, at any depth', () => {
  fc.assert(
    fc.property(objects, fc.nat(4), (object, dash) => {
      const text = `list:\n${toListEntry(object, dash)}${toListEntry({ kind: 'Next' }, dash)}`;
      const [first, ...others] = (load(text) as { list: unknown[] }).list;
      assert.equal(first, load(reference(object)));
      assert.equal(others, [{ kind: 'Next' }]);
    }),
    RUNS,
  );
});

yaml('a text that ends in blank lines does not end the list it stands in', () => {
  const object = { data: { 'instructions.md': 'one\n\n' } };
  const text = `items:\n${toListEntry(object, 0)}results: []\n`;
  assert.equal(load(text), { items: [object], results: [] });
});

yaml('a key that begins like the end of a document ends none', () => {
  for (const key of ['---', '...', '--- a', '...\tb', '---\nc', '--- "d"']) {
    const object = { [key]: {}, kind: 'Next' };
    assert.equal(load(toYAML(object)), object);
    assert.equal(load(`list:\n${toListEntry(object, 0)}`), { list: [object] });
  }
});

yaml('a whole number beyond 2^53 keeps its digits, whatever stands around it', () => {
  const limits = { memory: 9007199254740993n, list: [-9223372036854775808n] };
  assert.is(toYAML(limits), 'memory: 9007199254740993\nlist:\n- -9223372036854775808\n');
  assert.is(toYAML({ 'a: b': limits.memory }), "'a: b': 9007199254740993\n");
});

const commands = fc
  .tuple(
    anyStrings,
    fc.constantFrom(
      '::error::x',
      '  ::set-env name=A::b',
      '##vso[task.x]',
      '##[command]',
      'a ##teamcity[x]',
      'a\u202eb',
    ),
    anyStrings,
  )
  .map(([before, command, after]) => `${before}\n${command}\n${after}`);

yaml('a text that commands a CI system or turns its direction reads back whole, and shows as no such thing', () => {
  fc.assert(
    fc.property(commands, fc.constantFrom('a', '1.md', 'x y'), (command, key) => {
      const object = { data: { [key]: command }, list: [command] };
      const text = toYAML(object);
      assert.equal(load(text), object);
      assert.not.match(text, COMMAND);
    }),
    RUNS,
  );
});

yaml.run();
