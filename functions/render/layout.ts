// Where rendered objects live in a package: one file per seat, or one per seat and stage.
import type { KubernetesObject } from '@kubernetes/client-node';
import { FOLDERS, KUSTOMIZATION_FILE, kustomizationOf, type Stage } from '../layout';
import type { Options, ResolvedSeat } from '../model';

/** Path below the folder of rendered files. */
export const fileOf = (seat: ResolvedSeat, stage: Stage): string =>
  seat.layout === 'split' ? `${FOLDERS[stage]}/${seat.name}.yaml` : `${seat.name}.yaml`;

/** The same for the probe of a namespace. */
export const probeFile = (prober: string, layout: Options['layout']): string =>
  layout === 'split' ? `${FOLDERS.probe}/${prober}.yaml` : `${prober}.yaml`;

/**
 * In the split layout each folder is a Kustomization of its own, so that an engine can apply policies before workloads:
 * Flux orders StatefulSets before NetworkPolicies within one (fluxcd/pkg, ssa/sort.go).
 */
export function kustomizations(
  seats: readonly ResolvedSeat[],
  probers: readonly string[],
  layout: Options['layout'],
): { path: string; object: KubernetesObject }[] {
  if (layout !== 'split' || seats.length === 0) return [];
  const stages: readonly (readonly [Stage, readonly string[]])[] = [
    ['guard', seats.map(({ name }) => name)],
    ['seats', seats.map(({ name }) => name)],
    ['probe', probers],
  ];
  // kustomize refuses one without resources
  return stages
    .filter(([, names]) => names.length > 0)
    .map(([stage, names]) => ({
      path: `${FOLDERS[stage]}/${KUSTOMIZATION_FILE}`,
      object: kustomizationOf(
        stage,
        names.map((one) => `${one}.yaml`),
      ),
    }));
}
