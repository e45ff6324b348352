// What build/compile-schemas.ts makes of a CRD: a tree beside the validation code. Types only.
import type { ErrorObject } from 'ajv';

export interface Structure {
  readonly properties?: Readonly<Record<string, Structure>>;
  readonly additional?: Structure;
  readonly items?: Structure;
  readonly default?: unknown;
  /** int-or-string. */
  readonly quantity?: boolean;
  /** A list whose items, or the given fields of its items, must differ. */
  readonly unique?: 'items' | readonly string[];
  readonly rules?: readonly Rule[];
  /** Lists to compare or rules to evaluate stand here or below: in these fields, or wherever items and additional say so. */
  readonly checked?: readonly string[];
  /** Defaults stand below: in these fields, or wherever items and additional say so. */
  readonly defaulted?: readonly string[];
}

/** An entry of x-kubernetes-validations. `field` is its fieldPath, relative to the node and without the leading dot. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  readonly field?: string;
}

export interface CompiledKind {
  readonly apiVersion: string;
  readonly namespaced: boolean;
  /** Standalone code of ajv. */
  readonly validate: { (value: unknown): boolean; errors?: readonly ErrorObject[] | null };
  readonly structure: Structure;
}
