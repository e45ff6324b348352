// The pod of a seat: no API token, no root, no host; on the nodes and in the runtime class that are already decided.
import type { V1Affinity, V1PodSpec, V1Volume } from '@kubernetes/client-node';
import type { ResolvedSeat } from '../model';
import { manifestName } from '../names';
import { MANIFEST, SEAT, seatContainer, TMP, TOKEN } from './container';

const RUNNER_UID = 1000;
const GRACE_SECONDS = 300;
const TOKEN_SECONDS = 3600;
const READABLE_BY_ALL = 0o444;
const READABLE_BY_GROUP = 0o440;

export const podSpec = (seat: ResolvedSeat): V1PodSpec => ({
  serviceAccountName: seat.name,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  terminationGracePeriodSeconds: GRACE_SECONDS,
  restartPolicy: 'Always',
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
  ...(seat.nodeLabels.length ? { affinity: nodeAffinity(seat) } : {}),
  ...(seat.tolerations.length ? { tolerations: seat.tolerations.map((toleration) => ({ ...toleration })) } : {}),
  ...(seat.imagePullSecrets.length ? { imagePullSecrets: seat.imagePullSecrets.map((name) => ({ name })) } : {}),
  ...(seat.resourceClaims.length ? { resourceClaims: seat.resourceClaims.map((claim) => ({ ...claim })) } : {}),
  containers: [seatContainer(seat)],
  volumes: volumes(seat),
});

/** One term, so that all labels are required together. */
const nodeAffinity = ({ nodeLabels }: ResolvedSeat): V1Affinity => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        { matchExpressions: nodeLabels.map(([key, value]) => ({ key, operator: 'In', values: [value] })) },
      ],
    },
  },
});

const volumes = (seat: ResolvedSeat): V1Volume[] => [
  { name: SEAT, persistentVolumeClaim: { claimName: seat.claim.name } },
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
const itemsOf = ({ files }: ResolvedSeat): { items?: { key: string; path: string }[] } =>
  files.some(({ key, path }) => key !== path) ? { items: files.map(({ key, path }) => ({ key, path })) } : {};
