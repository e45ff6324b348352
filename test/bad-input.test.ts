// Input that is broken, hostile or odd never crashes a run, never loses what was there, and never passes for "no seats".
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMap, isSeq, parseDocument } from 'yaml';
import { isError } from '../functions/finding';
import { expandList, validateList } from '../functions/krm';
import { expand } from '../functions/pipeline';
import { textOf } from '../functions/report/text';
import { readFiles } from '../functions/stages/read/files';

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';
const TIER = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata:
  name: standard
spec:
  runtimeClassName: gvisor
  isolation: gvisor
  defaultResources:
    limits: {cpu: "1", memory: 1Gi}
`;
const seat = (more = '', name = 'engineer'): string => `apiVersion: steadmesh.io/v1alpha1
kind: Seat
metadata:
  name: ${name}
  namespace: team-a
spec:
  organization: acme
  tierRef: {name: standard}
  harness:
    adapter: claude-code
    image: agent@sha256:${'0'.repeat(64)}
${more}`;
const FOREIGN =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "a"} # kept\ndata: {mode: 0444, big: 9007199254740993}\n';
const entry = (text: string): string => `- ${text.trimEnd().replace(/\n/g, '\n  ')}\n`;
const listOf = (...texts: string[]): string => `${HEAD}items:\n${texts.map(entry).join('')}`;

/** Deeper than any parser's stack. */
const DEEP = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
const BOMB = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((name, n) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[n]}`).join(', ')}]`),
]
  .map((line) => `    ${line}\n`)
  .join('');

interface Ran {
  readonly text: string;
  readonly codes: readonly string[];
  readonly failed: boolean;
}

/** Through both functions; the validator tells the same. */
function run(stdin: string | Uint8Array): Ran {
  const call = { stdin: Buffer.from(stdin as string), platform: undefined, findings: [], logToStderr: false };
  const { output, findings } = expandList(call);
  const validated = validateList(call);
  const codes = findings.map(({ code }) => code);
  assert.equal(
    validated.findings.map(({ code }) => code),
    codes,
  );
  isResourceList([...validated.output].join(''));
  return { text: isResourceList([...output].join('')), codes, failed: findings.some(isError) };
}

function isResourceList(text: string): string {
  const { contents, errors } = parseDocument(text.replaceAll(DEEP, '[]'), { uniqueKeys: false });
  assert.equal(errors, []);
  assert.ok(isMap(contents) && String(contents.get('kind')) === 'ResourceList' && isSeq(contents.get('items')));
  return text;
}

// ---------------------------------------------------------------- lists that are none
const none = suite('what is no list of objects is refused');
const NONE: Record<string, string | Uint8Array> = {
  'empty stdin': '',
  'white space': '\n \n',
  'another kind': 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n',
  'a list without items': HEAD,
  'items of null': `${HEAD}items:\n`,
  'items that are a text': `${HEAD}items: none\n`,
  'an item of null': `${HEAD}items:\n- null\n`,
  'an item that is a number': `${HEAD}items:\n- 5\n`,
  'a NUL byte': listOf(seat('  instructions: "a\0b"\n')),
  'JSON that ends too early': '{"kind": "ResourceList", "items": [{"kind": "Seat"',
  'two lists': `${HEAD}items: []\n---\n${HEAD}items: []\n`,
  'a number': '5',
  'ten thousand brackets': DEEP,
};
for (const [sentence, stdin] of Object.entries(NONE)) {
  none(sentence, () => {
    const { codes, failed } = run(stdin);
    assert.equal([...new Set(codes)], ['INVALID_RESOURCE_LIST']);
    assert.ok(failed);
  });
}
none('bytes that are not UTF-8', () => {
  assert.equal(run(Buffer.concat([Buffer.from(HEAD), Buffer.from([0xff, 0xfe, 0x0a])])).codes, ['INVALID_ENCODING']);
});
none('more bytes than are read', () => {
  const stdin = { length: 2 ** 30 } as Uint8Array;
  const { findings } = expandList({ stdin, platform: undefined, findings: [], logToStderr: false });
  assert.equal(
    findings.map(({ code }) => code),
    ['INPUT_TOO_LARGE'],
  );
});
none.run();

// ---------------------------------------------------------------- lists with something wrong in them
const kept = suite('with an error the items come back as they came');
const KEPT: Record<string, [items: string[], code: string]> = {
  'nesting that no object has': [[seat(`  tools: ${DEEP}\n`), TIER], 'INVALID_YAML'],
  'aliases that explode': [[seat(`  access:\n${BOMB}`), TIER], 'ALIAS_EXPANSION'],
  'an alias that nothing explains': [[seat('  instructions: *nobody\n'), TIER], 'INVALID_YAML'],
  'an anchor that holds itself': [[seat('  tools: &me [*me]\n'), TIER], 'INVALID_YAML'],
  'a key that stands twice': [[seat('  state: Running\n  state: Stopped\n'), TIER], 'DUPLICATE_KEY'],
  'a merged field that stands there too': [
    [seat('  resources:\n    limits: &l {cpu: 1, memory: 1Gi}\n    requests:\n      <<: *l\n      cpu: 2\n'), TIER],
    'DUPLICATE_KEY',
  ],
  'a text of half a character': [[seat('  instructions: "\\ud800"\n'), TIER], 'INVALID_YAML'],
  'more text than an object has': [[seat(`  instructions: "${'x'.repeat(3 * 2 ** 20)}"\n`), TIER], 'INPUT_TOO_LARGE'],
  'a Seat without metadata': [['apiVersion: steadmesh.io/v1alpha1\nkind: Seat\nspec: {}\n', TIER], 'MISSING_FIELD'],
  'a Seat that is all null': [
    ['apiVersion: steadmesh.io/v1alpha1\nkind: Seat\nmetadata:\nspec:\n', TIER],
    'MISSING_FIELD',
  ],
  'a number of 64 bits where a port belongs': [
    [seat('  access: {egress: [{host: a.example.com, ports: [9223372036854775807]}]}\n'), TIER],
    'INVALID_VALUE',
  ],
  'a field called __proto__': [[seat('  __proto__: {state: Stopped}\n'), TIER], 'UNKNOWN_FIELD'],
  'a field called constructor': [[seat('  constructor: x\n'), TIER], 'UNKNOWN_FIELD'],
  'a tier called __proto__': [[seat().replace('{name: standard}', '{name: constructor}'), TIER], 'UNKNOWN_TIER'],
};
for (const [sentence, [items, code]] of Object.entries(KEPT)) {
  kept(sentence, () => {
    const list = listOf(FOREIGN, ...items);
    const { text, codes, failed } = run(list);
    assert.ok(codes.includes(code as (typeof codes)[number]), `${codes.join(', ')} has no ${code}`);
    assert.ok(failed);
    assert.ok(text.startsWith(list));
  });
}
kept('inputs that are files are not dropped', () => {
  const marks = "annotations: {config.kubernetes.io/path: 'seat.yaml', config.kubernetes.io/index: '0'}";
  const config =
    'apiVersion: seatplan.dev/v1alpha1\nkind: ExpandSeats\nmetadata: {name: a}\nspec: {output: {inputs: drop}}\n';
  const list = listOf(TIER, seat().replace('  namespace:', `  ${marks}\n  namespace:`), config);
  const { text, codes } = run(list);
  assert.ok(codes.includes('INPUTS_ARE_FILES'));
  assert.ok(text.startsWith(list));
});
kept.run();

// ---------------------------------------------------------------- odd, and right all the same
const odd = suite('odd forms are read like any other');
const json = (text: string): object => parseDocument(text).toJS();
const asJSON = JSON.stringify({
  apiVersion: 'config.kubernetes.io/v1',
  kind: 'ResourceList',
  items: [json(TIER), json(seat())],
});
const ODD: Record<string, string> = {
  'CRLF line ends': listOf(TIER, seat(), FOREIGN).replaceAll('\n', '\r\n'),
  'a byte order mark': `\ufeff${listOf(TIER, seat())}`,
  JSON: asJSON,
  KYAML: `---\n{\n  # A list of two.\n  kind: "ResourceList",\n  items: [\n${JSON.stringify(json(TIER))},\n${JSON.stringify(json(seat()))},\n  ],\n}\n`,
  'a document marker': `---\n${listOf(TIER, seat())}`,
  'items further in': `${HEAD}items:\n${[TIER, seat()].map(entry).join('').replace(/^/gm, '    ').trimEnd()}\n`,
  'items without metadata, name or kind': listOf(
    TIER,
    seat(),
    'resources: [a.yaml]',
    'apiVersion: v1\nkind: ConfigMap\n',
    'kind: Widget\nmetadata:\n',
  ),
  'foreign items with anchors, merge keys and repeated keys': listOf(
    TIER,
    seat(),
    'apiVersion: v1\nkind: A\nspec:\n  x: &x {a: 1}\n  !!merge <<: *x\n  b: 1\n  b: 2\n',
  ),
  'foreign items of great depth': listOf(TIER, seat(), `apiVersion: v1\nkind: A\nspec:\n  x: ${DEEP}\n`),
  'foreign alias bombs': listOf(TIER, seat(), `apiVersion: v1\nkind: A\nspec:\n${BOMB}`),
};
for (const [sentence, list] of Object.entries(ODD)) {
  odd(sentence, () => {
    const { text, failed, codes } = run(list);
    assert.not.ok(failed, codes.join(', '));
    assert.match(text, /kind"?: ?"?StatefulSet/);
  });
}
odd('foreign items leave byte for byte', () => {
  for (const list of [listOf(TIER, seat(), FOREIGN), listOf(TIER, seat(), FOREIGN).replaceAll('\n', '\r\n')])
    assert.ok(run(list).text.startsWith(list));
});
odd.run();

// ---------------------------------------------------------------- files
const files = suite('files never crash a run');
const PRINTABLE = /^[\n\x20-\x7e\xa0-\u{10ffff}]*$/u;
const FILES: Record<string, string | Uint8Array> = {
  ...NONE,
  ...Object.fromEntries(Object.entries(KEPT).map(([sentence, [items]]) => [sentence, items.join('---\n')])),
  ...ODD,
  'a list that never ends': 'apiVersion: v1\nkind: List\nitems:\n- a: [\n',
  'only markers': '---\n---\n...\n---\n',
  'only comments': '# nothing\n',
  'a tab for an indent': 'apiVersion: v1\nkind: A\nmetadata:\n\tname: a\n',
  'a directive': '%YAML 1.1\n---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n',
  'bytes of an image': Uint8Array.from({ length: 512 }, (_, n) => (n * 31) % 256),
};
for (const [sentence, bytes] of Object.entries(FILES)) {
  files(sentence, () => {
    const read = readFiles([{ path: 'a.yaml', bytes: Buffer.from(bytes as string) }], 'package');
    const { findings, render } = expand({ items: read.value, findings: read.findings });
    if (findings.some(isError)) assert.equal([...render()], []);
    assert.match(textOf(findings, { colours: false }), PRINTABLE);
  });
}
files('terminal escapes, bidi marks and command lines of a CI in names and values are printed as escapes', () => {
  const evil = '"\\e[2J\\n::error::x\\u202e\\u009b2J"';
  const text = [
    seat().replace('name: engineer', `name: ${evil}`),
    seat(`  workload: ${evil}\n  ${evil}: x\n`),
    TIER.replace('isolation: gvisor', `isolation: ${evil}`),
  ].join('---\n');
  const read = readFiles([{ path: 'a\u001b[2J.yaml', bytes: Buffer.from(text) }], 'package');
  const { findings } = expand({ items: read.value, findings: read.findings });
  assert.ok(findings.length > 3);
  const printed = textOf(findings, { colours: false });
  assert.match(printed, PRINTABLE);
  assert.not.match(printed, /^::|[\u202a-\u202e\u2066-\u2069]/m);
});
files.run();

// ---------------------------------------------------------------- the process itself
const BUNDLE = resolve(__dirname, '../dist/expand-seats.js');
const bundled = suite('the built function');
function spawned(input: string): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BUNDLE], { input, encoding: 'utf8' });
  return { status, stdout, stderr };
}
const built = existsSync(BUNDLE) ? bundled : bundled.skip;
built('answers a broken input with exit code 1 and its results on stdout', () => {
  for (const input of ['', HEAD, DEEP, listOf(FOREIGN, seat())]) {
    const { status, stdout, stderr } = spawned(input);
    assert.is(status, 1);
    assert.is(stderr, '');
    assert.match(isResourceList(stdout), /^results:\n/m);
  }
});
built('answers a right one with exit code 0 and the objects', () => {
  const { status, stdout } = spawned(listOf(FOREIGN, TIER, seat()));
  assert.is(status, 0);
  assert.match(stdout, 'kind: StatefulSet');
  assert.match(stdout, FOREIGN.split('\n')[3]!);
});
bundled.run();
