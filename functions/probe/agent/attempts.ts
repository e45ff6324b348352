// Single attempts to reach a target. Each has a socket and a timer of its own, and ends with one word.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Attempt, Target } from '../../model';
import { question, rcodeOf } from './dns-message';

/** Longer answers tell nothing more. */
const MOST_BYTES = 64 * 1024;

/** Always ends within `limit` ms, and never throws. */
export function attempt(target: Target, nonce: string, limit: number): Promise<Attempt> {
  switch (target.kind) {
    case 'tcp':
      return overTcp(target, limit, undefined, () => undefined, 'connected');
    case 'http':
      return overTcp(
        target,
        limit,
        request(target, nonce),
        (bytes, ended) => httpAnswer(bytes, nonce, ended),
        'connected',
      );
    case 'dns-tcp':
      return askOverTcp(target, limit);
    case 'dns-udp':
      return askOverUdp(target, limit);
    case 'udp':
      return overUdp(target, limit, Buffer.from(nonce), (bytes) => (bytes.includes(nonce) ? 'echo' : 'answer'));
  }
}

const WORDS: Readonly<Record<string, Attempt>> = { ETIMEDOUT: 'timeout' };
const wordOf = (error: unknown): Attempt => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? (WORDS[code] ?? code) : 'ERROR';
};

/**
 * Connects, sends, and reads until `read` knows. What is never answered ends as `silence` once the connection was open.
 */
function overTcp(
  { address, port }: Target,
  limit: number,
  message: Buffer | undefined,
  read: (bytes: Buffer, ended: boolean) => Attempt | undefined,
  silence: Attempt,
): Promise<Attempt> {
  return new Promise((done) => {
    let open = false;
    const pieces: Buffer[] = [];
    let length = 0;
    const socket = connect({ host: address, port });
    const end = (word: Attempt): void => {
      clearTimeout(timer);
      socket.destroy();
      done(word);
    };
    const timer = setTimeout(() => end(open ? silence : 'timeout'), limit);
    socket.once('connect', () => {
      open = true;
      if (message) socket.write(message);
      else end(silence);
    });
    socket.on('data', (piece) => {
      if (length < MOST_BYTES) pieces.push(piece);
      length += piece.length;
      const word = read(Buffer.concat(pieces), false);
      if (word !== undefined) end(word);
    });
    socket.once('end', () => end(read(Buffer.concat(pieces), true) ?? silence));
    socket.once('error', (error) =>
      end(open && length > 0 ? (read(Buffer.concat(pieces), true) ?? silence) : wordOf(error)),
    );
  });
}

const request = ({ address, host, path, port }: Target, nonce: string): Buffer => {
  const name = host ?? (address.includes(':') ? `[${address}]` : address);
  const where = path === undefined ? `/${nonce}` : `${path}?nonce=${nonce}`;
  return Buffer.from(
    `GET ${where} HTTP/1.1\r\nHost: ${name}:${port}\r\nUser-Agent: seatplan-probe\r\nConnection: close\r\n\r\n`,
  );
};

/** The nonce counts in a body only: a server that repeats the path in a redirect did not log it. */
function httpAnswer(bytes: Buffer, nonce: string, ended: boolean): Attempt | undefined {
  const text = bytes.toString('latin1');
  if (!text.startsWith('HTTP/')) return bytes.length > 5 ? 'connected' : undefined;
  const body = text.indexOf('\r\n\r\n');
  if (body < 0) return ended ? 'answer' : undefined;
  if (text.slice(body).includes(nonce)) return 'echo';
  const size = /\r\ncontent-length: *([0-9]+)/i.exec(text.slice(0, body + 2))?.[1];
  const isWhole = size !== undefined && text.length - body - 4 >= Number(size);
  // without a length the peer closes when it is done
  return isWhole || ended ? 'answer' : undefined;
}

function askOverTcp(target: Target, limit: number): Promise<Attempt> {
  const { id, query } = question(target.name ?? '.');
  const size = Buffer.alloc(2);
  size.writeUInt16BE(query.length);
  return overTcp(target, limit, Buffer.concat([size, query]), (bytes) => rcodeOf(bytes.subarray(2), id), 'connected');
}

function askOverUdp(target: Target, limit: number): Promise<Attempt> {
  const { id, query } = question(target.name ?? '.');
  return overUdp(target, limit, query, (bytes) => rcodeOf(bytes, id));
}

/** A connected socket, so that a refusal comes back as an error. Silence is a timeout: UDP tells no more. */
function overUdp(
  { address, port }: Target,
  limit: number,
  message: Buffer,
  read: (bytes: Buffer) => Attempt | undefined,
): Promise<Attempt> {
  return new Promise((done) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    let ended = false;
    const end = (word: Attempt): void => {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      socket.close();
      done(word);
    };
    const timer = setTimeout(() => end('timeout'), limit);
    socket.on('error', (error) => end(wordOf(error)));
    socket.on('message', (bytes) => {
      const word = read(bytes);
      if (word !== undefined) end(word);
    });
    socket.connect(port, address, (error?: Error) => {
      if (error) end(wordOf(error));
      else if (!ended) socket.send(message, (problem) => problem && end(wordOf(problem)));
    });
  });
}
