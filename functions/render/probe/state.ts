// What the prober reads and what it keeps: the plan, the report, and the priority of its pods.
import type { V1ConfigMap, V1PriorityClass } from '@kubernetes/client-node';
import type { Plan } from '../../model';
import { PLAN_KEY, planName, REPORT_COMPONENT, reportName } from '../../probe/identity';
import { priorityClassName } from '../../probe/plan';
import { probeMetadata } from './metadata';

const configMap = { apiVersion: 'v1', kind: 'ConfigMap' } as const;

export const renderPlan = (plan: Plan, text: string): V1ConfigMap => ({
  ...configMap,
  metadata: probeMetadata(plan, {
    ...configMap,
    name: planName(plan.prober),
    namespace: plan.controlPlaneNamespace,
  }),
  data: { [PLAN_KEY]: text },
});

/** Without data, which the prober adds, and without its lock: so it needs no right to create, and engines leave fields alone that Git does not name. */
export const renderReport = (plan: Plan): V1ConfigMap => ({
  ...configMap,
  metadata: probeMetadata(
    plan,
    { ...configMap, name: reportName(plan.prober), namespace: plan.controlPlaneNamespace },
    REPORT_COMPONENT,
  ),
});

/** Below every workload that names no class, and it ends no pod to make room. */
const LOW = -1000;

export function renderPriorityClass(plan: Plan): V1PriorityClass {
  const priorityClass = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' } as const;
  const name = priorityClassName(plan.prober);
  return {
    ...priorityClass,
    metadata: probeMetadata(plan, { ...priorityClass, name, namespace: undefined }),
    value: LOW,
    globalDefault: false,
    preemptionPolicy: 'Never',
    description: `Probe pods for the seats of namespace ${plan.namespace}: a probe must not evict a seat.`,
  };
}
