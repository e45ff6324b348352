// Every package in fixtures/ gives the objects and findings in its .expected/, from files and from a ResourceList, twice.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { isError } from '../functions/finding';
import { type Answer, type Call, expandList, validateList } from '../functions/krm';
import type { Expansion, Rendered } from '../functions/model';
import { OWNER_ANNOTATION } from '../functions/owner';
import { expand } from '../functions/pipeline';
import { PROBED_NAMESPACE } from '../functions/probe/identity';
import { writeYaml } from '../functions/stages/write/stream';
import {
  type ExpectedFinding,
  type Fixture,
  fixtures,
  functionConfig,
  inputOf,
  lineOf,
  platformOf,
  readLine,
  withCopy,
} from './fixtures';
import { readPackage, wireItems, wireList, writtenFiles } from './kpt-list';

const golden = suite('golden');
const UPDATE = process.env.UPDATE_GOLDEN === '1';

interface Result {
  readonly 'findings.txt': string | undefined;
  /** The objects of seats; undefined: refused. */
  readonly 'objects.yaml': string | undefined;
  /** The probe's objects, where the case shows them: most would say the same once more. */
  readonly 'probe.yaml': string | undefined;
  /** The package afterwards, as kpt writes it: each object and where it lives. */
  readonly 'files.txt': string | undefined;
}

function resultOf(fixture: Fixture): Result {
  return withCopy(fixture, (copy) => {
    const expansion = expand(inputOf(copy, fixture));
    const refused = expansion.findings.some(isError);
    if (refused) assert.is(printed(expansion), '', 'an error leaves nothing rendered');
    return {
      'findings.txt': expansion.findings.map((finding) => `${lineOf(finding)}\n`).join('') || undefined,
      'objects.yaml': refused ? undefined : printed(expansion, (one) => !isOfProbe(one)),
      'probe.yaml': goldenText(fixture, 'probe.yaml') === undefined ? undefined : printed(expansion, isOfProbe),
      'files.txt': refused || !fixture.isPackage ? undefined : filesAfter(expandCopy(copy, fixture)),
    };
  });
}

/** What `seatplan render` prints of some objects. */
function printed(expansion: Expansion, isWanted: (one: Rendered) => boolean = () => true): string {
  const chunks: string[] = [];
  const render = (): Iterable<Rendered> => [...expansion.render()].filter(isWanted);
  writeYaml({ ...expansion, render }, { inputs: false, all: false }, (chunk) => chunks.push(chunk));
  return chunks.join('');
}

const isOfProbe = ({ object }: Rendered): boolean => object.metadata?.labels?.[PROBED_NAMESPACE] !== undefined;

const expandCopy = (copy: string, fixture: Fixture): string =>
  textOf(expandList(call(wireList(wireItems(readPackage(copy)), functionConfig(copy)), fixture)));

const textOf = ({ output }: Answer): string => [...output].join('');

const filesAfter = (list: string): string =>
  writtenFiles(list)
    .flatMap(({ path, packagePath, documents }) =>
      documents.map((text, index) => {
        const { kind = '-', metadata = {} } = parse(text, LENIENT);
        const name = [kind, metadata.namespace, metadata.name].filter(Boolean).join('/');
        return `${join(packagePath, path).slice(1)}:${index} ${name}\n`;
      }),
    )
    .join('');

const call = (list: string, fixture: Fixture): Call => {
  const { value: platform, findings = [] } = platformOf(fixture) ?? {};
  return { stdin: Buffer.from(list), platform, findings, logToStderr: false };
};

/** Text against text. With UPDATE_GOLDEN=1 what differs is written, and the run fails: a golden is read before it counts. */
function matches(fixture: Fixture): void {
  const actual = resultOf(fixture);
  const expected = Object.fromEntries(Object.keys(actual).map((name) => [name, goldenText(fixture, name)]));
  if (UPDATE) for (const [name, text] of Object.entries(actual)) writeGolden(fixture, name, text);
  assert.equal(actual, expected);
}

function goldenText({ folder }: Fixture, name: string): string | undefined {
  const path = join(folder, '.expected', name);
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function writeGolden(fixture: Fixture, name: string, text: string | undefined): void {
  const folder = join(fixture.folder, '.expected');
  mkdirSync(folder, { recursive: true });
  if (text === undefined) rmSync(join(folder, name), { force: true });
  else if (text !== goldenText(fixture, name)) writeFileSync(join(folder, name), text);
}

/** A finding of a list has no place in a file that a line could name. */
const placeless = ({ severity, code, source, resource, path }: ExpectedFinding): string =>
  [severity, code, source, resource, path].join(' ');
const expectedOf = ({ findings }: Fixture): string[] => findings.map(placeless).sort();
const toldBy = ({ findings }: Answer): string[] => findings.map((one) => placeless(readLine(lineOf(one)))).sort();

/** Refused: the list comes back as it was. Else foreign items leave byte for byte, and a second run changes nothing. */
function expandsAsList(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    const config = functionConfig(copy);
    const items = wireItems(readPackage(copy));
    const list = wireList(items, config);
    const answer = expandList(call(list, fixture));
    const text = textOf(answer);
    assert.equal(toldBy(answer), expectedOf(fixture));
    if (fixture.objects === undefined) {
      assert.ok(text.startsWith(list), 'a refused list comes back as it was');
      return;
    }
    for (const item of items.filter((one) => !one.text.includes(OWNER_ANNOTATION)))
      assert.ok(text.includes(item.text), `kept as it came:\n${item.text}`);
    const files = writtenFiles(text);
    const objects = files.flatMap(({ documents }) => documents).map((one) => parse(one, LENIENT));
    const expectedObjects = [fixture.objects, goldenText(fixture, 'probe.yaml') ?? ''].flatMap((one) =>
      parseAllDocuments(one),
    );
    for (const document of expectedObjects) {
      const expected = document.toJS();
      const found = objects.filter((object) => identity(object) === identity(expected));
      assert.equal(found, [expected]);
    }
    const again = wireItems(files);
    const second = textOf(expandList(call(wireList(again, config), fixture)));
    assert.equal(wireItems(writtenFiles(second)), again, 'a second run changes nothing');
  });
}

const LENIENT = { logLevel: 'error', uniqueKeys: false, merge: true } as const;
const identity = (object: { kind?: string; metadata?: { namespace?: string; name?: string } }): string =>
  [object.kind, object.metadata?.namespace, object.metadata?.name].join('/');

function isValidatedAsList(fixture: Fixture): void {
  withCopy(fixture, (copy) => {
    const list = wireList(wireItems(readPackage(copy)), functionConfig(copy));
    const answer = validateList(call(list, fixture));
    assert.equal(toldBy(answer), expectedOf(fixture));
    assert.ok(textOf(answer).startsWith(list), 'a validator echoes its items');
  });
}

for (const fixture of fixtures()) {
  golden(`${fixture.name}: objects and findings are the expected ones`, () => matches(fixture));
  if (!fixture.isPackage) continue;
  golden(`${fixture.name}: a ResourceList is expanded to the same, twice`, () => expandsAsList(fixture));
  golden(`${fixture.name}: a ResourceList is validated with the same findings`, () => isValidatedAsList(fixture));
}

golden('there are at least forty packages', () => {
  assert.ok(fixtures().filter(({ isPackage }) => isPackage).length >= 40);
});

golden.run();
