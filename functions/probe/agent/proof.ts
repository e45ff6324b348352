// What a listener answers to a nonce, so that a peer shows that it is an agent and not something that repeats its input.
import { createHash } from 'node:crypto';

/** Hex digits, more than a nonce has: an answer is never taken for a nonce again, so that two listeners do not answer each other for ever. */
export const proofOf = (nonce: string): string => createHash('sha256').update(nonce).digest('hex');
