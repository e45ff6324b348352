// What the RuntimeClasses of the package provide, as far as their handlers and annotations tell.
import type { KubernetesObject, V1RuntimeClass } from '@kubernetes/client-node';
import type { Declared, Isolation, Item, Located } from '../../model';
import { groupBy } from './grouping';

const PROVIDES_ANNOTATION = 'steadmesh.io/provides';

/** Well-known handlers; a handler may match several lines. */
const HANDLERS: readonly (readonly [RegExp, readonly Isolation[]])[] = [
  [/^(?:runsc|gvisor)$/, ['gvisor']],
  [/^(?:kata.*|firecracker|fc)$/, ['microvm']],
  [/-(?:snp|tdx)$|-coco/, ['confidential', 'microvm']],
];

/** A tier's own word: confidential machines are machines. */
export const OFFERED: Readonly<Record<Isolation, readonly Isolation[]>> = {
  gvisor: ['gvisor'],
  microvm: ['microvm'],
  confidential: ['confidential', 'microvm'],
};

export interface Runtime {
  readonly item: Item;
  readonly handler: string;
  readonly provides: ReadonlySet<string>;
  readonly nodeSelector: readonly (readonly [key: string, value: string])[];
}
/** By name. Several of one name are kept: each of them could be the one that reaches the cluster. */
export type Runtimes = ReadonlyMap<string, readonly Runtime[]>;

/** Beside a platform level a package's annotation proves nothing: by it a weak handler could pass for any tier's. */
export const runtimesOf = ({ related, governed = false }: Pick<Declared, 'related' | 'governed'>): Runtimes =>
  groupBy(
    related
      .filter(({ item }) => item.kind === 'RuntimeClass' && item.apiVersion.startsWith('node.k8s.io/'))
      .map((runtime) => runtimeOf(runtime, governed && runtime.item.level === 'package' ? '' : claimOf(runtime.item))),
    ({ item }) => item.name,
  );

const claimOf = ({ annotations }: Item): string => annotations[PROVIDES_ANNOTATION] ?? '';

/** `claim`: features that it is said to provide, separated by commas. */
function runtimeOf({ object, item }: Located<KubernetesObject>, claim: string): Runtime {
  const { handler, scheduling } = object as Partial<V1RuntimeClass>;
  const declared = claim.split(',').map((feature) => feature.trim());
  const inferred = HANDLERS.filter(([pattern]) => pattern.test(String(handler))).flatMap(([, features]) => features);
  return {
    item,
    handler: String(handler ?? ''),
    provides: new Set([...declared, ...inferred].filter(Boolean)),
    nodeSelector: Object.entries(scheduling?.nodeSelector ?? {}).map(([key, value]) => [key, String(value)]),
  };
}
