// Mutations of the decoded object: types, bounds, nulls, unknown and missing fields, wrong nesting, numbers, unicode.
import type { Random } from './random';
import type { Schema } from './schema';
import words from './words.json';

export type Json = null | boolean | number | string | Json[] | { [field: string]: Json };
type Container = Json[] | { [field: string]: Json };

/** A place in the object together with what its CRD says about it. */
interface Spot {
  readonly parent: Container;
  readonly key: string | number;
  readonly schema: Schema | undefined;
}

/** `odd`: values of all types. `texts`: near to what some field takes. */
const ODD = words.odd as Json[];

const TEXTS: readonly string[] = [
  ...words.texts,
  ...[63, 64, 253, 254].flatMap((length) => ['a', '\u00e9', '😀'].map((letter) => letter.repeat(length))),
];

type Mutation = (spot: Spot, random: Random) => void;

/** A copy, so that later mutations do not reach into the tables above. */
const set = ({ parent, key }: Spot, original: Json): void => {
  const value = structuredClone(original);
  if (Array.isArray(parent)) parent[Number(key)] = value;
  else Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
};
const get = ({ parent, key }: Spot): Json => (Array.isArray(parent) ? parent[Number(key)] : parent[key]) as Json;

function remove({ parent, key }: Spot): void {
  if (Array.isArray(parent)) parent.splice(Number(key), 1);
  else delete parent[key];
}

function withinBounds(spot: Spot, random: Random): void {
  const { minimum, maximum, minLength, maxLength, maxItems, maxProperties, enum: allowed } = spot.schema ?? {};
  const one = random.pick([-1, 0, 1]);
  const value = get(spot);
  const letter = random.pick(['a', 'é', '😀', '0', '/']);
  const choices: Json[] = [
    ...[minimum, maximum].filter((bound) => bound !== undefined).map((bound) => bound + one),
    ...[minLength, maxLength]
      .filter((bound) => bound !== undefined && bound < 70_000)
      .map((bound) => letter.repeat(Math.max(0, bound! + one))),
    ...(allowed ?? []).flatMap((word) => [word, word.toLowerCase(), word.toUpperCase(), `${word} `]),
    ...(maxItems !== undefined && Array.isArray(value) && value.length ? [grown(value, maxItems + one)] : []),
    ...(maxProperties !== undefined
      ? [Object.fromEntries(Array.from({ length: maxProperties + one }, (_, index) => [`k${index}`, 'x']))]
      : []),
  ];
  if (choices.length) set(spot, random.pick(choices));
  else set(spot, random.pick(TEXTS));
}

/** Many different items after the pattern of the first. */
function grown(items: readonly Json[], length: number): Json[] {
  return Array.from({ length: Math.max(0, length) }, (_, index) => {
    const first = items[0]!;
    if (typeof first === 'string') return `${first}${index}`;
    if (typeof first === 'number') return 1 + (index % 65535);
    return typeof first === 'object' && first && 'name' in first ? { ...first, name: `${first.name}${index}` } : first;
  });
}

function rename(spot: Spot, random: Random): void {
  const { parent, key } = spot;
  if (Array.isArray(parent)) return;
  const name = String(key);
  const other = random.pick([
    name.toUpperCase(),
    `${name}s`,
    [...name].slice(1).join(''),
    [...name].slice(0, -1).join(''),
    `${name} `,
    '',
    '__proto__',
    'constructor',
    'toString',
    'metadata',
    'a.b',
    'a/b',
    'é',
    `x${name}`,
  ]);
  const value = get(spot);
  remove(spot);
  set({ ...spot, key: other }, value);
}

function repeat(spot: Spot, random: Random): void {
  const value = get(spot);
  if (!Array.isArray(value) || value.length === 0) {
    set(spot, random.pick(ODD));
    return;
  }
  value.splice(random.below(value.length + 1), 0, structuredClone(random.pick(value)));
}

function add(spot: Spot, random: Random): void {
  const value = get(spot);
  if (Array.isArray(value)) value.push(structuredClone(random.pick(ODD)));
  else if (value !== null && typeof value === 'object') {
    const known = Object.keys(spot.schema?.properties ?? {});
    const field = random.pick([
      ...known,
      'extra',
      'status',
      'kind',
      'apiVersion',
      'metadata',
      '__proto__',
      'manifest.json',
      'a'.repeat(254),
    ]);
    set({ parent: value, key: field, schema: undefined }, random.pick<Json>([...ODD, ...TEXTS]));
  } else set(spot, random.pick(ODD));
}

const MUTATIONS: readonly Mutation[] = [
  remove,
  remove,
  remove,
  rename,
  repeat,
  add,
  withinBounds,
  withinBounds,
  withinBounds,
  withinBounds,
  (spot) => set(spot, null),
  (spot, random) => set(spot, random.pick(ODD)),
  (spot, random) => set(spot, random.pick(TEXTS)),
  (spot, random) => set(spot, random.pick(TEXTS)),
  (spot) => set(spot, [structuredClone(get(spot))]),
  (spot) => set(spot, { value: structuredClone(get(spot)) }),
  (spot) => {
    const value = get(spot);
    if (typeof value === 'number') set(spot, String(value));
    else if (typeof value === 'string') set(spot, Number(value) || 7);
  },
];

/** Changes one place of the object, anywhere below the root. */
export function mutateValue(root: { [field: string]: Json }, schema: Schema, random: Random): void {
  const spots: Spot[] = [];
  collect(root, schema, spots);
  if (spots.length === 0) return;
  const spot = random.pick(spots);
  random.pick(MUTATIONS)(spot, random);
}

function collect(value: Json, schema: Schema | undefined, spots: Spot[]): void {
  if (value === null || typeof value !== 'object') return;
  const entries: [string | number, Json, Schema | undefined][] = Array.isArray(value)
    ? value.map((item, index) => [index, item, schema?.items])
    : Object.entries(value).map(([field, child]) => [
        field,
        child,
        schema?.properties?.[field] ?? schema?.additionalProperties,
      ]);
  for (const [key, child, below] of entries) {
    spots.push({ parent: value, key, schema: below });
    collect(child, below, spots);
  }
}
