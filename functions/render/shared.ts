// Objects that belong to a tier or a namespace, and not to one seat. A new kind is a file and a line here.
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Stage } from '../layout';
import type { Item, Options, ResolvedSeat, ResolvedTask } from '../model';
import type { Tiers } from '../stages/resolve/tiers';
import type { WarmPool } from '../stages/resolve/warm-pools';
import { renderNamespaceGuards } from './guard/namespace';
import { renderSeatsPolicies } from './guard/seats-policy';
import { renderBindings, renderTierPolicies } from './guard/tier-policy';
import { renderWarmPools } from './warm-pool';

/** What these objects are made from; seats by namespace and name. */
export interface SharedInput {
  readonly seats: readonly ResolvedSeat[];
  readonly tiers: Tiers;
  readonly tasks: readonly ResolvedTask[];
  readonly pools: readonly WarmPool[];
  /** Those that the package declares itself. */
  readonly declaredNamespaces: ReadonlySet<string>;
  readonly options: Options;
}

export interface SharedObject {
  /** `guard`: before all else. `seats`: before the workloads. */
  readonly stage: Exclude<Stage, 'probe'>;
  /** Name of its file, without folder and ending; objects of one file stand in it in their order. */
  readonly file: string;
  readonly object: KubernetesObject;
  /** The item whose package it goes to. */
  readonly home: Item;
}

type SharedRenderer = (input: SharedInput) => Iterable<SharedObject>;

const SHARED: readonly SharedRenderer[] = [
  renderNamespaceGuards,
  renderTierPolicies,
  renderBindings,
  renderSeatsPolicies,
  renderWarmPools,
];

/** In the order in which they must reach a cluster; few, so that they stand in memory. */
export const sharedOf = (input: SharedInput): readonly SharedObject[] => SHARED.flatMap((render) => [...render(input)]);
