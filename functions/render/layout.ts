// Where rendered objects live in a package: one file per seat, or one per seat and stage.
import type { KubernetesObject } from '@kubernetes/client-node';
import { CONFIG_API } from '../kinds';
import type { Options, ResolvedSeat } from '../model';
import { OWNER_ANNOTATION, ownerOf } from '../owner';

export type Stage = 'guard' | 'seats';

const apiVersion = 'kustomize.config.k8s.io/v1beta1';
const kind = 'Kustomization';

const FOLDERS: Readonly<Record<Stage, string>> = { guard: '00-guard', seats: '10-seats' };

/** Path below the folder of rendered files. */
export const fileOf = (seat: ResolvedSeat, stage: Stage): string =>
  seat.layout === 'split' ? `${FOLDERS[stage]}/${seat.name}.yaml` : `${seat.name}.yaml`;

/**
 * In the split layout each folder is a Kustomization of its own, so that an engine can apply policies before workloads:
 * Flux orders StatefulSets before NetworkPolicies within one (fluxcd/pkg, ssa/sort.go).
 */
export function kustomizations(
  seats: readonly ResolvedSeat[],
  layout: Options['layout'],
): { path: string; object: KubernetesObject }[] {
  if (layout !== 'split' || seats.length === 0) return [];
  return (['guard', 'seats'] as const).map((stage) => {
    const name = `seatplan-${FOLDERS[stage]}`;
    return {
      path: `${FOLDERS[stage]}/kustomization.yaml`,
      object: {
        apiVersion,
        kind,
        metadata: {
          name,
          annotations: {
            'config.kubernetes.io/local-config': 'true',
            [OWNER_ANNOTATION]: ownerOf(
              { apiVersion: CONFIG_API, kind: 'ExpandSeats', name: 'layout' },
              { apiVersion, kind, name },
            ),
          },
        },
        resources: seats.map((seat) => `${seat.name}.yaml`).sort(),
      } as KubernetesObject,
    };
  });
}
