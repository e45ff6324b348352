// The three stages of the split layout: folders that an engine applies one after the other.
import type { KubernetesObject } from '@kubernetes/client-node';
import { CONFIG_API } from './kinds';
import { OWNER_ANNOTATION, ownerOf } from './owner';

export type Stage = 'guard' | 'seats' | 'probe';

/** In the order in which they must be applied. */
export const STAGES: readonly Stage[] = ['guard', 'seats', 'probe'];

export const FOLDERS: Readonly<Record<Stage, string>> = {
  guard: '00-guard',
  seats: '10-seats',
  probe: '90-probe',
};

export const KUSTOMIZATION_FILE = 'kustomization.yaml';
const apiVersion = 'kustomize.config.k8s.io/v1beta1';
const kind = 'Kustomization';

/**
 * The stage's own Kustomization, which names every file of it: kustomize applies no other. Paths are below its folder. One
 * without resources builds to nothing: kustomize would call it empty, were there no other field (CheckEmpty in its api/types).
 */
export function kustomizationOf(stage: Stage, paths: Iterable<string>): KubernetesObject {
  const name = `seatplan-${FOLDERS[stage]}`;
  const owner = { apiVersion: CONFIG_API, kind: 'ExpandSeats', name: 'layout' };
  const resources = [...paths].sort();
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      annotations: {
        'config.kubernetes.io/local-config': 'true',
        [OWNER_ANNOTATION]: ownerOf(owner, { apiVersion, kind, name }),
      },
    },
    resources,
    ...(resources.length === 0 ? { buildMetadata: ['originAnnotations'] } : {}),
  } as KubernetesObject;
}
