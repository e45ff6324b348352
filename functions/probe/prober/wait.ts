// Waits for the seats' own pods, and says what it waits for. What does not come is for the checks to tell.
import type { V1Pod } from '@kubernetes/client-node';
import type { LiveSandboxClaim, Plan } from '../../model';
import { bound, hasSandboxClaims, podNameOf } from '../workload';
import type { Api } from './api';
import { looked } from './obstacles';
import * as paths from './paths';

const POLL = 2000;
const SAY = 10_000;
const MOST_NAMED = 5;

/** Returns when every running seat's pod runs, the deadline (Unix ms) has passed, or `stopped` says so. */
export async function waitForSeats(
  api: Api,
  plan: Plan,
  {
    deadline,
    stopped,
    say,
  }: { readonly deadline: number; readonly stopped: () => boolean; readonly say: (line: string) => void },
): Promise<void> {
  let saidAt = 0;
  for (;;) {
    const seen = await looked(() => notRunning(api, plan));
    // an API server that restarts comes back; whatever else it refuses is told by the look that follows
    if (seen.obstacle && seen.obstacle.reason !== 'ApiUnavailable') return;
    const missing = seen.value ?? [`the API server (${seen.obstacle.message})`];
    if (missing.length === 0 || stopped() || Date.now() + POLL > deadline) {
      if (missing.length) say(`not waiting any longer for ${some(missing)}`);
      return;
    }
    if (Date.now() - saidAt > SAY) {
      saidAt = Date.now();
      say(`waiting for ${some(missing)}`);
    }
    await new Promise((next) => setTimeout(next, POLL));
  }
}

const some = (names: readonly string[]): string =>
  names.slice(0, MOST_NAMED).join(', ') + (names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '');

/** `seat researcher (Pending: …)` for each whose pod does not run, or is on its way out. */
async function notRunning(api: Api, plan: Plan): Promise<string[]> {
  const pods = new Map(
    (await api.list<V1Pod>(paths.pods(plan.namespace))).map((pod) => [pod.metadata?.name, pod] as const),
  );
  const claims = hasSandboxClaims(plan) ? await api.list<LiveSandboxClaim>(paths.sandboxClaims(plan.namespace)) : [];
  return bound(plan, claims)
    .seats.filter(({ running }) => running)
    .flatMap((planned) => {
      const pod = pods.get(podNameOf(planned));
      if (pod?.status?.phase === 'Running' && !pod.metadata?.deletionTimestamp) return [];
      return [`seat ${planned.seat} (${stateOf(pod)})`];
    });
}

function stateOf(pod: V1Pod | undefined): string {
  if (!pod) return 'no pod';
  if (pod.metadata?.deletionTimestamp) return 'its pod is being deleted';
  const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting?.reason;
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return [pod.status?.phase, waiting ?? unscheduled?.message].filter(Boolean).join(': ');
}
