// Checks that the chart renders what seatplan renders, so that the two are compared on the same work.
import { loadAll } from 'js-yaml';

interface Rendered {
  readonly kind?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** Digests are over different texts in the two programs, but equally long. */
const DIGEST = /sha256:[0-9a-f]{64}/g;

/** Kinds of the objects that differ, or are missing on one side. Empty: both texts say the same. */
export function differences(ours: string, theirs: string): string[] {
  const [left, right] = [objectsOf(ours), objectsOf(theirs)];
  return [...new Set([...left.keys(), ...right.keys()])].filter((kind) => left.get(kind) !== right.get(kind));
}

const objectsOf = (text: string): Map<string, string> =>
  new Map(
    (loadAll(text) as (Rendered | null)[])
      .filter((object) => object !== null)
      .map((object) => [object.kind ?? '', JSON.stringify(sorted(comparable(object))).replaceAll(DIGEST, 'sha256:…')]),
  );

/** manifest.json is text; what it says counts, not the order of its members. */
function comparable(object: Rendered): unknown {
  const manifest = object.data?.['manifest.json'];
  return manifest === undefined
    ? object
    : { ...object, data: { ...object.data, 'manifest.json': JSON.parse(manifest) as unknown } };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
}
