// One text for one value: JSON without spaces, keys sorted by code unit, so that a digest depends on nothing else.
import { createHash } from 'node:crypto';
import { compare } from '../finding';

/** As JSON.stringify, but with sorted keys. Members that are undefined are left out. */
export function canonicalJSON(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((entry) => canonicalJSON(entry ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => compare(a, b))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJSON(member)}`);
  return `{${members.join(',')}}`;
}

/** `sha256:` and hex over the canonical JSON of a value. */
export const digestOf = (value: unknown): string =>
  `sha256:${createHash('sha256').update(canonicalJSON(value)).digest('hex')}`;
