// The files of the manifest ConfigMap of a seat or task worker: their names, their keys, and that all of them fit.
import { fieldOf } from '../../field-path';
import { type Finding, report } from '../../finding';
import type { Item, Located, Outcome, ResolvedSeat, Seat } from '../../model';
import { groupBy } from './grouping';

type Files = ResolvedSeat['files'];

export const MANIFEST_FILE = 'manifest.json';
export const INSTRUCTIONS_FILE = 'instructions.md';

/** A ConfigMap's limit (k8s.io/api/core/v1 MaxSecretSize), and that of the annotation client-side apply writes. */
const MOST_BYTES = 1024 * 1024;
const BYTES_OF_CLIENT_SIDE_APPLY = 256 * 1024;
const LONGEST_KEY = 253;
const SEGMENT = /^[-._a-zA-Z0-9]+$/;

/** The key of a path: a ConfigMap's keys hold no `/`. */
const keyOf = (path: string): string => path.replaceAll('/', '__');

export const resolveFiles = ({ object: { spec }, item }: Located<Seat>): Outcome<Files> =>
  withOwnFiles({ [INSTRUCTIONS_FILE]: spec.instructions ?? '' }, spec.files ?? {}, item, 'spec.files');

/**
 * The written ones by their names, then those of the user at `field`, sorted by path; manifest.json, which names them, comes
 * before them later.
 */
export function withOwnFiles(
  written: Readonly<Record<string, string>>,
  users: Readonly<Record<string, string>>,
  item: Item,
  field: string,
): Outcome<Files> {
  const reserved = [MANIFEST_FILE, ...Object.keys(written)];
  const own = Object.entries(users).sort(([a], [b]) => (a < b ? -1 : 1));
  const files = [
    ...Object.entries(written).map(([path, text]) => ({ key: path, path, text })),
    ...own.map(([path, text]) => ({ key: keyOf(path), path, text })),
  ];
  const invalid = own.flatMap(([path]) => {
    const problem = nameProblem(path, reserved);
    return problem ? [report('INVALID_FILE_NAME', item, fieldOf(field, path), problem, { value: path })] : [];
  });
  return { value: files, findings: own.length ? [...invalid, ...checkDistinct(files, item, field)] : [] };
}

function nameProblem(path: string, reserved: readonly string[]): string | undefined {
  if (reserved.includes(path)) return `${reserved.join(' and ')} are written by seatplan`;
  const segments = path.split('/');
  if (!segments.every((segment) => SEGMENT.test(segment) && segment !== '.' && !segment.startsWith('..')))
    return 'must be a relative path of letters, digits, "-", "_" and ".", without empty parts and without ".."';
  return keyOf(path).length > LONGEST_KEY
    ? `must have at most ${LONGEST_KEY} characters, "/" counting twice`
    : undefined;
}

/** Two paths of one key, or a file where another path needs a folder: the kubelet could not write both. */
function checkDistinct(files: Files, item: Item, field: string): Finding[] {
  const paths = new Set([MANIFEST_FILE, ...files.map(({ path }) => path)]);
  const sameKey = [...groupBy(files, ({ key }) => key)].flatMap(([key, group]) =>
    group.length === 1
      ? []
      : group.slice(1).map(({ path }) => ({ path, why: `"${group[0]?.path}" has the same key, ${key}` })),
  );
  const inFile = files.flatMap(({ path }) => {
    const parent = parentsOf(path).find((folder) => paths.has(folder));
    return parent === undefined ? [] : [{ path, why: `"${parent}" is a file, so it cannot be a folder` }];
  });
  return [...sameKey, ...inFile].map(({ path, why }) =>
    report('DUPLICATE_FILE', item, fieldOf(field, path), why, { value: path }),
  );
}

const parentsOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, segments) => segments.slice(0, index + 1).join('/'));

/** All texts together, in UTF-8 bytes as the API server counts them. */
export function checkSize(files: Files, item: Item, field = 'spec.files'): Finding[] {
  const bytes = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes > MOST_BYTES) {
    const message = `the manifest has ${bytes} bytes; a ConfigMap holds at most ${MOST_BYTES}`;
    return [report('MANIFEST_TOO_LARGE', item, field, message)];
  }
  if (bytes <= BYTES_OF_CLIENT_SIDE_APPLY) return [];
  const message = `the manifest has ${bytes} bytes; above ${BYTES_OF_CLIENT_SIDE_APPLY} only server-side apply can write it`;
  return [report('MANIFEST_LARGE', item, field, message)];
}
