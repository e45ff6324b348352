// Listens on the task's ports, and remembers by nonces who came. Connections without a nonce are the kubelet's.
import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import type { AgentResult, AgentTask } from '../../model';
import { labelsOf, refusal } from './dns-message';

const NONCE = /^[0-9a-f]{8,32}$/;
const MOST_NONCES = 10_000;
const MOST_PEERS = 8;
/** A peer that says nothing for so long is not waited for, in ms. */
const PATIENCE = 10_000;
const MOST_BYTES = 4096;
/** What the witness tells to those who ask. */
export const HEARD_PATH = 'heard';

export interface Ears {
  /** Resolves when every port was tried; `tcp/8080` for those that are open. */
  readonly listening: Promise<readonly string[]>;
  readonly heard: () => AgentResult['heard'];
  readonly silent: () => AgentResult['silent'];
  /** Hears nothing more. A pod's agent just ends. */
  readonly close: () => void;
}

export function listen({ listen: ports }: AgentTask): Ears {
  const heard = new Map<string, AgentResult['heard'][number]>();
  let silent: { count: number; first: number; last: number; from: string[] } | undefined;
  const hear = (nonce: string, port: string, from = ''): void => {
    const key = `${nonce} ${port}`;
    if (!heard.has(key) && heard.size < MOST_NONCES) heard.set(key, { nonce, port, from: plain(from), at: Date.now() });
  };
  const hearNothing = (from = ''): void => {
    const now = Date.now();
    silent ??= { count: 0, first: now, last: now, from: [] };
    silent.count += 1;
    silent.last = now;
    if (silent.from.length < MOST_PEERS && !silent.from.includes(plain(from))) silent.from.push(plain(from));
  };
  const open: Opened = [];
  const list = (): AgentResult['heard'] => [...heard.values()];
  const tcp = ports.tcp.map((port) => listenTcp(port, { hear, hearNothing, list }, open));
  const udp = ports.udp.map((port) => listenUdp(port, hear, open));
  return {
    listening: Promise.all([...tcp, ...udp]).then((names) => names.filter((name) => name !== undefined)),
    heard: list,
    silent: () => silent,
    close: () => {
      for (const one of open) one.close();
    },
  };
}

/** An IPv4 peer of a dual socket. */
const plain = (address: string): string => address.replace(/^::ffff:(?=[0-9.]+$)/, '');

interface Memory {
  readonly hear: (nonce: string, port: string, from?: string) => void;
  readonly hearNothing: (from?: string) => void;
  readonly list: () => AgentResult['heard'];
}

/** What is open, to be closed again. */
type Opened = { close: () => unknown }[];

/** Both families in one socket; where a host has no IPv6, IPv4 alone. */
function listenTcp(port: number, memory: Memory, open: Opened): Promise<string | undefined> {
  const name = `tcp/${port}`;
  return new Promise((done) => {
    const server = createServer({ noDelay: true }, (socket) => serve(socket, name, memory));
    let host = '::';
    server.on('error', () => {
      if (host !== '::') return done(undefined);
      host = '0.0.0.0';
      server.listen({ port, host });
    });
    server.once('listening', () => {
      open.push(server);
      done(name);
    });
    server.listen({ port, host });
  });
}

function serve(socket: Socket, port: string, { hear, hearNothing, list }: Memory): void {
  let bytes = Buffer.alloc(0);
  let known = false;
  const from = socket.remoteAddress;
  socket.setTimeout(PATIENCE, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    if (!known && bytes.length === 0) hearNothing(from);
  });
  socket.on('data', (piece) => {
    bytes = Buffer.concat([bytes, piece]);
    if (known || bytes.length > MOST_BYTES) {
      socket.destroy();
      return;
    }
    const asked = questionIn(bytes);
    if (!asked) return;
    known = true;
    for (const word of asked.words.filter((one) => NONCE.test(one))) hear(word, port, from);
    if (asked.query) socket.end(framed(refusal(asked.query)));
    else answer(socket, asked.words[0] === HEARD_PATH ? JSON.stringify(list().map(told)) : (asked.words[0] ?? ''));
  });
}

const told = ({ nonce, port }: AgentResult['heard'][number]) => ({ nonce, port });

/** What came so far as a request: the path of HTTP's, or the labels of a DNS question. */
function questionIn(bytes: Buffer): { readonly words: readonly string[]; readonly query?: Buffer } | undefined {
  const path = /^GET \/([^ ?]*)[^\r\n]*\r?\n/.exec(bytes.toString('latin1'))?.[1];
  if (path !== undefined) return { words: [path] };
  if (bytes.length < 2 || bytes.length !== bytes.readUInt16BE(0) + 2) return undefined;
  const query = bytes.subarray(2);
  const words = labelsOf(query);
  return words && { words, query };
}

/** Over TCP a message has its length before it (RFC 1035, 4.2.2). */
const framed = (message: Buffer): Buffer =>
  Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message]);

const answer = (socket: Socket, body: string): void => {
  const text = NONCE.test(body) || body.startsWith('[') ? body : '';
  socket.end(
    `HTTP/1.1 ${text ? '200 OK' : '404 Not Found'}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
};

function listenUdp(port: number, hear: Memory['hear'], opened: Opened): Promise<string | undefined> {
  return new Promise((done) => {
    const open = (type: 'udp6' | 'udp4'): void => {
      const socket = createSocket(type);
      let bound = false;
      socket.on('error', () => {
        if (bound) return;
        socket.close();
        if (type === 'udp6') open('udp4');
        else done(undefined);
      });
      socket.on('message', (message, peer) => {
        const labels = labelsOf(message);
        const words = labels ?? [message.toString('latin1')];
        for (const word of words.filter((one) => NONCE.test(one))) hear(word, `udp/${port}`, peer.address);
        socket.send(labels ? refusal(message) : message, peer.port, peer.address, () => undefined);
      });
      socket.bind({ port, address: type === 'udp6' ? '::' : '0.0.0.0' }, () => {
        bound = true;
        opened.push(socket);
        done(`udp/${port}`);
      });
    };
    open('udp6');
  });
}
