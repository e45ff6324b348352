// The labels of seats and task workers, and the selectors made of them. The only place that knows them.
import { fnv1a } from './kubernetes/fnv1a';
import type { ResolvedSeat, ResolvedTask } from './model';

type Labels = Record<string, string>;

/** What the labels of a seat depend on: so that a stage can ask before all of the seat is resolved. */
export type LabelSource = Pick<ResolvedSeat, 'organization' | 'key' | 'tier'>;

export const ORGANIZATION = 'steadmesh.io/organization';
export const SEAT = 'steadmesh.io/seat';
export const COMPONENT = 'steadmesh.io/component';
/** By it the seat's workload adopts pods. */
export const WORKLOAD = 'steadmesh.io/workload';
export const TIER = 'maqpna.com/tier';
export const ISOLATION = 'maqpna.com/isolation';
export const JURISDICTION = 'maqpna.com/jurisdiction';

/** Selects the pods of the platform and of the egress gateway in the control-plane namespace. */
export const PLATFORM_PODS: Readonly<Labels> = { [COMPONENT]: 'platform' };
export const GATEWAY_PODS: Readonly<Labels> = { [COMPONENT]: 'egress' };

const identity = ({ organization, key }: LabelSource): Labels => ({
  [ORGANIZATION]: organization,
  [SEAT]: key,
});

/** Without the tier's labels: a StatefulSet's selector is immutable, and a seat may change its tier. */
const seatOnly = (seat: LabelSource): Labels => ({ ...identity(seat), [COMPONENT]: 'seat' });

/** What a pod of the tier is told apart by, whoever made it. */
export const tierLabels = ({ tier }: Pick<LabelSource, 'tier'>): Labels =>
  tier
    ? {
        [TIER]: tier.name,
        [ISOLATION]: tier.isolation,
        ...(tier.jurisdiction ? { [JURISDICTION]: tier.jurisdiction } : {}),
      }
    : {};

/** Labels of every object of a seat. */
export const seatLabels = (seat: LabelSource): Labels => ({ ...seatOnly(seat), ...tierLabels(seat) });

/** Pod selector of the seat's NetworkPolicy: a probe pod with these labels is under the policy too. */
export const policySelector = (seat: LabelSource): Labels => identity(seat);

/** Selector of the seat's workload: the one that adopts pods, so a probe pod must not match it. */
export const runnerSelector = (seat: LabelSource): Labels => ({
  ...seatOnly(seat),
  [WORKLOAD]: 'seat-runner',
});

/** Labels of the seat's pod: all that its selectors ask for, and its tier. */
export const podLabels = (seat: LabelSource): Labels => ({ ...runnerSelector(seat), ...tierLabels(seat) });

export const TASK_RUN = 'steadmesh.io/task-run';
export const PARENT_SEAT = 'steadmesh.io/parent-seat';
export const TASK_DIGEST = 'seatplan.dev/task-digest';

/** What the labels of a task worker depend on. */
export type TaskLabelSource = Pick<ResolvedTask, 'organization' | 'key' | 'tier' | 'label' | 'digest'>;

/**
 * Pod selector of a task worker's policy. The digest is in it: while the engine has not pruned what an earlier spec allowed,
 * policies would add up.
 */
export const taskSelector = ({ organization, label, digest }: TaskLabelSource): Labels => ({
  [ORGANIZATION]: organization,
  [TASK_RUN]: label,
  [TASK_DIGEST]: digest,
});

/**
 * Labels of every object of a task run, its pod's too. Not the seat's own label, by which the seat's policy selects; but its
 * component, so that what denies all to the pods of seats in a namespace holds workers too.
 */
export const taskLabels = (task: TaskLabelSource): Labels => ({
  ...taskSelector(task),
  [PARENT_SEAT]: task.key,
  [COMPONENT]: 'seat',
  ...tierLabels(task),
});

/** On pods of a SandboxTemplate: the policy that agent-sandbox makes of the template selects by it. */
export const TEMPLATE_REF = 'agents.x-k8s.io/sandbox-template-ref-hash';
export const templateRef = (template: string): Labels => ({ [TEMPLATE_REF]: fnv1a(template) });
