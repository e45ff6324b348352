// What JSON Schema cannot say: lists whose items differ by key, and rules in CEL.
import { fieldOf } from '../../field-path';
import { keeps } from './cel';
import { isFields, type SchemaProblem } from './problem';
import type { Rule, Structure } from './structure';

/**
 * Walks only to nodes that have something to check. `certain`: the value is known to fit its schema, so that a rule that
 * cannot be evaluated is broken; otherwise the schema's own problem says it better.
 */
export function check(value: unknown, structure: Structure, path: string, certain: boolean): SchemaProblem[] {
  if (!structure.checked) return [];
  const own = [
    ...(Array.isArray(value) && structure.unique ? duplicates(value, structure.unique, path) : []),
    ...(structure.rules ?? []).flatMap((rule) => broken(rule, value, path, certain)),
  ];
  const below = Array.isArray(value)
    ? value.map((item, index) => (structure.items ? check(item, structure.items, `${path}[${index}]`, certain) : []))
    : checkFields(value, structure, path, certain);
  return [own, ...below].flat();
}

function checkFields(
  value: unknown,
  { properties, additional }: Structure,
  path: string,
  certain: boolean,
): SchemaProblem[][] {
  if (!isFields(value)) return [];
  const named = Object.entries(properties ?? {})
    .filter(([field, child]) => child.checked && Object.hasOwn(value, field))
    .map(([field, child]) => check(value[field], child, fieldOf(path, field), certain));
  if (!additional?.checked) return named;
  return [
    ...named,
    ...Object.keys(value).map((field) => check(value[field], additional, fieldOf(path, field), certain)),
  ];
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
