// Differences of two JSON values, leaf by leaf, and how to apply them: a plan keeps one template and what seats change in it.

/** Keys and indexes from the root; empty: the root itself. */
export type Path = readonly (string | number)[];
/** A path and its value in the other one; without a value the other one has nothing there. */
export type Difference = readonly [path: Path, value?: unknown];

type Members = Readonly<Record<string, unknown>>;

/**
 * What makes `other` of `base`, in the order in which `applied` must take it: members by name, elements from the front, but
 * elements to remove from the back. Lists are compared place by place. Both values are JSON, with no undefined in them.
 */
export function differences(base: unknown, other: unknown): Difference[] {
  const found: Difference[] = [];
  compare(base, other, [], found);
  return found;
}

function compare(base: unknown, other: unknown, path: Path, found: Difference[]): void {
  if (Array.isArray(base) && Array.isArray(other)) compareLists(base, other, path, found);
  else if (isObject(base) && isObject(other)) compareMembers(base, other, path, found);
  else if (base !== other) found.push([path, other]);
}

function compareLists(base: readonly unknown[], other: readonly unknown[], path: Path, found: Difference[]): void {
  other.forEach((value, index) => {
    if (index < base.length) compare(base[index], value, [...path, index], found);
    else found.push([[...path, index], value]);
  });
  for (let index = base.length - 1; index >= other.length; index--) found.push([[...path, index]]);
}

function compareMembers(base: Members, other: Members, path: Path, found: Difference[]): void {
  for (const key of [...new Set([...Object.keys(base), ...Object.keys(other)])].sort()) {
    const at = [...path, key];
    if (!Object.hasOwn(other, key)) found.push([at]);
    else if (Object.hasOwn(base, key)) compare(base[key], other[key], at, found);
    else found.push([at, other[key]]);
  }
}

/** A new value: `base` with the differences in it. Throws a RangeError for a path that leads nowhere. */
export const applied = (base: unknown, changes: readonly Difference[]): unknown =>
  changes.reduce((value, change) => changed(value, change[0], change), base);

function changed(base: unknown, path: Path, change: Difference): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change[1];
  const removes = rest.length === 0 && change.length === 1;
  if (Array.isArray(base) && typeof step === 'number' && step >= 0 && step <= base.length) {
    return base.toSpliced(step, 1, ...(removes ? [] : [changed(base[step], rest, change)]));
  }
  if (!isObject(base) || typeof step !== 'string') throw new RangeError(`nothing at ${JSON.stringify(change[0])}`);
  // By entries: an assignment to `__proto__` would not make a member.
  const members = Object.entries(base).filter(([key]) => key !== step);
  const value = Object.hasOwn(base, step) ? base[step] : undefined;
  return Object.fromEntries(removes ? members : [...members, [step, changed(value, rest, change)]]);
}

/** A copy as JSON would keep it: no undefined members, and 64-bit integers as the numbers that JSON readers make of them. */
export function plain<T>(value: T): T {
  const text = JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? Number(one) : one));
  return text === undefined ? value : JSON.parse(text);
}

/** A value in which each string that the map knows is replaced; keys stay. */
export function replaced(value: unknown, words: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return words.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, words));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, words)]));
}

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
