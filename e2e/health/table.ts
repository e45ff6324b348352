// How each engine judges what is rendered, in every state that an engine may find it in: what this table expects, and why.
// docs/health.md says the same by kinds.

/** Argo CD with our health checks (`-`: it has none, and takes it for healthy), kpt live, Flux, Flux with our expressions. */
type Judged = `${string} ${string} ${string} ${string}`;
type Row = readonly [judged: Judged, because: string];

const NO_STATE = 'it has no state: what is there is current';
const ALWAYS: Row = ['- Current Current Current', NO_STATE];
const ANOTHER_SPEC = 'observedGeneration is of another spec';

const WITHOUT_STATE = [
  'Namespace',
  'ResourceQuota',
  'ConfigMap',
  'NetworkPolicy',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
]
  .concat(['ClusterRoleBinding', 'PriorityClass', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'])
  .map((kind) => [`${kind} just applied`, ALWAYS] as const);

const CLAIM: Readonly<Record<string, Row>> = {
  'just applied': ['Progressing InProgress InProgress Current', 'nobody provisions it: it looks as one that waits'],
  bound: ['Healthy Current Current Current', 'it has its volume'],
  'waits for its first consumer': [
    'Progressing InProgress InProgress Current',
    'a stopped seat has none: without help an engine waits for ever (Argo CD skips it in an Application by its annotation)',
  ],
  'whose class is missing': ['Progressing InProgress InProgress Current', 'it looks as one that waits'],
  'being provisioned': ['Progressing InProgress InProgress InProgress', 'a pod uses it, and it has no volume yet'],
  'lost its volume': ['Degraded InProgress InProgress Failed', 'kstatus never calls a claim failed'],
};

const STATEFUL_SET: Readonly<Record<string, Row>> = {
  'just applied': ['Progressing Current Current InProgress', 'kstatus calls OnDelete current at once'],
  'just applied, stopped': ['Progressing Current Current InProgress', 'its controller has not seen it'],
  'OnDelete, starting': ['Progressing Current Current InProgress', 'kstatus calls OnDelete current at once'],
  'OnDelete, ready': ['Healthy Current Current Current', 'as many pods are ready as wanted'],
  'OnDelete, ready, changed since': [
    'Healthy Current Current Current',
    'an old pod stays until somebody deletes it; the probe tells (StaleRevision)',
  ],
  'OnDelete, crashing': ['Progressing Current Current InProgress', 'kstatus calls OnDelete current at once'],
  'OnDelete, stopping': ['Healthy Current Current InProgress', 'its last pod has not ended'],
  'OnDelete, stopped': ['Healthy Current Current Current', 'no pod is wanted, none is there'],
  'RollingUpdate, ready': ['Healthy Current Current Current', 'as many pods are ready and updated as wanted'],
  'RollingUpdate, about to roll': ['Progressing InProgress InProgress InProgress', 'the old pod is ready still'],
  'RollingUpdate, held by a partition': [
    'Healthy Current Current Current',
    'no seat has one, but an expression counts for all',
  ],
  'RollingUpdate, rolling': ['Progressing InProgress InProgress InProgress', 'the new pod is not ready'],
  'RollingUpdate, crashing': [
    'Progressing Failed Failed InProgress',
    'kstatus looks at the pods of one that is not current; an expression cannot',
  ],
};

const JOB: Readonly<Record<string, Row>> = {
  'just applied': ['Progressing InProgress InProgress InProgress', 'it has not started'],
  running: [
    'Progressing Current InProgress InProgress',
    'kstatus takes started for current; Flux has a reader of its own',
  ],
  'running again after it failed': ['Progressing Current InProgress InProgress', 'as one that runs'],
  complete: ['Healthy Current Current Current', 'it is done'],
  failed: ['Degraded Failed Failed Failed', 'it will not be tried again'],
};

const POD: Readonly<Record<string, Row>> = {
  'just applied': ['Progressing InProgress InProgress InProgress', 'it is on no node yet'],
  running: ['Progressing Current Current Current', 'to Argo CD what is never restarted is under way until it ends'],
  succeeded: ['Healthy Current Current Current', 'it did what it should'],
  failed: [
    'Degraded Current Current Current',
    'kstatus takes what has ended for current, and no stage waits for its outcome',
  ],
};

const SEAT: Readonly<Record<string, Row>> = {
  unprobed: [
    'Healthy Current Current Current',
    'without a probe nothing is known against it; with one its Job runs yet',
  ],
  'unprobed-but-reviewed': ['Healthy Current Current Current', "conditions of others are no probe's"],
  probing: ['Progressing InProgress InProgress InProgress', 'Reconciling'],
  'probing-again': [
    'Progressing InProgress InProgress InProgress',
    'Reconciling; the verdict of before stays in other conditions',
  ],
  enforced: ['Healthy Current Current Current', 'Ready'],
  'enforced-with-gaps': ['Healthy Current Current Current', 'Ready: the gaps are accepted'],
  'gap-not-accepted': ['Progressing InProgress InProgress InProgress', 'Ready is Unknown; the Job fails in the end'],
  inconclusive: ['Progressing InProgress InProgress InProgress', 'Ready is Unknown; the Job fails in the end'],
  'not-enforced': [
    'Degraded Failed Failed InProgress',
    'Stalled. With expressions the Job says so: the verdict may be of the run before',
  ],
  edited: ['Progressing InProgress InProgress InProgress', ANOTHER_SPEC],
};

const TIER: Readonly<Record<string, Row>> = {
  unseen: ['Healthy Current Current Current', 'nobody looks at tiers yet'],
  available: ['Healthy Current Current Current', 'Ready'],
  looking: ['Progressing InProgress InProgress InProgress', 'Reconciling'],
  unknown: ['Progressing InProgress InProgress InProgress', 'Ready is Unknown'],
  unavailable: ['Degraded Failed Failed Failed', 'Stalled'],
  'not-ready': ['Degraded InProgress InProgress InProgress', 'kstatus calls Failed only what is Stalled'],
  edited: ['Progressing InProgress InProgress InProgress', ANOTHER_SPEC],
};

const LASTING: Row = ['Degraded InProgress InProgress Failed', 'it stays so; kstatus knows no Stalled of it'];
const COMING: Row = ['Progressing InProgress InProgress InProgress', 'the controller tries again'];
const UNSEEN: Row = [
  'Progressing Current Current Unknown',
  'kstatus takes what has no conditions for current; Flux waits on an error',
];
const SANDBOX_CLAIM: Readonly<Record<string, Row>> = {
  'just applied': UNSEEN,
  unseen: UNSEEN,
  'pool-not-found': COMING,
  'template-not-found': COMING,
  starting: COMING,
  ready: ['Healthy Current Current Current', 'Ready'],
  suspended: ['Suspended InProgress InProgress Current', 'somebody asked for it'],
  finished: ['Healthy InProgress InProgress Current', 'it did what it should'],
  'finished-then-expired': ['Healthy InProgress InProgress Current', 'it did what it should before'],
  expired: LASTING,
  'sandbox-expired': LASTING,
  'pod-failed': LASTING,
  'multiple-pods': LASTING,
  'env-refused': LASTING,
  'volumes-refused': LASTING,
  'metadata-refused': LASTING,
};

const TOO_FEW: Row = ['Progressing Current Current InProgress', 'kstatus counts no sandboxes'];
const SANDBOX_WARM_POOL: Readonly<Record<string, Row>> = {
  'just applied': UNSEEN,
  unseen: UNSEEN,
  'template-not-found': TOO_FEW,
  'none-ready': TOO_FEW,
  'one-ready': TOO_FEW,
  ready: ['Healthy Current Current Current', 'as many as wanted'],
  empty: ['Healthy Current Current Current', 'none is wanted'],
  scaled: ['Progressing InProgress InProgress InProgress', ANOTHER_SPEC],
};

const SANDBOX: Readonly<Record<string, Row>> = {
  'just applied': UNSEEN,
  unseen: UNSEEN,
  starting: COMING,
  ready: ['Healthy Current Current Current', 'Ready'],
  edited: ['Progressing Current Current InProgress', `${ANOTHER_SPEC}, which kstatus reads of no condition`],
  suspended: ['Suspended InProgress InProgress Current', 'somebody asked for it'],
  finished: ['Healthy InProgress InProgress Current', 'it did what it should'],
  'finished-then-expired': ['Healthy InProgress InProgress Current', 'it did what it should before'],
  expired: LASTING,
  'pod-failed': LASTING,
  'multiple-pods': LASTING,
};

/** By kind and state. */
export const TABLE: Readonly<Record<string, Row>> = {
  ...Object.fromEntries(WITHOUT_STATE),
  ...of('PersistentVolumeClaim', CLAIM),
  ...of('StatefulSet', STATEFUL_SET),
  ...of('Job', JOB),
  ...of('Pod', POD),
  ...of('Seat', SEAT),
  ...of('TrustTier', TIER),
  ...of('Sandbox', SANDBOX),
  ...of('SandboxClaim', SANDBOX_CLAIM),
  ...of('SandboxWarmPool', SANDBOX_WARM_POOL),
};

function of(kind: string, rows: Readonly<Record<string, Row>>): Record<string, Row> {
  return Object.fromEntries(Object.entries(rows).map(([state, row]) => [`${kind} ${state}`, row]));
}
