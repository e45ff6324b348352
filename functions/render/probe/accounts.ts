// Who the prober is and what it may do: no exec, no logs, no Secrets, nothing to change but its own pods and report.
import type {
  KubernetesObject,
  RbacV1Subject,
  V1ClusterRole,
  V1ClusterRoleBinding,
  V1PolicyRule,
  V1Role,
  V1RoleBinding,
  V1ServiceAccount,
} from '@kubernetes/client-node';
import { SANDBOX_API, SANDBOX_EXTENSIONS_API, SEAT_API } from '../../kinds';
import type { Plan } from '../../model';
import { groupOf } from '../../owner';
import { reportName } from '../../probe/identity';
import { priorityClassName } from '../../probe/plan';
import { hasSandboxClaims, hasSandboxes } from '../../probe/workload';
import { probeMetadata } from './metadata';

const GROUP = 'rbac.authorization.k8s.io';
const apiVersion = `${GROUP}/v1`;

export function renderServiceAccount(plan: Plan): V1ServiceAccount {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount' } as const;
  return {
    ...account,
    metadata: probeMetadata(plan, { ...account, name: plan.prober, namespace: plan.controlPlaneNamespace }),
    automountServiceAccountToken: false,
  };
}

const rule = (group: string, resources: string[], verbs: string[], resourceNames?: string[]): V1PolicyRule => ({
  apiGroups: [group],
  resources,
  ...(resourceNames ? { resourceNames } : {}),
  verbs,
});

/** In the namespace of the seats, and in the control plane. Roles with a list of names cannot grant `create`. */
export function* renderRights(plan: Plan): Iterable<KubernetesObject> {
  const seats = plan.seats.map(({ seat }) => seat);
  const tasks = (plan.tasks?.runs ?? []).map(({ task }) => task);
  yield* roleIn(plan, { namespace: plan.namespace, name: plan.prober }, [
    rule('', ['pods'], ['create', 'delete', 'get', 'list']),
    rule('', ['events'], ['create', 'list']),
    rule('', ['persistentvolumeclaims'], ['list']),
    rule('apps', ['statefulsets'], ['list']),
    ...(hasSandboxes(plan) ? [rule(groupOf(SANDBOX_API), ['sandboxes'], ['list'])] : []),
    ...(hasSandboxClaims(plan) ? [rule(groupOf(SANDBOX_EXTENSIONS_API), ['sandboxclaims'], ['list'])] : []),
    rule('networking.k8s.io', ['networkpolicies'], ['list']),
    rule(groupOf(SEAT_API), ['seats'], ['list']),
    rule(groupOf(SEAT_API), ['seats/status'], ['patch'], seats),
    ...(tasks.length > 0 ? [rule(groupOf(SEAT_API), ['taskruns/status'], ['patch'], tasks)] : []),
  ]);
  yield* roleIn(plan, { namespace: plan.controlPlaneNamespace, name: `${plan.prober}-state` }, [
    rule('', ['configmaps'], ['get', 'patch'], [reportName(plan.prober)]),
  ]);
}

/** Two names, since one namespace may be both. */
function* roleIn(
  plan: Plan,
  place: { readonly name: string; readonly namespace: string },
  rules: V1PolicyRule[],
): Iterable<V1Role | V1RoleBinding> {
  const role = { apiVersion, kind: 'Role', ...place } as const;
  yield { apiVersion, kind: role.kind, metadata: probeMetadata(plan, role), rules };
  const binding = { ...role, kind: 'RoleBinding' } as const;
  yield {
    apiVersion,
    kind: binding.kind,
    metadata: probeMetadata(plan, binding),
    roleRef: { apiGroup: GROUP, kind: role.kind, name: role.name },
    subjects: [subject(plan)],
  };
}

/** What only the cluster knows: kernels and labels of nodes, handlers, volumes, and what a seat's account may do. */
export function* renderClusterRights(plan: Plan): Iterable<V1ClusterRole | V1ClusterRoleBinding> {
  const role = { apiVersion, kind: 'ClusterRole', name: priorityClassName(plan.prober), namespace: undefined } as const;
  yield {
    apiVersion,
    kind: role.kind,
    metadata: probeMetadata(plan, role),
    rules: [
      rule('', ['nodes'], ['get', 'list']),
      rule('', ['persistentvolumes'], ['get']),
      rule('node.k8s.io', ['runtimeclasses'], ['get']),
      rule('discovery.k8s.io', ['endpointslices'], ['get'], ['kubernetes']), // the API server's own addresses
      rule('authorization.k8s.io', ['subjectaccessreviews'], ['create']),
    ],
  };
  const binding = { ...role, kind: 'ClusterRoleBinding' } as const;
  yield {
    apiVersion,
    kind: binding.kind,
    metadata: probeMetadata(plan, binding),
    roleRef: { apiGroup: GROUP, kind: role.kind, name: role.name },
    subjects: [subject(plan)],
  };
}

const subject = (plan: Plan): RbacV1Subject => ({
  kind: 'ServiceAccount',
  name: plan.prober,
  namespace: plan.controlPlaneNamespace,
});
