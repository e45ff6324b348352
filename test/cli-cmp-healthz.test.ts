// `seatplan cmp healthz` against servers that speak HTTP/2: only the answer of gRPC's health service counts as healthy.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { createServer as createPlainServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ended, seatplan } from './command';

const SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 1]);
const NOT_SERVING = Buffer.from([0, 0, 0, 0, 2, 8, 2]);

/** Serves this body at a socket named as the plugin's of version 9.9.9, and asks. */
async function ask(
  body: Buffer,
  headers: Readonly<Record<string, string | number>> = {},
): Promise<Ended & { asked: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-healthz-'));
  const server = createServer();
  let asked = '';
  server.on('stream', (stream: ServerHttp2Stream, { ':path': path, 'content-type': type }) => {
    asked = `${path} ${type}`;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...headers });
    stream.end(body);
  });
  await new Promise<void>((done) => server.listen(join(folder, 'seatplan-v9.9.9.sock'), done));
  try {
    return { ...(await seatplan(['cmp', 'healthz'], { environment: { ARGOCD_PLUGINSOCKFILEPATH: folder } })), asked };
  } finally {
    await new Promise((done) => server.close(done));
    rmSync(folder, { recursive: true });
  }
}

const test = suite('cmp healthz');
test('asks the health service of the plugin that ships, and is silent when it serves', async () => {
  const { exitCode, output, errors, asked } = await ask(SERVING);
  assert.equal({ exitCode, output, errors }, { exitCode: 0, output: '', errors: '' });
  assert.is(asked, '/grpc.health.v1.Health/Check application/grpc');
});
for (const [what, body, headers] of [
  ['does not serve', NOT_SERVING],
  ['knows no health service', Buffer.alloc(0), { 'grpc-status': '12' }],
  ['is no gRPC server', Buffer.from('<html>'), { ':status': 404 }],
] as const) {
  test(`fails where the server ${what}`, async () => {
    const { exitCode, errors } = await ask(body, headers);
    assert.is(exitCode, 1);
    assert.match(errors, /seatplan-v9\.9\.9\.sock does not serve\n$/);
  });
}
test('fails where nothing listens, and says where', async () => {
  const { exitCode, errors } = await seatplan(['cmp', 'healthz', '--socket', '/nowhere/x.sock']);
  assert.is(exitCode, 1);
  assert.match(errors, /\/nowhere\/x\.sock does not answer: .*ENOENT/);
});
test('fails where something else listens', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-healthz-'));
  const server = createPlainServer((socket) => socket.resume().end('no'));
  await new Promise<void>((done) => server.listen(join(folder, 'x.sock'), done));
  const { exitCode } = await seatplan(['cmp', 'healthz', '--socket', join(folder, 'x.sock')]);
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true });
  assert.is(exitCode, 1);
});
test.run();
