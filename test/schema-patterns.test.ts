// Short texts are decided by another engine than long ones: both must accept the same.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pattern } from '../functions/stages/schema/patterns';

const SCHEMAS = join(__dirname, '../schemas');
const sources = new Set<string>();
for (const file of readdirSync(SCHEMAS)) {
  const text = readFileSync(join(SCHEMAS, file), 'utf8');
  for (const [, source = ''] of text.matchAll(/pattern: (?:&\w+ )?(\^.*)$/gm)) sources.add(source);
  for (const [, source = ''] of text.matchAll(/\.matches\('([^']*)'\)/g)) sources.add(source);
}

const test = suite('patterns');
test('the CRDs have patterns', () => assert.ok(sources.size > 10));
for (const source of sources) {
  test(`${source} accepts the same in both engines`, () => {
    const [ours, re2] = [pattern(source), RE2JS.compile(source)];
    const letter = fc.constantFrom(...'aZ09-_./:+TkimnEe\n é😀\u2028'.split(''), '\ud83d', '');
    const near = fc.array(letter, { maxLength: 40 }).map((letters) => letters.join(''));
    const like = fc
      .stringMatching(new RegExp(source, 'u'))
      .chain((text) => fc.constantFrom(text, `${text}-`, `.${text}`, text.slice(1), `${text}\n`));
    fc.assert(
      fc.property(fc.oneof(near, like), (text) => {
        const whole = text.toWellFormed();
        assert.is(ours.test(whole), re2.test(whole));
      }),
      { numRuns: 300, seed: 7 },
    );
  });
}
test('syntax that the engines read differently is left to RE2', () => {
  assert.is(pattern('^a\\z').test('a'), true);
  assert.is(pattern('(?i)^a$').test('A'), true);
  assert.is(pattern('^\\pL$').test('é'), true);
});
test.run();
