// Places found by lines alone must be those that the parser's tree gives.
import * as fc from 'fast-check';
import { dump } from 'js-yaml';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placeInBlock } from '../functions/stages/read/block-place';
import { placeInDocument } from '../functions/stages/read/locate';
import { isReadable } from '../functions/stages/read/syntax';

const places = suite('Places');

type Step = string | number;
type Cases = Record<string, { text: string; steps: Step[]; place: [line: number, column: number] | undefined }>;

const cases: Cases = {
  'a value beside its key': { text: 'spec:\n  image: a\n', steps: ['spec', 'image'], place: [2, 10] },
  'a mapping below its key': { text: 'spec:\n  # why\n\n  image: a\n', steps: ['spec'], place: [4, 3] },
  'a list as far in as its key': { text: 'a:\n- b: 1\n- c: 2\nd: 3\n', steps: ['a', 1, 'c'], place: [3, 6] },
  'a list further in': { text: 'a:\n  -   b: 1\n      c: 2\n', steps: ['a', 0, 'c'], place: [3, 10] },
  'a list in a list': { text: 'a:\n- - x\n  - y\n', steps: ['a', 0, 1], place: [3, 5] },
  'the key of what lacks the field': { text: 'a:\n  b:\n    c: 1\n', steps: ['a', 'b', 'd'], place: [2, 3] },
  'the key of a scalar that has no fields': { text: 'a:\n  b: 1\n', steps: ['a', 'b', 'd'], place: [2, 3] },
  'not a line of a block text': { text: 'a: |\n  b: 1\nb: 2\n', steps: ['b'], place: [3, 4] },
  'nothing for an anchor': { text: 'a: &x\n  b: 1\n', steps: ['a', 'b'], place: undefined },
  'nothing for a merge key': { text: 'x: &x { b: 1 }\na:\n  <<: *x\n', steps: ['a', 'b'], place: undefined },
  'nothing for a flow collection': { text: 'a: { b: 1 }\n', steps: ['a', 'b'], place: undefined },
  'nothing for a quoted key': { text: 'a:\n  "b": 1\n', steps: ['a', 'b'], place: undefined },
  'nothing for no value': { text: 'a:\nb: 1\n', steps: ['a'], place: undefined },
  'nothing for a byte order mark': { text: '\ufeffa: 1\nb: 2\n', steps: ['b'], place: undefined },
};
for (const [sentence, { text, steps, place }] of Object.entries(cases))
  places(`by lines: ${sentence}`, () => {
    const found = placeInBlock(text, steps);
    assert.equal(found && [found.line, found.column], place);
    if (place) assert.equal(found, placeInDocument(text, steps));
  });

const names = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('a', 'b') },
  { weight: 1, arbitrary: fc.constantFrom('x-y/z', '<<', 'q q', '-', '') },
);
const scalars = fc.constantFrom(
  'word',
  'two words',
  'a: b',
  '# no',
  'a\nb: c\n',
  '\n b',
  '',
  '- a',
  '&a',
  '*a',
  7,
  null,
);
const { map: objects } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4, withCrossShrink: true }, scalars, tie('map'), tie('list')),
  map: fc.dictionary(names, tie('value'), { minKeys: 1, maxKeys: 3 }),
  list: fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
}));
const styles = fc.record({ seqNoIndent: fc.boolean(), flowLevel: fc.constantFrom(-1, -1, 2, 3), noRefs: fc.boolean() });
const paths = fc.array(fc.oneof(names, fc.nat(1)), { minLength: 1, maxLength: 4 });
const comments = fc.constantFrom('', '\n', '# a: 1\n', '  # b: 1\n');

places('whatever the object, its style and the path: the same place, or none', () => {
  let found = 0;
  fc.assert(
    fc.property(objects, styles, paths, comments, (value, style, steps, comment) => {
      const text = dump(value, style).replaceAll(/^(?= *\w+:)/gm, comment);
      const place = placeInBlock(text, steps);
      if (!place || isReadable(text) !== true) return;
      found += 1;
      assert.equal(place, placeInDocument(text, steps));
    }),
    { numRuns: 5000 },
  );
  assert.ok(found > 300, `only ${found} places`);
});

places.run();
