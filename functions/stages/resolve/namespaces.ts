// Namespaces of the package that an engine may prune, with every workspace in them.
import { type Finding, report } from '../../finding';
import type { Item, Located, ResolvedSeat } from '../../model';

const FLUX_PRUNE = 'kustomize.toolkit.fluxcd.io/prune';
const ARGO_OPTIONS = 'argocd.argoproj.io/sync-options';

/** Each engine's own word for "keep it" (labels count for Flux too). */
function isKept(namespace: Item, labels: Readonly<Record<string, unknown>>): boolean {
  const { annotations } = namespace;
  const options = (annotations[ARGO_OPTIONS] ?? '').split(',').map((option) => option.trim());
  const flux = annotations[FLUX_PRUNE] ?? labels[FLUX_PRUNE];
  return options.includes('Prune=false') && options.includes('Delete=false') && flux === 'disabled';
}

/** A Namespace is told once, and only if a workspace in it is to be kept. */
export function prunableNamespaces(
  seats: readonly Pick<ResolvedSeat, 'namespace' | 'claim'>[],
  related: readonly Located<{ metadata?: { labels?: Readonly<Record<string, unknown>> } }>[],
): Finding[] {
  const namespaces = related.filter(({ item }) => item.kind === 'Namespace' && item.apiVersion === 'v1');
  if (namespaces.length === 0) return [];
  const keeping = new Set(seats.filter(({ claim }) => claim.retain).map(({ namespace }) => namespace));
  return namespaces
    .filter(({ item, object }) => keeping.has(item.name) && !isKept(item, object.metadata?.labels ?? {}))
    .map(({ item }) => {
      const message =
        'pruning this Namespace deletes the workspaces of its seats; keep it with the annotations ' +
        `${ARGO_OPTIONS}: Prune=false,Delete=false and ${FLUX_PRUNE}: disabled`;
      return report('NAMESPACE_PRUNABLE', item, 'metadata.annotations', message);
    });
}
