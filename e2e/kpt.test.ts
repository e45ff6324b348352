// Real kpt, real containers: every fixture renders to what the embedded runner prints, twice; invalid ones stay as they are.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { type Fixture, fixtures, withCopy } from '../test/fixtures';
import { type Ran, run } from './command';
import { docker, IMAGES } from './docker';
import { configFile, renderEmbedded } from './embedded';
import { changedSince, readFolder, renderedByIdentity, sameObjects, snapshot } from './objects';
import { program, suiteWith } from './prerequisites';

const OFFLINE = ['--image-pull-policy', 'never'];
const test = suiteWith('kpt', 'kpt', 'docker');

const kpt = (...args: string[]): Ran => run([program('kpt') ?? 'kpt', 'fn', ...args], { env: docker() });

/** kpt's words say why; a passing run says nothing of interest. */
const succeeds = ({ status, stdout, stderr }: Ran): void => assert.is(status, 0, `${stdout}${stderr}`);

/** Render passes nothing to a container but its input, so the platform level needs `kpt fn eval` and a mount. */
const platformLevel = ({ platform }: Fixture): string[] =>
  platform ? ['--mount', `type=bind,src=${platform},dst=/platform`, '--env', 'SEATPLAN_PLATFORM=/platform'] : [];

/** Codes of the errors in the results that kpt saves, of all functions that ran. */
function savedCodes<T>(use: (flags: string[]) => T): { value: T; codes: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-results-'));
  try {
    const value = use(['--results-dir', folder]);
    const file = join(folder, 'results.yaml');
    const { items = [] }: { items?: FunctionResult[] } = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
    const errors = items.flatMap(({ results = [] }) => results).filter(({ severity }) => severity === 'error');
    return { value, codes: distinct(errors.map(({ tags }) => tags?.['seatplan.dev/code'] ?? '')) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
interface FunctionResult {
  readonly results?: readonly { readonly severity: string; readonly tags?: Readonly<Record<string, string>> }[];
}

const distinct = (words: readonly string[]): string[] => [...new Set(words)].sort();
const errorCodes = ({ findings }: Fixture): string[] =>
  distinct(findings.filter(({ severity }) => severity === 'error').map(({ code }) => code));

function configFlags(copy: string): string[] {
  const file = configFile(copy);
  return file ? ['--fn-config', file] : [];
}

function rendersAsEmbedded(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    const expected = renderEmbedded(copy, fixture, '--all');
    succeeds(kpt('render', copy, ...OFFLINE));
    sameObjects(renderedByIdentity(readFolder(copy)), expected);
    const once = snapshot(copy);
    succeeds(kpt('render', copy, ...OFFLINE));
    assert.equal(changedSince(once, copy), []);
  });
}

function evaluatesAsEmbedded(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    const expected = renderEmbedded(copy, fixture, '--all');
    const flags = [...OFFLINE, ...configFlags(copy), ...platformLevel(fixture)];
    succeeds(kpt('eval', copy, ...flags, '--image', IMAGES['expand-seats']));
    sameObjects(renderedByIdentity(readFolder(copy)), expected);
    const expanded = snapshot(copy);
    succeeds(kpt('eval', copy, ...flags, '--type', 'validator', '--image', IMAGES['validate-seats']));
    assert.equal(changedSince(expanded, copy), []);
  });
}

function isRefused(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    const before = snapshot(copy);
    const { value, codes } = savedCodes((flags) =>
      fixture.platform
        ? kpt('eval', copy, ...OFFLINE, ...platformLevel(fixture), '--image', IMAGES['expand-seats'], ...flags)
        : kpt('render', copy, ...OFFLINE, ...flags),
    );
    assert.is(value.status, 1, value.stderr);
    assert.equal(changedSince(before, copy), []);
    assert.equal(codes, errorCodes(fixture));
  });
}

for (const fixture of fixtures().filter(({ isPackage }) => isPackage)) {
  if (fixture.objects === undefined) {
    test(`kpt refuses ${fixture.name}, names the findings and leaves the package as it is`, () => isRefused(fixture));
    continue;
  }
  test(`kpt fn eval expands and validates ${fixture.name}`, () => evaluatesAsEmbedded(fixture));
  if (!fixture.platform) {
    test(`kpt fn render expands ${fixture.name} as the embedded runner does, and a second time changes nothing`, () =>
      rendersAsEmbedded(fixture));
  }
}

test.run();
