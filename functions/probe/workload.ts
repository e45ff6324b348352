// What makes a planned seat's pod, and what that pod is called.
import type { PlannedSeat } from '../model';

/** A plan leaves out what most seats have: a StatefulSet of the base name. */
export const workloadOf = ({
  name,
  workload,
}: Pick<PlannedSeat, 'name' | 'workload'>): { kind: string; name: string } => workload ?? { kind: 'StatefulSet', name };

/** agent-sandbox names a pod after its Sandbox; a StatefulSet's one pod has the number 0. */
export const podNameOf = ({ name, workload }: Pick<PlannedSeat, 'name' | 'workload'>): string =>
  workload?.name ?? `${name}-0`;
