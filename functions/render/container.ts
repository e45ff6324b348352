// The one container of a seat's pod, under the contract of steadmesh `runtime/kube` whatever agent runs in it.
import type { V1Container, V1EnvVar, V1Probe, V1ResourceRequirements, V1VolumeMount } from '@kubernetes/client-node';
import { escapeExpansion } from '../kubernetes/expansion';
import type { ResolvedSeat } from '../model';

/** Names of the volumes. */
export const SEAT = 'seat';
export const MANIFEST = 'manifest';
export const TMP = 'tmp';
export const TOKEN = 'steadmesh-token';

const RUNNER_UID = 1000;
const TOKEN_FOLDER = '/var/run/steadmesh';
const MANIFEST_FOLDER = '/etc/steadmesh/manifest';
const HEALTH_PORT = 'health';

export const seatContainer = (seat: ResolvedSeat): V1Container => ({
  name: 'seat-runner',
  image: seat.image,
  imagePullPolicy: seat.imagePullPolicy,
  command: [...seat.command],
  ...(seat.args.length ? { args: [...seat.args] } : {}),
  ports: [{ name: HEALTH_PORT, containerPort: seat.health.port, protocol: 'TCP' }],
  env: environment(seat),
  resources: resourcesOf(seat),
  volumeMounts: mounts(seat),
  livenessProbe: probe(seat.health.livenessPath, seat, { periodSeconds: 10, failureThreshold: 6 }),
  readinessProbe: probe(seat.health.readinessPath, seat, { periodSeconds: 5, failureThreshold: 3 }),
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

const probe = (path: string, { health }: ResolvedSeat, timing: V1Probe): V1Probe => ({
  httpGet: { path, port: health.port },
  timeoutSeconds: 5,
  ...timing,
});

/** Adapters, tools and URLs are texts of users too. */
const literal = (name: string, text: string): V1EnvVar => ({ name, value: escapeExpansion(text) });

/** The contract's variables in its order, then what tier and session add, then the user's own. */
const environment = (seat: ResolvedSeat): V1EnvVar[] => [
  literal('STEADMESH_PLATFORM_URL', seat.platformURL),
  literal('STEADMESH_TOKEN_FILE', `${TOKEN_FOLDER}/token`),
  literal('STEADMESH_ORG_ID', seat.organizationID),
  literal('STEADMESH_SEAT_ID', seat.seatID),
  literal('STEADMESH_SEAT_KEY', seat.key),
  literal('STEADMESH_CONFIG_REVISION', seat.configRevision),
  literal('STEADMESH_HARNESS', seat.adapter),
  literal('STEADMESH_MANIFEST_DIR', MANIFEST_FOLDER),
  literal('STEADMESH_EGRESS_URL', seat.egressURL),
  { name: 'HOME', value: '/seat/home' },
  { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
  ...(seat.providerTools ? [literal('STEADMESH_PROVIDER_TOOLS', seat.providerTools.join(','))] : []),
  ...(seat.token.attested
    ? [literal('STEADMESH_ATTESTATION', 'required'), literal('STEADMESH_TOKEN_AUDIENCE', seat.token.audience)]
    : []),
  ...(seat.sessionTTL === undefined ? [] : [literal('STEADMESH_SESSION_TTL', seat.sessionTTL)]),
  ...(seat.expiresAt === undefined ? [] : [literal('STEADMESH_SESSION_EXPIRES_AT', seat.expiresAt)]),
  ...seat.env.map(({ name, value, valueFrom }) => ({
    name,
    ...(value === undefined ? {} : { value }),
    ...(valueFrom ? { valueFrom } : {}),
  })),
];

const resourcesOf = ({ resources: { requests, limits, claims } }: ResolvedSeat): V1ResourceRequirements => ({
  ...(requests ? { requests: { ...requests } } : {}),
  limits: { ...limits },
  ...(claims ? { claims: claims.map((claim) => ({ ...claim })) } : {}),
});

const mounts = (seat: ResolvedSeat): V1VolumeMount[] => [
  { name: SEAT, mountPath: '/seat' },
  { name: MANIFEST, mountPath: MANIFEST_FOLDER, readOnly: true },
  { name: TMP, mountPath: '/tmp' },
  { name: TOKEN, mountPath: TOKEN_FOLDER, readOnly: true },
  ...seat.shared.map(({ mountPath, readOnly }, index) => ({
    name: `shared-${index}`,
    mountPath,
    ...(readOnly ? { readOnly } : {}),
  })),
];
