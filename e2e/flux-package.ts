// Packages of seats for the tests of Flux: written as a team has them in Git, rendered by the command line, and put into a
// cluster with the manifests of deploy/flux as they are shipped.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cluster } from './cluster';
import { must } from './command';
import { FLUX_NAMESPACE, isKustomization } from './flux-controller';
import { type Artifact, announce, type Source } from './flux-source';
import { type Manifest, readStream } from './objects';
import { program } from './prerequisites';

const ROOT = resolve(__dirname, '..');
export const DEPLOY = join(ROOT, 'deploy/flux');

/** Renders the objects as CI does, and gives `use` the folder with what was written. */
export function rendered<T>(objects: readonly Manifest[], use: (folder: string) => T, ...more: readonly string[]): T {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-flux-package-'));
  const [package_, out] = [join(folder, 'package'), join(folder, 'out')];
  try {
    mkdirSync(package_);
    mkdirSync(out);
    for (const [index, object] of objects.entries())
      writeFileSync(join(package_, `${index}.yaml`), JSON.stringify(object, null, 1));
    const cli = join(ROOT, 'dist/cli.js');
    must([process.execPath, cli, 'render', package_, '--all', '--output', `dir=${out}`, ...more]);
    return use(out);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A rendered package that Flux has. */
export interface Deployed {
  /** Of the Kustomizations, in their order. */
  readonly names: readonly string[];
  readonly namespace: string;
  /** Renders, serves and announces another state of the package. */
  push(objects: readonly Manifest[], ...more: readonly string[]): Promise<Artifact>;
}

/** The manifests of `deploy/flux/<variant>` in a namespace of their own; `edits` are words that a user would replace. */
export async function deploy(
  cluster: Cluster,
  source: Source,
  variant: 'oci' | 'one' | 'tenant',
  namespace: string,
  edits: Readonly<Record<string, string>> = {},
): Promise<Deployed> {
  const objects = shipped(variant, { [FLUX_NAMESPACE]: namespace, ...edits });
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }]);
  await cluster.apply(objects);
  const repository = objects.find(({ kind }) => kind === 'OCIRepository');
  if (!repository) throw new Error(`deploy/flux/${variant} holds no OCIRepository`);
  return {
    names: objects.filter(isKustomization).map(({ metadata }) => metadata.name),
    namespace,
    async push(declared, ...more) {
      const artifact = rendered(declared, source.add, ...more);
      await announce(cluster, { name: repository.metadata.name, namespace }, artifact);
      return artifact;
    },
  };
}

/** What `kubectl apply -k` sends, with these words replaced. */
function shipped(variant: string, edits: Readonly<Record<string, string>>): Manifest[] {
  const text = must([program('kubectl') ?? 'kubectl', 'kustomize', join(DEPLOY, variant)]);
  return readStream(Object.entries(edits).reduce((edited, [word, other]) => edited.replaceAll(word, other), text));
}

/** The namespace of a package, and the policy of deploy/flux/namespace.yaml in it. */
export const namespaceObjects = (name: string): Manifest[] =>
  readStream(readFileSync(join(DEPLOY, 'namespace.yaml'), 'utf8').replaceAll('team-a', name));
