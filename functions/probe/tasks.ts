// Task workers in a plan: kept as what each changes in the first one, and read back as rendered.
import type { V1NetworkPolicySpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import type { PlannedTask, PlannedTasks, ResolvedTask } from '../model';
import { manifestName } from '../names';
import { applied, differences, plain, replaced, type Words } from './leaves';

/** What is rendered for a task run and decides about its plan. */
export interface RenderedTask {
  readonly pod: V1PodTemplateSpec;
  readonly policy: V1NetworkPolicySpec;
}

type Named = Pick<PlannedTask, 'task' | 'name' | 'label' | 'digest'>;

/** undefined: there are none, and a plan says nothing of them. Sorted as the tasks are. */
export function plannedTasks(
  tasks: readonly ResolvedTask[],
  rendered: (task: ResolvedTask) => RenderedTask,
): PlannedTasks | undefined {
  const [first] = tasks;
  if (!first) return undefined;
  const base = { ...nameOf(first), ...plain(rendered(first)) };
  const runs = tasks.map((task): PlannedTask => {
    const name = nameOf(task);
    const words = wordsOf(base, name);
    const own = rendered(task);
    return {
      ...name,
      seat: task.parent.seat.item.name,
      pod: differences(base.pod, own.pod, words),
      policy: differences(base.policy, own.policy, words),
    };
  });
  return { base, runs };
}

const nameOf = ({ task, name, label, digest }: ResolvedTask): Named => ({ task: task.item.name, name, label, digest });

/** From the words of the first to another's. */
const wordsOf = (base: Named, { task, name, label, digest }: Named): Words =>
  new Map([
    [base.task, task],
    [base.label, label],
    [base.digest, digest],
    [base.name, name],
    [manifestName(base.name), manifestName(name)],
  ]);

/** The worker of a run, as rendered, without what only engines read. */
export const workerOf = ({ base }: PlannedTasks, run: PlannedTask): V1PodTemplateSpec =>
  applied(replaced(base.pod, wordsOf(base, run)), run.pod) as V1PodTemplateSpec;

export const workerPolicyOf = ({ base }: PlannedTasks, run: PlannedTask): V1NetworkPolicySpec =>
  applied(replaced(base.policy, wordsOf(base, run)), run.policy) as V1NetworkPolicySpec;
