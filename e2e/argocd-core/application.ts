// An Application as Argo CD's controller sees it: asked to look, waited for, and told in one line when it does not get there.
import type { Cluster, Live } from '../cluster';
import { ARGOCD } from './install';

interface Resource {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly status?: string;
  readonly health?: { readonly status?: string; readonly message?: string };
}
export interface Application {
  readonly uid: string;
  readonly sync: string;
  readonly revision: string;
  readonly health: string;
  readonly conditions: readonly { readonly type: string; readonly message: string }[];
  readonly resources: readonly Resource[];
  readonly operation: {
    readonly phase?: string;
    readonly message?: string;
    readonly syncResult?: { readonly resources?: readonly (Resource & { readonly message?: string })[] };
  };
  readonly reconciledAt: string;
}

export async function application(cluster: Cluster, name: string): Promise<Application | undefined> {
  const live = (await cluster.get('applications.argoproj.io', name, ARGOCD)) as Live | undefined;
  if (!live) return undefined;
  // biome-ignore lint/suspicious/noExplicitAny: the CRD's own schema says what is in there
  const status = (live.status ?? {}) as any;
  return {
    uid: live.metadata.uid,
    sync: status.sync?.status ?? '',
    revision: status.sync?.revision ?? '',
    health: status.health?.status ?? '',
    conditions: status.conditions ?? [],
    resources: status.resources ?? [],
    operation: status.operationState ?? {},
    reconciledAt: status.reconciledAt ?? '',
  };
}

/** Has the controller read Git again; `hard` asks the plugin too where nothing changed. */
export async function refresh(cluster: Cluster, name: string, how: 'normal' | 'hard' = 'normal'): Promise<void> {
  const annotations = { 'argocd.argoproj.io/refresh': how };
  await cluster.patch('applications.argoproj.io', name, ARGOCD, { metadata: { annotations } });
  await cluster.waitFor(`${name} is refreshed`, 60, async () => {
    const live = await cluster.get('applications.argoproj.io', name, ARGOCD);
    return live?.metadata.annotations?.['argocd.argoproj.io/refresh'] === undefined || undefined;
  });
}

/** Waits until the Application is so; what it is instead stands in the error. */
export async function applicationIs(
  cluster: Cluster,
  name: string,
  what: string,
  seconds: number,
  is: (app: Application) => boolean,
): Promise<Application> {
  let last: Application | undefined;
  try {
    return await cluster.waitFor(`Application ${name} ${what}`, seconds, async () => {
      last = await application(cluster, name);
      return last && is(last) ? last : undefined;
    });
  } catch (error) {
    throw new Error(`${(error as Error).message}; it is ${JSON.stringify(last && summary(last), undefined, 1)}`);
  }
}

const summary = ({ sync, revision, health, conditions, resources, operation }: Application): unknown => ({
  sync,
  revision,
  health,
  conditions,
  operation: [operation.phase, operation.message],
  results: operation.syncResult?.resources?.filter(({ status }) => status !== 'Synced').map(brief),
  resources: resources.filter((one) => one.status !== 'Synced' || (one.health?.status ?? 'Healthy') !== 'Healthy'),
});
const brief = ({ kind, name, status, message }: Resource & { message?: string }): string =>
  `${kind}/${name} ${status}: ${message}`;

export const isGood = ({ sync, health }: Application): boolean => sync === 'Synced' && health === 'Healthy';
