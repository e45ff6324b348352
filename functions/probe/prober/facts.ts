// Looks at the cluster once: everything that the checks of live seats and policies need.
import type { V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import type { ClusterFacts, LiveSandbox, LiveSandboxClaim, Looked, Plan } from '../../model';
import { accountOf } from '../plan';
import { bound, hasSandboxClaims, hasSandboxes, podNameOf } from '../workload';
import type { Api } from './api';
import { looked, STOPPED } from './obstacles';
import * as paths from './paths';
import { forbidden } from './rights';

const AT_ONCE = 10;

/** Never throws for what the API server refuses: each refusal is an obstacle of its own. */
export async function gather(api: Api, plan: Plan, stopped: () => boolean): Promise<ClusterFacts> {
  const { namespace } = plan;
  const at = Date.now();
  // hundreds of accounts take a while, which a run that is told to end does not have
  const ask = <T>(work: () => Promise<T>): Promise<Looked<T>> =>
    stopped() ? Promise.resolve({ obstacle: STOPPED }) : looked(work);
  const list = <T>(path: string): Promise<Looked<readonly T[]>> => looked(() => api.list<T>(path));
  const [policies, pods, statefulSets, sandboxes, sandboxClaims, claims] = await Promise.all([
    list<NonNullable<ClusterFacts['policies']['value']>[number]>(paths.policies(namespace)),
    list<V1Pod>(paths.pods(namespace)),
    list<NonNullable<ClusterFacts['statefulSets']['value']>[number]>(paths.statefulSets(namespace)),
    hasSandboxes(plan) ? list<LiveSandbox>(paths.sandboxes(namespace)) : { value: [] },
    hasSandboxClaims(plan) ? list<LiveSandboxClaim>(paths.sandboxClaims(namespace)) : { value: [] },
    list<V1PersistentVolumeClaim>(paths.claims(namespace)),
  ]);
  const workers = (plan.tasks?.runs ?? []).map(({ name }) => name);
  const seats = new Set([...bound(plan, sandboxClaims.value ?? []).seats.map(podNameOf), ...workers]);
  const nodes = (pods.value ?? [])
    .filter(({ metadata }) => seats.has(metadata?.name ?? ''))
    .map(({ spec }) => spec?.nodeName);
  const wanted = new Set(plan.seats.map(({ claim }) => claim.name));
  const volumes = (claims.value ?? [])
    .filter(({ metadata }) => wanted.has(metadata?.name ?? ''))
    .map(({ spec }) => spec?.volumeName);
  const classes = plan.profiles.map(({ template }) => template.spec?.runtimeClassName);
  const accounts = plan.seats.map((seat) => {
    const profile = plan.profiles.find(({ digest }) => digest === seat.profile);
    return profile && accountOf(profile, seat);
  });
  return {
    at,
    policies,
    pods,
    statefulSets,
    sandboxes,
    sandboxClaims,
    claims,
    nodes: await byName(nodes, (name) => ask(() => api.call('GET', paths.node(name)))),
    volumes: await byName(volumes, (name) => ask(() => api.call('GET', paths.volume(name)))),
    runtimeClasses: await byName(classes, (name) => ask(() => api.call('GET', paths.runtimeClass(name)))),
    rights: await byName([...accounts, ...workers], (name) => ask(() => forbidden(api, namespace, name))),
  };
}

async function byName<T>(
  names: Iterable<string | undefined>,
  look: (name: string) => Promise<T>,
): Promise<Record<string, T>> {
  const wanted = [...new Set(names)].filter((name) => name !== undefined && name !== '') as string[];
  const found: Record<string, T> = {};
  await atOnce(wanted, AT_ONCE, async (name) => {
    found[name] = await look(name);
  });
  return found;
}

/**
 * Runs `work` for each, so many at a time. Throws the first failure, after which no further one begins, once those that had
 * begun have ended: what they made is known by then.
 */
export async function atOnce<T>(all: readonly T[], most: number, work: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const rest = all.values();
  await Promise.all(
    Array.from({ length: most }, async () => {
      for (const one of rest) {
        await work(one).catch((error: unknown) => failures.push(error));
        if (failures.length > 0) return;
      }
    }),
  );
  if (failures.length > 0) throw failures[0];
}
