// Quantities, durations, image references, labels and escaping: what Kubernetes and Go say, as tables.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalJSON, digestOf } from '../functions/kubernetes/canonical-json';
import { parseDuration } from '../functions/kubernetes/duration';
import { escapeExpansion } from '../functions/kubernetes/expansion';
import { parseImageReference } from '../functions/kubernetes/image-reference';
import { isLabelKey, isLabelValue } from '../functions/kubernetes/label';
import { parseQuantity } from '../functions/kubernetes/quantity';

const quantities = suite('quantity');
const CANONICAL: readonly (readonly [string | number, string | undefined])[] = [
  ['0.5', '500m'],
  [0.5, '500m'],
  [1, '1'],
  ['1.5Gi', '1536Mi'],
  ['2048Mi', '2Gi'],
  ['1000m', '1'],
  ['100000m', '100'],
  ['1000', '1k'],
  ['1024', '1024'],
  ['1023Ki', '1023Ki'],
  ['0.5Ki', '512'],
  ['0.1Ki', '102400m'],
  ['1.0001Mi', '1048681'],
  ['10000k', '10M'],
  ['1e3', '1e3'],
  ['1E3', '1e3'],
  ['1e4', '10e3'],
  ['12e-3', '12e-3'],
  ['1E', '1E'],
  ['0', '0'],
  ['0Gi', '0'],
  ['-0', '0'],
  ['-500m', '-500m'],
  ['+1', '1'],
  ['.5', '500m'],
  ['5.', '5'],
  ['0.1n', '1n'],
  ['1.0000000001', '1000000001n'],
  ['10Ei', '9223372036854775807'],
  ['1e999999999', '9223372036854775807'],
  ['', undefined],
  ['1 Gi', undefined],
  ['1gi', undefined],
  ['1K', undefined],
  ['1e1.5', undefined],
  ['abc', undefined],
  ['.', undefined],
  ['1'.repeat(300), undefined],
];
for (const [text, canonical] of CANONICAL) {
  quantities(`${text} is stored as ${canonical}`, () => assert.is(parseQuantity(text)?.canonical, canonical));
}
quantities('quantities are compared by value, not by text', () => {
  assert.ok(parseQuantity('1Gi')!.value > parseQuantity('1000M')!.value);
  assert.is(parseQuantity('1000m')!.value, parseQuantity('1')!.value);
});
quantities.run();

const durations = suite('duration');
const NANOSECONDS: readonly (readonly [string, bigint | undefined])[] = [
  ['8h', 28_800_000_000_000n],
  ['1h30m', 5_400_000_000_000n],
  ['1.5h', 5_400_000_000_000n],
  ['.5s', 500_000_000n],
  ['100ms', 100_000_000n],
  ['1us1µs1μs', 3_000n],
  ['0', 0n],
  ['-1s', -1_000_000_000n],
  ['1d', undefined],
  ['1', undefined],
  ['', undefined],
  ['h', undefined],
  ['1h 30m', undefined],
  ['9999999999h', undefined],
  ['forever', undefined],
];
for (const [text, nanoseconds] of NANOSECONDS) {
  durations(`"${text}" is ${nanoseconds} ns`, () => assert.is(parseDuration(text), nanoseconds));
}
durations.run();

const images = suite('image reference');
const HEX = 'a'.repeat(64);
const REFERENCES: readonly (readonly [string, boolean])[] = [
  [`registry.example:5000/team/agent:v1.2@sha256:${HEX}`, true],
  [`agent@sha256:${HEX}`, true],
  ['agent', true],
  ['agent:latest', true],
  ['a/b__c/d--e:1', true],
  ['[2001:db8::1]:5000/agent:1', true],
  ['localhost/agent', true],
  [`agent@sha256:${'a'.repeat(63)}`, false],
  [`agent@sha256:${'A'.repeat(64)}`, false],
  [`agent@sha512:${'a'.repeat(128)}`, false],
  [`agent@md5:${HEX}`, false],
  [HEX, false],
  ['Agent', false],
  ['registry.example/Team/agent', false],
  ['agent:', false],
  ['agent:-x', false],
  ['agent ', false],
  ['https://registry.example/agent', false],
  ['agent@', false],
  ['', false],
  ['a___b', false],
  [`${'a/'.repeat(200)}a`, false],
  [`agent:v1\n`, false],
];
for (const [text, valid] of REFERENCES) {
  images(`${JSON.stringify(text)} is ${valid ? 'a reference' : 'refused'}`, () =>
    assert.is(parseImageReference(text) !== undefined, valid),
  );
}
images('registry, path, tag and digest are told apart', () =>
  assert.equal(parseImageReference(`r.example:5000/a/b:v1@sha256:${HEX}`), {
    repository: 'r.example:5000/a/b',
    tag: 'v1',
    digest: `sha256:${HEX}`,
  }),
);
images.run();

const labels = suite('label');
const VALUES: readonly (readonly [string, boolean])[] = [
  ['', true],
  ['EU-DE', true],
  ['a_b.c', true],
  ['a'.repeat(63), true],
  ['a'.repeat(64), false],
  ['lead_', false],
  ['lead-', false],
  ['EU/DE', false],
  ['é', false],
];
for (const [text, valid] of VALUES) {
  labels(`"${text}" is ${valid ? 'a' : 'no'} label value`, () => assert.is(isLabelValue(text), valid));
}
const KEYS: readonly (readonly [string, boolean])[] = [
  ['topology.kubernetes.io/region', true],
  ['region', true],
  ['/region', false],
  ['a/b/c', false],
  ['Upper.example/x', false],
  ['', false],
];
for (const [text, valid] of KEYS) {
  labels(`"${text}" is ${valid ? 'a' : 'no'} label key`, () => assert.is(isLabelKey(text), valid));
}
labels.run();

const texts = suite('texts');
/** What the kubelet does: `$$` is a dollar sign, `$(NAME)` a variable. Written from its documentation. */
const kubelet = (text: string): string =>
  text.replace(/\$\$|\$\(([^)]*)\)/g, (match) => (match === '$$' ? '$' : 'EXPANDED'));
// biome-ignore lint/suspicious/noTemplateCurlyInString: that is the point
for (const text of ['$(HOME)', '$$(HOME)', '$', '$$', 'a$b', '${X}', '$$$(A)$', 'plain']) {
  texts(`the kubelet turns the escaped "${text}" back into itself`, () =>
    assert.is(kubelet(escapeExpansion(text)), text),
  );
}
texts('canonical JSON sorts keys at every depth and escapes no HTML', () =>
  assert.is(
    canonicalJSON({ b: [{ d: 1, c: '<&>' }, null], a: undefined, A: { z: true, y: 'é' } }),
    '{"A":{"y":"é","z":true},"b":[{"c":"<&>","d":1},null]}',
  ),
);
texts('canonical JSON keeps 64-bit integers whole', () =>
  assert.is(canonicalJSON({ seconds: 9007199254740993n }), '{"seconds":9007199254740993}'),
);
texts('a digest does not depend on the order of keys', () =>
  assert.is(digestOf({ a: 1, b: 2 }), digestOf({ b: 2, a: 1 })),
);
texts('the digest of an empty object is pinned', () =>
  assert.is(digestOf({}), 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a'),
);
texts.run();
