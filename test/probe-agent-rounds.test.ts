// How the rounds of the probe's agent go on, what they keep of them, and that they leave no socket behind.
import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Stretch } from '../functions/model';
import { literal, note, start } from '../functions/probe/agent/rounds';
import { MEASURED } from '../functions/probe/identity';
import {
  freePort,
  HERE,
  LIMIT,
  NONCE,
  PATIENT,
  target,
  taskWith,
  until,
  withEars,
  withServer,
} from './probe-agent-sockets';

const rounds = suite('rounds');
rounds('equal results are one stretch', () => {
  const stretches: Stretch[] = [];
  const words = [...'aaba'].entries();
  for (const [at, word] of words) note(stretches, word, at);
  assert.equal(stretches, [
    ['a', 0, 1, 2],
    ['b', 2, 2, 1],
    ['a', 3, 3, 1],
  ]);
});
const LOST: readonly (readonly [word: string, others: readonly [string, string]])[] = [
  ['echo', ['timeout', 'ECONNREFUSED']],
  ['ENOTFOUND', ['timeout', 'ECONNREFUSED']],
  ['echo', ['EMFILE', 'ENOTFOUND']],
];
for (const [word, others] of LOST) {
  rounds(`${word} is never lost among ${others.join(' and ')}`, () => {
    const stretches: Stretch[] = [];
    for (let at = 0; at < 200; at += 1) note(stretches, at === 9 ? word : (others[at % 2] ?? ''), at);
    assert.is(stretches.length, 16);
    assert.ok(stretches.some(([one]) => one === word));
    assert.is(stretches[0]?.[1], 0);
    assert.is(stretches.at(-1)?.[2], 199);
  });
}
rounds('what got through goes last of all, and is bounded too', () => {
  const stretches: Stretch[] = [];
  for (let at = 0; at < 200; at += 1) note(stretches, at % 2 ? 'echo' : 'answer', at);
  assert.is(stretches.length, 16);
});
rounds('attempts after settling carry another nonce, and with it the question', () =>
  withEars(async (ears, port) => {
    let now = 0;
    const task = { ...taskWith([]), nonce: 'aaaaaaaa', settleSeconds: 1, attemptMs: PATIENT };
    const named = target('dns-udp', port, { id: 't1', name: '{nonce}.probe.invalid.' });
    const running = start(task, [target('http', port), named], () => now);
    await until(() => ears.heard().length === 2);
    assert.equal(new Set(ears.heard().map(({ nonce }) => nonce)), new Set(['aaaaaaaa']));
    now = 1500;
    await until(() => ears.heard().length === 4);
    running.stop();
    assert.equal(
      ears
        .heard()
        .slice(2)
        .map(({ nonce }) => nonce),
      [`aaaaaaaa${MEASURED}`, `aaaaaaaa${MEASURED}`],
    );
    assert.is(running.attempts().t0?.[0]?.[0], 'echo');
  }),
);
rounds('the resolver stands for every nameserver, each once', () => {
  const resolver = target('dns-udp', 53, { address: 'resolver' });
  assert.equal(
    literal([resolver, target('tcp', 1)], ['10.0.0.10', 'fd00::a', '10.0.0.10']).map(({ id, address }) => [
      id,
      address,
    ]),
    [
      ['t0/10.0.0.10', '10.0.0.10'],
      ['t0/fd00::a', 'fd00::a'],
      ['t0', HERE],
    ],
  );
});
rounds('leave no socket behind, however many targets they try', () =>
  withEars(async (_, port) => {
    if (process.platform !== 'linux') return;
    const openFiles = (): number => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    const closed = await freePort();
    await withServer(
      () => undefined, // takes connections and says nothing
      async (mute) => {
        const kinds = ['http', 'tcp', 'udp', 'dns-udp', 'dns-tcp'] as const;
        const targets = [port, mute, closed].flatMap((to) =>
          kinds.flatMap((kind) => [0, 1, 2].map((n) => target(kind, to, { id: `${kind}${to}${n}` }))),
        );
        const running = start({ ...taskWith([]), nonce: NONCE, attemptMs: LIMIT }, targets, () => performance.now());
        const counts = (): number[] => targets.map(({ id }) => running.attempts()[id]?.[0]?.[3] ?? 0);
        await until(() => counts().every((count) => count >= 6));
        // at any time an attempt has one socket, and its peer here one more
        assert.ok(openFiles() <= before + 2 * targets.length + 8, `${openFiles()} files are open`);
        running.stop();
      },
    );
    await until(() => openFiles() <= before);
  }),
);
rounds.run();
