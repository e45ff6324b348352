// Kustomizations for the tests: the examples of deploy/kustomize, and our functions, by exec, around any objects.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Manifest } from './objects';

export type Role = 'generator' | 'transformer' | 'validator';

const FUNCTION = 'config.kubernetes.io/function';
const ROOT = resolve(__dirname, '..');
const DEFAULT_CONFIG: Manifest = {
  apiVersion: 'seatplan.dev/v1alpha1',
  kind: 'ExpandSeats',
  metadata: { name: 'seatplan' },
};

export const isInput = ({ kind }: Manifest): boolean => ['Seat', 'TaskRun', 'TrustTier'].includes(kind);
export const isConfig = ({ kind }: Manifest): boolean => kind === 'ExpandSeats';

/** Gives a new folder to `use`, and removes it afterwards. */
export function withFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-kustomize-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies an example of deploy/kustomize into a folder of its name. */
export function copyExample(folder: string, role: Role): string {
  const copy = join(folder, role);
  cpSync(join(ROOT, 'deploy/kustomize', role), copy, { recursive: true });
  return copy;
}

/** JSON is YAML that every reader takes for the same values, but for the line ends that only YAML knows. */
const write = (folder: string, file: string, object: object): void => {
  const json = JSON.stringify(object, null, 2).replace(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  writeFileSync(join(folder, file), json);
};

/** Writes a kustomization of these resources and nothing else. */
export function writeResources(folder: string, objects: readonly Manifest[], more: object = {}): void {
  const resources = objects.map((object, index) => {
    write(folder, `${index}.yaml`, object);
    return `${index}.yaml`;
  });
  write(folder, 'kustomization.yaml', { ...(resources.length ? { resources } : {}), ...more });
}

/** Writes a kustomization in which our function has this role. A generator gets its seats and tiers inline. */
export function writeKustomization(
  folder: string,
  role: Role,
  objects: readonly Manifest[],
  config: Manifest = DEFAULT_CONFIG,
): void {
  const script = join(ROOT, 'dist', role === 'validator' ? 'validate-seats.js' : 'expand-seats.js');
  const annotation = JSON.stringify({ exec: { path: process.execPath, args: [script] } });
  const { metadata, spec } = config;
  write(folder, 'function.yaml', {
    ...config,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [FUNCTION]: annotation } },
    ...(role === 'generator' ? { spec: { ...(spec as object), inputs: objects.filter(isInput) } } : {}),
  });
  writeResources(folder, role === 'generator' ? [] : objects, { [`${role}s`]: ['function.yaml'] });
}
