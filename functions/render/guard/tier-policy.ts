// The guard of a tier: no pod carries a tier's name without its isolation. Rendered where the tier stands, bound where its seats are.
import type {
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1ValidatingAdmissionPolicyBindingSpec,
} from '@kubernetes/client-node';
import { TIER } from '../../labels';
import type { Options } from '../../model';
import { groupBy } from '../../stages/resolve/grouping';
import type { SettledTier } from '../../stages/resolve/tiers';
import type { SharedInput, SharedObject } from '../shared';
import { tierFile, tierMetadata } from '../warm-pool';
import { BOTH, labelsOf, MATCHED, text, VARIABLES } from './expressions';
import { guardFile, guardMetadata } from './metadata';
import { tierRules } from './tier-rules';

const apiVersion = 'admissionregistration.k8s.io/v1';

const policyName = (tier: string): string => `seatplan-tier-${tier}`;

/** Of tiers that stand in the package alone: a package that only names a tier must not write its rules. */
export function* renderTierPolicies({ tiers, options }: SharedInput): Iterable<SharedObject> {
  if (options.admission === 'Off') return;
  for (const tier of [...tiers.values()].sort((a, b) => (a.item.name < b.item.name ? -1 : 1))) {
    if (tier.item.level === 'package')
      yield { stage: 'guard', file: tierFile(tier), object: policyOf(tier), home: tier.item };
  }
}

function policyOf(tier: SettledTier): V1ValidatingAdmissionPolicy {
  const policy = { apiVersion, kind: 'ValidatingAdmissionPolicy', name: policyName(tier.item.name) } as const;
  const named = `${labelsOf('one')}[?${text(TIER)}].orValue('') == ${text(tier.item.name)}`;
  return {
    apiVersion,
    kind: policy.kind,
    metadata: tierMetadata(tier, policy),
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: MATCHED },
      matchConditions: [{ name: 'tier', expression: `${BOTH}.exists(one, ${named})` }],
      variables: VARIABLES,
      validations: tierRules(tier.object.spec).map(([message, expression]) => ({
        message: `a pod of tier "${tier.item.name}" ${message}`,
        expression,
      })),
    },
  };
}

/** One for each tier in each namespace with seats of it, so that packages of several namespaces have nothing in common. */
export function* renderBindings({ seats, options }: SharedInput): Iterable<SharedObject> {
  if (options.admission === 'Off') return;
  for (const [key, [seat]] of groupBy(seats, ({ namespace, tier }) => tier && `${tier.name} ${namespace}`)) {
    const [tier = '', namespace = ''] = key.split(' ');
    const name = `${policyName(tier)}.${namespace}`; // no namespace holds a dot, so that no two are called the same
    const object = bindingOf(name, policyName(tier), namespace, options.admission);
    if (seat) yield { stage: 'guard', file: guardFile(namespace), object, home: seat.seat.item };
  }
}

export function bindingOf(
  name: string,
  policy: string,
  namespace: string,
  admission: Options['admission'],
): V1ValidatingAdmissionPolicyBinding {
  const binding = { apiVersion, kind: 'ValidatingAdmissionPolicyBinding', name } as const;
  return {
    apiVersion,
    kind: binding.kind,
    metadata: guardMetadata(namespace, binding),
    spec: {
      policyName: policy,
      validationActions: actionsOf(admission),
      matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
    },
  };
}

/** Audited, a request is let through, marked in the audit log, and its sender is warned. */
const actionsOf = (
  admission: Options['admission'],
): NonNullable<V1ValidatingAdmissionPolicyBindingSpec['validationActions']> =>
  admission === 'Deny' ? ['Deny'] : ['Audit', 'Warn'];
