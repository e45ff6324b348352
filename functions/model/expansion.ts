// What goes between the stages as a whole: the sorted input, the rendered objects, the result of a run.
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Finding } from '../finding';
import type { Item, Located } from './item';
import type { Options } from './options';
import type { ResolvedSeat } from './resolved-seat';
import type { Seat } from './seat';
import type { TaskRun } from './task-run';
import type { TrustTier } from './trust-tier';

/** The input, sorted by what it is. `related`: decoded foreign objects that a rule needs to look at. */
export interface Declared {
  readonly tiers: readonly Located<TrustTier>[];
  readonly seats: readonly Located<Seat>[];
  readonly tasks?: readonly Located<TaskRun>[];
  readonly rest: readonly Item[];
  readonly related: readonly Located<KubernetesObject>[];
  /** There is a platform level: what isolates is its word, not the package's. */
  readonly governed?: boolean;
  /** Names of tiers that have errors of their own: a seat that names one is not told that it is unknown. */
  readonly brokenTiers?: ReadonlySet<string>;
  /** Names of Seats that have errors of their own, for TaskRuns likewise. */
  readonly brokenSeats?: ReadonlySet<string>;
}

/** A rendered object, and the file it lives in: a path below the folder of rendered files, and the place in that file. */
export interface Rendered {
  readonly object: KubernetesObject;
  readonly file: string;
  readonly index: number;
  /** The item whose package it goes to: its Seat, or for what several share one of those. undefined: a Kustomization. */
  readonly home: Item | undefined;
}

/** All that the front ends write from. With any error there are no seats, and every item is kept. */
export interface Expansion {
  readonly options: Options;
  /** What counts of the input, errors left out. */
  readonly declared: Declared;
  readonly seats: readonly ResolvedSeat[];
  /** Items of the package that stay, in their order; inline ones and configs of the caller are not among them. */
  readonly kept: readonly Item[];
  /** Seats and TrustTiers that stand in the function config. */
  readonly inline: readonly Item[];
  readonly configs: readonly Item[];
  /** The item that each rendered object replaces, by identity: its bookkeeping annotations live on. */
  readonly predecessors: ReadonlyMap<string, Item>;
  /** Most important first, with positions. */
  readonly findings: readonly Finding[];
  /** The rendered objects in the order in which they must reach a cluster; made while they are read. */
  readonly render: () => Iterable<Rendered>;
}

/** Where one decided value came from; `explain` prints these. */
export interface Decision {
  /** Field path in the Seat, or the name of the decided thing. */
  readonly field: string;
  readonly value: unknown;
  readonly from: 'seat' | 'tier' | 'options' | 'default';
  /** Why, or what was dropped. */
  readonly note?: string;
}
export type Trace = (decision: Decision) => void;
