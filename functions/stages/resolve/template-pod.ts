// The pod of a template: in the tier's runtime, on the tier's nodes, restricted as a seat's own pod is.
import { fieldOf } from '../../field-path';
import { parseImageReference } from '../../kubernetes/image-reference';
import { listOf, recordOf } from '../../kubernetes/label-selector';
import { ORGANIZATION, SEAT, TASK_RUN, WORKLOAD } from '../../labels';
import type { Options } from '../../model';
import { GATEWAY_AUDIENCE } from '../../options';
import { RESTRICTED_VOLUMES, RUNTIME_ORDERS } from '../../pod-security';
import type { Weakness } from './templates';
import type { SettledTier } from './tiers';

type Fields = Readonly<Record<string, unknown>>;
const POD = 'spec.podTemplate.spec';

/** Pod fields come as a user wrote them: the API server has not looked at them yet. */
export function checkTemplatePod({ metadata, spec }: Fields, tier: SettledTier, options: Options): Weakness[] {
  const pod = recordOf(spec);
  const containers = ['containers', 'initContainers'].flatMap((list) =>
    listOf(pod[list]).map((one, index) => [`${POD}.${list}[${index}]`, recordOf(one)] as const),
  );
  return [
    ...checkLabels(recordOf(metadata)),
    ...checkOrders(recordOf(metadata)),
    ...checkRuntime(pod, tier),
    ...checkNodes(pod, tier),
    ...checkHost(pod),
    ...checkVolumes(pod, tier, options),
    ...containers.flatMap(([path, container]) => checkContainer(path, container, pod, options)),
  ];
}

/** By these a seat's own policy or workload would take the pod for one of its own. */
const SEAT_LABELS = [ORGANIZATION, SEAT, WORKLOAD, TASK_RUN];

const checkLabels = ({ labels }: Fields): Weakness[] =>
  SEAT_LABELS.filter((key) => Object.hasOwn(recordOf(labels), key)).map((key) => [
    fieldOf('spec.podTemplate.metadata.labels', key),
    'keeps this label for pods of one seat: policies and workloads of seats select by it',
  ]);

/** Annotations by which runtimes take orders would undo what the pod says. */
const checkOrders = ({ annotations }: Fields): Weakness[] =>
  Object.keys(recordOf(annotations))
    .filter((key) => RUNTIME_ORDERS.some((prefix) => key.startsWith(prefix)))
    .map((key) => [fieldOf('spec.podTemplate.metadata.annotations', key), 'lets nobody give its runtime orders']);

function checkRuntime({ runtimeClassName, automountServiceAccountToken }: Fields, tier: SettledTier): Weakness[] {
  const wanted = tier.object.spec.runtimeClassName;
  return [
    ...(runtimeClassName === wanted ? [] : [[`${POD}.runtimeClassName`, `runs pods in "${wanted}"`] as const]),
    // agent-sandbox makes it false where it is not set
    ...((automountServiceAccountToken ?? false) === false
      ? []
      : [[`${POD}.automountServiceAccountToken`, 'gives no pod a token for the API server'] as const]),
  ];
}

function checkNodes({ nodeSelector, affinity }: Fields, tier: SettledTier): Weakness[] {
  const { nodeAffinity } = recordOf(affinity);
  const { requiredDuringSchedulingIgnoredDuringExecution: required } = recordOf(nodeAffinity);
  const terms = listOf(recordOf(required).nodeSelectorTerms);
  const isRequired = (key: string, value: string): boolean =>
    recordOf(nodeSelector)[key] === value ||
    (terms.length > 0 && terms.every((term) => listOf(recordOf(term).matchExpressions).some(demands(key, value))));
  return Object.entries(tier.object.spec.allowedNodeLabels ?? {})
    .filter(([key, value]) => !isRequired(key, String(value)))
    .map(([key, value]) => [
      `${POD}.nodeSelector`,
      `runs pods on nodes with "${key}: ${value}" alone: select them here or by required node affinity`,
    ]);
}

const demands =
  (key: string, value: string) =>
  (expression: unknown): boolean => {
    const { key: label, operator, values } = recordOf(expression);
    const [only, ...others] = listOf(values);
    return label === key && operator === 'In' && only === value && others.length === 0;
  };

const checkHost = (pod: Fields): Weakness[] => [
  ...['hostNetwork', 'hostPID', 'hostIPC']
    .filter((field) => (pod[field] ?? false) !== false)
    .map((field): Weakness => [`${POD}.${field}`, 'lets pods have nothing of the host']),
  ...listOf(recordOf(pod.securityContext).sysctls).map(
    (_, index): Weakness => [`${POD}.securityContext.sysctls[${index}]`, 'lets pods set nothing of the kernel'],
  ),
];

function checkVolumes({ volumes }: Fields, tier: SettledTier, { attestationAudience }: Options): Weakness[] {
  const attested = tier.object.spec.attestationRequired === true;
  const audience = attested ? attestationAudience : GATEWAY_AUDIENCE;
  return listOf(volumes).flatMap((one, index): Weakness[] => {
    const path = `${POD}.volumes[${index}]`;
    const volume = recordOf(one);
    const kinds = Object.keys(volume).filter((key) => key !== 'name');
    const other = kinds
      .filter((kind) => !RESTRICTED_VOLUMES.includes(kind))
      .map((kind): Weakness => [`${path}.${kind}`, 'lets pods have nothing of the host']);
    const tokens = listOf(recordOf(volume.projected).sources).flatMap((source, n): Weakness[] => {
      const { serviceAccountToken: token } = recordOf(source);
      if (token === undefined || recordOf(token).audience === audience) return [];
      const why = attested ? 'whose broker gives others after evidence' : 'which the API server does not take';
      const field = `${path}.projected.sources[${n}].serviceAccountToken.audience`;
      return [[field, `has tokens for "${audience}" alone, ${why}`]];
    });
    return [...other, ...tokens];
  });
}

type Rule = readonly [field: string, isKept: (container: Fields, pod: Fields) => boolean, message: string];

/** A container's word, else the pod's. */
const either = (container: Fields, pod: Fields, field: string): unknown =>
  recordOf(container.securityContext)[field] ?? recordOf(pod.securityContext)[field];
const own = (container: Fields, field: string): unknown => recordOf(container.securityContext)[field];

const RULES: readonly Rule[] = [
  ['securityContext.runAsNonRoot', (c, p) => either(c, p, 'runAsNonRoot') === true, 'lets no pod run as root'],
  ['securityContext.runAsUser', (c, p) => either(c, p, 'runAsUser') !== 0, 'lets no pod run as root'],
  [
    'securityContext.seccompProfile',
    (c, p) => ['RuntimeDefault', 'Localhost'].includes(String(recordOf(either(c, p, 'seccompProfile')).type)),
    'needs a seccomp profile, RuntimeDefault or Localhost',
  ],
  ['securityContext.privileged', (c) => (own(c, 'privileged') ?? false) === false, 'lets no container be privileged'],
  [
    'securityContext.allowPrivilegeEscalation',
    (c) => own(c, 'allowPrivilegeEscalation') === false,
    'needs it to be false',
  ],
  [
    'securityContext.capabilities',
    (c) => {
      const { drop, add } = recordOf(own(c, 'capabilities'));
      return listOf(drop).includes('ALL') && listOf(add).length === 0;
    },
    'needs ALL dropped and none added',
  ],
  ['securityContext.procMount', (c) => (own(c, 'procMount') ?? 'Default') === 'Default', 'lets no /proc be unmasked'],
  [
    'securityContext.appArmorProfile',
    (c, p) => recordOf(either(c, p, 'appArmorProfile')).type !== 'Unconfined',
    'lets AppArmor be as it is',
  ],
  [
    'securityContext.seLinuxOptions',
    (c, p) => recordOf(either(c, p, 'seLinuxOptions')).type === undefined,
    'lets SELinux be as it is',
  ],
  ['securityContext.windowsOptions', (c, p) => either(c, p, 'windowsOptions') === undefined, 'has pods of Linux alone'],
  ['ports', (c) => listOf(c.ports).every((port) => !recordOf(port).hostPort), 'lets pods have no port of the host'],
  [
    'resources.limits',
    (c) => ['cpu', 'memory'].every((name) => recordOf(recordOf(c.resources).limits)[name] !== undefined),
    'needs limits of cpu and memory',
  ],
];

function checkContainer(path: string, container: Fields, pod: Fields, { allowImageTags }: Options): Weakness[] {
  const reference = parseImageReference(String(container.image ?? ''));
  const isPinned = reference?.digest !== undefined || (allowImageTags && reference?.tag !== undefined);
  return [
    ...(isPinned ? [] : [[`${path}.image`, 'needs images pinned by digest (@sha256:…)'] as const]),
    ...RULES.filter(([, isKept]) => !isKept(container, pod)).map(
      ([field, , message]): Weakness => [`${path}.${field}`, message],
    ),
  ];
}
