// Which refusals of the API server may pass, and how long to wait before asking again.
import type { ApiError } from './api';

/** With the pauses below 16 to 32 seconds in all: an API server that restarts is away for 15. */
export const TRIES = 7;
export const TRIES_IN_A_HURRY = 2;
const FIRST = 250;
const LONGEST = 8000;

type Failure = Pick<ApiError, 'code' | 'retryAfter'>;

/** 429, 5xx, and no answer at all (0). */
export const isTransient = ({ code }: Failure): boolean => code === 0 || code === 429 || code >= 500;

/** In ms: twice as long each time, or what the server asks for, plus up to as much again by chance (0 to 1), so that probers part. */
export function pauseBefore(tries: number, { retryAfter }: Failure, chance: number): number {
  const base = retryAfter === undefined ? FIRST * 2 ** (tries - 1) : retryAfter * 1000;
  const bounded = Math.min(base, LONGEST);
  return Math.round(bounded + chance * bounded);
}
