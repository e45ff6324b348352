// The fence: which pods the prober may create. `create pods` alone would let it use any account, Secret or claim there.
import type {
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1Validation,
  V1Variable,
} from '@kubernetes/client-node';
import type { Plan } from '../../model';
import { AGENT_COMMAND, PROBE_LABEL, PROBE_ROLES } from '../../probe/identity';
import { priorityClassName } from '../../probe/plan';
import { MOST_SECONDS, SLACK_SECONDS } from '../../probe/pods';
import { probeMetadata } from './metadata';

const apiVersion = 'admissionregistration.k8s.io/v1';

export function* renderFence(plan: Plan): Iterable<V1ValidatingAdmissionPolicy | V1ValidatingAdmissionPolicyBinding> {
  const name = priorityClassName(plan.prober);
  const policy = { apiVersion, kind: 'ValidatingAdmissionPolicy', name, namespace: undefined } as const;
  yield {
    apiVersion,
    kind: policy.kind,
    metadata: probeMetadata(plan, policy),
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' },
        ],
      },
      matchConditions: [
        {
          name: 'prober',
          expression: `request.userInfo.username == ${text(`system:serviceaccount:${plan.controlPlaneNamespace}:${plan.prober}`)}`,
        },
      ],
      variables: [{ name: 'container', expression: 'object.spec.containers[0]' }, ...accountLists(plan)],
      validations: validations(plan),
    },
  };
  const binding = { ...policy, kind: 'ValidatingAdmissionPolicyBinding' } as const;
  yield {
    apiVersion,
    kind: binding.kind,
    metadata: probeMetadata(plan, binding),
    spec: { policyName: name, validationActions: ['Deny'] },
  };
}

/** A CEL literal: JSON's escapes are among CEL's. */
const text = (value: string): string => JSON.stringify(value);
const list = (values: Iterable<string>): string => `[${[...new Set(values)].sort().map(text).join(', ')}]`;

/** The parser takes 100,000 characters of one expression (cel-go, parser/options.go): the names of some 1,600 seats. */
const NAMES_IN_ONE_LIST = 1000;

/** The accounts of all seats, as variables that each hold some. */
function accountLists({ seats }: Plan): V1Variable[] {
  const names = seats.map(({ name }) => name).sort();
  const count = Math.ceil(names.length / NAMES_IN_ONE_LIST);
  return Array.from({ length: count }, (_, n) => ({
    name: `accounts${n}`,
    expression: list(names.slice(n * NAMES_IN_ONE_LIST, (n + 1) * NAMES_IN_ONE_LIST)),
  }));
}

function validations(plan: Plan): V1Validation[] {
  const audiences = list(plan.profiles.map(({ audience }) => audience));
  const deadline = MOST_SECONDS + SLACK_SECONDS;
  const checks: readonly (readonly [message: string, expression: string])[] = [
    ['only in the namespace of the seats', `request.namespace == ${text(plan.namespace)}`],
    [
      "only with a probe's label, and never with one by which a StatefulSet adopts it",
      `has(object.metadata.labels) && ${text(PROBE_LABEL)} in object.metadata.labels && ` +
        `object.metadata.labels[${text(PROBE_LABEL)}] in ${list(Object.values(PROBE_ROLES))} && ` +
        "!('steadmesh.io/workload' in object.metadata.labels)",
    ],
    [
      'one container, no others',
      'size(object.spec.containers) == 1 && size(object.spec.?initContainers.orValue([])) == 0 && ' +
        'size(object.spec.?ephemeralContainers.orValue([])) == 0',
    ],
    [
      "only the probe's image and command",
      `variables.container.image == ${text(plan.image)} && ` +
        `variables.container.?command.orValue([]) == [${AGENT_COMMAND.map(text).join(', ')}] && ` +
        'size(variables.container.?args.orValue([])) == 0',
    ],
    [
      'no environment from Secrets or ConfigMaps, no lifecycle hooks',
      'size(variables.container.?envFrom.orValue([])) == 0 && !has(variables.container.lifecycle) && ' +
        'variables.container.?env.orValue([]).all(e, !has(e.valueFrom) || has(e.valueFrom.fieldRef))',
    ],
    [
      "only volumes that are empty, a ConfigMap, or a token for a seat's audience",
      'object.spec.?volumes.orValue([]).all(v, has(v.emptyDir) || has(v.configMap) || (has(v.projected) && ' +
        'v.projected.?sources.orValue([]).all(s, has(s.serviceAccountToken) && ' +
        `s.serviceAccountToken.?audience.orValue('') in ${audiences})))`,
    ],
    ['no API token', 'object.spec.?automountServiceAccountToken.orValue(true) == false'],
    [
      "only the seats' accounts",
      `[${accountLists(plan).map(({ name }) => `variables.${name}`)}].exists(l, object.spec.?serviceAccountName.orValue('') in l)`,
    ],
    ['no claims on devices', 'size(object.spec.?resourceClaims.orValue([])) == 0'],
    [
      `a deadline of at most ${deadline} s, and no restarts`,
      `object.spec.?activeDeadlineSeconds.orValue(${deadline + 1}) <= ${deadline} && object.spec.restartPolicy == 'Never'`,
    ],
    [
      'nothing of the host',
      '!object.spec.?hostNetwork.orValue(false) && !object.spec.?hostPID.orValue(false) && ' +
        '!object.spec.?hostIPC.orValue(false) && variables.container.?ports.orValue([]).all(p, !has(p.hostPort) || p.hostPort == 0)',
    ],
    [
      'no sysctl but the one by which the witness listens on port 53, no SELinux labels, /proc as usual',
      "object.spec.?securityContext.?sysctls.orValue([]).all(s, s.name == 'net.ipv4.ip_unprivileged_port_start') && " +
        '!object.spec.?securityContext.?seLinuxOptions.hasValue() && ' +
        '!variables.container.?securityContext.?seLinuxOptions.hasValue() && ' +
        "variables.container.?securityContext.?procMount.orValue('Default') == 'Default'",
    ],
    [
      'restricted: no root, no privilege, no capability, seccomp, read-only root file system',
      'variables.container.?securityContext.?runAsNonRoot.orValue(false) && ' +
        '!variables.container.?securityContext.?privileged.orValue(false) && ' +
        '!variables.container.?securityContext.?allowPrivilegeEscalation.orValue(true) && ' +
        'variables.container.?securityContext.?readOnlyRootFilesystem.orValue(false) && ' +
        "variables.container.?securityContext.?capabilities.?drop.orValue([]).exists(c, c == 'ALL') && " +
        'size(variables.container.?securityContext.?capabilities.?add.orValue([])) == 0 && ' +
        "variables.container.?securityContext.?seccompProfile.?type.orValue('') == 'RuntimeDefault'",
    ],
  ];
  return checks.map(([message, expression]) => ({ expression, message: `a probe's pod: ${message}` }));
}
