// One text for one value: JSON without spaces, keys sorted by code unit, so that a digest depends on nothing else.
import { createHash } from 'node:crypto';

/** As JSON.stringify, but with sorted keys, and 64-bit integers whole. Members that are undefined are left out. */
export function canonicalJSON(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJSON).join(',')}]`;
  // Plain loops: this runs over every seat.
  const object = value as Readonly<Record<string, unknown>>;
  let members = '';
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member !== undefined) members += `${members && ','}${JSON.stringify(key)}:${canonicalJSON(member)}`;
  }
  return `{${members}}`;
}

/** `sha256:` and hex over the canonical JSON of a value. */
export const digestOf = (value: unknown): string =>
  `sha256:${createHash('sha256').update(canonicalJSON(value)).digest('hex')}`;
