// What JSON Schema cannot say: lists whose items differ by key, and rules in CEL.
import { fieldOf } from '../../field-path';
import { keeps } from './cel';
import { type Fields, isFields, type SchemaProblem } from './problem';
import type { Rule, Structure } from './structure';

/**
 * Walks only to nodes that have something to check. `certain`: the value is known to fit its schema, so that a rule that
 * cannot be evaluated is broken; otherwise the schema's own problem says it better.
 */
export function check(value: unknown, structure: Structure, certain: boolean): SchemaProblem[] {
  const walk: Walk = { certain, problems: [] };
  checkNode(value, structure, '', walk);
  return walk.problems;
}

interface Walk {
  readonly certain: boolean;
  readonly problems: SchemaProblem[];
}

function checkNode(value: unknown, structure: Structure, path: string, walk: Walk): void {
  for (const rule of structure.rules ?? []) walk.problems.push(...broken(rule, value, path, walk.certain));
  if (Array.isArray(value)) checkList(value, structure, path, walk);
  else if (isFields(value)) checkFields(value, structure, path, walk);
}

function checkList(list: readonly unknown[], { items, unique }: Structure, path: string, walk: Walk): void {
  if (unique) walk.problems.push(...duplicates(list, unique, path));
  if (items?.checked) for (const [index, item] of list.entries()) checkNode(item, items, `${path}[${index}]`, walk);
}

function checkFields(
  fields: Fields,
  { properties = {}, additional, checked = [] }: Structure,
  path: string,
  walk: Walk,
): void {
  for (const field of checked) {
    if (Object.hasOwn(fields, field)) checkNode(fields[field], properties[field]!, fieldOf(path, field), walk);
  }
  if (!additional?.checked) return;
  for (const field of Object.keys(fields)) checkNode(fields[field], additional, fieldOf(path, field), walk);
}

/** Source: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype. */
function duplicates(items: readonly unknown[], unique: 'items' | readonly string[], path: string): SchemaProblem[] {
  const [message, identify] =
    unique === 'items'
      ? ['must not be listed twice', scalarText]
      : [`must not have the same ${unique.join(' and ')} as another entry`, (item: unknown) => keysText(item, unique)];
  const seen = new Set<string>();
  return items.flatMap((item, index) => {
    const identity = identify(item);
    if (identity === undefined || !seen.has(identity)) {
      if (identity !== undefined) seen.add(identity);
      return [];
    }
    return [{ code: 'INVALID_VALUE', source: 'schema', path: `${path}[${index}]`, message, value: item } as const];
  });
}

/** Objects and lists are no such items: their type is a problem of its own. */
const scalarText = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null ? undefined : `${typeof value} ${value}`;

function keysText(item: unknown, keys: readonly string[]): string | undefined {
  const texts = isFields(item) ? keys.map((key) => scalarText(item[key])) : [undefined];
  return texts.includes(undefined) ? undefined : texts.join('\n');
}

function broken(rule: Rule, self: unknown, path: string, certain: boolean): SchemaProblem[] {
  const verdict = keeps(rule, self);
  if (verdict === true || (verdict === undefined && !certain)) return [];
  const at = [path, rule.field].filter(Boolean).join('.');
  return [{ code: 'RULE_VIOLATED', source: 'cel', path: at, message: rule.message }];
}
