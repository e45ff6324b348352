// Records how workers are on their TaskRuns, so that how one ended outlives its pod.
import type { V1Pod } from '@kubernetes/client-node';
import { SEAT_API } from '../../kinds';
import type { ClusterFacts, Plan, PlannedTask } from '../../model';
import type { Api } from './api';
import { atOnce } from './facts';
import { looked } from './obstacles';
import * as paths from './paths';

const APPLY = 'application/apply-patch+yaml';
const AT_ONCE = 10;

/** `status.run` of a TaskRun (schemas/taskrun.crd.yaml); what is not known is left out. */
export interface RunStatus {
  readonly worker: string;
  readonly uid?: string;
  readonly phase?: string;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly exitCode?: number;
  readonly reason?: string;
}

export function runStatusOf({ name }: PlannedTask, { metadata, status }: V1Pod): RunStatus {
  const ended = status?.containerStatuses?.[0]?.state?.terminated;
  const known = {
    uid: metadata?.uid,
    phase: status?.phase,
    startTime: textOf(status?.startTime),
    completionTime: textOf(ended?.finishedAt),
    exitCode: ended?.exitCode,
    // the pod's own word comes first: a deadline says more than the signal that it ended the container with
    reason: status?.reason || ended?.reason || undefined,
  };
  return { worker: name, ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)) };
}

const textOf = (time: Date | string | undefined): string | undefined =>
  time === undefined ? undefined : new Date(time).toISOString().replace(/\.\d+Z$/, 'Z');

/**
 * A run whose worker is gone keeps what was last seen of it. One that is not in the cluster has nobody to tell; what else the
 * API server refuses is said, and changes no verdict.
 */
export async function publishTasks(
  api: Api,
  plan: Plan,
  facts: ClusterFacts | undefined,
  say: (line: string) => void,
): Promise<void> {
  const pods = new Map(facts?.pods.value?.map((pod) => [pod.metadata?.name, pod]));
  const seen = (plan.tasks?.runs ?? []).flatMap((run) => {
    const pod = pods.get(run.name);
    return pod ? [{ run, pod }] : [];
  });
  await atOnce(seen, AT_ONCE, async ({ run, pod }) => {
    const told = await looked(() =>
      api.call('PATCH', `${paths.taskRuns(plan.namespace, run.task)}/status`, {
        contentType: APPLY,
        query: { fieldManager: plan.fieldOwner, force: 'true' },
        body: {
          apiVersion: SEAT_API,
          kind: 'TaskRun',
          metadata: { name: run.task, namespace: plan.namespace },
          status: { run: runStatusOf(run, pod) },
        },
      }),
    );
    if (told.obstacle && told.obstacle.reason !== 'NotFound') say(`task run ${run.task}: ${told.obstacle.message}`);
  });
}
