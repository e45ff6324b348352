// Broken, hostile and odd files never crash a run, and nothing of their text escapes into a terminal or a CI's log.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isError } from '../functions/finding';
import { expand } from '../functions/pipeline';
import { textOf } from '../functions/report/text';
import { readFiles } from '../functions/stages/read/files';
import { KEPT, NONE, ODD, seat, TIER } from './hostile-input';

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
