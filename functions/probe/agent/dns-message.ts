// As much of the DNS message format (RFC 1035, 4.1) as a probe needs: one question, and how it was answered.
import { randomInt } from 'node:crypto';
import type { Attempt } from '../../model';

const HEADER = 12;
const RCODES = ['NOERROR', 'FORMERR', 'SERVFAIL', 'NXDOMAIN', 'NOTIMP', 'REFUSED'];
const REFUSED = 5;

/** A question for an A record, with a random id; labels of more than 63 bytes are cut. */
export function question(name: string): { readonly id: number; readonly query: Buffer } {
  const id = randomInt(0x10000);
  const header = Buffer.alloc(HEADER);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(0x0100, 2); // recursion desired
  header.writeUInt16BE(1, 4);
  const labels = name
    .split('.')
    .filter((label) => label !== '')
    .map((label) => Buffer.from(label).subarray(0, 63))
    .flatMap((label) => [Buffer.from([label.length]), label]);
  return { id, query: Buffer.concat([header, ...labels, Buffer.from([0, 0, 1, 0, 1])]) };
}

/** `answer:NOERROR`, `answer:NODATA` (no error and no record), `answer:NXDOMAIN`, …; undefined: not an answer to this question. */
export function rcodeOf(message: Buffer, id: number): Attempt | undefined {
  if (message.length < HEADER || message.readUInt16BE(0) !== id || (message.readUInt8(2) & 0x80) === 0)
    return undefined;
  const code = message.readUInt8(3) & 0x0f;
  if (code === 0 && message.readUInt16BE(6) === 0) return 'answer:NODATA';
  return `answer:${RCODES[code] ?? code}`;
}

/** Labels of the first question; undefined for what is no question. */
export function labelsOf(message: Buffer): readonly string[] | undefined {
  if (message.length < HEADER + 5 || (message.readUInt8(2) & 0x80) !== 0 || message.readUInt16BE(4) !== 1)
    return undefined;
  const labels: string[] = [];
  for (let at = HEADER; at < message.length; ) {
    const length = message[at] ?? 0;
    if (length === 0) return labels;
    if (length > 63 || at + 1 + length > message.length) return undefined;
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return undefined;
}

/** The question sent back as one that nobody here answers. */
export function refusal(query: Buffer): Buffer {
  const answer = Buffer.from(query);
  answer.writeUInt8(((answer[2] ?? 0) & 0x79) | 0x80, 2);
  answer.writeUInt8(REFUSED, 3);
  return answer;
}
