// Where objects come from: items of text, and what a stage tells about them.
import type { Finding } from '../finding';

/** What every stage returns: its value, and all it has to tell the user. */
export interface Outcome<T> {
  readonly value: T;
  readonly findings: readonly Finding[];
}

/** Group, kind, namespace and name of an object: its identity in a package. `apiVersion` names the group. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Where a text came from. `line` is 1-based: the file's line on which the text starts; `column` 1-based likewise. */
export interface Origin {
  /** Path as the user knows it (relative to the package where there is one); absent for inline input. */
  readonly file?: string;
  /** Position of the document in its file, from 0. */
  readonly index?: number;
  readonly line: number;
  readonly column: number;
}

/**
 * One object of the input. `text` is its exact source; only what the cheap look found stands beside it, the rest is
 * decoded when a stage asks. Items that are not ours leave as `text`, byte for byte.
 */
export interface Item {
  readonly text: string;
  readonly origin: Origin;
  /** Empty strings where the text has none: such an item is opaque and passes through. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** All annotations, values as text. */
  readonly annotations: Readonly<Record<string, string>>;
  /** `platform` items are read but never written. */
  readonly level: 'platform' | 'package';
}

/** A decoded object together with the item it came from, so that findings can point into the text. */
export interface Located<T> {
  readonly object: T;
  readonly item: Item;
}
