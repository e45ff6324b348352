// A time limit that counts only while this process runs: a pod without CPU must not take its own pause for a silent peer.
import { performance } from 'node:perf_hooks';

/** A timer that is later than this says that the process stood still, in ms. */
const STALL = 500;

export interface Patience {
  /** Counts from now on. */
  readonly restart: () => void;
  readonly stop: () => void;
}

/** Calls `over` once after `limit` ms, when all that had arrived by then was read. After a pause of the process it waits anew. */
export function patience(limit: number, over: () => void): Patience {
  let timer: NodeJS.Timeout;
  const restart = (): void => {
    const began = performance.now();
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (performance.now() - began > limit + STALL) restart();
      else setImmediate(over); // timers go before sockets: what lies there is read first
    }, limit);
  };
  restart();
  return { restart, stop: () => clearTimeout(timer) };
}
