// The pod of a seat or task worker: no API token, no root, no host; on the nodes and in the runtime class that are already decided.
import type { V1Affinity, V1Container, V1PodSpec, V1Volume } from '@kubernetes/client-node';
import type { ResolvedPod, ResolvedSeat } from '../model';
import { manifestName } from '../names';
import { MANIFEST, SEAT, seatContainer, TMP, TOKEN } from './container';

const RUNNER_UID = 1000;
const GRACE_SECONDS = 300;
const TOKEN_SECONDS = 3600;
const READABLE_BY_ALL = 0o444;
const READABLE_BY_GROUP = 0o440;

/** What differs between a seat's pod and a task worker's. */
export interface PodRole {
  readonly restartPolicy: 'Always' | 'Never';
  readonly graceSeconds: number;
  readonly container: V1Container;
  /** Mounted at `/seat`. */
  readonly workspace: Omit<V1Volume, 'name'>;
  /** Beside the nodes that tier and seat demand. */
  readonly near?: Pick<V1Affinity, 'podAffinity'>;
}

export const podSpec = (seat: ResolvedSeat): V1PodSpec =>
  agentPod(seat, {
    restartPolicy: 'Always',
    graceSeconds: GRACE_SECONDS,
    container: seatContainer(seat),
    workspace: { persistentVolumeClaim: { claimName: seat.claim.name } },
  });

export const agentPod = (
  seat: ResolvedPod,
  { restartPolicy, graceSeconds, container, workspace, near = {} }: PodRole,
): V1PodSpec => ({
  serviceAccountName: seat.name,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  terminationGracePeriodSeconds: graceSeconds,
  restartPolicy,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: RUNNER_UID,
    runAsGroup: RUNNER_UID,
    fsGroup: RUNNER_UID,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  },
  ...(seat.runtimeClassName === undefined ? {} : { runtimeClassName: seat.runtimeClassName }),
  ...(seat.priorityClassName === undefined ? {} : { priorityClassName: seat.priorityClassName }),
  ...(seat.nodeLabels.length || near.podAffinity ? { affinity: { ...nodeAffinity(seat), ...near } } : {}),
  ...(seat.tolerations.length ? { tolerations: seat.tolerations.map((toleration) => ({ ...toleration })) } : {}),
  ...(seat.imagePullSecrets.length ? { imagePullSecrets: seat.imagePullSecrets.map((name) => ({ name })) } : {}),
  ...(seat.resourceClaims.length ? { resourceClaims: seat.resourceClaims.map((claim) => ({ ...claim })) } : {}),
  containers: [container],
  volumes: volumes(seat, workspace),
});

/** One term, so that all labels are required together. */
const nodeAffinity = ({ nodeLabels }: ResolvedPod): V1Affinity => {
  if (nodeLabels.length === 0) return {};
  const matchExpressions = nodeLabels.map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  };
};

const volumes = (seat: ResolvedPod, workspace: Omit<V1Volume, 'name'>): V1Volume[] => [
  { name: SEAT, ...workspace },
  {
    name: MANIFEST,
    configMap: { name: manifestName(seat.name), defaultMode: READABLE_BY_ALL, ...itemsOf(seat) },
  },
  { name: TMP, emptyDir: { sizeLimit: '1Gi' } },
  {
    name: TOKEN,
    projected: {
      defaultMode: READABLE_BY_GROUP,
      sources: [
        { serviceAccountToken: { audience: seat.token.audience, expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      ],
    },
  },
  ...seat.shared.map(({ claimName, readOnly }, index) => ({
    name: `shared-${index}`,
    persistentVolumeClaim: { claimName, ...(readOnly ? { readOnly } : {}) },
  })),
];

/** Only where a path differs from its key: without items every key is a file of its own name. */
const itemsOf = ({ files }: ResolvedPod): { items?: { key: string; path: string }[] } =>
  files.some(({ key, path }) => key !== path) ? { items: files.map(({ key, path }) => ({ key, path })) } : {};
