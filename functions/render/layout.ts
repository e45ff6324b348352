// Where rendered objects live in a package: one file per seat and task run, or one of each per stage.
import type { KubernetesObject } from '@kubernetes/client-node';
import { FOLDERS, KUSTOMIZATION_FILE, kustomizationOf, STAGES, type Stage } from '../layout';
import type { Options, ResolvedSeat, ResolvedTask } from '../model';
import { stagesOf } from './index';
import type { SharedObject } from './shared';
import { TASK_RENDERERS } from './task-worker';

/** Path below the folder of rendered files; `name` is the file's, without its ending. */
export const fileIn = (stage: Stage, name: string, layout: Options['layout']): string =>
  layout === 'split' ? `${FOLDERS[stage]}/${name}.yaml` : `${name}.yaml`;

/** What files are named after. */
interface Parts {
  readonly seats: readonly ResolvedSeat[];
  readonly shared: readonly Pick<SharedObject, 'stage' | 'file'>[];
  readonly tasks: readonly Pick<ResolvedTask, 'name'>[];
  readonly probes: readonly { readonly plan: { readonly prober: string } }[];
  readonly layout: Options['layout'];
}

/**
 * In the split layout each folder is a Kustomization of its own, so that an engine can apply policies before workloads:
 * Flux orders StatefulSets before NetworkPolicies within one (fluxcd/pkg, ssa/sort.go).
 */
export function kustomizations({ seats, shared, tasks, probes, layout }: Parts): {
  path: string;
  object: KubernetesObject;
}[] {
  if (layout !== 'split') return [];
  const names: Record<Stage, Set<string>> = { guard: new Set(), seats: new Set(), probe: new Set() };
  for (const { stage, file } of shared) names[stage].add(file);
  for (const seat of seats) for (const stage of stagesOf(seat)) names[stage].add(seat.name);
  for (const task of tasks) for (const { stage } of TASK_RENDERERS) names[stage].add(task.name);
  for (const { plan } of probes) names.probe.add(plan.prober);
  // kustomize refuses one without resources
  return STAGES.filter((stage) => names[stage].size > 0).map((stage) => ({
    path: `${FOLDERS[stage]}/${KUSTOMIZATION_FILE}`,
    object: kustomizationOf(
      stage,
      [...names[stage]].map((one) => `${one}.yaml`),
    ),
  }));
}
