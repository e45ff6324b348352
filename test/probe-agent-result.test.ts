// The message of the probe's agent: it comes out as it went in, fits, never shows less than happened, and trusts nobody.
import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentResult, Sight, Stretch } from '../functions/model';
import { MOST_BYTES, packResult, unpackResult } from '../functions/probe/agent-result';

const results = suite('results');
const resultWith = (more: Partial<AgentResult> = {}): AgentResult => ({
  ...{ version: 1, role: 'seat', nonce: 'abcdef0123', podUID: 'u', startedAt: 1, endedAt: 2, end: 'done' },
  ...{ listening: [], attempts: {}, heard: [] },
  ...more,
});
const SIGHT: Sight = {
  ...{ status: { Uid: '1' }, present: [], mounts: [['/', 'overlay', 'overlay', true]], writes: { '/': 'EROFS' } },
  ...{ opens: {}, sizes: { '/proc/kcore': -1 }, cgroup: {}, processors: 2, nameservers: [], addresses: ['10.0.0.1'] },
  apiToken: false,
};
const noise = (n: number): string => createHash('sha256').update(String(n)).digest('hex');
const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const unpacked = (more: Partial<AgentResult>): AgentResult => {
  const text = packResult(resultWith(more));
  assert.ok(text.length <= MOST_BYTES, String(text.length));
  const result = unpackResult(text);
  if (!result) throw new Error('the message cannot be read again');
  return result;
};

const stretch = fc
  .tuple(fc.string(), fc.nat(), fc.nat(), fc.nat())
  .map(([word, first, more, count]): Stretch => [word, first, first + more, count + 1]);
const texts = fc.dictionary(fc.string(), fc.string(), { maxKeys: 5, noNullPrototype: true });
const aResult: fc.Arbitrary<AgentResult> = fc
  .record({
    attempts: fc.dictionary(fc.string(), fc.array(stretch, { maxLength: 4 }), { maxKeys: 5, noNullPrototype: true }),
    heard: fc.array(
      fc.record({ nonce: fc.string(), port: fc.string(), from: fc.string(), at: fc.nat() }, { noNullPrototype: true }),
      { maxLength: 5 },
    ),
    role: fc.constantFrom('seat' as const, 'control' as const, 'witness' as const),
    end: fc.constantFrom('done' as const, 'terminated' as const),
    seen: fc.record({ status: texts, opens: texts }).map((more): Sight => ({ ...SIGHT, ...more })),
    silent: fc.record(
      { count: fc.nat(), first: fc.nat(), last: fc.nat(), from: fc.array(fc.string()) },
      { noNullPrototype: true },
    ),
  })
  .map((more) => resultWith(more))
  // JSON.parse makes an own property of this name, an object literal does not
  .filter((result) => !JSON.stringify(result).includes('__proto__'));

results('come out as they went in', () => {
  fc.assert(fc.property(aResult, (result) => assert.equal(unpackResult(packResult(result)), result)));
});

const echoes = (id: number): Stretch[] =>
  many(
    16,
    (n): Stretch => [
      n === 2 ? 'echo' : n % 2 ? 'timeout' : 'ECONNREFUSED',
      n * 1009 + id * 17,
      n * 1010 + id * 19,
      n + id + 1,
    ],
  );
const HEARD = many(5000, (n) => ({ nonce: noise(n).slice(0, 12), port: 'tcp/8080', from: '10.0.0.1', at: n }));
const MOUNTS = (count: number): Sight['mounts'] => many(count, (n) => [`/${noise(n)}`, 'tmpfs', noise(-n), false]);
const SILENT = { count: 1, first: 1, last: 1, from: [] };

results('of a pod as it is keep everything', () => {
  const some = {
    attempts: Object.fromEntries(many(40, (id) => [`t${id}`, echoes(id).slice(0, 3)])),
    heard: HEARD.slice(0, 4),
    seen: { ...SIGHT, mounts: many(30, (n): Sight['mounts'][number] => [`/proc/${n}`, 'tmpfs', 'none', true]) },
    silent: SILENT,
  };
  assert.equal(unpacked(some), resultWith(some));
});
results('with too many attempts keep the last, and all that got through', () => {
  const { attempts, seen } = unpacked({
    attempts: Object.fromEntries(many(30, (id) => [`t${id}`, echoes(id)])),
    seen: SIGHT,
  });
  assert.equal(seen, SIGHT);
  for (const [id, kept] of Object.entries(attempts)) {
    assert.ok(kept.length < 16, id);
    assert.ok(kept.some(([word]) => word === 'echo'));
    assert.equal(kept.at(-1), echoes(Number(id.slice(1))).at(-1));
  }
  assert.is(Object.keys(attempts).length, 30);
});
results('with too many mounts show no part of them, and nothing else of the pod', () => {
  const { attempts, seen } = unpacked({ attempts: { t0: echoes(0) }, seen: { ...SIGHT, mounts: MOUNTS(300) } });
  assert.is(seen, undefined);
  assert.ok(attempts.t0?.some(([word]) => word === 'echo'));
});
results('too large to be read again are shortened too, however well they compress', () => {
  const mounts = many(9000, (): Sight['mounts'][number] => ['/very/much/the/same/path', 'tmpfs', 'tmpfs', true]);
  assert.is(unpacked({ seen: { ...SIGHT, mounts } }).seen, undefined);
});
results('full of strangers’ nonces do not say that the listener lived', () => {
  const { heard, silent } = unpacked({ heard: HEARD, silent: SILENT });
  assert.equal(heard, HEARD.slice(0, 20));
  assert.is(silent, undefined);
});
results('keep all of what the witness told, or none', () => {
  const told = HEARD.map(({ nonce, port }) => ({ nonce, port }));
  const attempts = { t0: echoes(0) };
  assert.equal(unpacked({ attempts, witnessHeard: told.slice(0, 60) }).witnessHeard, told.slice(0, 60));
  const { witnessHeard, attempts: kept } = unpacked({ attempts, witnessHeard: told });
  assert.is(witnessHeard, undefined);
  assert.ok(kept.t0?.length);
});
results('fit, whatever they hold', () => {
  const tried = Object.fromEntries(
    many(200, (id) => [`t${id}`, many(16, (n): Stretch => [noise(id * 99 + n), n, n, 1])]),
  );
  const { attempts } = unpacked({
    ...{ attempts: tried, heard: HEARD, witnessHeard: HEARD, silent: SILENT },
    ...{ seen: { ...SIGHT, mounts: MOUNTS(300) }, listening: many(500, noise) },
  });
  assert.equal(attempts, {});
});

const packed = (value: unknown): string => `z:${deflateRawSync(JSON.stringify(value)).toString('base64')}`;
const without = (key: keyof AgentResult): unknown => ({ ...resultWith(), [key]: undefined });
const stretchOf = (...parts: unknown[]): unknown => ({ ...resultWith(), attempts: { t0: [parts] } });
const sightOf = (more: object): unknown => ({ ...resultWith(), seen: { ...SIGHT, ...more } });
const TOKEN = { sha256: 'x', audiences: ['a'], issuedAt: 1, expiresAt: 2 };
const HOSTILE: Record<string, unknown> = {
  null: null,
  'a list': [],
  'another version': { ...resultWith(), version: 2 },
  'another role': { ...resultWith(), role: 'root' },
  'another end': { ...resultWith(), end: 'soon' },
  ...Object.fromEntries(
    (['nonce', 'podUID', 'startedAt', 'endedAt', 'listening', 'attempts', 'heard'] as const).map((key) => [
      `no ${key}`,
      without(key),
    ]),
  ),
  'attempts in a list': { ...resultWith(), attempts: [] },
  'a short stretch': stretchOf('echo', 1),
  'a stretch without a word': stretchOf(1, 1, 1, 1),
  'a stretch of texts': stretchOf('echo', '1', '1', '1'),
  'a stretch that ends before it begins': stretchOf('echo', 2, 1, 1),
  'a stretch before the start': stretchOf('echo', -5, 1, 1),
  'a stretch of no attempt': stretchOf('echo', 1, 1, 0),
  'a nonce without a time': { ...resultWith(), heard: [{ nonce: 'a', port: 'b', from: '' }] },
  'a nonce from nobody': { ...resultWith(), heard: [{ nonce: 'a', port: 'b', at: 1 }] },
  'silence without a count': { ...resultWith(), silent: { first: 1, last: 1, from: [] } },
  'silence from a number': { ...resultWith(), silent: { ...SILENT, from: [1] } },
  'a witness that told a text': { ...resultWith(), witnessHeard: 'all' },
  'half a sight': { ...resultWith(), seen: { status: {} } },
  'a kernel that is no text': sightOf({ bootID: {} }),
  'a status that is no text': sightOf({ status: { Uid: 1 } }),
  'a mount without a flag': sightOf({ mounts: [['/', 'a', 'b']] }),
  'a mount with a text for a flag': sightOf({ mounts: [['/', 'a', 'b', 'ro']] }),
  'a size that is a text': sightOf({ sizes: { '/proc/kcore': '0' } }),
  'a token without an end': sightOf({ token: { ...TOKEN, expiresAt: null } }),
  'a token of a pod that is a list': sightOf({ token: { ...TOKEN, podUID: [] } }),
};
for (const [sentence, value] of Object.entries(HOSTILE)) {
  results(`${sentence} is none`, () => assert.is(unpackResult(packed(value)), undefined));
}
results('a token that is whole is one', () => assert.ok(unpackResult(packed(sightOf({ token: TOKEN })))));
results('what is no message is none', () => {
  const bomb = `z:${deflateRawSync(Buffer.alloc(2_000_000, ' ')).toString('base64')}`;
  assert.ok(bomb.length < MOST_BYTES);
  const tooLong = `${packResult(resultWith())}${'='.repeat(MOST_BYTES)}`;
  const deep = packed([]).replace(/.*/s, `z:${deflateRawSync('['.repeat(200_000)).toString('base64')}`);
  for (const text of ['', 'z:', 'z:####', 'Error: no', JSON.stringify(resultWith()), bomb, tooLong, deep]) {
    assert.is(unpackResult(text), undefined, text.slice(0, 40));
  }
});
results.run();
