// The warm pools of a tier: sandboxes made of its template before anybody claims them.
import type { KubernetesObject, V1ObjectMeta } from '@kubernetes/client-node';
import { SANDBOX_EXTENSIONS_API, TIER_API } from '../kinds';
import { tierLabels } from '../labels';
import { poolName } from '../names';
import type { SettledTier } from '../stages/resolve/tiers';
import { ownedMetadata, type RenderedName, tierDigest } from './metadata';
import type { SharedInput, SharedObject } from './shared';

const apiVersion = SANDBOX_EXTENSIONS_API;
const kind = 'SandboxWarmPool';

export interface SandboxWarmPool extends KubernetesObject {
  readonly spec: {
    readonly replicas: number;
    readonly sandboxTemplateRef: { readonly name: string };
    /** Recreate: a sandbox of an earlier template is not handed out. */
    readonly updateStrategy: { readonly type: 'Recreate' };
  };
}

/** None where the MAQPNA operator makes them. */
export function* renderWarmPools({ pools, options }: SharedInput): Iterable<SharedObject> {
  if (options.operatorPresent) return;
  for (const { tier, namespace, replicas, home } of pools) {
    const object: SandboxWarmPool = {
      apiVersion,
      kind,
      metadata: tierMetadata(tier, { apiVersion, kind, name: poolName(tier.summary.name), namespace }),
      spec: {
        replicas,
        sandboxTemplateRef: { name: tier.object.spec.sandboxTemplateName ?? '' },
        updateStrategy: { type: 'Recreate' },
      },
    };
    yield { stage: 'seats', file: tierFile(tier), object, home };
  }
}

/** File of a tier's objects. */
export const tierFile = ({ summary }: SettledTier): string => `tier-${summary.name}`;

/** Metadata of what belongs to a tier. */
export const tierMetadata = ({ summary, item }: SettledTier, object: RenderedName): V1ObjectMeta => {
  const owner = { apiVersion: TIER_API, kind: 'TrustTier', name: item.name };
  return ownedMetadata(owner, object, tierLabels({ tier: summary }), {}, tierDigest(summary));
};
