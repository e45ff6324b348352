import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { report } from '../functions/finding';
import { decode } from '../functions/stages/read/decode';
import { readFiles } from '../functions/stages/read/files';
import { readResourceList } from '../functions/stages/read/resource-list';
import { echo } from '../functions/stages/write/resource-list';

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';
const finding = report('CIDR_MASKED', undefined, '', 'later');
const written = (text: string, findings = [finding]): string => {
  const read = readResourceList(text);
  assert.equal(read.findings, []);
  return [...echo(read.value, findings)].join('');
};

const bytes = suite('lists in an odd shape leave as they came');
const UNCHANGED: Record<string, string> = {
  'comments between `items` and its first dash': `${HEAD}items: # all\n# of them\n\n- kind: A\n`,
  'a dash on a line of its own': `${HEAD}items:\n-\n  # why\n  kind: A\n  x: 0444 # four\n# tail\n-\n  kind: B\n`,
  'quoted keys, tags and anchors': `"kind": "ResourceList"\n"items":\n# c\n- # why\n  kind: A # t\n  # foot\n# between\n- !!map\n  kind: B\n- &x\n  kind: C\n`,
  'further keys of the list': `${HEAD}metadata:\n  name: a\nitems:\n- kind: A\nextra: [1]\n`,
  'dashes that stand further in': `${HEAD}items:\n   - kind: A\n     x: 1\n   # c\n   - kind: B\n`,
};
for (const [sentence, text] of Object.entries(UNCHANGED)) {
  bytes(sentence, () => assert.is(written(text, []), text));
}
bytes.run();

const ITEMS: Record<string, string> = {
  'comments behind the items of KYAML':
    '---\n{\n  kind: "ResourceList",\n  items: [{ # head\n    kind: "A",\n  }, # foot\n  # between\n  {kind: B} # last\n  ],\n}\n',
  'a comma behind the last item': '{kind: ResourceList, items: [{kind: A}, {kind: B},],}\n',
  'flow items of a block list': `${HEAD}items: [\n{kind: A,\nx: "a\n\n b"}, {kind: B} ]\n`,
  'scalars that look like syntax':
    '{"kind":"ResourceList","items":[{"kind":"A","x":"]},[#","y":!<t:,> z},{"kind":"B"}]}',
  'a function config whose last line has no end': `${HEAD}items:\n- kind: A\n- kind: B\nfunctionConfig:\n  kind: ConfigMap`,
  'a document end': `%YAML 1.2\n---\n${HEAD}items:\n- kind: A\n- kind: B\n...\n`,
};
const kept = suite('every item and the function config is still there when results are added');
for (const [sentence, text] of Object.entries(ITEMS)) {
  kept(sentence, () => {
    const before = decode(text.replace(/^%.*\n/, '')).value as { functionConfig?: unknown; items: unknown[] };
    const after = decode(written(text)).value as typeof before;
    assert.equal(after.items, before.items);
    assert.equal(after.functionConfig, before.functionConfig);
    assert.is(written(text, []), written(written(text, []), []), 'a second run changes nothing');
  });
}
kept.run();

const results = suite('results of earlier functions stay when ours are added');
const RESULTS: Record<string, string> = {
  'in block style': `${HEAD}items: []\nresults:\n- message: earlier\n`,
  'before the items': `${HEAD}results:\n- message: earlier\nitems: []\n`,
  'behind a comment': `${HEAD}items: []\nresults: # c\n- message: earlier\n`,
  'in flow style': `${HEAD}items: []\nresults: [{message: earlier}]\n`,
  'in the old form': `${HEAD}items: []\nresults:\n  name: a\n  items:\n  - message: earlier\n`,
  'in JSON': '{"kind":"ResourceList","results":[{"message":"earlier"}],"items":[]}',
};
for (const [sentence, text] of Object.entries(RESULTS)) {
  results(sentence, () => {
    const { results: found } = decode(written(text)).value as { results: { message: string }[] };
    assert.equal(
      found.map(({ message }) => message),
      ['earlier', 'later'],
    );
  });
}
results.run();

const files = suite('Lists in files');
const namesOf = (text: string): string[] => {
  const { value, findings } = readFiles([{ path: 'a.yaml', bytes: Buffer.from(text) }], 'package');
  return [...value.map(({ kind, name }) => `${kind}/${name}`), ...findings.map(({ code }) => code)];
};
files('an anchor that two objects share is an error: it must not hide the list', () => {
  const seat = '- apiVersion: steadmesh.io/v1alpha1\n  kind: Seat\n  metadata: {name: s}\n  spec: *s\n';
  const text = `apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: A\n  x: &s {a: b}\n${seat}`;
  assert.ok(namesOf(text).includes('INVALID_YAML'));
});
files('an anchor within one object is none of our business', () => {
  const text =
    'apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: A, metadata: {name: a}, x: &s {}, y: *s}\n';
  assert.equal(namesOf(text), ['A/a']);
});
files('an object of a kind that ends in List is an object when it has a name', () => {
  assert.equal(namesOf('apiVersion: a/v1\nkind: AllowList\nmetadata:\n  name: a\nitems:\n- kind: B\n'), [
    'AllowList/a',
  ]);
});
files('objects of a list in one line cost no more than on many', () => {
  const items = Array.from({ length: 1000 }, (_, n) => ({ apiVersion: 'v1', kind: 'A', metadata: { name: `a${n}` } }));
  const text = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const read = readFiles([{ path: 'a.json', bytes: Buffer.from(text) }], 'package').value;
  assert.is(read.length, 1000);
  assert.ok(read.reduce((sum, item) => sum + item.text.length, 0) < 2 * text.length);
});
files('a finding in a flow list points at its own line', () => {
  const text = '{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"A"},\n  {a: b}]}\n';
  const [one] = readFiles([{ path: 'a.yaml', bytes: Buffer.from(text) }], 'package').findings;
  assert.equal([one?.code, one?.item?.origin.line, one?.item?.origin.column], ['NOT_A_RESOURCE', 2, 3]);
});
files.run();
