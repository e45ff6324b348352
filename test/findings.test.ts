// Every code has its line in docs/findings.md and is shown by a package in fixtures/, or by the test that is named here.
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CODES, type Code } from '../functions/finding';
import { kindOf } from '../functions/finding-kind';
import { fixtures } from './fixtures';

const FOLDER = resolve(__dirname, '..');
const PAGE = readFileSync(resolve(FOLDER, 'docs/findings.md'), 'utf8');

/** What no package can show, and the test that shows it. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  INPUT_TOO_LARGE: 'test/bad-input.test.ts',
  INVALID_RESOURCE_LIST: 'test/bad-input.test.ts',
  INPUTS_ARE_FILES: 'test/bad-input.test.ts',
  NOTHING_TO_RENDER: 'test/cli-render.test.ts',
  FUNCTION_NOT_AVAILABLE: 'test/cli-cmp.test.ts',
  KUSTOMIZATION_NOT_APPLIED: 'test/cli-cmp.test.ts',
};

const sections = new Map(
  PAGE.split(/^### /m)
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

const codes = suite('codes');
codes('the page has a section for every code, and no other', () => {
  assert.equal([...sections.keys()].sort(), Object.keys(CODES).sort());
});
codes('every section says severity, cause, example and fix', () => {
  for (const [code, severity] of Object.entries(CODES)) {
    const section = sections.get(code) ?? '';
    assert.ok(section.includes(`**${severity}** · `), `${code} is of severity ${severity}`);
    assert.match(section, /^- Example: \S.*\n- Fix: \S/m, code);
  }
});
codes('the page sorts the codes by their kinds as results do', () => {
  const listed = (kind: string): string[] => {
    const [, text = ''] = new RegExp(`^- \\*\\*${kind}\\*\\*: ([^]*?)\\n(?:- |\\n)`, 'm').exec(PAGE) ?? [];
    return [...text.matchAll(/`([A-Z_]+)`/g)].map(([, code = '']) => code).sort();
  };
  for (const kind of ['Unsupported', 'Unavailable']) {
    const known = (Object.keys(CODES) as Code[]).filter((code) => kindOf(code) === kind);
    assert.equal(listed(kind), known.sort());
  }
  assert.is(kindOf('UNKNOWN_TIER'), 'Misconfigured');
});
codes('every example is a package that shows the code', () => {
  const shownBy = new Map(fixtures().map(({ name, findings }) => [name, findings.map(({ code }) => code)]));
  for (const [code, section] of sections) {
    const [, name] = /\]\(\.\.\/fixtures\/([^)]+)\)/.exec(section) ?? [];
    if (name !== undefined) assert.ok(shownBy.get(name)?.includes(code), `${name} does not show ${code}`);
    else assert.ok(ELSEWHERE[code], `${code} has no example`);
  }
});
codes('a code that no package shows is shown by a test', () => {
  const shown = new Set(fixtures().flatMap(({ findings }) => findings.map(({ code }) => code)));
  for (const code of Object.keys(CODES).filter((one) => !shown.has(one))) {
    const test = resolve(FOLDER, ELSEWHERE[code] ?? '-');
    assert.ok(existsSync(test) && readFileSync(test, 'utf8').includes(code), `nothing shows ${code}`);
  }
  for (const code of Object.keys(ELSEWHERE)) assert.not.ok(shown.has(code), `a package shows ${code}`);
});
codes.run();
