// What a live pod has beyond its template though nobody tampered with it: defaults of the API server, and what controllers,
// scheduler and built-in admission add. Compared with a pod of Kubernetes 1.35; sources in k8s.io/kubernetes:
// pkg/apis/core/v1/defaults.go, pkg/controller/statefulset, plugin/pkg/admission.
import type { V1RuntimeClass, V1Volume } from '@kubernetes/client-node';

/** What a known addition may depend on. */
export interface Surroundings {
  /** Name of the live pod; undefined where a StatefulSet's template is compared. */
  readonly pod: string | undefined;
  readonly serviceAccountName: string | undefined;
  /** The RuntimeClass that the template names, if it could be read: its overhead and scheduling are merged in. */
  readonly runtimeClass: V1RuntimeClass | undefined;
  /** The pod is a SandboxTemplate's, which may leave to defaults what a rendered pod always says; absent: it is not. */
  readonly isOfTemplate?: boolean;
}

/** Paths as `podDifferences` writes them, elements of lists as `[]`. */
type Rule = readonly [path: RegExp, allowed: (value: unknown, around: Surroundings) => boolean];

const is =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);
const anything = (): boolean => true;
const ofTemplate =
  (...values: readonly unknown[]) =>
  (value: unknown, { isOfTemplate }: Surroundings): boolean =>
    isOfTemplate === true && values.includes(value);
const ofPod = (_: unknown, { pod }: Surroundings): boolean => pod !== undefined;

const PROBE = /^containers\[\]\.(?:liveness|readiness|startup)Probe\./;
const probeField = (name: string): RegExp => new RegExp(`${PROBE.source}${name}$`);

const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

const RULES: readonly Rule[] = [
  // defaults of a pod spec
  [/^dnsPolicy$/, is('ClusterFirst')],
  [/^restartPolicy$/, is('Always')],
  [/^schedulerName$/, is('default-scheduler')],
  [/^terminationGracePeriodSeconds$/, is(30)],
  [/^serviceAccountName$/, ofTemplate('default')],
  [/^serviceAccount$/, (value, { serviceAccountName = 'default' }) => value === serviceAccountName],
  [/^enableServiceLinks$/, ofTemplate(true)],
  [/^containers\[\]\.terminationMessagePath$/, is('/dev/termination-log')],
  [/^containers\[\]\.terminationMessagePolicy$/, is('File')],
  [/^containers\[\]\.imagePullPolicy$/, is('Always', 'IfNotPresent')],
  [/^containers\[\]\.ports\[\]\.protocol$/, is('TCP')],
  [/^containers\[\]\.securityContext\.procMount$/, is('Default')],
  [/^containers\[\]\.env\[\]\.valueFrom\.fieldRef\.apiVersion$/, is('v1')],
  [/^containers\[\]\.lifecycle\.(?:postStart|preStop)\.httpGet\.(?:scheme|path)$/, ofTemplate('HTTP', '/')],
  [probeField('httpGet\\.scheme'), is('HTTP')],
  [probeField('httpGet\\.path'), ofTemplate('/')],
  [probeField('successThreshold'), is(1)],
  [probeField('timeoutSeconds'), is(1)],
  [probeField('periodSeconds'), is(10)],
  [probeField('failureThreshold'), is(3)],
  [/^volumes\[\]\.(?:configMap|secret|projected|downwardAPI)\.defaultMode$/, is(FILE_MODE)],
  [/^volumes\[\]\.projected\.sources\[\]\.serviceAccountToken\.expirationSeconds$/, is(TOKEN_SECONDS)],
  [/^volumes\[\]\.(?:projected\.sources\[\]\.)?downwardAPI\.items\[\]\.fieldRef\.apiVersion$/, ofTemplate('v1')],
  // agent-sandbox: a claim of the sandbox's own, where its template asks for one (controllers/sandbox_controller.go)
  [/^volumes\[\]$/, (value, { pod, isOfTemplate }) => isOfTemplate === true && isOwnClaim(value, pod)],
  // the StatefulSet controller and the scheduler
  [/^hostname$/, (value, { pod }) => pod !== undefined && value === pod],
  [/^nodeName$/, ofPod],
  // admission plugins: Priority, RuntimeClass, ServiceAccount. None of them opens anything.
  [/^(?:priority|priorityClassName|preemptionPolicy)$/, ofPod],
  [/^overhead$/, ofPod],
  [/^imagePullSecrets\[\]$/, ofPod],
  // PodNodeSelector and RuntimeClass: a further selector narrows; J1 looks at the node itself.
  [/^nodeSelector(?:\..*)?$/, ofPod],
  // OpenShift gives each namespace its own level; a type would be another matter.
  [/^(?:containers\[\]\.)?securityContext\.seLinuxOptions\.level$/, ofPod],
  [/^tolerations\[\]$/, (value, around) => around.pod !== undefined && isKnownToleration(value, around)],
  // marks of others. Those that configure runtime or network are not among them.
  [/^metadata\.labels(?:\..*)?$/, anything],
  [/^metadata\.annotations(?:\..*)?$/, anything],
];

function isOwnClaim(value: unknown, pod: string | undefined): boolean {
  const { name, persistentVolumeClaim } = value as V1Volume;
  return pod !== undefined && persistentVolumeClaim?.claimName === `${name}-${pod}`;
}

/** DefaultTolerationSeconds, and what the RuntimeClass brings. */
const NODE_TROUBLE = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

function isKnownToleration(value: unknown, { runtimeClass }: Surroundings): boolean {
  const one = value as Toleration;
  const isDefault = NODE_TROUBLE.includes(one.key ?? '') && one.operator === 'Exists' && one.effect === 'NoExecute';
  const same = (other: Toleration): boolean =>
    (['key', 'operator', 'value', 'effect'] as const).every((field) => (one[field] ?? '') === (other[field] ?? ''));
  return isDefault || (runtimeClass?.scheduling?.tolerations ?? []).some(same);
}

/** Annotations that runtimes and network plugins obey: one of them can undo what the spec says. */
const OBEYED = new RegExp(
  `^metadata\\.annotations\\.(?:${[
    'dev\\.gvisor\\.',
    'io\\.katacontainers\\.',
    'io\\.kubernetes\\.cri-o\\.',
    'container\\.apparmor\\.security\\.beta\\.kubernetes\\.io/',
    'k8s\\.v1\\.cni\\.cncf\\.io/networks$',
    'v1\\.multus-cni\\.io/',
    '(?:[a-z]+\\.)?cilium\\.io/',
    'io\\.cilium',
    'sidecar\\.istio\\.io/',
    'linkerd\\.io/',
  ].join('|')})`,
);

/** Whether an extra leaf or element at `path` is expected; everything that no rule knows is not. */
export function isKnownAddition(path: string, value: unknown, around: Surroundings): boolean {
  const general = path.replace(/\[[^\]]*\]/g, '[]').replace(/^initContainers\b/, 'containers');
  if (OBEYED.test(path)) return false;
  return RULES.some(([pattern, allowed]) => pattern.test(general) && allowed(value, around));
}
