// docs/checks.md names every check of the catalogue, and every reason that a result can have.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CHECKS } from '../functions/probe/checks';

const ROOT = resolve(__dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/checks.md'), 'utf8');
const TYPES = ['probe-report.ts', 'probe-plan.ts'].map((file) =>
  readFileSync(join(ROOT, 'functions/model', file), 'utf8'),
);

/** The literals of a union type, read from the source: types are gone when this runs. */
function literalsOf(type: string): string[] {
  const [, body] = TYPES.map((text) => new RegExp(`export type ${type} =([^;]*);`).exec(text)).find(Boolean) ?? [];
  return [...(body ?? '').matchAll(/'(\w+)'/g)].map(([, word]) => word ?? '');
}

const test = suite('checks documented');

test('every check has a line with all its columns', () => {
  for (const id of Object.keys(CHECKS)) {
    const [line] = PAGE.split('\n').filter((one) => one.startsWith(`| ${id} |`));
    assert.ok(line, `docs/checks.md has no line for ${id}`);
    assert.is(line.replaceAll('\\|', '').split('|').length, 8, `columns of ${id}`);
  }
});

test('every reason is told', () => {
  for (const type of ['FailReason', 'OpenReason', 'SkipReason', 'Gap']) {
    const reasons = literalsOf(type);
    assert.ok(reasons.length > 3, type);
    assert.equal(
      reasons.filter((reason) => !PAGE.includes(`\`${reason}\``)),
      [],
      type,
    );
  }
});

test.run();
