// The probe's pods, made of a seat's own pod template: S under its policy, C beside it without, W as their witness.
import type {
  V1Affinity,
  V1Container,
  V1NodeAffinity,
  V1NodeSelectorTerm,
  V1Pod,
  V1PodSecurityContext,
  V1PodSpec,
  V1PodTemplateSpec,
  V1Probe,
  V1SecurityContext,
  V1Volume,
} from '@kubernetes/client-node';
import { escapeExpansion } from '../kubernetes/expansion';
import { COMPONENT, ORGANIZATION, SEAT, TEMPLATE_REF, WORKLOAD } from '../labels';
import type { AgentRole, AgentTask, Plan, PlannedSeat, Profile } from '../model';
import { manifestName } from '../names';
import {
  AGENT_COMMAND,
  AGENT_TASK,
  POD_UID,
  PROBE_LABEL,
  PROBE_NONCE,
  PROBE_ROLES,
  PROFILE_DIGEST,
  probePodName,
} from './identity';
import { templateOf } from './plan';

/** Name of a probe pod's one container. */
export const PROBE_CONTAINER = 'probe';
/** Requests and limits of a probe pod are the same, so that a quota never asks for more. */
export const PROBE_RESOURCES: Readonly<Record<string, string>> = { cpu: '200m', memory: '256Mi' };

/** How many groups are measured at the same time. */
export const GROUPS_AT_ONCE = 3;
/** Probe pods at the same time: S and C of each group, and the witness. */
export const PROBE_PODS = 2 * GROUPS_AT_ONCE + 1;

/** Only where the seat has one too: a quota asks for it, but not every node can count it. */
const EPHEMERAL = 'ephemeral-storage';
const EPHEMERAL_AMOUNT = '64Mi';
/** A probe pod asks for none of anything else, and for no more than this. */
export const MOST_RESOURCES: Readonly<Record<string, string>> = { ...PROBE_RESOURCES, [EPHEMERAL]: EPHEMERAL_AMOUNT };
/** In place of claims and whatever else a probe must not touch. */
const STAND_IN: Omit<V1Volume, 'name'> = { emptyDir: { sizeLimit: '16Mi' } };
/** No task takes longer; the fence holds the prober to it. */
export const MOST_SECONDS = 7200;
/** For scheduling, image pull and a slow end. */
export const SLACK_SECONDS = 120;
const GRACE_SECONDS = 5;
const SUFFIX: Readonly<Record<AgentRole, string>> = { seat: 's', control: 'c', witness: 'w' };
/** What policies select a seat by: its own, and a guard of the whole namespace. */
const SELECTED_BY = [ORGANIZATION, SEAT, COMPONENT];
/** Nobody sets this condition, so the pod is never ready and no Service routes to it. */
export const NEVER_READY = 'seatplan.dev/never';

/** Port that a probe pod of the seat listens on: the seat's own, so that ingress is tried where it matters. */
export const listenerPort = ({ healthPort }: Profile): number => healthPort;

/**
 * Labels of a probe pod. S has what policies select the seat by; C and W have none of it, nor any that a SandboxTemplate gives
 * its pods: whose policies may select by each of them. No StatefulSet adopts any.
 */
export function probePodLabels(
  role: AgentRole,
  templateLabels: Readonly<Record<string, string>>,
): Record<string, string> {
  const left = role === 'seat' ? [WORKLOAD] : [WORKLOAD, ...SELECTED_BY];
  const isOfTemplate = role !== 'seat' && Object.hasOwn(templateLabels, TEMPLATE_REF);
  const kept = isOfTemplate ? [] : Object.entries(templateLabels).filter(([key]) => !left.includes(key));
  return { ...Object.fromEntries(kept), [PROBE_LABEL]: PROBE_ROLES[role] };
}

export interface ProbePodParts {
  readonly plan: Plan;
  readonly profile: Profile;
  /** The seat that the pod stands for; for C and W, the one whose pod they are like. */
  readonly seat: PlannedSeat;
  /** The scheduler is held to this node; undefined: wherever the seat may run. */
  readonly node: string | undefined;
  /** Hex digits; at least the first eight differ from every other pod of the run in this role and profile. */
  readonly nonce: string;
  readonly task: AgentTask;
}

/**
 * The pod that carries out `task`. It passes Pod Security `restricted` as far as the seat does, mounts no claim and no
 * secret, and the kubelet tries its first TCP listener every second: that shows that the pod's network lives.
 */
export function probePod(role: AgentRole, { plan, profile, seat, node, nonce, task }: ProbePodParts): V1Pod {
  const template = templateOf(profile, seat);
  const { metadata = {}, spec } = template;
  if (!spec) throw new TypeError(`the template of seat ${seat.seat} has no spec`);
  const { nodeAffinity } = spec.affinity ?? {};
  const affinity = onNode(nodeAffinity, node);
  const own = manifestName(seat.name);
  const volumes = role === 'seat' ? (spec.volumes ?? []).map((volume) => withoutData(volume, own)) : [];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${probePodName(profile.digest, nonce)}-${SUFFIX[role]}`,
      namespace: plan.namespace,
      labels: probePodLabels(role, metadata.labels ?? {}),
      annotations: {
        ...unmeshed(template),
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true',
        [PROFILE_DIGEST]: profile.digest,
        [PROBE_NONCE]: nonce,
      },
    },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: task.seconds + SLACK_SECONDS,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      ...(spec.serviceAccountName === undefined ? {} : { serviceAccountName: spec.serviceAccountName }),
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      securityContext: {
        ...spec.securityContext,
        // W listens on port 53 as whom it is; a safe sysctl, which `restricted` allows.
        ...(role === 'witness' ? { sysctls: [{ name: 'net.ipv4.ip_unprivileged_port_start', value: '0' }] } : {}),
      },
      ...(spec.runtimeClassName === undefined ? {} : { runtimeClassName: spec.runtimeClassName }),
      ...(affinity ? { affinity } : {}),
      ...(spec.tolerations ? { tolerations: spec.tolerations } : {}),
      ...(spec.imagePullSecrets ? { imagePullSecrets: spec.imagePullSecrets } : {}),
      ...(plan.priorityClassName === undefined ? {} : { priorityClassName: plan.priorityClassName }),
      readinessGates: [{ conditionType: NEVER_READY }],
      containers: [container(role, plan, spec, task)],
      ...(volumes.length ? { volumes } : {}),
    },
  };
}

function container(
  role: AgentRole,
  plan: Plan,
  { containers: [own], securityContext }: V1PodSpec,
  task: AgentTask,
): V1Container {
  const [first] = task.listen.tcp;
  const inherited = inheritedOf(securityContext);
  const resources = {
    ...PROBE_RESOURCES,
    ...(own?.resources?.limits?.[EPHEMERAL] === undefined ? {} : { [EPHEMERAL]: EPHEMERAL_AMOUNT }),
  };
  return {
    name: PROBE_CONTAINER,
    image: plan.image,
    imagePullPolicy: plan.imagePullPolicy,
    command: [...AGENT_COMMAND],
    env: [
      { name: AGENT_TASK, value: escapeExpansion(JSON.stringify(task)) },
      { name: POD_UID, valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
    ],
    ports: [
      ...task.listen.tcp.map((containerPort) => ({ containerPort, protocol: 'TCP' })),
      ...task.listen.udp.map((containerPort) => ({ containerPort, protocol: 'UDP' })),
    ],
    resources: { requests: resources, limits: { ...resources } },
    ...(role === 'seat' && own?.volumeMounts ? { volumeMounts: own.volumeMounts } : {}),
    ...(first === undefined ? {} : { startupProbe: everySecond(first), livenessProbe: everySecond(first) }),
    terminationMessagePolicy: 'File',
    ...(own?.securityContext || inherited ? { securityContext: { ...inherited, ...own?.securityContext } } : {}),
  };
}

/** A template may say these of its pod alone, which comes to the same; the fence asks the container. */
function inheritedOf({ runAsNonRoot, seccompProfile }: V1PodSecurityContext = {}): V1SecurityContext | undefined {
  if (runAsNonRoot === undefined && seccompProfile === undefined) return undefined;
  return { ...(runAsNonRoot === undefined ? {} : { runAsNonRoot }), ...(seccompProfile ? { seccompProfile } : {}) };
}

/** Tried every second, and for longer than any probe pod lives: it only shows, it never ends a pod. */
const everySecond = (port: number): V1Probe => ({
  tcpSocket: { port },
  periodSeconds: 1,
  timeoutSeconds: 1,
  failureThreshold: 1000,
});

/** What a namespace or a tier may do to pods by annotation, only for the meshes that the seat itself stays out of. */
const unmeshed = ({ metadata }: V1PodTemplateSpec): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata?.annotations ?? {}).filter(([key]) => key.endsWith('/inject')));

/** Whatever holds data or secrets of others is an empty folder of the same name; `manifest` is the seat's own ConfigMap. */
function withoutData(volume: V1Volume, manifest: string): V1Volume {
  const { configMap, projected, emptyDir } = volume;
  const isToken = projected?.sources?.every((source) => source.serviceAccountToken);
  return emptyDir || isToken || configMap?.name === manifest ? volume : { name: volume.name, ...STAND_IN };
}

/** In every term, since terms are alternatives. Not `spec.nodeName`: that passes by the scheduler, taints and room. */
function onNode(nodeAffinity: V1NodeAffinity | undefined, node: string | undefined): V1Affinity | undefined {
  if (node === undefined) return nodeAffinity && { nodeAffinity };
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms: V1NodeSelectorTerm[] = required?.nodeSelectorTerms.length ? required.nodeSelectorTerms : [{}];
  const named = { key: 'metadata.name', operator: 'In', values: [node] };
  return {
    nodeAffinity: {
      ...nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), named] })),
      },
    },
  };
}
