// What each attempt of the probe's agent ends as, with real peers on loopback, and the DNS messages it reads.
import type { Socket } from 'node:net';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Attempt, Target } from '../functions/model';
import { attempt } from '../functions/probe/agent/attempts';
import { labelsOf, question, rcodeOf, refusal } from '../functions/probe/agent/dns-message';
import { proofOf } from '../functions/probe/agent/proof';
import { freePort, LIMIT, NONCE, PATIENT, target, withEars, withServer, withUdp } from './probe-agent-sockets';

const attempts = suite('attempts');
const PROOF = proofOf(NONCE);
const ended = (text: string) => (socket: Socket) => void socket.once('data', () => socket.end(text));
const kept = (text: string) => (socket: Socket) => void socket.once('data', () => socket.write(text));
const silent = (): void => undefined;
const reset = (socket: Socket): void => void socket.once('data', () => socket.resetAndDestroy());

const HTTP: Record<string, [serve: (socket: Socket) => void, word: Attempt, limit?: number]> = {
  'the proof in the body': [ended(`HTTP/1.1 200 OK\r\nContent-Length: 64\r\n\r\n${PROOF}`), 'echo'],
  'the proof, and the connection stays open': [kept(`HTTP/1.1 200 OK\r\n\r\n${PROOF}`), 'echo'],
  'another body': [kept('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'), 'answer'],
  'a nonce that is repeated in a header': [
    ended(`HTTP/1.1 302 Found\r\nLocation: /${NONCE}\r\nContent-Length: 0\r\n\r\n`),
    'answer',
  ],
  'a nonce that is repeated in an error page': [ended(`HTTP/1.1 404 No\r\n\r\nCannot GET /${NONCE}`), 'answer'],
  'a body without a length': [ended('HTTP/1.0 403 Forbidden\r\n\r\nno'), 'answer'],
  'a body without an end': [kept('HTTP/1.1 200 OK\r\n\r\nand so on'), 'answer', LIMIT],
  'more than anyone reads': [kept(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(200_000)}`), 'answer'],
  'headers that end too soon': [ended('HTTP/1.1 200 OK\r\nServer'), 'answer'],
  'something else': [kept('SSH-2.0-OpenSSH_9.2\r\n'), 'connected'],
  'a close without a word': [ended(''), 'connected'],
  'no word at all': [silent, 'connected', LIMIT],
  'a reset after the connection was open': [reset, 'connected'],
};
for (const [sentence, [serve, word, limit = PATIENT]] of Object.entries(HTTP)) {
  attempts(`http: ${sentence} is ${word}`, async () => {
    assert.is(await withServer(serve, (port) => attempt(target('http', port), NONCE, limit)), word);
  });
}
attempts('tcp: an open port is connected', async () => {
  assert.is(await withServer(silent, (port) => attempt(target('tcp', port), NONCE, PATIENT)), 'connected');
});
attempts('a closed port is refused', async () => {
  for (const kind of ['tcp', 'http', 'udp', 'dns-udp', 'dns-tcp'] as const) {
    assert.is(await attempt(target(kind, await freePort()), NONCE, PATIENT), 'ECONNREFUSED', kind);
  }
});
attempts('what the system refuses by itself is an error by its code', async () => {
  for (const kind of ['tcp', 'udp'] as const) {
    assert.match(await attempt(target(kind, 9, { address: '255.255.255.255' }), NONCE, PATIENT), /^E[A-Z]+$/);
  }
});
attempts('udp: by what comes back', async () => {
  const ask = (answers: string[], limit: number): Promise<Attempt> =>
    withUdp(
      () => answers.map((one) => Buffer.from(one)),
      (port) => attempt(target('udp', port), NONCE, limit),
    );
  assert.is(await ask([PROOF], PATIENT), 'echo');
  assert.is(await ask([NONCE], PATIENT), 'answer');
  assert.is(await ask([''], PATIENT), 'answer');
  assert.is(await ask([], LIMIT), 'timeout');
});
attempts('a path carries the nonce as a query, and a host its port', async () => {
  let text = '';
  const serve = (socket: Socket): void => {
    socket.once('data', (bytes) => {
      text = String(bytes);
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  };
  await withServer(serve, async (port) => {
    await attempt(target('http', port, { path: '/healthz', host: 'platform' }), NONCE, PATIENT);
    assert.match(text, `GET /healthz?nonce=${NONCE} HTTP/1.1\r\nHost: platform:${port}\r\n`);
  });
});

/** Nothing of this process runs meanwhile, as in a pod whose CPU is used up. */
function standStill(ms: number): void {
  const ends = performance.now() + ms;
  while (performance.now() < ends);
}
attempts('what arrived while the process stood still is no timeout', () =>
  withEars(async (_, port) => {
    for (const kind of ['tcp', 'http', 'udp'] as const) {
      for (const pause of [LIMIT + 50, LIMIT + 700]) {
        const word = attempt(target(kind, port), NONCE, LIMIT);
        standStill(pause);
        assert.is.not(await word, 'timeout', `${kind} after ${pause} ms`);
      }
    }
    const word = attempt(target('http', port), NONCE, LIMIT);
    standStill(LIMIT + 700);
    assert.is(await word, 'echo', 'after a long pause it waits anew');
  }),
);

const answerOf = (query: Buffer, code: number, records: number, truncated = false): Buffer => {
  const answer = Buffer.from(query);
  answer.writeUInt8(truncated ? 0x82 : 0x80, 2);
  answer.writeUInt8(code, 3);
  answer.writeUInt16BE(records, 6);
  return answer;
};
const otherID = (query: Buffer): Buffer => {
  const answer = answerOf(query, 0, 1);
  answer.writeUInt16BE((query.readUInt16BE(0) + 1) & 0xffff, 0);
  return answer;
};
const DNS: Record<string, [answers: (query: Buffer) => Buffer[], word: Attempt, limit?: number]> = {
  'a record': [(query) => [answerOf(query, 0, 1)], 'answer:NOERROR'],
  'no record': [(query) => [answerOf(query, 0, 0)], 'answer:NODATA'],
  'no such name': [(query) => [answerOf(query, 3, 0)], 'answer:NXDOMAIN'],
  'a refusal': [(query) => [answerOf(query, 5, 0)], 'answer:REFUSED'],
  'a failure': [(query) => [answerOf(query, 2, 0)], 'answer:SERVFAIL'],
  'a code without a name': [(query) => [answerOf(query, 11, 0)], 'answer:11'],
  'a truncated answer': [(query) => [answerOf(query, 0, 0, true)], 'answer:NODATA'],
  'an answer to something else': [(query) => [otherID(query)], 'connected', LIMIT],
  'the question itself': [(query) => [query], 'connected', LIMIT],
  'half a header': [(query) => [query.subarray(0, 6)], 'connected', LIMIT],
};
const framed = (message: Buffer): Buffer =>
  Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]);
for (const [sentence, [answers, word, limit = PATIENT]] of Object.entries(DNS)) {
  const named: Partial<Target> = { name: 'a.example.' };
  attempts(`dns-udp: ${sentence} is ${word}`, async () => {
    assert.is(await withUdp(answers, (port) => attempt(target('dns-udp', port, named), NONCE, limit)), word);
  });
  attempts(`dns-tcp: ${sentence} is ${word}`, async () => {
    const serve = (socket: Socket): void => {
      socket.once('data', (query) => {
        for (const answer of answers(query.subarray(2)).map(framed)) {
          socket.write(answer.subarray(0, 5));
          setImmediate(() => socket.write(answer.subarray(5)));
        }
      });
    };
    assert.is(await withServer(serve, (port) => attempt(target('dns-tcp', port, named), NONCE, limit)), word);
  });
}
attempts('dns-udp: an answer to something else is passed over', async () => {
  const answers = (query: Buffer): Buffer[] => [otherID(query), answerOf(query, 0, 1)];
  assert.is(await withUdp(answers, (port) => attempt(target('dns-udp', port), NONCE, PATIENT)), 'answer:NOERROR');
});
attempts.run();

const dns = suite('DNS messages');
dns('a question holds its labels, and a refusal answers it', () => {
  const { id, query } = question(`${NONCE}.probe.invalid.`);
  assert.equal(labelsOf(query), [NONCE, 'probe', 'invalid']);
  assert.is(rcodeOf(refusal(query), id), 'answer:REFUSED');
  assert.is(labelsOf(refusal(query)), undefined);
  assert.is(labelsOf(question(`${'x'.repeat(80)}.`).query)?.[0]?.length, 63);
});
dns('no bytes break the reader', () => {
  const bytes = fc.uint8Array({ maxLength: 80 });
  fc.assert(fc.property(bytes, (some) => void labelsOf(Buffer.from(some))));
  fc.assert(fc.property(bytes, fc.nat(0xffff), (some, id) => void rcodeOf(Buffer.from(some), id)));
});
dns.run();
