// What the listeners of the probe's agent hear, tell, and keep, with real sockets on loopback.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Target } from '../functions/model';
import { attempt } from '../functions/probe/agent/attempts';
import { question } from '../functions/probe/agent/dns-message';
import { type Ears, listen } from '../functions/probe/agent/listeners';
import { proofOf } from '../functions/probe/agent/proof';
import { askWitness } from '../functions/probe/agent/witness';
import { MEASURED } from '../functions/probe/identity';
import {
  freePort,
  HERE,
  NONCE,
  PATIENT,
  talk,
  target,
  taskWith,
  until,
  withEars,
  withServer,
} from './probe-agent-sockets';

const request = (nonce: string): string => `GET /${nonce} HTTP/1.1\r\nHost: x\r\n\r\n`;
const noncesOf = (ears: Ears): string[] => ears.heard().map(({ nonce }) => nonce);
/** A UDP message, and what comes back before the answer to a nonce that is sent after it. */
const send = (port: number, message: Buffer): Promise<string[]> =>
  new Promise((done) => {
    const socket = createSocket('udp4');
    const came: string[] = [];
    socket.on('message', (bytes) => {
      const text = bytes.toString('latin1');
      if (text !== proofOf('00000000')) return void came.push(text);
      socket.close();
      done(came);
    });
    socket.send(message, port, HERE, () => socket.send('00000000', port, HERE));
  });

const listeners = suite('listeners');
listeners('hear nonces over HTTP, UDP and DNS, and tell them', () =>
  withEars(async (ears, port) => {
    assert.is(await attempt(target('http', port), 'aaaaaaaa', PATIENT), 'echo');
    assert.is(await attempt(target('udp', port), 'bbbbbbbb', PATIENT), 'echo');
    const named = (nonce: string): Partial<Target> => ({ name: `${nonce}.probe.invalid.` });
    assert.is(await attempt(target('dns-udp', port, named('cccccccc')), NONCE, PATIENT), 'answer:REFUSED');
    assert.is(await attempt(target('dns-tcp', port, named('dddddddd')), NONCE, PATIENT), 'answer:REFUSED');
    const all = [`aaaaaaaa tcp/${port}`, `bbbbbbbb udp/${port}`, `cccccccc udp/${port}`, `dddddddd tcp/${port}`];
    assert.equal(
      ears.heard().map((one) => `${one.nonce} ${one.port}`),
      all,
    );
    assert.is(ears.heard()[0]?.from, HERE);
    const witness = { address: HERE, port };
    assert.equal(
      (await askWitness(witness, PATIENT))?.map((one) => `${one.nonce} ${one.port}`),
      all,
    );
    await attempt(target('udp', port), `bbbbbbbb${MEASURED}`, PATIENT);
    const some = await askWitness({ ...witness, nonces: ['bbbbbbbb', 'eeeeeeee'] }, PATIENT);
    assert.equal(
      some?.map(({ nonce }) => nonce),
      ['bbbbbbbb', `bbbbbbbb${MEASURED}`],
    );
  }),
);
listeners('answer a request that comes in pieces', () =>
  withEars(async (ears, port) => {
    const answer = await talk(port, 'GE', 'T /aaaa', 'aaaa HTTP/1.1\r\n', 'Host: x\r\n', '\r\n');
    assert.ok(answer.endsWith(proofOf('aaaaaaaa')), answer);
    assert.equal(noncesOf(ears), ['aaaaaaaa']);
  }),
);
listeners('remember a nonce once per port', () =>
  withEars(async (ears, port) => {
    for (const kind of ['http', 'http', 'udp', 'udp'] as const) await attempt(target(kind, port), 'aaaaaaaa', PATIENT);
    assert.equal(
      ears.heard().map((one) => one.port),
      [`tcp/${port}`, `udp/${port}`],
    );
  }),
);
listeners('take nothing for a nonce that is none', () =>
  withEars(async (ears, port) => {
    for (const word of ['not-a-nonce', 'AAAAAAAA', 'aaaa', 'a'.repeat(33), '']) {
      assert.match(await talk(port, request(word)), '404 Not Found');
    }
    await talk(port, 'x'.repeat(5000));
    await talk(port, Buffer.from([0, 5, 1, 2, 3, 4, 5]), 'x'.repeat(5000));
    assert.equal(await send(port, Buffer.from('garbage')), []);
    assert.equal(await send(port, Buffer.from([1, 2, 3])), []);
    assert.equal(noncesOf(ears), ['00000000']);
    assert.is(ears.silent(), undefined);
  }),
);
listeners('do not answer an answer, so that two of them cannot be set on each other', () =>
  withEars(async (_, port) => {
    const [proof = ''] = await send(port, Buffer.from('aaaaaaaa'));
    assert.is(proof, proofOf('aaaaaaaa'));
    assert.equal(await send(port, Buffer.from(proof)), []);
    const [refusal = ''] = await send(port, question('a.').query);
    assert.is(refusal.charCodeAt(2) & 0x80, 0x80);
    assert.equal(await send(port, Buffer.from(refusal, 'latin1')), []);
  }),
);
listeners('count whoever says nothing, such as the kubelet', () =>
  withEars(async (ears, port) => {
    for (const count of [1, 2]) {
      const socket = connect(port, HERE, () => socket.destroy());
      await until(() => ears.silent()?.count === count);
    }
    assert.equal(ears.silent()?.from, [HERE]);
    assert.ok(ears.silent()!.first <= ears.silent()!.last);
  }),
);
listeners('full of strangers’ nonces, they no longer say what did not come', () =>
  withEars(async (ears, port) => {
    const socket = connect(port, HERE, () => socket.destroy());
    await until(() => ears.silent() !== undefined);
    // a question of many labels brings many nonces at once
    for (let sent = 0; sent < 10_100; sent += 300) {
      const names = Array.from({ length: 300 }, (_, n) => (sent + n).toString(16).padStart(8, '0'));
      const { query } = question(`${names.join('.')}.`);
      const size = Buffer.from([query.length >> 8, query.length & 0xff]);
      await talk(port, Buffer.concat([size, query]));
    }
    assert.is(ears.heard().length, 10_000);
    assert.is(ears.silent(), undefined);
    assert.match(await talk(port, request('heard')), '404 Not Found');
    assert.is(await askWitness({ address: HERE, port }, PATIENT), undefined);
    assert.is(await attempt(target('http', port), NONCE, PATIENT), 'echo');
  }),
);
listeners('a port that is taken is missing', async () => {
  await withServer(
    () => undefined,
    async (port) => assert.equal(await listen(taskWith([port])).listening, []),
  );
});
listeners('a witness that is not there, or is none, tells nothing', async () => {
  assert.is(await askWitness({ address: HERE, port: await freePort() }, PATIENT), undefined);
  for (const body of ['{}', '[null]', '[', 'x'.repeat(1_100_000)]) {
    await withServer(
      (socket) => void socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\n\r\n${body}`)),
      async (port) => assert.is(await askWitness({ address: HERE, port }, PATIENT), undefined),
    );
  }
  await withServer(
    () => undefined,
    async (port) => assert.is(await askWitness({ address: HERE, port }, 20), undefined),
  );
});
listeners.run();
