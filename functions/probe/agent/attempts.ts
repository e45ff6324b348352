// Single attempts to reach a target. Each has a socket and a timer of its own, and ends with one word.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { Attempt, Target } from '../../model';
import { isAnswer } from '../truth';
import { question, rcodeOf } from './dns-message';
import { patience } from './patience';
import { proofOf } from './proof';

/** Longer answers tell nothing more. */
const MOST_BYTES = 64 * 1024;

/** Always ends within `limit` ms in which the process runs, and never throws for a target of a valid task. */
export function attempt(target: Target, nonce: string, limit: number): Promise<Attempt> {
  switch (target.kind) {
    case 'tcp':
      return overTcp(target, limit, undefined, () => undefined);
    case 'http':
      return overTcp(target, limit, request(target, nonce), (bytes, ended) => httpAnswer(bytes, nonce, ended));
    case 'dns-tcp':
      return askOverTcp(target, limit);
    case 'dns-udp':
      return askOverUdp(target, limit);
    case 'udp':
      return overUdp(target, limit, Buffer.from(nonce), (bytes) =>
        bytes.includes(proofOf(nonce)) ? 'echo' : 'answer',
      );
  }
}

const WORDS: Readonly<Record<string, Attempt>> = { ETIMEDOUT: 'timeout' };
const wordOf = (error: unknown): Attempt => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? (WORDS[code] ?? code) : 'ERROR';
};

/**
 * Connects, sends, and reads until `read` knows. Once the connection was open, whatever ends it was let through: without
 * an answer, and also with a reset, it ends as `connected`.
 */
function overTcp(
  { address, port }: Target,
  limit: number,
  message: Buffer | undefined,
  read: (bytes: Buffer, ended: boolean) => Attempt | undefined,
): Promise<Attempt> {
  return new Promise((done) => {
    let open = false;
    let bytes = Buffer.alloc(0);
    const socket = connect({ host: address, port });
    const end = (word: Attempt): void => {
      wait.stop();
      socket.destroy();
      done(word);
    };
    const last = (): Attempt => read(bytes, true) ?? 'connected';
    const wait = patience(limit, () => end(open ? last() : 'timeout'));
    socket.once('connect', () => {
      open = true;
      if (message) socket.write(message);
      else end('connected');
    });
    socket.on('data', (piece) => {
      bytes = Buffer.concat([bytes, piece]);
      const word = bytes.length < MOST_BYTES ? read(bytes, false) : last();
      if (word !== undefined) end(word);
    });
    socket.once('end', () => end(last()));
    socket.once('error', (error) => end(open ? last() : wordOf(error)));
  });
}

const request = ({ address, host, path, port }: Target, nonce: string): Buffer => {
  const name = host ?? (address.includes(':') ? `[${address}]` : address);
  const where = path === undefined ? `/${nonce}` : `${path}?nonce=${nonce}`;
  return Buffer.from(
    `GET ${where} HTTP/1.1\r\nHost: ${name}:${port}\r\nUser-Agent: seatplan-probe\r\nConnection: close\r\n\r\n`,
  );
};

/** Only an agent knows the proof: servers repeat the path in a redirect or in an error page. */
function httpAnswer(bytes: Buffer, nonce: string, ended: boolean): Attempt | undefined {
  const text = bytes.toString('latin1');
  if (!text.startsWith('HTTP/')) return bytes.length > 5 ? 'connected' : undefined;
  const body = text.indexOf('\r\n\r\n');
  if (body < 0) return ended ? 'answer' : undefined;
  if (text.slice(body).includes(proofOf(nonce))) return 'echo';
  const size = /\r\ncontent-length: *([0-9]+)/i.exec(text.slice(0, body + 2))?.[1];
  const isWhole = size !== undefined && text.length - body - 4 >= Number(size);
  // without a length the peer closes when it is done
  return isWhole || ended ? 'answer' : undefined;
}

function askOverTcp(target: Target, limit: number): Promise<Attempt> {
  const { id, query } = question(target.name ?? '.');
  const size = Buffer.alloc(2);
  size.writeUInt16BE(query.length);
  return overTcp(target, limit, Buffer.concat([size, query]), (bytes) => rcodeOf(bytes.subarray(2), id));
}

function askOverUdp(target: Target, limit: number): Promise<Attempt> {
  const { id, query } = question(target.name ?? '.');
  return overUdp(target, limit, query, (bytes) => rcodeOf(bytes, id));
}

/**
 * A connected socket, so that a refusal comes back as an error. Silence is a timeout: UDP tells no more. A datagram that is
 * no answer still came from the peer: then the path is open, as `connected` says.
 */
function overUdp(
  { address, port }: Target,
  limit: number,
  message: Buffer,
  read: (bytes: Buffer) => Attempt | undefined,
): Promise<Attempt> {
  return new Promise((done) => {
    const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
    let ended = false;
    let came = false;
    const end = (word: Attempt): void => {
      if (ended) return;
      ended = true;
      wait.stop();
      socket.close();
      done(came && !isAnswer(word) ? 'connected' : word);
    };
    const wait = patience(limit, () => end('timeout'));
    socket.on('error', (error) => end(wordOf(error)));
    socket.on('message', (bytes) => {
      came = true;
      const word = read(bytes);
      if (word !== undefined) end(word);
    });
    socket.connect(port, address, (error?: Error) => {
      if (error) return end(wordOf(error));
      if (ended) return;
      wait.restart();
      socket.send(message, (problem) => problem && end(wordOf(problem)));
    });
  });
}
