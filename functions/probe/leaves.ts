// Differences of two JSON values, leaf by leaf, and how to apply them: a plan keeps one template and what seats change in it.

/** Keys and indexes from the root; empty: the root itself. */
export type Path = readonly (string | number)[];
/** A path and its value in the other one; without a value the other one has nothing there. */
export type Difference = readonly [path: Path, value?: unknown];

type Members = Readonly<Record<string, unknown>>;

/** What stands for a text in the base. */
export type Words = ReadonlyMap<string, string>;

/**
 * What makes `other` of `base`, in the order in which `applied` must take it: elements from the front, but elements to remove
 * from the back, and members to remove last. Lists are compared place by place. `words` are replaced in `base` first, as
 * `replaced` does. A member that is undefined is none, and a 64-bit integer is the number that JSON makes of it.
 */
export function differences(base: unknown, other: unknown, words: Words = new Map()): Difference[] {
  const found: Difference[] = [];
  compare(base, other, { words, path: [], found });
  return found;
}

/** `path` is where the comparison is: pushed and popped, since this runs over every leaf of every seat. */
interface Comparison {
  readonly words: Words;
  readonly path: (string | number)[];
  readonly found: Difference[];
}

function compare(base: unknown, other: unknown, at: Comparison): void {
  if (Array.isArray(base) && Array.isArray(other)) compareLists(base, other, at);
  else if (isObject(base) && isObject(other)) compareMembers(base, other, at);
  else {
    const own = typeof base === 'string' ? (at.words.get(base) ?? base) : base;
    if (own !== (typeof other === 'bigint' ? Number(other) : other)) at.found.push([[...at.path], plain(other)]);
  }
}

function compareLists(base: readonly unknown[], other: readonly unknown[], at: Comparison): void {
  other.forEach((value, index) => {
    if (index < base.length) compareAt(index, base[index], value, at);
    else at.found.push([[...at.path, index], plain(value)]);
  });
  for (let index = base.length - 1; index >= other.length; index--) at.found.push([[...at.path, index]]);
}

function compareMembers(base: Members, other: Members, at: Comparison): void {
  for (const key of Object.keys(other)) {
    if (other[key] === undefined) continue;
    if (Object.hasOwn(base, key)) compareAt(key, base[key], other[key], at);
    else at.found.push([[...at.path, key], plain(other[key])]);
  }
  for (const key of Object.keys(base)) {
    if (!Object.hasOwn(other, key) || other[key] === undefined) at.found.push([[...at.path, key]]);
  }
}

function compareAt(step: string | number, base: unknown, other: unknown, at: Comparison): void {
  at.path.push(step);
  compare(base, other, at);
  at.path.pop();
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
export function replaced(value: unknown, words: Words): unknown {
  if (typeof value === 'string') return words.get(value) ?? value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, words));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, replaced(one, words)]));
}

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
