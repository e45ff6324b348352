// Listens on the task's ports, and remembers by nonces who came. Connections without a nonce are the kubelet's.
import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';
import type { AgentResult, AgentTask } from '../../model';
import { labelsOf, refusal } from './dns-message';
import { proofOf } from './proof';

const NONCE = /^[0-9a-f]{8,32}$/;
const MOST_NONCES = 10_000;
const MOST_PEERS = 8;
const MOST_CONNECTIONS = 1000;
/** No connection lasts longer, in ms. */
const PATIENCE = 10_000;
const MOST_BYTES = 4096;
/** What the witness tells to those who ask. */
export const HEARD_PATH = 'heard';

export interface Ears {
  /** Resolves when every port was tried; `tcp/8080` for those that are open. */
  readonly listening: Promise<readonly string[]>;
  readonly heard: () => AgentResult['heard'];
  /** undefined also once strangers' nonces left no room: whoever came then is not known, and nothing may follow from it. */
  readonly silent: () => AgentResult['silent'];
  /** Hears nothing more. A pod's agent just ends. */
  readonly close: () => void;
}

export function listen({ listen: ports }: AgentTask): Ears {
  const heard = new Map<string, AgentResult['heard'][number]>();
  let full = false;
  let silent: { count: number; first: number; last: number; from: string[] } | undefined;
  const hear = (nonce: string, port: string, from = ''): void => {
    const key = `${nonce} ${port}`;
    if (heard.has(key)) return;
    if (heard.size < MOST_NONCES) heard.set(key, { nonce, port, from: plain(from), at: Date.now() });
    else full = true;
  };
  const hearNothing = (at: number, from = ''): void => {
    silent ??= { count: 0, first: at, last: at, from: [] };
    silent.count += 1;
    silent.first = Math.min(silent.first, at);
    silent.last = Math.max(silent.last, at);
    if (silent.from.length < MOST_PEERS && !silent.from.includes(plain(from))) silent.from.push(plain(from));
  };
  const open: Opened = [];
  const list = (): AgentResult['heard'] => [...heard.values()];
  const tcp = ports.tcp.map((port) =>
    listenTcp(port, { hear, hearNothing, list: () => (full ? undefined : list()) }, open),
  );
  const udp = ports.udp.map((port) => listenUdp(port, hear, open));
  return {
    listening: Promise.all([...tcp, ...udp]).then((names) => names.filter((name) => name !== undefined)),
    heard: list,
    silent: () => (full ? undefined : silent),
    close: () => {
      for (const one of open) one.close();
    },
  };
}

/** An IPv4 peer of a dual socket. */
const plain = (address: string): string => address.replace(/^::ffff:(?=[0-9.]+$)/, '');

interface Memory {
  readonly hear: (nonce: string, port: string, from?: string) => void;
  /** `at`: when the connection was taken, in Unix ms. */
  readonly hearNothing: (at: number, from?: string) => void;
  /** undefined: not all that came is remembered. */
  readonly list: () => AgentResult['heard'] | undefined;
}

/** What is open, to be closed again. */
type Opened = { close: () => unknown }[];

/** Both families in one socket; where a host has no IPv6, IPv4 alone. */
function listenTcp(port: number, memory: Memory, open: Opened): Promise<string | undefined> {
  const name = `tcp/${port}`;
  return new Promise((done) => {
    const server = createServer({ noDelay: true }, (socket) => serve(socket, name, memory));
    let host = '::';
    server.maxConnections = MOST_CONNECTIONS;
    server.on('error', () => {
      if (server.listening) return;
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
  const at = Date.now();
  const limit = setTimeout(() => socket.destroy(), PATIENCE).unref();
  socket.on('error', () => socket.destroy());
  socket.on('close', () => {
    clearTimeout(limit);
    if (bytes.length === 0) hearNothing(at, from);
  });
  socket.on('data', (piece) => {
    // the rest of a request is read, else closing would reset the connection before the answer arrives
    if (known) return;
    bytes = Buffer.concat([bytes, piece]);
    if (bytes.length > MOST_BYTES) {
      socket.destroy();
      return;
    }
    const asked = questionIn(bytes);
    if (!asked) return;
    known = true;
    for (const word of asked.words.filter((one) => NONCE.test(one))) hear(word, port, from);
    if (asked.query) socket.end(framed(refusal(asked.query)));
    else socket.end(page(bodyFor(asked.words[0] ?? '', list)));
  });
}

/** undefined: there is no such page. */
function bodyFor(word: string, list: Memory['list']): string | undefined {
  if (word !== HEARD_PATH) return NONCE.test(word) ? proofOf(word) : undefined;
  const heard = list();
  return heard && JSON.stringify(heard.map(told));
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

const page = (body: string | undefined): string =>
  `HTTP/1.1 ${body === undefined ? '404 Not Found' : '200 OK'}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(body ?? '')}\r\nConnection: close\r\n\r\n${body ?? ''}`;

/** Answers questions and nonces only. Whatever else comes may be an answer itself, sent here under a false address. */
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
        const nonces = (labels ?? [message.toString('latin1')]).filter((one) => NONCE.test(one));
        for (const nonce of nonces) hear(nonce, `udp/${port}`, peer.address);
        const answer = labels ? refusal(message) : nonces.map(proofOf)[0];
        if (answer !== undefined) socket.send(answer, peer.port, peer.address, () => undefined);
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
