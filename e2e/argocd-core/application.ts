// An Application as Argo CD's controller sees it: asked to look, waited for, and told in short when it does not get there.
import type { Cluster } from '../cluster';
import { ARGOCD } from './install';

export interface Resource {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  /** Of the comparison with Git. */
  readonly status?: string;
  readonly health?: { readonly status?: string; readonly message?: string };
}
interface Result extends Resource {
  readonly message?: string;
}
interface Status {
  readonly sync?: { readonly status: string; readonly revision: string };
  readonly health?: { readonly status: string; readonly message?: string };
  readonly conditions?: readonly { readonly type: string; readonly message: string }[];
  readonly resources?: readonly Resource[];
  readonly operationState?: {
    readonly phase: string;
    readonly message: string;
    readonly syncResult?: { readonly resources?: readonly Result[] };
  };
}

export interface Application {
  now(): Promise<Status>;
  /** Has the controller read Git again, and returns when it did; `hard` asks the plugin too where nothing changed. */
  refresh(how?: 'normal' | 'hard'): Promise<void>;
  /** Waits until it is so; what it is instead stands in the error. */
  becomes(what: string, seconds: number, is: (status: Status) => boolean): Promise<Status>;
  /** Messages of its conditions once it was refreshed, in one text. */
  complaint(): Promise<string>;
  /** Changes its spec. */
  patch(spec: unknown): Promise<void>;
}

export function applicationOn(on: Cluster, name: string): Application {
  const get = () => on.get('applications.argoproj.io', name, ARGOCD);
  const patch = (change: unknown) => on.patch('applications.argoproj.io', name, ARGOCD, change);
  const now = async (): Promise<Status> => ((await get())?.status ?? {}) as Status;
  const refresh: Application['refresh'] = async (how = 'normal') => {
    await patch({ metadata: { annotations: { [REFRESH]: how } } });
    await on.waitFor(`Application ${name} is refreshed`, 60, async () => {
      const annotations = (await get())?.metadata.annotations ?? {};
      return !Object.hasOwn(annotations, REFRESH) || undefined;
    });
  };
  return {
    now,
    refresh,
    patch: (spec) => patch({ spec }),
    async becomes(what, seconds, is) {
      let last: Status = {};
      try {
        return await on.waitFor(`Application ${name} is ${what}`, seconds, async () => {
          last = await now();
          return is(last) ? last : undefined;
        });
      } catch (error) {
        throw new Error(`${(error as Error).message}; it is ${JSON.stringify(summary(last), undefined, 1)}`);
      }
    },
    async complaint() {
      await refresh();
      const { conditions = [] } = await now();
      return conditions.map(({ type, message }) => `${type}: ${message}`).join('\n');
    },
  };
}
const REFRESH = 'argocd.argoproj.io/refresh';

/** Synced and Healthy, with anything in it. */
export const isGood = ({ sync, health, resources = [] }: Status): boolean =>
  sync?.status === 'Synced' && health?.status === 'Healthy' && resources.length > 0;

export const isDegraded = ({ health }: Resource): boolean => health?.status === 'Degraded';

const summary = ({ sync, health, conditions, resources, operationState }: Status): unknown => ({
  sync,
  health,
  conditions,
  operation: [operationState?.phase, operationState?.message],
  resources: resources?.filter((one) => one.status === 'OutOfSync' || (one.health?.status ?? 'Healthy') !== 'Healthy'),
});
