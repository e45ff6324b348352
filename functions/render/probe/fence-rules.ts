// The rules of the fence, in CEL. Whoever holds the prober's account must not get more by a pod than a probe's fixed code.
import type { V1Validation } from '@kubernetes/client-node';
import { WORKLOAD } from '../../labels';
import type { Plan } from '../../model';
import { manifestName } from '../../names';
import { RUNTIME_ORDERS } from '../../pod-security';
import { AGENT_COMMAND, AGENT_TASK, POD_UID, PROBE_LABEL, PROBE_POD_PREFIX, PROBE_ROLES } from '../../probe/identity';
import { MOST_RESOURCES, MOST_SECONDS, NEVER_READY, SLACK_SECONDS } from '../../probe/pods';
import { hasSandboxes } from '../../probe/workload';
import { type Check, list, text } from '../guard/expressions';

/** `accounts` are names of variables that hold the names of the seats' accounts. */
export const validations = (plan: Plan, accounts: readonly string[]): V1Validation[] => [
  ...[...identity(plan), ...code(plan), ...volumes(plan, accounts), ...scheduling(plan), ...security(plan)].map(
    ([message, expression]) => ({
      expression: `request.operation == 'DELETE' || (${expression})`,
      message: `a probe's pod: ${message}`,
    }),
  ),
  {
    expression: `request.operation == 'CREATE' || (${isProbes('oldObject')})`,
    message: "the prober deletes only a probe's pods",
  },
];

const isProbes = (pod: string): string =>
  `${pod}.metadata.?name.orValue('').startsWith(${text(PROBE_POD_PREFIX)}) && has(${pod}.metadata.labels) && ` +
  `${text(PROBE_LABEL)} in ${pod}.metadata.labels`;

/** Annotations by which runtimes and networks take orders; of networks Multus. */
const ORDERS = [...RUNTIME_ORDERS, 'k8s.v1.cni.cncf.io/', 'v1.multus-cni.io/'];

/** By these agent-sandbox takes a pod of the right name for one of its own (controllers/sandbox_controller.go). */
const ADOPTED_BY = [
  'agents.x-k8s.io/sandbox-name-hash',
  'agents.x-k8s.io/adoptable',
  'agents.x-k8s.io/warm-pool-sandbox',
];

const identity = (plan: Plan): Check[] => [
  ['only in the namespace of the seats', `request.namespace == ${text(plan.namespace)}`],
  [
    "only with a probe's name and label, and never with a label by which a StatefulSet adopts it",
    `${isProbes('object')} && object.metadata.labels[${text(PROBE_LABEL)}] in ${list(Object.values(PROBE_ROLES))} && ` +
      `!(${text(WORKLOAD)} in object.metadata.labels)`,
  ],
  ...(hasSandboxes(plan)
    ? [
        [
          'never with a label by which a Sandbox adopts it',
          `!object.metadata.labels.exists(key, key in ${list(ADOPTED_BY)})`,
        ] as const,
      ]
    : []),
  [
    'no owners, and nothing that keeps it from going',
    'size(object.metadata.?ownerReferences.orValue([])) == 0 && size(object.metadata.?finalizers.orValue([])) == 0',
  ],
  [
    'no annotations by which runtimes or networks take orders',
    `object.metadata.?annotations.orValue({}).all(key, !${list(ORDERS)}.exists(prefix, key.startsWith(prefix)))`,
  ],
  [
    'never ready, so that no Service sends it anything',
    `object.spec.?readinessGates.orValue([]).exists(g, g.conditionType == ${text(NEVER_READY)})`,
  ],
];

/** `NODE_OPTIONS`, a probe by command and a hook run other code than the image's. */
const code = ({ image }: Plan): Check[] => [
  [
    'one container, no others',
    'size(object.spec.containers) == 1 && size(object.spec.?initContainers.orValue([])) == 0 && ' +
      'size(object.spec.?ephemeralContainers.orValue([])) == 0',
  ],
  [
    "only the probe's image and command",
    `variables.container.image == ${text(image)} && ` +
      `variables.container.?command.orValue([]) == [${AGENT_COMMAND.map(text).join(', ')}] && ` +
      'size(variables.container.?args.orValue([])) == 0',
  ],
  [
    'no environment but its task and uid, no lifecycle hooks',
    'size(variables.container.?envFrom.orValue([])) == 0 && !has(variables.container.lifecycle) && ' +
      `variables.container.?env.orValue([]).all(e, (e.name == ${text(AGENT_TASK)} && !has(e.valueFrom)) || ` +
      `(e.name == ${text(POD_UID)} && has(e.valueFrom) && has(e.valueFrom.fieldRef)))`,
  ],
  [
    'the kubelet tries its own TCP port, and nothing else',
    '[variables.container.?startupProbe, variables.container.?livenessProbe, variables.container.?readinessProbe]' +
      ".all(p, !p.hasValue() || (p.?tcpSocket.hasValue() && p.?tcpSocket.?host.orValue('') == ''))",
  ],
];

function volumes({ profiles }: Plan, accounts: readonly string[]): Check[] {
  const audiences = list(profiles.map(({ audience }) => audience));
  const folders = list(
    profiles.flatMap(({ template: { spec } }) => {
      const configMaps = new Set(spec?.volumes?.filter((one) => one.configMap).map(({ name }) => name));
      const mounts = spec?.containers.flatMap(({ volumeMounts = [] }) => volumeMounts) ?? [];
      return mounts.filter(({ name }) => configMaps.has(name)).map(({ mountPath }) => mountPath);
    }),
  );
  const account = "object.spec.?serviceAccountName.orValue('')";
  return [
    [
      "only volumes that are empty, the seat's manifest, or a token for a seat's audience",
      'object.spec.?volumes.orValue([]).all(v, has(v.emptyDir) || ' +
        `(has(v.configMap) && v.configMap.?name.orValue('') == ${account} + ${text(manifestName(''))}) || ` +
        '(has(v.projected) && v.projected.?sources.orValue([]).all(s, has(s.serviceAccountToken) && ' +
        `s.serviceAccountToken.?audience.orValue('') in ${audiences})))`,
    ],
    [
      'the manifest where a seat has it, so that no text becomes code',
      `variables.container.?volumeMounts.orValue([]).all(m, m.mountPath in ${folders} || ` +
        'object.spec.?volumes.orValue([]).exists(v, v.name == m.name && !has(v.configMap)))',
    ],
    ['no API token', 'object.spec.?automountServiceAccountToken.orValue(true) == false'],
    [
      "only the seats' accounts",
      `[${accounts.map((name) => `variables.${name}`).join(', ')}].exists(l, ${account} in l)`,
    ],
  ];
}

function scheduling({ profiles, priorityClassName }: Plan): Check[] {
  const deadline = MOST_SECONDS + SLACK_SECONDS;
  const most = `{${Object.entries(MOST_RESOURCES)
    .map(([name, amount]) => `${text(name)}: ${text(amount)}`)
    .join(', ')}}`;
  const classes = list(profiles.flatMap(({ template: { spec } }) => (spec ? [spec.runtimeClassName ?? ''] : [])));
  return [
    [
      'no claims on devices, and no more than a probe needs',
      'size(object.spec.?resourceClaims.orValue([])) == 0 && !has(object.spec.resources) && ' +
        "['cpu', 'memory'].all(r, r in variables.container.?resources.?limits.orValue({})) && " +
        `variables.container.resources.limits.all(r, r in ${most} && ` +
        `!quantity(${most}[r]).isLessThan(quantity(variables.container.resources.limits[r])))`,
    ],
    [
      `a deadline of at most ${deadline} s, and no restarts`,
      `object.spec.?activeDeadlineSeconds.orValue(${deadline + 1}) <= ${deadline} && object.spec.restartPolicy == 'Never' && ` +
        '!has(variables.container.restartPolicy)',
    ],
    [
      "a probe's priority, so that it evicts no seat",
      `object.spec.?priorityClassName.orValue('') == ${text(priorityClassName ?? '')}`,
    ],
    ["only the seats' runtimes", `object.spec.?runtimeClassName.orValue('') in ${classes}`],
    [
      'past no scheduler, and in the way of no other pod',
      "object.spec.?nodeName.orValue('') == '' && !object.spec.?affinity.?podAntiAffinity.hasValue()",
    ],
  ];
}

/** A seat of our own pod has it; a SandboxTemplate need not, and a probe's pod is no stricter than what it stands for. */
const isRootReadOnly = (profiles: Plan['profiles']): boolean =>
  profiles.every(({ template: { spec } }) => !spec || spec.containers[0]?.securityContext?.readOnlyRootFilesystem);

const SECURITY = 'variables.container.?securityContext';
const security = ({ profiles }: Plan): Check[] => [
  [
    'nothing of the host',
    '!object.spec.?hostNetwork.orValue(false) && !object.spec.?hostPID.orValue(false) && ' +
      '!object.spec.?hostIPC.orValue(false) && variables.container.?ports.orValue([]).all(p, !has(p.hostPort) || p.hostPort == 0)',
  ],
  [
    'no sysctl but the one by which the witness listens on port 53, no labels or identities of its own, /proc as usual',
    "object.spec.?securityContext.?sysctls.orValue([]).all(s, s.name == 'net.ipv4.ip_unprivileged_port_start') && " +
      `[object.spec.?securityContext, ${SECURITY}].all(c, !c.?seLinuxOptions.hasValue() && !c.?windowsOptions.hasValue() && ` +
      "c.?appArmorProfile.?type.orValue('RuntimeDefault') == 'RuntimeDefault') && " +
      `${SECURITY}.?procMount.orValue('Default') == 'Default'`,
  ],
  [
    `restricted: no root, no privilege, no capability, seccomp${isRootReadOnly(profiles) ? ', read-only root file system' : ''}`,
    `${SECURITY}.?runAsNonRoot.orValue(false) && ` +
      `!${SECURITY}.?privileged.orValue(false) && ` +
      `!${SECURITY}.?allowPrivilegeEscalation.orValue(true) && ` +
      (isRootReadOnly(profiles) ? `${SECURITY}.?readOnlyRootFilesystem.orValue(false) && ` : '') +
      `${SECURITY}.?capabilities.?drop.orValue([]).exists(c, c == 'ALL') && ` +
      `size(${SECURITY}.?capabilities.?add.orValue([])) == 0 && ` +
      `${SECURITY}.?seccompProfile.?type.orValue('') == 'RuntimeDefault'`,
  ],
];
