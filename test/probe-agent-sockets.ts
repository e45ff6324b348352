// Peers on loopback for the tests of the probe's agent: servers that answer as told, on ports that the system gives.
import { createSocket } from 'node:dgram';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import * as assert from 'uvu/assert';
import type { AgentTask, Target } from '../functions/model';
import { type Ears, listen } from '../functions/probe/agent/listeners';

export const NONCE = 'abcdef0123';
/** For attempts that end as a timeout; elsewhere PATIENT, which no test waits for. */
export const LIMIT = 200;
export const PATIENT = 20_000;
export const HERE = '127.0.0.1';

export async function withServer<T>(serve: (socket: Socket) => void, work: (port: number) => Promise<T>): Promise<T> {
  const open = new Set<Socket>();
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    serve(socket);
  });
  await new Promise<void>((done) => server.listen(0, HERE, done));
  try {
    return await work((server.address() as AddressInfo).port);
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
  }
}

/** A UDP peer that sends back what `answers` makes of each message. */
export async function withUdp<T>(
  answers: (message: Buffer) => readonly Buffer[],
  work: (port: number) => Promise<T>,
): Promise<T> {
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    for (const answer of answers(message)) socket.send(answer, port, address);
  });
  await new Promise<void>((done) => socket.bind(0, HERE, done));
  try {
    return await work(socket.address().port);
  } finally {
    socket.close();
  }
}

/** Nobody listens there, over TCP and most likely UDP. */
export const freePort = (): Promise<number> =>
  withServer(
    () => undefined,
    async (port) => port,
  );

export const target = (kind: Target['kind'], port: number, more: Partial<Target> = {}): Target => ({
  ...{ id: 't0', kind, address: HERE, port },
  ...more,
});

export const taskWith = (tcp: readonly number[], udp: readonly number[] = []): AgentTask => ({
  ...{ role: 'witness', nonce: 'ffffffff', seconds: 1, settleSeconds: 0, targets: [], attemptMs: LIMIT },
  listen: { tcp, udp },
});

/** The agent's listeners, on one port over TCP and UDP. */
export async function withEars<T>(work: (ears: Ears, port: number) => Promise<T>): Promise<T> {
  const port = await freePort();
  const ears = listen(taskWith([port], [port]));
  try {
    assert.equal((await ears.listening).toSorted(), [`tcp/${port}`, `udp/${port}`]);
    return await work(ears, port);
  } finally {
    ears.close();
  }
}

/** Sends the pieces one by one, and reads until the peer closes. */
export function talk(port: number, ...pieces: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((done) => {
    let text = '';
    const socket = connect({ port, host: HERE, noDelay: true });
    const send = (index: number): void => {
      const piece = pieces[index];
      if (piece === undefined) return;
      socket.write(piece, () => setImmediate(send, index + 1));
    };
    socket.setEncoding('latin1');
    socket.once('connect', () => send(0));
    socket.on('data', (piece) => {
      text += piece;
    });
    socket.once('error', () => done(text));
    socket.once('close', () => done(text));
  });
}

/** Waits, without end: a test that hangs fails too. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((next) => setTimeout(next, 5));
}
