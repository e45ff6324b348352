// The worker of a task run: a pod that runs to its end once, beside its identity, its input and a policy of its own.
import type {
  KubernetesObject,
  V1Affinity,
  V1ConfigMap,
  V1NetworkPolicy,
  V1Pod,
  V1ServiceAccount,
} from '@kubernetes/client-node';
import { runnerSelector, taskSelector } from '../labels';
import type { Stage } from '../layout';
import type { ResolvedTask } from '../model';
import { manifestName } from '../names';
import { agentContainer, literal } from './container';
import { dataOf } from './manifest';
import { afterPolicy, CONFIG_REVISION, taskMetadata, UNMESHED } from './metadata';
import { policySpec } from './network-policy';
import { agentPod } from './pod';
import { deadline, sessionOf } from './pod-template';

/** Between the end of its time and the kill: a worker has nothing to hand over, and each second is beyond its ttl. */
const GRACE_SECONDS = 30;

/** As much as the workspace of a seat that names no size. */
const SEAT_ROOM = '5Gi';

export interface TaskRenderer {
  readonly stage: Exclude<Stage, 'probe'>;
  /** It is the worker itself: all that it needs goes before. */
  readonly isWorker?: true;
  readonly render: (task: ResolvedTask) => KubernetesObject;
}

/** In the order in which they must reach a cluster: a pod must never start ahead of its policy. */
export const TASK_RENDERERS: readonly TaskRenderer[] = [
  { stage: 'guard', render: renderServiceAccount },
  { stage: 'seats', render: renderInput },
  { stage: 'guard', render: renderPolicy },
  { stage: 'seats', isWorker: true, render: renderWorker },
];

export const objectsOfTask = (task: ResolvedTask): KubernetesObject[] =>
  TASK_RENDERERS.map(({ render }) => render(task));

/** Not the seat's id: who may do less must not be taken for the seat. */
function renderServiceAccount(task: ResolvedTask): V1ServiceAccount {
  const object = { apiVersion: 'v1', kind: 'ServiceAccount', name: task.name };
  const identity = {
    'steadmesh.io/organization-id': task.organizationID,
    'steadmesh.io/parent-seat-id': task.seatID,
  };
  return { ...typeOf(object), metadata: taskMetadata(task, object, identity), automountServiceAccountToken: false };
}

function renderInput(task: ResolvedTask): V1ConfigMap {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', name: manifestName(task.name) };
  const metadata = taskMetadata(task, object, { [CONFIG_REVISION]: task.configRevision });
  return { ...typeOf(object), metadata, data: dataOf(task) };
}

export function renderPolicy(task: ResolvedTask): V1NetworkPolicy {
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', name: task.name };
  return { ...typeOf(object), metadata: taskMetadata(task, object), spec: policySpec(taskSelector(task), task.egress) };
}

/**
 * Most of a Pod is immutable, and an edit of seat, tier or options must not fail at a worker that is there, or start it
 * again: Flux is told to leave it alone (fluxcd/pkg, ssa: IfNotPresentSelector). No other engine has a word for that.
 */
const ONCE = { 'kustomize.toolkit.fluxcd.io/ssa': 'IfNotPresent' };

export function renderWorker(task: ResolvedTask): V1Pod {
  const object = { apiVersion: 'v1', kind: 'Pod', name: task.name };
  const annotations = {
    [CONFIG_REVISION]: task.configRevision,
    ...UNMESHED,
    ...sessionOf(task),
    ...afterPolicy(task),
    ...ONCE,
  };
  const claimName = task.readsClaim;
  const readOnly = claimName !== undefined;
  return {
    ...typeOf(object),
    metadata: taskMetadata(task, object, annotations),
    spec: {
      ...agentPod(task, {
        restartPolicy: 'Never',
        graceSeconds: GRACE_SECONDS,
        container: agentContainer(task, {
          name: 'task-worker',
          // a workspace that is only read has no room for it
          home: readOnly ? '/tmp/home' : '/seat/home',
          readOnlySeat: readOnly,
          env: [
            literal('STEADMESH_TASK_RUN', task.task.item.name),
            // the same at every attempt: a platform that has seen it end hands out nothing more
            literal('STEADMESH_TASK_WORKER', task.name),
          ],
        }),
        workspace: readOnly
          ? { persistentVolumeClaim: { claimName, readOnly } }
          : { emptyDir: { sizeLimit: SEAT_ROOM } },
        ...(readOnly ? { near: besideSeat(task) } : {}),
      }),
      ...deadline(task),
    },
  };
}

/** Most volumes can only be mounted on one node. Not required: a stopped seat has no pod to be beside. */
const besideSeat = ({ parent }: ResolvedTask): Pick<V1Affinity, 'podAffinity'> => ({
  podAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      {
        weight: 100,
        podAffinityTerm: {
          labelSelector: { matchLabels: runnerSelector(parent) },
          topologyKey: 'kubernetes.io/hostname',
        },
      },
    ],
  },
});

const typeOf = ({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }) => ({ apiVersion, kind });
