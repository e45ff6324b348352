// Real kpt, real containers: every fixture renders to what the embedded runner prints, twice; invalid ones stay as they are.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { type Ran, run } from './command';
import { docker, IMAGES } from './docker';
import { errorCodes, type Fixture, fixtures, render, withCopy } from './fixtures';
import { changedSince, type Manifest, readFolder, readStream, renderedByIdentity, snapshot } from './objects';
import { program, suiteWith } from './prerequisites';

const OFFLINE = ['--image-pull-policy', 'never'];
const test = suiteWith('kpt', 'kpt', 'docker');

const kpt = (...args: string[]): Ran => run([program('kpt') ?? 'kpt', 'fn', ...args], { env: docker() });

/** kpt's words say why; a passing run says nothing of interest. */
const succeeds = ({ status, stdout, stderr }: Ran): void => assert.is(status, 0, `${stdout}${stderr}`);

const embedded = (folder: string, fixture: Fixture): Record<string, Manifest> =>
  renderedByIdentity(readStream(render(folder, fixture)));

/** Render passes nothing to a container but its input, so the platform level needs `kpt fn eval` and a mount. */
const platformLevel = ({ platform }: Fixture): string[] =>
  platform ? ['--mount', `type=bind,src=${platform},dst=/platform`, '--env', 'SEATPLAN_PLATFORM=/platform'] : [];

/** Results that kpt saves, of all functions that ran. */
function saved<T>(use: (args: string[]) => T): { value: T; results: Parameters<typeof errorCodes>[0] } {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-results-'));
  try {
    const value = use(['--results-dir', folder]);
    const file = join(folder, 'results.yaml');
    const { items = [] } = existsSync(file) ? parse(readFileSync(file, 'utf8')) : {};
    return { value, results: items.flatMap(({ results = [] }) => results) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const configPath = (copy: string): string[] => {
  const { pipeline } = parse(readFileSync(join(copy, 'Kptfile'), 'utf8'));
  const file: string | undefined = pipeline?.mutators?.[0]?.configPath;
  return file ? ['--fn-config', join(copy, file)] : [];
};

function rendersAsEmbedded(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    const expected = embedded(copy, fixture);
    succeeds(kpt('render', copy, ...OFFLINE));
    assert.equal(renderedByIdentity(readFolder(copy)), expected);
    const once = snapshot(copy);
    succeeds(kpt('render', copy, ...OFFLINE));
    assert.equal(changedSince(once, copy), []);
  });
}

function evaluatesAsEmbedded(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    const expected = embedded(copy, fixture);
    const flags = [...OFFLINE, ...configPath(copy), ...platformLevel(fixture)];
    succeeds(kpt('eval', copy, ...flags, '--image', IMAGES['expand-seats']));
    assert.equal(renderedByIdentity(readFolder(copy)), expected);
    const expanded = snapshot(copy);
    succeeds(kpt('eval', copy, ...flags, '--type', 'validator', '--image', IMAGES['validate-seats']));
    assert.equal(changedSince(expanded, copy), []);
  });
}

function isRefused(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    const before = snapshot(copy);
    const { value, results } = saved((flags) =>
      fixture.platform
        ? kpt('eval', copy, ...OFFLINE, ...platformLevel(fixture), '--image', IMAGES['expand-seats'], ...flags)
        : kpt('render', copy, ...OFFLINE, ...flags),
    );
    assert.is(value.status, 1, value.stderr);
    assert.equal(changedSince(before, copy), []);
    assert.equal(errorCodes(results), errorCodes(fixture.results));
  });
}

for (const fixture of fixtures()) {
  if (!fixture.valid) {
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
