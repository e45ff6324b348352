// Kustomizations for the tests: the three roles of our functions around any objects, run in containers or by exec.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { IMAGES } from './docker';
import type { Manifest } from './objects';

export type Role = 'generator' | 'transformer' | 'validator';
export type Runtime = 'container' | 'exec';

const FUNCTION = 'config.kubernetes.io/function';
const DIST = resolve(__dirname, '../dist');
const CONFIG: Manifest = {
  apiVersion: 'seatplan.dev/v1alpha1',
  kind: 'ExpandSeats',
  metadata: { name: 'seatplan' },
};

const isInput = ({ kind }: Manifest): boolean => kind === 'Seat' || kind === 'TrustTier';
export const isConfig = ({ apiVersion, kind }: Manifest): boolean =>
  apiVersion === CONFIG.apiVersion && kind === CONFIG.kind;

/** Gives a new folder to `use`, and removes it afterwards. */
export function withFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-kustomize-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Text that goes-yaml, too, reads as the same values. */
const toYaml = (object: object): string => stringify(object, { compat: 'yaml-1.1', lineWidth: 0, blockQuote: false });

function functionConfig(role: Role, runtime: Runtime, objects: readonly Manifest[]): object {
  const name = role === 'validator' ? 'validate-seats' : 'expand-seats';
  const config = objects.find(isConfig) ?? CONFIG;
  const annotation =
    runtime === 'container'
      ? { container: { image: IMAGES[name] } }
      : { exec: { path: process.execPath, args: [join(DIST, `${name}.js`)] } };
  return {
    ...config,
    metadata: {
      ...config.metadata,
      annotations: { ...config.metadata.annotations, [FUNCTION]: stringify(annotation) },
    },
    ...(role === 'generator' ? { spec: { ...(config.spec as object), inputs: objects.filter(isInput) } } : {}),
  };
}

/** Writes a kustomization in which our function has this role; without a role, one of the plain resources. */
export function writeKustomization(
  folder: string,
  objects: readonly Manifest[],
  role?: Role,
  runtime: Runtime = 'exec',
): void {
  const resources = role === 'generator' ? [] : objects.filter((object) => !isConfig(object));
  const files = resources.map((object, index) => {
    const file = `${index}.yaml`;
    writeFileSync(join(folder, file), toYaml(object));
    return file;
  });
  if (role) writeFileSync(join(folder, 'function.yaml'), toYaml(functionConfig(role, runtime, objects)));
  writeFileSync(
    join(folder, 'kustomization.yaml'),
    toYaml({ ...(files.length ? { resources: files } : {}), ...(role ? { [`${role}s`]: ['function.yaml'] } : {}) }),
  );
}

/** Copies an example of deploy/kustomize; `change` may edit the text of its files. */
export function copyExample(folder: string, role: Role): string {
  const copy = join(folder, role);
  mkdirSync(copy);
  cpSync(resolve(__dirname, '../deploy/kustomize', role), copy, { recursive: true });
  return copy;
}
