// One prober per namespace: the Lease in the control plane, taken, renewed, and given back.
import type { V1Lease } from '@kubernetes/client-node';
import type { Plan } from '../../model';
import { type Api, ApiError } from './api';
import * as paths from './paths';

const SECONDS = 30;
const RENEW = 10_000;
const ASK_AGAIN = 2000;
const SAY = 10_000;
/** The last renewal may be under way when it is given back. */
const TRIES_TO_RELEASE = 3;

/** Whether a lease is free for `holder` at `now` (Unix ms): nobody's, its own, or not renewed in time. */
export function isFree({ spec }: Pick<V1Lease, 'spec'>, holder: string, now: number): boolean {
  if (!spec?.holderIdentity || spec.holderIdentity === holder) return true;
  const renewed = Date.parse(String(spec.renewTime ?? spec.acquireTime ?? ''));
  return Number.isNaN(renewed) || renewed + (spec.leaseDurationSeconds ?? SECONDS) * 1000 < now;
}

export interface Held {
  readonly release: () => Promise<void>;
  /** Resolves when another prober has it. */
  readonly lost: Promise<void>;
}

export interface Waiting {
  /** Unix ms. */
  readonly deadline: number;
  readonly stopped: () => boolean;
  /** Told now and then who holds it. */
  readonly waiting: (holder: string) => void;
}

/** undefined: another prober holds it until the deadline, or `stopped` said so before it was free. */
export async function take(
  api: Api,
  { controlPlaneNamespace, prober }: Plan,
  holder: string,
  { deadline, stopped, waiting }: Waiting,
): Promise<Held | undefined> {
  const path = paths.lease(controlPlaneNamespace, prober);
  let saidAt = 0;
  while (!stopped()) {
    const found = await api.call<V1Lease>('GET', path);
    if (isFree(found, holder, Date.now()) && (await write(api, path, found, holder))) return hold(api, path, holder);
    if (Date.now() + ASK_AGAIN > deadline) return undefined;
    if (Date.now() - saidAt > SAY) {
      saidAt = Date.now();
      waiting(found.spec?.holderIdentity ?? '');
    }
    await new Promise((next) => setTimeout(next, ASK_AGAIN));
  }
  return undefined;
}

/** By its resourceVersion: false when somebody else was faster. */
async function write(api: Api, path: string, found: V1Lease, holder: string): Promise<boolean> {
  const now = new Date().toISOString().replace('Z', '000Z'); // MicroTime has six digits
  const spec = {
    holderIdentity: holder,
    leaseDurationSeconds: SECONDS,
    acquireTime: found.spec?.holderIdentity === holder ? found.spec.acquireTime : now,
    renewTime: now,
    leaseTransitions: (found.spec?.leaseTransitions ?? 0) + (found.spec?.holderIdentity === holder ? 0 : 1),
  };
  try {
    await api.call('PUT', path, { body: { ...found, spec: holder === '' ? {} : spec } });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 409) return false;
    throw error;
  }
}

function hold(api: Api, path: string, holder: string): Held {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  const lost = new Promise<void>((lose) => {
    const renew = async (): Promise<void> => {
      try {
        const found = await api.call<V1Lease>('GET', path);
        if (ended) return;
        if (!isFree(found, holder, Date.now())) return lose();
        await write(api, path, found, holder);
      } catch {
        // the API server is away: the lease may be lost by time, which the next renewal finds out
      }
      if (!ended) timer = setTimeout(() => void renew(), RENEW);
    };
    timer = setTimeout(() => void renew(), RENEW);
  });
  return {
    lost,
    release: async () => {
      ended = true;
      clearTimeout(timer);
      try {
        for (let tries = 0; tries < TRIES_TO_RELEASE; tries += 1) {
          const found = await api.call<V1Lease>('GET', path);
          if (found.spec?.holderIdentity !== holder || (await write(api, path, found, ''))) return;
        }
      } catch {
        // it ends by itself
      }
    },
  };
}
