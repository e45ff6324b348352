// docs/manifest.md against what is rendered: an agent's author must find every member, variable and annotation there.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly annotations: Record<string, string> };
  readonly data?: Record<string, string>;
  readonly spec?: Partial<PodSpec> & { readonly template?: Template };
}
interface Template {
  readonly metadata: { readonly annotations: Record<string, string> };
  readonly spec: PodSpec;
}
interface PodSpec {
  readonly containers: readonly { readonly env: readonly { readonly name: string }[] }[];
}

const text = readFileSync('docs/manifest.md', 'utf8');
const FULL = [
  ...['a-seat-says-everything', 'a-tier-that-demands-attestation', 'the-gvisor-sample-of-the-reference'],
  'a-seat-has-task-runs',
];
const objects = FULL.flatMap((name) =>
  parseAllDocuments(readFileSync(`fixtures/${name}/.expected/objects.yaml`, 'utf8')).map(
    (one) => one.toJS() as Rendered,
  ),
);
const missing = (words: Iterable<string>): string[] =>
  [...new Set(words)].filter((word) => !text.includes(`\`${word}\``));

/** Keys that the user chose are not ours to describe. */
const USERS = new Set(['config', 'limits', 'requests', 'claims', 'permissions']);
const membersOf = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(membersOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [key, ...(USERS.has(key) ? [] : membersOf(one))]);
};

const docs = suite('docs/manifest.md');
docs('names every member of manifest.json', () => {
  const manifests = objects.flatMap(({ data }) => (data?.['manifest.json'] ? [data['manifest.json']] : []));
  assert.ok(manifests.length >= FULL.length);
  assert.equal(missing(manifests.flatMap((one) => membersOf(JSON.parse(one)))), []);
});
docs('names every variable of the contract', () => {
  const names = objects.flatMap(
    ({ spec }) => (spec?.template?.spec ?? spec)?.containers?.flatMap(({ env }) => env.map(({ name }) => name)) ?? [],
  );
  assert.equal(missing(names.filter((name) => /^(?:STEADMESH_|HOME$|POD_UID$)/.test(name))), []);
});
docs('names every annotation about the seat', () => {
  const keys = objects.flatMap(({ metadata, spec }) =>
    Object.keys({ ...metadata.annotations, ...spec?.template?.metadata.annotations }),
  );
  assert.equal(missing(keys.filter((key) => /^(?:steadmesh\.io|seatplan\.dev)\//.test(key))), []);
});
docs.run();
