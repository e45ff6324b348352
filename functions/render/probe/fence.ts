// The fence: which pods the prober may create, and that it deletes no others. Rights alone would give it any account, Secret or claim there.
import type {
  V1ValidatingAdmissionPolicy,
  V1ValidatingAdmissionPolicyBinding,
  V1Variable,
} from '@kubernetes/client-node';
import type { Plan } from '../../model';
import { accountOf, priorityClassName, profileOf } from '../../probe/plan';
import { list, text, validations } from './fence-rules';
import { probeMetadata } from './metadata';

const apiVersion = 'admissionregistration.k8s.io/v1';

export function* renderFence(plan: Plan): Iterable<V1ValidatingAdmissionPolicy | V1ValidatingAdmissionPolicyBinding> {
  const name = priorityClassName(plan.prober);
  const accounts = accountLists(plan);
  const policy = { apiVersion, kind: 'ValidatingAdmissionPolicy', name, namespace: undefined } as const;
  yield {
    apiVersion,
    kind: policy.kind,
    metadata: probeMetadata(plan, policy),
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'DELETE'], resources: ['pods'], scope: '*' },
        ],
      },
      matchConditions: [
        {
          name: 'prober',
          expression: `request.userInfo.username == ${text(`system:serviceaccount:${plan.controlPlaneNamespace}:${plan.prober}`)}`,
        },
      ],
      variables: [{ name: 'container', expression: 'object.spec.containers[0]' }, ...accounts],
      validations: validations(
        plan,
        accounts.map((variable) => variable.name),
      ),
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

/** The parser takes 100,000 characters of one expression (cel-go, parser/options.go): the names of some 1,600 seats. */
const NAMES_IN_ONE_LIST = 1000;

/** The accounts of all seats, as variables that each hold some. */
function accountLists(plan: Plan): V1Variable[] {
  const accounts = plan.seats.map((seat) => accountOf(profileOf(plan, seat), seat) ?? seat.name);
  const names = [...new Set(accounts)].sort();
  const count = Math.ceil(names.length / NAMES_IN_ONE_LIST);
  return Array.from({ length: count }, (_, n) => ({
    name: `accounts${n}`,
    expression: list(names.slice(n * NAMES_IN_ONE_LIST, (n + 1) * NAMES_IN_ONE_LIST)),
  }));
}
