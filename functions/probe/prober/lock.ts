// One prober per namespace: who runs has its name on the report, renews it, and takes it away in the end. On the report and in no
// Lease: Argo CD leaves Leases out by default (argo-cd, manifests/install.yaml, resource.exclusions), and would never create one.
import type { V1ObjectMeta } from '@kubernetes/client-node';
import type { Plan } from '../../model';
import { HOLDER, reportName } from '../identity';
import { type Api, ApiError } from './api';
import * as paths from './paths';

/** In ms. `stale`: whose text stays the same for so long is gone. */
export interface Pace {
  readonly stale: number;
  readonly renew: number;
  readonly askAgain: number;
}
const PACE: Pace = { stale: 30_000, renew: 10_000, askAgain: 2000 };
const SAY = 10_000;
/** Engines and the report itself are written into the same object. */
const TRIES = 3;

/** The annotation's JSON. The times are for people: clocks differ, so that nothing follows from them. */
interface Mark {
  readonly holder: string;
  readonly acquired: string;
  readonly renewed: string;
}

/** undefined: the text is no mark of a prober of this version. */
export function markOf(text: string | undefined): Mark | undefined {
  try {
    const { holder, acquired, renewed } = JSON.parse(text ?? '') as Partial<Mark>;
    return [holder, acquired, renewed].every((one) => typeof one === 'string')
      ? ({ holder, acquired, renewed } as Mark)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether somebody else's name is on a report. Text that cannot be read is somebody's: of another version, maybe. */
export const isOthers = (metadata: V1ObjectMeta | undefined, holder: string): boolean => {
  const text = metadata?.annotations?.[HOLDER];
  return text !== undefined && markOf(text)?.holder !== holder;
};

export interface Held {
  /** Renews it now; false: another prober has it. Throws ApiError. */
  readonly renew: () => Promise<boolean>;
  readonly release: () => Promise<void>;
  /** Resolves when another prober has it. */
  readonly lost: Promise<void>;
}

export interface Waiting {
  /** Unix ms. Whoever may be gone is waited out in any case: else a short deadline would always end before. */
  readonly deadline: number;
  readonly stopped: () => boolean;
  /** Told now and then who holds it. */
  readonly waiting: (holder: string) => void;
}

/**
 * undefined: another prober holds it until the deadline, or `stopped` said so before it was free. Free is what nobody's name is
 * on, and any text that this process saw unchanged for 30 s: a prober that lives writes another one every 10 s, so that a
 * text that means nothing is given up to nobody who may be at work.
 */
export async function take(
  api: Api,
  plan: Plan,
  holder: string,
  { deadline, stopped, waiting }: Waiting,
  pace: Pace = PACE,
): Promise<Held | undefined> {
  const lock = lockOf(api, plan, holder);
  const look = watch(lock);
  let saidAt = 0;
  while (!stopped()) {
    const { found, text, unchanged, lives } = await look();
    if ((!isOthers(found, holder) || unchanged >= pace.stale) && (await lock.write(found, true)))
      return hold(lock, pace);
    const isLate = Date.now() + pace.askAgain > deadline;
    if (isLate && (lives || unchanged >= 2 * pace.stale)) return undefined;
    if (text !== undefined && Date.now() - saidAt > SAY) {
      saidAt = Date.now();
      waiting(markOf(text)?.holder ?? text);
    }
    await new Promise((next) => setTimeout(next, pace.askAgain));
  }
  return undefined;
}

/** Reads, and tells for how long the text has been the same, in ms by this process's own clock, and whether it was ever another. */
function watch({ read }: Lock) {
  let seen: { readonly text: string | undefined; readonly since: number; readonly lives: boolean } | undefined;
  return async () => {
    const found = await read();
    const text = found.annotations?.[HOLDER];
    if (!seen || seen.text !== text) seen = { text, since: performance.now(), lives: seen !== undefined };
    return { ...seen, found, unchanged: performance.now() - seen.since };
  };
}

interface Lock {
  readonly holder: string;
  readonly read: () => Promise<V1ObjectMeta>;
  /** Puts the holder's name on what was read, or takes it off; false: somebody else wrote in the meantime. */
  readonly write: (found: V1ObjectMeta, name: boolean) => Promise<boolean>;
}

function lockOf(api: Api, { controlPlaneNamespace, prober }: Plan, holder: string): Lock {
  const path = paths.configMap(controlPlaneNamespace, reportName(prober));
  // a report may have a megabyte
  const metadataOnly = true;
  return {
    holder,
    read: async () => (await api.call<{ metadata?: V1ObjectMeta }>('GET', path, { metadataOnly })).metadata ?? {},
    write: async ({ resourceVersion, annotations }, name) => {
      const renewed = new Date().toISOString();
      const own = markOf(annotations?.[HOLDER]);
      const mark: Mark = { holder, acquired: own?.holder === holder ? own.acquired : renewed, renewed };
      const body = { metadata: { resourceVersion, annotations: { [HOLDER]: name ? JSON.stringify(mark) : null } } };
      try {
        await api.call('PATCH', path, { contentType: 'application/merge-patch+json', body, metadataOnly });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.code === 409) return false;
        throw error;
      }
    },
  };
}

function hold({ holder, read, write }: Lock, pace: Pace): Held {
  let timer: NodeJS.Timeout | undefined;
  let ended = false;
  let lose = (): void => {};
  const lost = new Promise<void>((done) => {
    lose = done;
  });
  const renew = async (): Promise<boolean> => {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const found = await read();
      if (isOthers(found, holder)) {
        lose();
        return false;
      }
      // a name that was taken off is put on again, but not after its end
      if (ended || (await write(found, true))) return true;
    }
    return true;
  };
  const later = (): void => {
    timer = setTimeout(async () => {
      // where the API server is away it may be lost by time, which the next renewal finds out
      const isHeld = await renew().catch(() => true);
      if (isHeld && !ended) later();
    }, pace.renew);
  };
  later();
  return {
    lost,
    renew,
    release: async () => {
      ended = true;
      clearTimeout(timer);
      try {
        // the last renewal may be under way
        for (let tries = 0; tries < TRIES; tries += 1) {
          const found = await read();
          if (isOthers(found, holder) || (await write(found, false))) return;
        }
      } catch {
        // it ends by itself
      }
    },
  };
}
