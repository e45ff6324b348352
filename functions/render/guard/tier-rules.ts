// What a tier demands of every pod that carries its name, in CEL. Of the tier alone: no seat and no option is known here.
import type { TrustTierSpec } from '../../model';
import { GATEWAY_AUDIENCE } from '../../options';
import { RESTRICTED_VOLUMES, RUNTIME_ORDERS } from '../../pod-security';
import { type Check, list, text } from './expressions';

const spec = 'variables.spec';
const containers = 'variables.containers';
const volumes = 'variables.volumes';

/** A container that is added to a pod is looked at. */
const UNASKED = "(variables.isMade && request.?subResource.orValue('') != 'ephemeralcontainers')";

export const tierRules = (tier: TrustTierSpec): Check[] => [
  NO_ORDERS,
  ...[...isolation(tier), ...identity(tier), ...HOST, ...RESTRICTED].map(
    ([message, expression]): Check => [message, `${UNASKED} || (${expression})`],
  ),
];

const NO_ORDERS: Check = [
  'has no annotations by which a runtime takes orders',
  `variables.pod.?metadata.?annotations.orValue({}).all(key, !${list(RUNTIME_ORDERS)}.exists(prefix, key.startsWith(prefix)))`,
];

const isolation = ({ runtimeClassName, allowedNodeLabels = {} }: TrustTierSpec): Check[] => [
  [`runs in runtime class "${runtimeClassName}"`, `${spec}.?runtimeClassName.orValue('') == ${text(runtimeClassName)}`],
  ...Object.entries(allowedNodeLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]): Check => {
      const terms = `${spec}.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution.?nodeSelectorTerms.orValue([])`;
      const demands = `e.key == ${text(key)} && e.operator == 'In' && e.?values.orValue([]) == [${text(String(value))}]`;
      return [
        `runs on nodes with "${key}: ${value}" alone`,
        `${spec}.?nodeSelector[?${text(key)}].orValue('') == ${text(String(value))} || ` +
          `(size(${terms}) > 0 && ${terms}.all(t, t.?matchExpressions.orValue([]).exists(e, ${demands})))`,
      ];
    }),
];

/** The audience with attestation is an option's, which a policy of the tier alone does not know: the gateway's and the API's are out. */
function identity({ attestationRequired }: TrustTierSpec): Check[] {
  const audience = "s.serviceAccountToken.?audience.orValue('')";
  const allowed = attestationRequired
    ? `!(${audience} in ${list(['', GATEWAY_AUDIENCE])})`
    : `${audience} == ${text(GATEWAY_AUDIENCE)}`;
  return [
    ['has no token for the API server', `${spec}.?automountServiceAccountToken.orValue(true) == false`],
    [
      attestationRequired
        ? 'has no token for the gateway, which attestation has to come before'
        : `has tokens for "${GATEWAY_AUDIENCE}" alone`,
      `${volumes}.all(v, !has(v.projected) || v.projected.?sources.orValue([]).all(s, !has(s.serviceAccountToken) || ${allowed}))`,
    ],
  ];
}

const HOST: readonly Check[] = [
  [
    'has nothing of the host: no namespaces, no ports, no folders',
    `!${spec}.?hostNetwork.orValue(false) && !${spec}.?hostPID.orValue(false) && !${spec}.?hostIPC.orValue(false) && ` +
      `${containers}.all(c, c.?ports.orValue([]).all(p, p.?hostPort.orValue(0) == 0)) && ` +
      `${volumes}.all(v, ${RESTRICTED_VOLUMES.map((kind) => `has(v.${kind})`).join(' || ')})`,
  ],
  ['goes through the scheduler', `request.operation != 'CREATE' || ${spec}.?nodeName.orValue('') == ''`],
];

/** A container's word, else the pod's. */
const either = (field: string, fallback: string): string =>
  `c.?securityContext.?${field}.orValue(${spec}.?securityContext.?${field}.orValue(${fallback}))`;
const OWN = 'c.?securityContext';

const RESTRICTED: readonly Check[] = [
  [
    'never runs as root',
    `${containers}.all(c, ${either('runAsNonRoot', 'false')} && ${either('runAsUser', '1')} != 0)`,
  ],
  [
    'is not privileged, and cannot become so',
    `${containers}.all(c, !${OWN}.?privileged.orValue(false) && !${OWN}.?allowPrivilegeEscalation.orValue(true))`,
  ],
  [
    'has no capability',
    `${containers}.all(c, ${OWN}.?capabilities.?drop.orValue([]).exists(one, one == 'ALL') && size(${OWN}.?capabilities.?add.orValue([])) == 0)`,
  ],
  [
    'has seccomp, AppArmor and /proc as they are',
    `${containers}.all(c, ${OWN}.?seccompProfile.?type.orValue(${spec}.?securityContext.?seccompProfile.?type.orValue('')) in ['Localhost', 'RuntimeDefault'] && ` +
      `${OWN}.?procMount.orValue('Default') == 'Default') && ` +
      `([${spec}.?securityContext] + ${containers}.map(c, ${OWN})).all(one, one.?appArmorProfile.?type.orValue('RuntimeDefault') != 'Unconfined' && ` +
      '!one.?seLinuxOptions.?type.hasValue() && !one.?windowsOptions.hasValue())',
  ],
];
