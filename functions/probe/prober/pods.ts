// The life of the probe's pods: made, watched by polling one list, read, and always deleted.
import type { V1Pod } from '@kubernetes/client-node';
import type { AgentResult, Looked, Obstacle, Plan } from '../../model';
import { unpackResult } from '../agent-result';
import { PROBE_LABEL, PROBE_NONCE, PROBE_POD_PREFIX } from '../identity';
import { type Api, ApiError } from './api';
import { failure, late, looked, refusalOf, STOPPED, stuck } from './obstacles';
import * as paths from './paths';

const POLL = 500;
/** How often a pod that does not run is asked why, in ms. */
const ASK_WHY = 3000;
/** How long the pods of earlier runs may take to go, in ms. */
const SWEEP = 30_000;

export class ProbePods {
  /** Pods of this run that may still exist, by name. */
  private readonly made = new Map<string, string>();
  private latest: Promise<ReadonlyMap<string, V1Pod>> | undefined;

  constructor(
    private readonly api: Api,
    private readonly plan: Plan,
    private readonly stopped: () => boolean,
  ) {}

  /** The pod as created, or why it was not. */
  async make(pod: V1Pod): Promise<Looked<V1Pod>> {
    if (this.stopped()) return { obstacle: STOPPED };
    const name = pod.metadata?.name ?? '';
    try {
      // from here on it may exist, whether or not the answer comes
      this.made.set(name, '');
      const created = await this.api.call<V1Pod>('POST', paths.pods(this.plan.namespace), { body: pod });
      this.made.set(name, created.metadata?.uid ?? '');
      return { value: created };
    } catch (error) {
      if (error instanceof ApiError && error.reason === 'AlreadyExists') return this.adopt(pod);
      // a first try may have made it all the same, and a quota refuse the second: its name stays among those to delete
      return { obstacle: refusalOf(error) };
    }
  }

  /** A create that was tried twice finds its own pod; a stranger's is not touched. */
  private async adopt(pod: V1Pod): Promise<Looked<V1Pod>> {
    const name = pod.metadata?.name ?? '';
    const { value: found, obstacle } = await looked(() =>
      this.api.call<V1Pod>('GET', paths.pods(this.plan.namespace, name)),
    );
    if (obstacle) return { obstacle };
    if (found.metadata?.annotations?.[PROBE_NONCE] === pod.metadata?.annotations?.[PROBE_NONCE]) {
      this.made.set(name, found.metadata?.uid ?? '');
      return { value: found };
    }
    this.made.delete(name);
    return { obstacle: { reason: 'AdmissionDenied', message: `another pod is called ${name}` } };
  }

  /** The pod once `until` holds of it, or why it never will. `deadline` in Unix ms. */
  async wait(name: string, until: (pod: V1Pod) => boolean, deadline: number): Promise<Looked<V1Pod>> {
    let askedAt = Date.now();
    let last: V1Pod | undefined;
    let away: Obstacle | undefined;
    while (Date.now() < deadline && !this.stopped()) {
      const { pod, end, away: nobody } = await this.see(name, until, last !== undefined);
      if (end) return end;
      away = nobody;
      last = pod ?? last;
      if (pod && Date.now() - askedAt > ASK_WHY) {
        askedAt = Date.now();
        const problem = stuck(pod, await this.warnings(name));
        if (problem) return { obstacle: problem };
      }
    }
    if (this.stopped()) return { obstacle: STOPPED };
    return { obstacle: away ?? late(last, await this.warnings(name)) };
  }

  /** The pod as it is now, and how the waiting ends if it does. `away`: nobody answers now; the pods go on without the API server. */
  private async see(
    name: string,
    until: (pod: V1Pod) => boolean,
    wasThere: boolean,
  ): Promise<{ readonly pod?: V1Pod; readonly end?: Looked<V1Pod> | undefined; readonly away?: Obstacle }> {
    const polled = await looked(() => this.poll());
    if (polled.obstacle)
      return polled.obstacle.reason === 'ApiUnavailable' ? { away: polled.obstacle } : { end: polled };
    const pod = polled.value.get(name);
    if (pod) return { pod, end: endOf(pod, until) };
    return wasThere
      ? { end: { obstacle: { reason: 'Interrupted', message: `somebody deleted the pod ${name}` } } }
      : {};
  }

  /** One list serves all who wait at the same time. */
  private poll(): Promise<ReadonlyMap<string, V1Pod>> {
    this.latest ??= (async () => {
      await new Promise((next) => setTimeout(next, POLL));
      this.latest = undefined;
      const pods = await this.api.list<V1Pod>(paths.pods(this.plan.namespace), { labelSelector: PROBE_LABEL });
      return new Map(pods.map((pod) => [pod.metadata?.name ?? '', pod]));
    })();
    return this.latest;
  }

  private async warnings(name: string): Promise<readonly { reason?: string; message?: string }[]> {
    const fieldSelector = `involvedObject.name=${name},type=Warning`;
    try {
      return await this.api.list(paths.events(this.plan.namespace), { fieldSelector });
    } catch {
      return []; // why it waits is a detail
    }
  }

  /** Deletes a pod of this run; one that is gone is fine. What cannot be deleted now is tried again at the end of the run, and by the next. */
  async end(name: string): Promise<void> {
    const uid = this.made.get(name);
    if (uid === undefined) return;
    const removed = await looked(() => remove(this.api, this.plan.namespace, name, uid));
    if (!removed.obstacle) this.made.delete(name);
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.made.keys()].map((name) => this.end(name)));
  }
}

/** undefined: wait on. */
function endOf(pod: V1Pod, until: (pod: V1Pod) => boolean): Looked<V1Pod> | undefined {
  if (until(pod) && pod.status?.phase !== 'Failed') return { value: pod };
  if (pod.status?.phase === 'Failed') return { obstacle: failure(pod) };
  return pod.status?.phase === 'Succeeded' ? { value: pod } : undefined;
}

async function remove(api: Api, namespace: string, name: string, uid: string): Promise<void> {
  try {
    await api.call('DELETE', paths.pods(namespace, name), {
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        gracePeriodSeconds: 1,
        ...(uid ? { preconditions: { uid } } : {}),
      },
    });
  } catch (error) {
    // 404: gone; 409: another pod of the name, which is not ours
    if (!(error instanceof ApiError && [404, 409].includes(error.code))) throw error;
  }
}

/**
 * Deletes what earlier runs left; whoever holds the lock may. Waits until they are gone, as they count in quotas, but not
 * for long: a node may be away. Returns how many there were.
 */
export async function sweep(api: Api, { namespace }: Plan, stopped: () => boolean): Promise<number> {
  const deadline = Date.now() + SWEEP;
  // anyone can write the label: only pods that carry a nonce and a probe's name are a probe's, and the fence asks for the name
  const isOurs = ({ metadata }: V1Pod): boolean =>
    metadata?.annotations?.[PROBE_NONCE] !== undefined && metadata.name?.startsWith(PROBE_POD_PREFIX) === true;
  const left = async (): Promise<V1Pod[]> =>
    (await api.list<V1Pod>(paths.pods(namespace), { labelSelector: PROBE_LABEL })).filter(isOurs);
  const found = await left();
  await Promise.all(found.map(({ metadata }) => remove(api, namespace, metadata?.name ?? '', metadata?.uid ?? '')));
  for (let rest = found; rest.length > 0 && Date.now() < deadline && !stopped(); rest = await left())
    await new Promise((next) => setTimeout(next, POLL));
  return found.length;
}

/** What the agent of a pod that ended left behind. */
export function resultOf(pod: Looked<V1Pod>, nonce: string): Looked<AgentResult> {
  if (pod.obstacle) return { obstacle: pod.obstacle };
  const text = pod.value.status?.containerStatuses?.[0]?.state?.terminated?.message;
  const no = (message: string): { obstacle: Obstacle } => ({ obstacle: { reason: 'NoResult', message } });
  if (text === undefined) return no('the pod ended without a message');
  const result = unpackResult(text);
  if (!result) return no(`the pod's message is no result: ${text.slice(0, 200)}`);
  if (result.nonce !== nonce || result.podUID !== pod.value.metadata?.uid) return no('the message is of another pod');
  return { value: result };
}

export const hasAddress = ({ status }: V1Pod): boolean => (status?.podIPs?.length ?? 0) > 0;
export const hasStarted = ({ status }: V1Pod): boolean => status?.containerStatuses?.[0]?.started === true;
export const hasEnded = ({ status }: V1Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';
export const addressesOf = ({ status }: V1Pod): readonly string[] => status?.podIPs?.map(({ ip }) => ip) ?? [];
