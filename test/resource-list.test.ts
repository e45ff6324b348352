import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readResourceList } from '../functions/stages/read/resource-list';
import { echo } from '../functions/stages/write/resource-list';

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';
const written = (text: string): string => {
  const { value, findings } = readResourceList(text);
  assert.equal(findings, []);
  return [...echo(value, [])].join('');
};

const bytes = suite('a list that nobody changes leaves byte for byte as it came');
const UNCHANGED: Record<string, string> = {
  'items at the margin': `${HEAD}items:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n`,
  'items further in': `${HEAD}items:\n  - apiVersion: v1\n    kind: ConfigMap\n  - kind: Pod\n    a: 0444\n`,
  'a head comment before the first field': `${HEAD}items:\n- # why\n  apiVersion: v1\n  kind: A\n`,
  'comments, blank lines and quotes': `${HEAD}items:\n- a: 'x'  # one\n\n  # two\n# three\n- b: "y"\n`,
  'block scalars that look like items': `${HEAD}items:\n- a: |\n    - apiVersion: v1\n    items:\n  b: 1\n- c: >-\n    folded\n`,
  'big integers, dates, octals, booleans of YAML 1.1': `${HEAD}items:\n- a: 9007199254740993\n  b: 0444\n  c: yes\n  d: 2024-01-02\n  e: 1_000\n`,
  'anchors, aliases and merge keys': `${HEAD}items:\n- a: &x {b: 1}\n  c: *x\n  !!merge <<: *x\n`,
  'a function config after the items': `${HEAD}items:\n- a: 1\nfunctionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  data:\n    a: b\n`,
  'a function config before the items': `${HEAD}functionConfig:\n  kind: ConfigMap\nitems:\n- a: 1\n`,
  'no items': `${HEAD}items: []\n`,
};
for (const [sentence, text] of Object.entries(UNCHANGED)) bytes(sentence, () => assert.is(written(text), text));
bytes('CRLF line ends', () => {
  const text = `${HEAD}items:\n- apiVersion: v1\n  kind: A\n`.replaceAll('\n', '\r\n');
  assert.is(written(text), text);
});
bytes.run();

const refused = suite('text that is no ResourceList is refused, never taken for an empty one');
const REFUSED: Record<string, string> = {
  'empty input': '',
  'white space only': ' \n\n',
  'another kind': 'apiVersion: v1\nkind: Pod\nitems: []\n',
  'no items': HEAD,
  'items of null': `${HEAD}items:\n`,
  'items that are a map': `${HEAD}items: {a: 1}\n`,
  'items that are text': `${HEAD}items: none\n`,
  'an item of null': `${HEAD}items:\n- null\n`,
  'an item that is text': `${HEAD}items:\n- hello\n`,
  'an item that is a list': `${HEAD}items:\n- - a: 1\n`,
  'a NUL byte': `${HEAD}items:\n- a: \0\n`,
  'truncated JSON': '{"kind": "ResourceList", "items": [',
  'two documents': `${HEAD}items: []\n---\n${HEAD}items: []\n`,
  'a bare list': '- a: 1\n',
  'nesting that would blow a stack': `${HEAD}items: ${'['.repeat(10_000)}${']'.repeat(10_000)}\n`,
};
for (const [sentence, text] of Object.entries(REFUSED)) {
  refused(sentence, () => {
    const codes = readResourceList(text).findings.map(({ code }) => code);
    assert.equal([...new Set(codes)], ['INVALID_RESOURCE_LIST']);
  });
}
refused.run();

const unread = suite('an item whose kind cannot be told is an error, since it may be one of ours');
const BOMB = Array.from({ length: 9 }, (_, n) => `x${n + 1}: &x${n + 1} [${Array(10).fill(`*x${n}`).join(', ')}]`).join(
  ', ',
);
const UNREAD: Record<string, [string, string]> = {
  'an unknown alias': ['- apiVersion: steadmesh.io/v1alpha1\n  kind: Seat\n  metadata: {name: *a}\n', 'INVALID_YAML'],
  'an alias bomb': [`- {kind: Seat, x0: &x0 [1, 2, 3], ${BOMB}}\n`, 'ALIAS_EXPANSION'],
};
for (const [sentence, [item, code]] of Object.entries(UNREAD)) {
  unread(sentence, () => {
    assert.equal(
      readResourceList(`${HEAD}items:\n${item}`).findings.map((one) => one.code),
      [code],
    );
  });
}
unread('a kustomization without a kind is none', () => {
  assert.equal(readResourceList(`${HEAD}items:\n- resources: [a.yaml]\n`).findings, []);
});
unread.run();

const shapes = suite('lists in other shapes are read too');
shapes('JSON stays JSON', () => {
  const text =
    '{"apiVersion":"config.kubernetes.io/v1","kind":"ResourceList","items":[{"kind":"A","n":9007199254740993}]}';
  const out = written(text);
  assert.ok(out.includes('{"kind":"A","n":9007199254740993}'));
  assert.is(JSON.parse(out).items.length, 1);
});
shapes('flow style with comments and trailing commas', () => {
  const out = written(
    '---\n{\n  # why\n  kind: "ResourceList",\n  items: [{\n    kind: "A",\n    a: 0444,\n  },],\n}\n',
  );
  assert.match(out, /a: 0444/);
});
shapes('quoted keys', () => {
  const { value } = readResourceList(
    '"apiVersion": "config.kubernetes.io/v1"\n"kind": "ResourceList"\n"items":\n- kind: A\n  metadata:\n    name: b\n',
  );
  assert.is(value.items[0]?.name, 'b');
});
shapes('results of earlier functions are kept', () => {
  const text = `${HEAD}items: []\nresults:\n- message: earlier\n`;
  assert.ok(written(text).endsWith('results:\n- message: earlier\n'));
});
shapes.run();

const headers = suite('the cheap look finds identity and annotations');
headers('in what kpt sends', () => {
  const { value } = readResourceList(
    `${HEAD}items:\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata:\n    name: 'a'\n    namespace: "b" # c\n    annotations:\n      internal.config.kubernetes.io/path: 'x/y.yaml'\n      internal.config.kubernetes.io/index: '3'\n  spec: {}\n`,
  );
  const { apiVersion, kind, name, namespace, origin } = value.items[0]!;
  assert.equal(
    { apiVersion, kind, name, namespace, origin },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'a',
      namespace: 'b',
      origin: { file: 'x/y.yaml', index: 3, line: 0, column: 1 },
    },
  );
});
headers('a quoted text over several lines hides no kind', () => {
  const { value } = readResourceList(`${HEAD}items:\n- x: "a\n    kind: Seat\n    b"\n  kind: Pod\n`);
  assert.is(value.items[0]?.kind, 'Pod');
});
headers.run();
