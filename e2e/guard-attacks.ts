// What would weaken a tier or pass for a seat: each an edit of something rightful, and the words of the refusal.
import type { V1Container, V1Pod, V1PodSpec, V1Volume } from '@kubernetes/client-node';

export interface Parts {
  readonly metadata: NonNullable<V1Pod['metadata']> & {
    labels: Record<string, string>;
    annotations: Record<string, string>;
  };
  readonly spec: V1PodSpec;
  readonly container: V1Container;
}
export type Edit = (pod: Parts) => unknown;
type Attacks = Readonly<Record<string, readonly [edit: Edit, refusal: RegExp]>>;

const context =
  (key: string, value: unknown): Edit =>
  ({ container }) =>
    Object.assign(container.securityContext!, { [key]: value });
const all =
  (...edits: readonly Edit[]): Edit =>
  (pod) => {
    for (const edit of edits) edit(pod);
  };
const account =
  (name: string): Edit =>
  ({ spec }) => {
    spec.serviceAccountName = name;
  };
const labels =
  (only: Record<string, string>): Edit =>
  ({ metadata }) => {
    metadata.labels = only;
  };
const label =
  (key: string, value: string): Edit =>
  ({ metadata }) => {
    metadata.labels[key] = value;
  };
const volume =
  (one: object): Edit =>
  ({ spec }) =>
    spec.volumes!.push({ name: 'more', ...one } as V1Volume);
const token = (audience?: string): Edit =>
  volume({ projected: { sources: [{ serviceAccountToken: { path: 'more', ...(audience ? { audience } : {}) } }] } });
const second =
  (list: 'containers' | 'initContainers'): Edit =>
  ({ spec, container }) => {
    const { livenessProbe: _, readinessProbe: __, ports: ___, ...own } = container;
    const privileged = { ...own.securityContext, privileged: true, allowPrivilegeEscalation: true };
    spec[list] = [...(spec[list] ?? []), { ...own, name: 'more', securityContext: privileged }];
  };
const REGION = 'topology.kubernetes.io/region';
const terms = ({ spec }: Parts) =>
  spec.affinity!.nodeAffinity!.requiredDuringSchedulingIgnoredDuringExecution!.nodeSelectorTerms;

/** Of a pod that its StatefulSet's controller makes, as it would of a StatefulSet that somebody edited. */
export const WEAKER: Attacks = {
  'in another runtime': [({ spec }) => (spec.runtimeClassName = 'runc'), /runs in runtime class/],
  'in the default runtime': [({ spec }) => delete spec.runtimeClassName, /runs in runtime class/],
  'that gives its runtime orders': [
    ({ metadata }) => (metadata.annotations['dev.gvisor.spec.mount.x.source'] = '/'),
    /takes orders/,
  ],
  'on any node': [({ spec }) => delete spec.affinity, /runs on nodes with/],
  'on other nodes too': [
    (pod) => terms(pod).push({ matchExpressions: [{ key: REGION, operator: 'Exists' }] }),
    /runs on nodes with/,
  ],
  'past the scheduler': [({ spec }) => (spec.nodeName = 'node-1'), /goes through the scheduler/],
  'with an API token': [({ spec }) => (spec.automountServiceAccountToken = true), /no token for the API server/],
  'with a projected API token': [token(), /has tokens for/],
  'with a token for somebody else': [token('vault'), /has tokens for/],
  'in the network of the host': [({ spec }) => (spec.hostNetwork = true), /nothing of the host/],
  'among the processes of the host': [({ spec }) => (spec.hostPID = true), /nothing of the host/],
  'in the IPC of the host': [({ spec }) => (spec.hostIPC = true), /nothing of the host/],
  'with a folder of the host': [volume({ hostPath: { path: '/' } }), /nothing of the host/],
  'with a volume of another kind': [volume({ nfs: { server: 'x', path: '/' } }), /nothing of the host/],
  'with a port of the host': [({ container }) => (container.ports![0]!.hostPort = 8081), /nothing of the host/],
  'that is privileged': [
    all(context('privileged', true), context('allowPrivilegeEscalation', true)),
    /is not privileged/,
  ],
  'that may become privileged': [context('allowPrivilegeEscalation', true), /is not privileged/],
  'with a capability': [context('capabilities', { drop: ['ALL'], add: ['NET_RAW'] }), /has no capability/],
  'with all capabilities kept': [context('capabilities', {}), /has no capability/],
  'as root': [all(context('runAsUser', 0), context('runAsNonRoot', false)), /never runs as root/],
  'that may be root': [context('runAsNonRoot', false), /never runs as root/],
  'without seccomp': [context('seccompProfile', { type: 'Unconfined' }), /seccomp, AppArmor/],
  'without AppArmor': [context('appArmorProfile', { type: 'Unconfined' }), /seccomp, AppArmor/],
  'with an SELinux type of its own': [context('seLinuxOptions', { type: 'spc_t' }), /seccomp, AppArmor/],
  'with all of /proc': [
    all(({ spec }) => Object.assign(spec, { hostUsers: false }), context('procMount', 'Unmasked')),
    /seccomp, AppArmor/,
  ],
  'with a second container that is privileged': [second('containers'), /is not privileged/],
  'with an init container that is privileged': [second('initContainers'), /is not privileged/],
  'of no tier': [({ metadata }) => delete metadata.labels['maqpna.com/tier'], /is of a tier of this namespace/],
  'of a tier that is not here': [
    ({ metadata }) => (metadata.labels['maqpna.com/tier'] = 'weak'),
    /is of a tier of this namespace/,
  ],
  "without its seat's label, so that no policy selects it": [
    ({ metadata }) => delete metadata.labels['steadmesh.io/seat'],
    /the account and the labels of one seat/,
  ],
  "with another seat's label": [
    ({ metadata }) => (metadata.labels['steadmesh.io/seat'] = 'boxed'),
    /the account and the labels of one seat/,
  ],
  "with another seat's account": [
    ({ spec }) => (spec.serviceAccountName = 'seat-other-00000000'),
    /the account and the labels of one seat/,
  ],
  'of another workload': [
    ({ metadata }) => (metadata.ownerReferences![0]!.name = 'other'),
    /of that seat's own workload/,
  ],
  'of nothing that makes seats': [
    ({ metadata }) => (metadata.ownerReferences![0]!.kind = 'ReplicaSet'),
    /is made by the controllers/,
  ],
  "with another seat's workspace": [
    volume({ persistentVolumeClaim: { claimName: 'ws-seat-other-00000000' } }),
    /mounts no workspace but its own/,
  ],
};

const bare = (pod: Parts): void => {
  delete pod.metadata.ownerReferences;
};

const MADE = /is made by the controllers/;

/** Of such a pod, made by somebody who may make pods in the namespace. */
export const BARE: Attacks = {
  'that nobody controls': [bare, MADE],
  'that pretends to be controlled': [() => undefined, MADE],
  "that has but the seat's account": [all(bare, labels({})), MADE],
  "that has but the seat's label": [all(bare, labels({ 'steadmesh.io/seat': 'engineer' }), account('default')), MADE],
  "that has but the tier's label": [all(bare, labels({ 'maqpna.com/tier': 'standard' }), account('default')), MADE],
  "that has but the seat's workspace": [all(bare, labels({}), account('default')), MADE],
  'that calls itself a probe': [all(bare, label('steadmesh.io/probe', 'netpol')), MADE],
  "that calls itself a worker, with the seat's account": [
    all(bare, ({ metadata }) => delete metadata.labels['steadmesh.io/seat'], label('steadmesh.io/task-run', 'x')),
    MADE,
  ],
};

/** Of a task run's worker. */
export const WORKER: Attacks = {
  'in another runtime': [({ spec }) => (spec.runtimeClassName = 'runc'), /runs in runtime class/],
  'that writes to the workspace': [
    ({ spec }) => {
      const claim = spec.volumes!.find(({ persistentVolumeClaim }) => persistentVolumeClaim)!;
      claim.persistentVolumeClaim!.readOnly = false;
    },
    /a worker only to read it/,
  ],
};

/** Of a pod in a tier that demands attestation. */
export const ATTESTED: Attacks = {
  'with a token for the gateway': [token('steadmesh-gateway'), /no token for the gateway/],
  'with a projected API token': [token(), /no token for the gateway/],
};

/** Of a Sandbox's pod template. */
export const SANDBOXED: Attacks = {
  'in another runtime': [({ spec }) => (spec.runtimeClassName = 'runc'), /runs in runtime class/],
  'that says nothing of API tokens': [
    ({ spec }) => delete spec.automountServiceAccountToken,
    /no token for the API server/,
  ],
  'that is privileged': [context('privileged', true), /is not privileged/],
  'of no tier': [({ metadata }) => delete metadata.labels['maqpna.com/tier'], /is of a tier of this namespace/],
  "with another seat's label": [
    ({ metadata }) => (metadata.labels['steadmesh.io/seat'] = 'engineer'),
    /the account and the labels of one seat/,
  ],
};
