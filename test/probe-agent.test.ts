// The agent of a probe's pods: what each attempt ends as, what its listeners hear, what it keeps, and what it shows of itself.
import { createHash } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentResult, AgentTask, Stretch, Target } from '../functions/model';
import { attempt } from '../functions/probe/agent/attempts';
import { labelsOf, question, rcodeOf, refusal } from '../functions/probe/agent/dns-message';
import { listen } from '../functions/probe/agent/listeners';
import { literal, note, start } from '../functions/probe/agent/rounds';
import { look } from '../functions/probe/agent/sight';
import { askWitness } from '../functions/probe/agent/witness';
import { MOST_BYTES, packResult, unpackResult } from '../functions/probe/agent-result';
import { MEASURED } from '../functions/probe/identity';

const NONCE = 'abcdef0123';
const LIMIT = 400;

async function withServer<T>(serve: (socket: Socket) => void, work: (port: number) => Promise<T>): Promise<T> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
}
const target = (kind: Target['kind'], port: number, more: Partial<Target> = {}): Target => ({
  ...{ id: 't0', kind, address: '127.0.0.1', port },
  ...more,
});

const attempts = suite('attempts');
const HTTP: Record<string, [answer: string | undefined, word: string]> = {
  'a nonce in the body': [`HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n${NONCE}`, 'echo'],
  'another body': ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok', 'answer'],
  'a nonce in a header alone': [`HTTP/1.1 302 Found\r\nLocation: /${NONCE}\r\nContent-Length: 0\r\n\r\n`, 'answer'],
  'a body without a length': [`HTTP/1.0 403 Forbidden\r\n\r\nno`, 'answer'],
  'something else': ['SSH-2.0-OpenSSH_9.2\r\n', 'connected'],
  nothing: [undefined, 'connected'],
};
for (const [sentence, [answer, word]] of Object.entries(HTTP)) {
  attempts(`http: ${sentence} is ${word}`, async () => {
    const serve = (socket: Socket): void => {
      socket.once('data', () => (answer === undefined ? undefined : socket.end(answer)));
    };
    assert.is(await withServer(serve, (port) => attempt(target('http', port), NONCE, LIMIT)), word);
  });
}
attempts('tcp: an open port is connected', async () => {
  assert.is(
    await withServer(
      () => undefined,
      (port) => attempt(target('tcp', port), NONCE, LIMIT),
    ),
    'connected',
  );
});
attempts('a closed port is refused, over TCP and UDP', async () => {
  const port = await withServer(
    () => undefined,
    async (free) => free,
  );
  assert.is(await attempt(target('tcp', port), NONCE, LIMIT), 'ECONNREFUSED');
  assert.is(await attempt(target('http', port), NONCE, LIMIT), 'ECONNREFUSED');
  assert.is(await attempt(target('udp', port), NONCE, LIMIT), 'ECONNREFUSED');
});
attempts('UDP without an answer is a timeout', async () => {
  const socket = createSocket('udp4');
  await new Promise<void>((done) => socket.bind(0, '127.0.0.1', done));
  assert.is(await attempt(target('udp', socket.address().port), NONCE, LIMIT), 'timeout');
  socket.close();
});
attempts('a path carries the nonce as a query', async () => {
  let line = '';
  const serve = (socket: Socket): void => {
    socket.once('data', (bytes) => {
      line = String(bytes).split('\r\n')[0] ?? '';
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
  };
  await withServer(serve, (port) =>
    attempt(target('http', port, { path: '/healthz', host: 'platform' }), NONCE, LIMIT),
  );
  assert.is(line, `GET /healthz?nonce=${NONCE} HTTP/1.1`);
});
attempts.run();

const dns = suite('DNS messages');
const answerOf = (query: Buffer, code: number, records: number): Buffer => {
  const answer = Buffer.from(query);
  answer.writeUInt8(0x80, 2);
  answer.writeUInt8(code, 3);
  answer.writeUInt16BE(records, 6);
  return answer;
};
dns('a question holds its labels, and its answer is read by its code', () => {
  const { id, query } = question(`${NONCE}.probe.invalid.`);
  assert.equal(labelsOf(query), [NONCE, 'probe', 'invalid']);
  assert.is(rcodeOf(answerOf(query, 0, 1), id), 'answer:NOERROR');
  assert.is(rcodeOf(answerOf(query, 0, 0), id), 'answer:NODATA');
  assert.is(rcodeOf(answerOf(query, 3, 0), id), 'answer:NXDOMAIN');
  assert.is(rcodeOf(answerOf(query, 11, 0), id), 'answer:11');
  assert.is(rcodeOf(refusal(query), id), 'answer:REFUSED');
});
dns('an answer to another question is none', () => {
  const { id, query } = question('a.');
  assert.is(rcodeOf(answerOf(query, 0, 1), (id + 1) & 0xffff), undefined);
  assert.is(rcodeOf(query, id), undefined);
  assert.is(rcodeOf(Buffer.from([1, 2]), id), undefined);
});
dns('no bytes break the reader', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => void labelsOf(Buffer.from(bytes))));
});
dns.run();

const listeners = suite('listeners');
const taskWith = (tcp: number[], udp: number[]): AgentTask => ({
  ...{ role: 'witness', nonce: 'ffffffff', seconds: 1, settleSeconds: 0, targets: [], attemptMs: LIMIT },
  listen: { tcp, udp },
});
const freePort = (): Promise<number> =>
  withServer(
    () => undefined,
    async (port) => port,
  );
listeners('hear nonces over HTTP, UDP and DNS, and tell them', async () => {
  const port = await freePort();
  const ears = listen(taskWith([port], [port]));
  assert.equal((await ears.listening).toSorted(), [`tcp/${port}`, `udp/${port}`]);
  assert.is(await attempt(target('http', port), 'aaaaaaaa', 2000), 'echo');
  assert.is(await attempt(target('udp', port), 'bbbbbbbb', 2000), 'echo');
  const named = (nonce: string): Partial<Target> => ({ name: `${nonce}.probe.invalid.` });
  assert.is(await attempt(target('dns-udp', port, named('cccccccc')), NONCE, 2000), 'answer:REFUSED');
  assert.is(await attempt(target('dns-tcp', port, named('dddddddd')), NONCE, 2000), 'answer:REFUSED');
  const heard = ears.heard().map(({ nonce, port: at }) => `${nonce} ${at}`);
  assert.equal(heard, [`aaaaaaaa tcp/${port}`, `bbbbbbbb udp/${port}`, `cccccccc udp/${port}`, `dddddddd tcp/${port}`]);
  const told = await askWitness({ address: '127.0.0.1', port }, 2000);
  assert.equal(
    told?.map((one) => one.nonce),
    ['aaaaaaaa', 'bbbbbbbb', 'cccccccc', 'dddddddd'],
  );
  assert.is(await attempt(target('http', port), 'not-a-nonce', 2000), 'answer');
  assert.is(ears.heard().length, 4);
  ears.close();
});
listeners('count whoever says nothing, such as the kubelet', async () => {
  const port = await freePort();
  const ears = listen(taskWith([port], []));
  await ears.listening;
  await new Promise<void>((done) => {
    const socket = connect(port, '127.0.0.1', () => socket.destroy());
    socket.once('close', () => setTimeout(done, 50));
  });
  assert.is(ears.silent()?.count, 1);
  assert.equal(ears.silent()?.from, ['127.0.0.1']);
  ears.close();
});
listeners('a port that is taken is missing', async () => {
  await withServer(
    () => undefined,
    async (port) => {
      assert.equal(await listen(taskWith([port], [])).listening, []);
    },
  );
});
listeners('a witness that is not there has heard nothing', async () => {
  assert.is(await askWitness({ address: '127.0.0.1', port: await freePort() }, 200), undefined);
});
listeners.run();

const rounds = suite('rounds');
rounds('equal results are one stretch', () => {
  const stretches: Stretch[] = [];
  for (const [word, at] of [
    ['a', 1],
    ['a', 5],
    ['b', 7],
    ['a', 9],
  ] as const)
    note(stretches, word, at);
  assert.equal(stretches, [
    ['a', 1, 5, 2],
    ['b', 7, 7, 1],
    ['a', 9, 9, 1],
  ]);
});
rounds('what got through is never lost among failures', () => {
  const stretches: Stretch[] = [];
  for (let at = 0; at < 200; at += 1) note(stretches, at === 9 ? 'echo' : at % 2 ? 'timeout' : 'ECONNREFUSED', at);
  assert.ok(stretches.length <= 16);
  assert.ok(stretches.some(([word]) => word === 'echo'));
  assert.is(stretches.at(-1)?.[2], 199);
});
rounds('attempts after settling carry another nonce', async () => {
  const port = await freePort();
  const ears = listen(taskWith([port], []));
  await ears.listening;
  let now = 0;
  const task = { ...taskWith([], []), nonce: 'aaaaaaaa', settleSeconds: 1 };
  const running = start(task, [target('http', port)], () => now);
  const until = async (nonce: string): Promise<void> => {
    while (!ears.heard().some((one) => one.nonce === nonce)) await new Promise((next) => setTimeout(next, 20));
  };
  await until('aaaaaaaa');
  now = 1500;
  await until(`aaaaaaaa${MEASURED}`);
  running.stop();
  ears.close();
  assert.is(running.attempts().t0?.[0]?.[0], 'echo');
});
rounds('the resolver stands for every nameserver', () => {
  const resolver = target('dns-udp', 53, { address: 'resolver' });
  assert.equal(
    literal([resolver], ['10.0.0.10', 'fd00::a']).map(({ id, address }) => [id, address]),
    [
      ['t0/10.0.0.10', '10.0.0.10'],
      ['t0/fd00::a', 'fd00::a'],
    ],
  );
});
rounds.run();

const results = suite('results');
const resultWith = (more: Partial<AgentResult> = {}): AgentResult => ({
  ...{ version: 1, role: 'seat', nonce: NONCE, podUID: 'u', startedAt: 1, endedAt: 2, end: 'done' },
  ...{ listening: [], attempts: {}, heard: [] },
  ...more,
});
results('come out as they went in', () => {
  const stretch = fc.tuple(fc.string(), fc.nat(), fc.nat(), fc.nat());
  const any = fc.dictionary(fc.string(), fc.array(stretch, { maxLength: 4 }), { maxKeys: 5, noNullPrototype: true });
  fc.assert(
    fc.property(any, (tried) => {
      fc.pre(!Object.hasOwn(tried, '__proto__'));
      assert.equal(unpackResult(packResult(resultWith({ attempts: tried }))), resultWith({ attempts: tried }));
    }),
  );
});
results('fit into a termination message, whatever they hold', () => {
  const noise = (n: number): string => createHash('sha256').update(String(n)).digest('hex');
  const tried = Object.fromEntries(
    Array.from({ length: 60 }, (_, n) => [
      `t${n}`,
      Array.from({ length: 16 }, (_one, m): Stretch => [noise(n * 99 + m), n, m, 1]),
    ]),
  );
  const heard = Array.from({ length: 5000 }, (_, n) => ({ nonce: noise(n), port: 'tcp/1', from: 'x', at: n }));
  const text = packResult(resultWith({ attempts: tried, heard }));
  assert.ok(text.length <= MOST_BYTES, String(text.length));
  assert.ok(unpackResult(text));
});
results('of strangers are none', () => {
  const packed = (value: unknown): string => `z:${deflateRawSync(JSON.stringify(value)).toString('base64')}`;
  const bomb = `z:${deflateRawSync(Buffer.alloc(2_000_000)).toString('base64')}`;
  assert.ok(bomb.length < MOST_BYTES);
  const { attempts: _, ...halved } = resultWith();
  for (const text of [
    ...['', 'z:', 'z:####', 'Error: no', bomb, packed(null), packed([]), packed({ ...resultWith(), version: 2 })],
    ...[
      packed(halved),
      packed({ ...resultWith(), role: 'root' }),
      packed({ ...resultWith(), attempts: { t0: [[1]] } }),
    ],
    packed({ ...resultWith(), seen: { status: {} } }),
  ]) {
    assert.is(unpackResult(text), undefined, text.slice(0, 40));
  }
});
results.run();

const sight = suite('sight');
const JWT_CLAIMS = {
  aud: ['steadmesh-gateway'],
  iat: 100,
  exp: 3700,
  'kubernetes.io': { pod: { uid: 'u' }, serviceaccount: { name: 'sa' } },
};
const TOKEN = `h.${Buffer.from(JSON.stringify(JWT_CLAIMS)).toString('base64url')}.signature`;
sight('reads a tree as a pod has it', () => {
  const root = mkdtempSync(join(tmpdir(), 'seatplan-sight-'));
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  try {
    put(
      '/proc/self/status',
      'Name:\tnode\nUid:\t1000\t1000\t1000\t1000\nCapBnd:\t0000000000000000\nSeccomp:\t2\nNoNewPrivs:\t1\n',
    );
    put('/proc/sys/kernel/random/boot_id', '12345678-0000\n');
    put(
      '/proc/self/mountinfo',
      '1 0 0:1 / / ro,relatime - overlay overlay rw\n2 1 0:2 / /tmp rw - tmpfs tmpfs rw,size=1k\n',
    );
    put('/proc/sentry-meminfo', '');
    put('/etc/resolv.conf', 'search x\nnameserver 10.0.0.10\nnameserver fd00::a\n');
    put('/var/run/steadmesh/token', TOKEN);
    put('/run/containerd/containerd.sock', '');
    put('/sys/fs/cgroup/memory.max', '268435456\n');
    mkdirSync(join(root, 'probe'));
    const seen = look({ tokenFile: '/var/run/steadmesh/token', imageFolders: ['/probe', '/absent'] }, NONCE, root);
    assert.equal(seen.status, {
      Uid: '1000\t1000\t1000\t1000',
      CapBnd: '0000000000000000',
      Seccomp: '2',
      NoNewPrivs: '1',
    });
    assert.is(seen.bootID, '12345678-0000');
    assert.equal(seen.mounts, [
      ['/', 'overlay', 'overlay', true],
      ['/tmp', 'tmpfs', 'tmpfs', false],
    ]);
    assert.equal(seen.present, ['/proc/sentry-meminfo']);
    assert.equal(seen.nameservers, ['10.0.0.10', 'fd00::a']);
    assert.equal(seen.writes, { '/': 'created', '/probe': 'created', '/absent': 'ENOENT' });
    assert.is(seen.opens['/run/containerd/containerd.sock'], 'present');
    assert.is(seen.opens['/proc/sysrq-trigger'], 'ENOENT');
    assert.is(seen.sizes['/proc/kcore'], -1);
    assert.equal(seen.cgroup, { 'memory.max': '268435456' });
    assert.equal(seen.token?.audiences, ['steadmesh-gateway']);
    assert.is(seen.token?.podUID, 'u');
    assert.not.ok(seen.apiToken);
    assert.not.match(JSON.stringify(seen), TOKEN.split('.')[1] ?? TOKEN);
  } finally {
    rmSync(root, { recursive: true });
  }
});
sight('says why there is no token', () => {
  const { tokenProblem } = look({ tokenFile: '/absent', imageFolders: [] }, NONCE, tmpdir());
  assert.is(tokenProblem, 'ENOENT');
});
sight('looks at a real machine without a word', () => {
  const seen = look({ imageFolders: [] }, NONCE);
  assert.ok(unpackResult(packResult(resultWith({ seen }))));
});
sight.run();
