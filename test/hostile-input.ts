// Input that is broken, hostile or odd: lists of objects as text, by what is the matter with them.
import { parseDocument } from 'yaml';

export const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';
export const TIER = `apiVersion: maqpna.com/v1alpha1
kind: TrustTier
metadata:
  name: standard
spec:
  runtimeClassName: gvisor
  isolation: gvisor
  defaultResources:
    limits: {cpu: "1", memory: 1Gi}
`;
export const seat = (more = '', name = 'engineer'): string => `apiVersion: steadmesh.io/v1alpha1
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
export const FOREIGN =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "a"} # kept\ndata: {mode: 0444, big: 9007199254740993}\n';
const entry = (text: string): string => `- ${text.trimEnd().replace(/\n/g, '\n  ')}\n`;
export const listOf = (...texts: string[]): string => `${HEAD}items:\n${texts.map(entry).join('')}`;

/** Deeper than any parser's stack. */
export const DEEP = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
const BOMB = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'.split('').map((name, n) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[n]}`).join(', ')}]`),
]
  .map((line) => `    ${line}\n`)
  .join('');

/** What is no list of objects. */
export const NONE: Record<string, string | Uint8Array> = {
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

/** Lists with something wrong in one of our objects, and what it is called. */
export const KEPT: Record<string, [items: string[], code: string]> = {
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

const json = (text: string): object => parseDocument(text).toJS();
const asJSON = JSON.stringify({
  apiVersion: 'config.kubernetes.io/v1',
  kind: 'ResourceList',
  items: [json(TIER), json(seat())],
});

/** Odd, and right all the same. */
export const ODD: Record<string, string> = {
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
