// A seat as a real API server (Kubernetes 1.35, gVisor) showed it, with the plan that it was rendered by.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type {
  V1Node,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodTemplateSpec,
  V1RuntimeClass,
  V1StatefulSet,
} from '@kubernetes/client-node';
import type { ClusterFacts, Plan, PlannedSeat, Profile } from '../functions/model';

interface Recorded {
  /** Pod template of the StatefulSet, as rendered. */
  readonly declared: V1PodTemplateSpec;
  readonly pod: V1Pod;
  readonly statefulSet: V1StatefulSet;
  readonly claim: V1PersistentVolumeClaim;
  readonly volume: V1PersistentVolume;
  readonly node: V1Node;
  readonly runtimeClass: V1RuntimeClass;
}
const TEXT = readFileSync(join(__dirname, 'recorded/live-seat.json'), 'utf8');

/** A copy of its own for each caller. */
export const recorded = (): Recorded => JSON.parse(TEXT) as Recorded;

export const NAME = 'seat-lead-3d12dd83';
export const PROBE_IMAGE = `registry.example/probe@sha256:${'b'.repeat(64)}`;
/** Ten minutes after the pod started. */
export const AT = Date.parse('2026-12-01T01:47:39Z');

export const profileWith = (over: Partial<Profile> = {}): Profile => ({
  digest: 'sha256:p1',
  tier: 'tier-0',
  isolation: 'gvisor',
  nodeLabels: [['kubernetes.io/os', 'linux']],
  audience: 'steadmesh-gateway',
  sessionTTL: '8h',
  healthPort: 8081,
  template: recorded().declared,
  policy: { podSelector: {} },
  checks: ['N1', 'N3', 'R1', 'I1', 'I3', 'S1', 'J1', 'A1', 'A2', 'A4', 'T1'],
  ...over,
});

export const seatWith = (over: Partial<PlannedSeat> = {}): PlannedSeat => ({
  seat: 'lead',
  organization: 'acme',
  key: 'lead',
  seatID: 's-1',
  name: NAME,
  profile: 'sha256:p1',
  running: true,
  configRevision: 'sha256:365e55df19101393b1e3b348b83c798a5752e5d11d9d283381047aa82a69a96a',
  rollout: 'OnDelete',
  claim: { name: `ws-${NAME}`, adopted: false, retain: true },
  template: [],
  policy: [],
  ...over,
});

export const planWith = (over: Partial<Plan> = {}): Plan => ({
  version: 1,
  namespace: 'team-a',
  controlPlaneNamespace: 'steadmesh-system',
  prober: 'probe-team-a',
  image: PROBE_IMAGE,
  imagePullPolicy: 'IfNotPresent',
  priorityClassName: undefined,
  fieldOwner: 'steadmesh-controller',
  options: {
    timeoutSeconds: 180,
    settleSeconds: 20,
    validForSeconds: 3600,
    acceptGaps: [],
    rbac: 'cluster',
    canaries: [],
    dnsCanaryZone: undefined,
  },
  platform: { host: 'platform', port: 8080, path: '/healthz', podPort: 8080 },
  denied: undefined,
  profiles: [profileWith()],
  seats: [seatWith()],
  coverage: { fields: 2, verified: 1, unverified: [{ field: 'a', why: 'b' }] },
  ...over,
});

/** What the API server showed; `edit` makes of it what a case is about. */
export function factsWith(
  edit: (live: Recorded) => unknown = () => undefined,
  over: Partial<ClusterFacts> = {},
): ClusterFacts {
  const live = recorded();
  edit(live);
  return {
    at: AT,
    policies: { value: [] },
    pods: { value: [live.pod] },
    statefulSets: { value: [live.statefulSet] },
    sandboxes: { value: [] },
    sandboxClaims: { value: [] },
    claims: { value: [live.claim] },
    nodes: { 'node-1': { value: live.node } },
    volumes: { 'team-a-pv': { value: live.volume } },
    runtimeClasses: { 'gvisor-plus': { value: live.runtimeClass } },
    rights: { [NAME]: { value: [] } },
    ...over,
  };
}
