// Broken, hostile and odd lists never crash a function, never lose what was there, and never pass for "no seats".
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMap, isSeq, parseDocument } from 'yaml';
import { isError } from '../functions/finding';
import { expandList, validateList } from '../functions/krm';
import { DEEP, FOREIGN, HEAD, KEPT, listOf, NONE, ODD, seat, TIER } from './hostile-input';

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

const none = suite('what is no list of objects is refused');
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

const kept = suite('with an error the items come back as they came');
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

const odd = suite('odd forms are read like any other');
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
