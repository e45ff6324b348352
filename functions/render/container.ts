// The one container of a pod, under the contract of steadmesh `runtime/kube` whatever agent runs in it.
import type { V1Container, V1EnvVar, V1Probe, V1ResourceRequirements, V1VolumeMount } from '@kubernetes/client-node';
import { escapeExpansion } from '../kubernetes/expansion';
import type { ResolvedPod, ResolvedSeat } from '../model';

/** Names of the volumes. */
export const SEAT = 'seat';
export const MANIFEST = 'manifest';
export const TMP = 'tmp';
export const TOKEN = 'steadmesh-token';

const RUNNER_UID = 1000;
const TOKEN_FOLDER = '/var/run/steadmesh';
const MANIFEST_FOLDER = '/etc/steadmesh/manifest';
const HEALTH_PORT = 'health';

/** What differs between a seat's container and a task worker's. */
export interface Role extends Pick<V1Container, 'name' | 'ports' | 'livenessProbe' | 'readinessProbe'> {
  readonly home: string;
  /** Whether `/seat` is another's, to be read only. */
  readonly readOnlySeat?: boolean;
  /** Variables beside the contract's, before the user's own. */
  readonly env?: readonly V1EnvVar[];
}

export const agentContainer = (
  pod: ResolvedPod,
  { name, home, readOnlySeat = false, env = [], ports, ...probes }: Role,
): V1Container => ({
  name,
  image: pod.image,
  imagePullPolicy: pod.imagePullPolicy,
  command: [...pod.command],
  ...(pod.args.length ? { args: [...pod.args] } : {}),
  ...(ports ? { ports } : {}),
  env: environment(pod, home, env),
  resources: resourcesOf(pod),
  volumeMounts: mounts(pod, readOnlySeat),
  ...probes,
  terminationMessagePolicy: 'FallbackToLogsOnError',
  securityContext: {
    runAsNonRoot: true,
    runAsUser: RUNNER_UID,
    runAsGroup: RUNNER_UID,
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    privileged: false,
    capabilities: { drop: ['ALL'] },
    seccompProfile: { type: 'RuntimeDefault' },
  },
});

/** Answers as long as the agent is well. */
export const seatContainer = (seat: ResolvedSeat): V1Container =>
  agentContainer(seat, {
    name: 'seat-runner',
    home: '/seat/home',
    ports: [{ name: HEALTH_PORT, containerPort: seat.health.port, protocol: 'TCP' }],
    livenessProbe: probe(seat.health.livenessPath, seat, { periodSeconds: 10, failureThreshold: 6 }),
    readinessProbe: probe(seat.health.readinessPath, seat, { periodSeconds: 5, failureThreshold: 3 }),
  });

const probe = (path: string, { health }: ResolvedSeat, timing: V1Probe): V1Probe => ({
  httpGet: { path, port: health.port },
  timeoutSeconds: 5,
  ...timing,
});

/** Adapters, tools and URLs are texts of users too. */
export const literal = (name: string, text: string): V1EnvVar => ({ name, value: escapeExpansion(text) });

/** The contract's variables in its order, then what tier and session add, then the user's own. */
const environment = (seat: ResolvedPod, home: string, more: readonly V1EnvVar[]): V1EnvVar[] => [
  literal('STEADMESH_PLATFORM_URL', seat.platformURL),
  literal('STEADMESH_TOKEN_FILE', `${TOKEN_FOLDER}/token`),
  literal('STEADMESH_ORG_ID', seat.organizationID),
  literal('STEADMESH_SEAT_ID', seat.seatID),
  literal('STEADMESH_SEAT_KEY', seat.key),
  literal('STEADMESH_CONFIG_REVISION', seat.configRevision),
  literal('STEADMESH_HARNESS', seat.adapter),
  literal('STEADMESH_MANIFEST_DIR', MANIFEST_FOLDER),
  literal('STEADMESH_EGRESS_URL', seat.egressURL),
  { name: 'HOME', value: home },
  { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
  ...(seat.providerTools ? [literal('STEADMESH_PROVIDER_TOOLS', seat.providerTools.join(','))] : []),
  ...(seat.token.attested
    ? [literal('STEADMESH_ATTESTATION', 'required'), literal('STEADMESH_TOKEN_AUDIENCE', seat.token.audience)]
    : []),
  ...(seat.sessionTTL === undefined ? [] : [literal('STEADMESH_SESSION_TTL', seat.sessionTTL)]),
  ...(seat.expiresAt === undefined ? [] : [literal('STEADMESH_SESSION_EXPIRES_AT', seat.expiresAt)]),
  ...more,
  ...seat.env.map(({ name, value, valueFrom }) => ({
    name,
    ...(value === undefined ? {} : { value }),
    ...(valueFrom ? { valueFrom } : {}),
  })),
];

const resourcesOf = ({ resources: { requests, limits, claims } }: ResolvedPod): V1ResourceRequirements => ({
  ...(requests ? { requests: { ...requests } } : {}),
  limits: { ...limits },
  ...(claims ? { claims: claims.map((claim) => ({ ...claim })) } : {}),
});

const mounts = (seat: ResolvedPod, readOnlySeat: boolean): V1VolumeMount[] => [
  { name: SEAT, mountPath: '/seat', ...(readOnlySeat ? { readOnly: true } : {}) },
  { name: MANIFEST, mountPath: MANIFEST_FOLDER, readOnly: true },
  { name: TMP, mountPath: '/tmp' },
  { name: TOKEN, mountPath: TOKEN_FOLDER, readOnly: true },
  ...seat.shared.map(({ mountPath, readOnly }, index) => ({
    name: `shared-${index}`,
    mountPath,
    ...(readOnly ? { readOnly } : {}),
  })),
];
