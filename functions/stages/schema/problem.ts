// A problem of one object by itself, before anyone knows where the object came from.
import type { Code } from '../../finding';

export interface SchemaProblem {
  readonly code: Extract<
    Code,
    'UNKNOWN_FIELD' | 'MISSING_FIELD' | 'INVALID_TYPE' | 'INVALID_VALUE' | 'RULE_VIOLATED' | 'UNSUPPORTED_VERSION'
  >;
  readonly source: 'schema' | 'cel';
  /** Field path in spec form, empty for the whole object. */
  readonly path: string;
  readonly message: string;
  readonly value?: unknown;
  readonly proposed?: unknown;
}

/** A JSON object, of any prototype. */
export type Fields = Readonly<Record<string, unknown>>;
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const fieldIn = <T>(fields: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
