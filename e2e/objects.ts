// Kubernetes objects as the end-to-end tests compare them: decoded, by identity, without an orchestrator's notes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: unknown;
}

const OWNER = 'seatplan.dev/owner';
const ORCHESTRATOR = /^(internal\.)?config\.(kubernetes|k8s)\.io\//;

const isManifest = (value: unknown): value is Manifest =>
  typeof value === 'object' && value !== null && 'kind' in value && 'metadata' in value;

/** The objects of a YAML stream; documents that are no objects are left out. */
export const readStream = (text: string): Manifest[] =>
  parseAllDocuments(text, { merge: true, uniqueKeys: false, logLevel: 'silent' })
    .map((document) => (document.errors.length ? undefined : document.toJS()))
    .filter(isManifest);

/** Paths of all files below a folder, relative to it, in order. */
export const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .sort();

/** Whether the API server has taken a CRD over; it shows `conditions: null` of one that it has just stored. */
export function isEstablished(crd: object | undefined): boolean {
  const { status } = (crd ?? {}) as { status?: { conditions?: readonly { type: string; status: string }[] | null } };
  return status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True') ?? false;
}

type Snapshot = ReadonlyMap<string, string>;

/** Every file's bytes. */
export const snapshot = (folder: string): Snapshot =>
  new Map(filesBelow(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]));

/** Names of the files that were changed, added or removed since the snapshot. */
export function changedSince(before: Snapshot, folder: string): string[] {
  const after = snapshot(folder);
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name));
}

/** The objects of all YAML and JSON files below a folder. */
export const readFolder = (folder: string): Manifest[] =>
  filesBelow(folder)
    .filter((name) => /\.(ya?ml|json)$/.test(name))
    .flatMap((name) => readStream(readFileSync(join(folder, name), 'utf8')));

/** Objects that a Seat or a TrustTier was expanded to. The Kustomization of a folder is none: it never reaches a cluster. */
export const isRendered = ({ kind, metadata }: Manifest): boolean =>
  kind !== 'Kustomization' && metadata.annotations?.[OWNER] !== undefined;

/** `group/Kind/namespace/name`. */
export const identity = ({ apiVersion, kind, metadata }: Manifest): string =>
  [apiVersion.split('/').slice(0, -1).join(''), kind, metadata.namespace ?? '', metadata.name].join('/');

/** The rendered objects among these, by identity, without what kpt and kustomize note on them. Throws at a duplicate. */
export function renderedByIdentity(objects: readonly Manifest[]): Record<string, Manifest> {
  const result: Record<string, Manifest> = {};
  for (const object of objects.filter(isRendered)) {
    const id = identity(object);
    if (id in result) throw new Error(`${id} stands there twice`);
    result[id] = { ...object, metadata: { ...object.metadata, annotations: withoutNotes(object) } };
  }
  return result;
}

/** Asserts that both hold the same objects; a failure names those that are missing or too many before it shows any. */
export function sameObjects(actual: Record<string, Manifest>, expected: Record<string, Manifest>): void {
  assert.equal(Object.keys(actual).sort(), Object.keys(expected).sort());
  for (const [id, object] of Object.entries(expected)) assert.equal(actual[id], object, id);
}

const withoutNotes = ({ metadata }: Manifest): Record<string, string> =>
  Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !ORCHESTRATOR.test(key)));
