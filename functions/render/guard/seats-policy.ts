// The guard of a namespace: who passes for a seat. By labels, account and workspace: an attacker chooses labels, so that none
// of these decides alone. It knows the tiers and the prober of the namespace; what a tier demands is the tier's own policy's.
import type { V1ValidatingAdmissionPolicy, V1Variable } from '@kubernetes/client-node';
import {
  COMPONENT,
  ISOLATION,
  JURISDICTION,
  ORGANIZATION,
  PARENT_SEAT,
  SEAT,
  TASK_DIGEST,
  TASK_RUN,
  TIER,
  WORKLOAD,
} from '../../labels';
import type { Options, ResolvedSeat } from '../../model';
import { CLAIM_NAMES, SEAT_NAMES, TASK_NAMES } from '../../names';
import { PROBE_LABEL, proberName } from '../../probe/identity';
import { groupBy } from '../../stages/resolve/grouping';
import type { SharedInput, SharedObject } from '../shared';
import { BOTH, type Check, labelsOf, list, listVariables, MATCHED, text, VARIABLES } from './expressions';
import { guardFile, guardMetadata } from './metadata';
import { bindingOf } from './tier-policy';

const apiVersion = 'admissionregistration.k8s.io/v1';

/** By these pods are selected, adopted and told apart. None of them changes on a pod. */
const LABELS = [
  ...[ORGANIZATION, SEAT, WORKLOAD, COMPONENT, TASK_RUN, PARENT_SEAT, TASK_DIGEST, PROBE_LABEL],
  ...[TIER, ISOLATION, JURISDICTION],
];

/** Who makes pods of StatefulSets and of Sandboxes: with an account of its own, or as all controllers of the cluster in one. */
const CONTROLLERS = [
  'system:serviceaccount:kube-system:statefulset-controller',
  'system:kube-controller-manager',
  'system:serviceaccount:agent-sandbox-system:agent-sandbox-controller',
];

const accountOf = (pod: string): string => `${pod}.spec.?serviceAccountName.orValue('')`;
const claimsOf = (pod: string): string => `${pod}.spec.?volumes.orValue([]).filter(v, has(v.persistentVolumeClaim))`;

/** Seats' pods and Sandboxes, workers, probes; and whatever wears a label, an account or a workspace of theirs. */
const PASSES_FOR_SEAT =
  `(${list(LABELS.filter((label) => label !== COMPONENT))}.exists(label, label in ${labelsOf('one')}) || ` +
  `${labelsOf('one')}[?${text(COMPONENT)}].orValue('') == 'seat' || ` +
  `${accountOf('one')}.matches(${text(SEAT_NAMES)}) || ${accountOf('one')}.matches(${text(TASK_NAMES)}) || ` +
  `${claimsOf('one')}.exists(v, v.persistentVolumeClaim.claimName.matches(${text(CLAIM_NAMES)})))`;

const variables = (prober: string, { controlPlaneNamespace, probeImage }: Options): V1Variable[] => [
  ...VARIABLES,
  { name: 'account', expression: accountOf('variables.pod') },
  { name: 'user', expression: 'request.userInfo.username' },
  {
    name: 'isProbe',
    expression:
      `${text(PROBE_LABEL)} in variables.labels && ` +
      `variables.user == ${text(`system:serviceaccount:${controlPlaneNamespace}:${prober}`)} && ` +
      `variables.containers.all(c, c.image == ${text(probeImage)})`,
  },
  {
    name: 'isWorker',
    expression: `${text(TASK_RUN)} in variables.labels && !(${text(SEAT)} in variables.labels) && variables.account.matches(${text(TASK_NAMES)})`,
  },
];

/** `isTierless`: some seat here has no tier. `seats`: names of the variables that hold account, organization and key of each. */
function checks(tiers: readonly string[], isTierless: boolean, seats: readonly string[]): Check[] {
  const owner = 'object.metadata.?ownerReferences.orValue([]).filter(o, o.?controller.orValue(false))';
  const identity = ['variables.account', label(ORGANIZATION), label(SEAT)].join(" + '/' + ");
  return [
    [
      "is made by the controllers of StatefulSets and Sandboxes, by the prober, or is a task run's worker",
      `variables.isMade || object.kind == 'Sandbox' || variables.isProbe || variables.isWorker || ` +
        `(variables.user in ${list(CONTROLLERS)} && ${owner}.exists(o, o.kind in ['StatefulSet', 'Sandbox']))`,
    ],
    [
      `is of a tier of this namespace: ${[...tiers, ...(isTierless ? ['or none'] : [])].join(', ')}`,
      `variables.isMade || ${label(TIER)} in ${list([...tiers, ...(isTierless ? [''] : [])])}`,
    ],
    [
      'keeps the labels that it was made with',
      `oldObject == null || object.kind == 'Sandbox' || ${list(LABELS)}.all(label, ` +
        `${labelsOf('object')}[?label].orValue('') == ${labelsOf('oldObject')}[?label].orValue(''))`,
    ],
    ['gets no further containers', "request.?subResource.orValue('') != 'ephemeralcontainers'"],
    [
      "has the account and the labels of one seat, by which that seat's policy selects it",
      `variables.isMade || variables.isProbe || (!(${text(SEAT)} in variables.labels) && !variables.account.matches(${text(SEAT_NAMES)})) || ` +
        `[${seats.map((name) => `variables.${name}`).join(', ')}].exists(l, ${identity} in l)`,
    ],
    [
      "is of that seat's own workload",
      `variables.isMade || variables.isProbe || object.kind == 'Sandbox' || !variables.account.matches(${text(SEAT_NAMES)}) || ` +
        `${owner}.exists(o, o.name == variables.account || o.name.startsWith(variables.account + '-'))`,
    ],
    [
      'mounts no workspace but its own; a worker only to read it',
      `variables.isMade || variables.volumes.all(v, !has(v.persistentVolumeClaim) || ` +
        `!v.persistentVolumeClaim.claimName.matches(${text(CLAIM_NAMES)}) || v.persistentVolumeClaim.claimName == 'ws-' + variables.account || ` +
        `(variables.isWorker && v.persistentVolumeClaim.?readOnly.orValue(false)))`,
    ],
  ];
}

const label = (name: string): string => `variables.labels[?${text(name)}].orValue('')`;

/** Each has at most 177 characters: a name of 49, two keys of 63. */
const SEATS_IN_ONE_LIST = 500;

/** One for each namespace with seats: what all of its tiers have in common, and what none of them can know alone. */
export function* renderSeatsPolicies({ seats, options }: SharedInput): Iterable<SharedObject> {
  if (options.admission === 'Off') return;
  for (const [namespace, members] of groupBy(seats, (seat) => seat.namespace)) {
    const home = members[0]!.seat.item;
    const name = `seatplan-seats-${namespace}`;
    const file = guardFile(namespace);
    yield { stage: 'guard', file, object: policyOf(name, namespace, members, options), home };
    yield { stage: 'guard', file, object: bindingOf(name, name, namespace, options.admission), home };
  }
}

function policyOf(
  name: string,
  namespace: string,
  seats: readonly ResolvedSeat[],
  options: Options,
): V1ValidatingAdmissionPolicy {
  const policy = { apiVersion, kind: 'ValidatingAdmissionPolicy', name } as const;
  const identities = listVariables(
    'seats',
    seats.map((seat) => [seat.name, seat.organization, seat.key].join('/')),
    SEATS_IN_ONE_LIST,
  );
  const tiers = [...new Set(seats.flatMap(({ tier }) => (tier ? [tier.name] : [])))].sort();
  return {
    apiVersion,
    kind: policy.kind,
    metadata: guardMetadata(namespace, policy),
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
        resourceRules: MATCHED,
      },
      matchConditions: [{ name: 'passes-for-a-seat', expression: `${BOTH}.exists(one, ${PASSES_FOR_SEAT})` }],
      variables: [...variables(proberName(namespace), options), ...identities],
      validations: checks(
        tiers,
        seats.some(({ tier }) => !tier),
        identities.map(({ name: variable }) => variable),
      ).map(([message, expression]) => ({
        message: `what passes for a seat ${message}`,
        expression,
      })),
    },
  };
}
