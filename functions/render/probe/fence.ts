// The fence: which pods the prober may create, and that it deletes no others. Rights alone would give it any account, Secret or claim there.
import type { V1ValidatingAdmissionPolicy, V1ValidatingAdmissionPolicyBinding } from '@kubernetes/client-node';
import type { Plan } from '../../model';
import { accountOf, priorityClassName, profileOf } from '../../probe/plan';
import { listVariables, text } from '../guard/expressions';
import { validations } from './fence-rules';
import { probeMetadata } from './metadata';

const apiVersion = 'admissionregistration.k8s.io/v1';

export function* renderFence(plan: Plan): Iterable<V1ValidatingAdmissionPolicy | V1ValidatingAdmissionPolicyBinding> {
  const name = priorityClassName(plan.prober);
  const accounts = listVariables(
    'accounts',
    plan.seats.map((seat) => accountOf(profileOf(plan, seat), seat) ?? seat.name),
  );
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
