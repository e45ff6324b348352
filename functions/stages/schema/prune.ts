// What the API server does to an object before it validates: unknown fields, nulls, defaults, whole numbers beyond 2^53.
import { fieldOf } from '../../field-path';
import { nearest } from '../../nearest';
import { fieldIn, isFields, type SchemaProblem } from './problem';
import type { Structure } from './structure';

const INT64 = 2n ** 63n;
const LARGEST_BELOW = 2 ** 63 - 1024;

/** Lists within lists where none belongs; deeper ones are of the wrong type all the same. */
const DEEPEST_LIST = 16;

const childOf = (structure: Structure, field: string): Structure | undefined =>
  fieldIn(structure.properties, field) ?? structure.additional;

/**
 * A copy without nulls in fields that cannot be null, and with numbers that JSON can hold; the same value where nothing
 * changes. Unknown fields are reported and stay, for nobody uses the value then.
 * Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/{pruning,defaulting}.
 */
export function prune(value: unknown, structure: Structure, path: string, problems: SchemaProblem[]): unknown {
  if (typeof value === 'bigint') return numberOf(value, structure);
  if (Array.isArray(value)) return pruneList(value, structure, path, problems);
  if (!isFields(value)) return value;
  let copy: Record<string, unknown> | undefined;
  for (const field of Object.keys(value)) {
    const before = value[field];
    if (typeof before === 'string' && childOf(structure, field)) continue; // the usual case, and never changed
    const after = pruneField(field, before, structure, path, problems);
    if (after === before) continue;
    copy ??= { ...value };
    put(copy, field, after);
  }
  return copy ?? value;
}

/** undefined: to be left out. */
function pruneField(
  field: string,
  value: unknown,
  structure: Structure,
  path: string,
  problems: SchemaProblem[],
): unknown {
  const child = childOf(structure, field);
  if (child) return value === null ? undefined : prune(value, child, fieldOf(path, field), problems);
  problems.push(unknownField(field, structure, path));
  return value;
}

function put(target: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined) delete target[field];
  else Object.defineProperty(target, field, { value, enumerable: true, configurable: true, writable: true }); // __proto__ too
}

function pruneList(value: unknown[], structure: Structure, path: string, problems: SchemaProblem[]): unknown {
  const { items } = structure;
  if (!items) {
    unknownInside(value, path, DEEPEST_LIST, problems);
    return value;
  }
  let copy: unknown[] | undefined;
  for (const [index, before] of value.entries()) {
    if (typeof before === 'string') continue;
    const after = prune(before, items, `${path}[${index}]`, problems);
    if (after === before) continue;
    copy ??= [...value];
    copy[index] = after;
  }
  return copy ?? value;
}

/** A list where none belongs: the fields of its objects are unknown to the API server. */
function unknownInside(list: readonly unknown[], path: string, depth: number, problems: SchemaProblem[]): void {
  for (const [index, item] of list.entries()) {
    const at = `${path}[${index}]`;
    if (Array.isArray(item) && depth > 0) unknownInside(item, at, depth - 1, problems);
    else if (isFields(item)) problems.push(...Object.keys(item).map((field) => unknownField(field, {}, at)));
  }
}

/** A quantity keeps its digits as text, which means the same; an integer is rounded, which no bound of ours notices. */
function numberOf(value: bigint, structure: Structure): unknown {
  if (value >= INT64 || value < -INT64) return Number(value);
  return structure.quantity ? String(value) : Math.max(-LARGEST_BELOW, Math.min(Number(value), LARGEST_BELOW));
}

function unknownField(field: string, { properties = {} }: Structure, path: string): SchemaProblem {
  const names = Object.keys(properties);
  const proposed = nearest(field, names);
  const allowed = names.length ? `the fields here are ${names.join(', ')}` : 'there are no fields here';
  const hint = proposed === undefined ? allowed : `did you mean \`${proposed}\`?`;
  return {
    code: 'UNKNOWN_FIELD',
    source: 'schema',
    path: fieldOf(path, field),
    message: `unknown field ${JSON.stringify(field)}: ${hint}`,
    ...(proposed === undefined ? {} : { proposed }),
  };
}

/** A copy with every default of the CRD that is missing; the same value where none is. */
export function withDefaults(value: unknown, structure: Structure): unknown {
  const { properties = {}, additional, items, defaulted } = structure;
  if (!defaulted || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return items?.defaulted ? value.map((item) => withDefaults(item, items)) : value;
  const copy: Record<string, unknown> = { ...value };
  for (const field of defaulted) {
    const child = properties[field]!;
    if (Object.hasOwn(copy, field)) copy[field] = withDefaults(copy[field], child);
    else if (child.default !== undefined) copy[field] = child.default;
  }
  if (additional?.defaulted)
    for (const field of Object.keys(copy)) put(copy, field, withDefaults(copy[field], additional));
  return copy;
}
