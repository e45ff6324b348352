// Asks the witness who came to it.
import { connect } from 'node:net';
import type { AgentResult, AgentTask } from '../../model';
import { MEASURED } from '../identity';
import { HEARD_PATH } from './listeners';

const TRIES = 3;
const MOST_BYTES = 1024 * 1024;
const NONCE = /^[0-9a-f]{8,32}$/;

/** undefined: it did not answer in three tries, each of at most `limit` ms. */
export async function askWitness(
  witness: NonNullable<AgentTask['witness']>,
  limit: number,
): Promise<AgentResult['witnessHeard']> {
  const { nonces } = witness;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const heard = heardOf(await get(witness, limit));
    if (heard) return nonces ? heard.filter(({ nonce }) => isOf(nonce, nonces)) : heard;
  }
  return undefined;
}

const isOf = (nonce: string, wanted: readonly string[]): boolean =>
  wanted.some((one) => nonce === one || nonce === one + MEASURED);

function get({ address, port }: NonNullable<AgentTask['witness']>, limit: number): Promise<string> {
  return new Promise((done) => {
    let text = '';
    const socket = connect({ host: address, port });
    const end = (): void => {
      clearTimeout(timer);
      socket.destroy();
      done(text);
    };
    const timer = setTimeout(end, limit);
    socket.setEncoding('latin1');
    socket.once('connect', () =>
      socket.write(`GET /${HEARD_PATH} HTTP/1.1\r\nHost: witness\r\nConnection: close\r\n\r\n`),
    );
    socket.on('data', (piece) => {
      text += piece;
      if (text.length > MOST_BYTES) end();
    });
    socket.once('end', end);
    socket.once('error', end);
  });
}

function heardOf(answer: string): AgentResult['witnessHeard'] {
  try {
    const list: unknown = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
    if (!answer.startsWith('HTTP/1.1 200') || !Array.isArray(list)) return undefined;
    return list.flatMap(({ nonce, port }) =>
      typeof nonce === 'string' && NONCE.test(nonce) && typeof port === 'string' ? [{ nonce, port }] : [],
    );
  } catch {
    return undefined;
  }
}
