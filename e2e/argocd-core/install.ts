// Installs Argo CD as our kustomize Component has it: its CRDs and settings in the cluster, the platform level in a folder.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { stringify } from 'yaml';
import type { Cluster } from '../cluster';
import { must } from '../command';
import { isEstablished, type Manifest, readStream } from '../objects';
import { program, SHARE } from '../prerequisites';
import { rights } from './documented';

export const ARGOCD = 'argocd';
const ROOT = resolve(__dirname, '../..');
const CONTROLLER = 'argocd-application-controller';
type WithData = Manifest & { readonly data?: Readonly<Record<string, string>> };

/** What `kustomize build` makes of Argo CD's install.yaml, our Component, and one with the user's own platform level. */
export function build(folder: string, platform: Readonly<Record<string, string>>): WithData[] {
  const write = (path: string, value: unknown): void => writeFileSync(join(folder, path), stringify(value));
  mkdirSync(join(folder, 'platform'), { recursive: true });
  copyFileSync(join(SHARE, 'argocd/install.yaml'), join(folder, 'install.yaml'));
  for (const [name, text] of Object.entries(platform)) writeFileSync(join(folder, 'platform', name), text);
  const files = Object.keys(platform);
  write('platform/kustomization.yaml', {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    configMapGenerator: [{ name: 'seatplan-platform', behavior: 'replace', files }],
  });
  write('kustomization.yaml', {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    namespace: ARGOCD,
    resources: ['install.yaml'],
    components: [relative(folder, join(ROOT, 'deploy/argocd')), 'platform'],
  });
  return readStream(must([program('kustomize') ?? 'kustomize', 'build', folder]));
}

/**
 * Applies the CRDs and what the core reads. `settings` are added to argocd-cm; the controller has no rights but those of its own
 * namespace, and those that docs/argocd.md lists for each of `namespaces`.
 */
export async function apply(
  cluster: Cluster,
  objects: readonly WithData[],
  settings: Readonly<Record<string, string>>,
  namespaces: readonly string[],
): Promise<void> {
  const crds = objects.filter(({ kind }) => kind === 'CustomResourceDefinition');
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGOCD } }, ...crds]);
  for (const { metadata } of crds) {
    await cluster.waitFor(
      `CRD ${metadata.name} is served`,
      30,
      async () => isEstablished(await cluster.get('crd', metadata.name)) || undefined,
    );
  }
  const kinds = ['ConfigMap', 'Secret', 'ServiceAccount', 'Role', 'RoleBinding'];
  await cluster.apply([
    ...objects
      .filter(({ kind }) => kinds.includes(kind))
      .map((one) => (one.metadata.name === 'argocd-cm' ? { ...one, data: { ...one.data, ...settings } } : one)),
    ...namespaces.flatMap(rights),
  ]);
}

/** The platform level's files, as the sidecar finds them. */
export function platformOf(objects: readonly WithData[]): Readonly<Record<string, string>> {
  const map = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('seatplan-platform'),
  );
  if (!map?.data) throw new Error('the Component makes no ConfigMap seatplan-platform');
  return map.data;
}

/** Writes credentials of the controller's account, for an hour. Returns the file. */
export async function controllerKubeconfig(cluster: Cluster, folder: string): Promise<string> {
  const token = await cluster.kubectl(['create', 'token', CONTROLLER, '--namespace', ARGOCD, '--duration=1h']);
  const view = ['config', 'view', '--raw', '--minify', '--flatten', '--output', 'json'];
  const admin = JSON.parse(await cluster.kubectl(view)) as { contexts: { name: string; context: object }[] };
  const [first] = admin.contexts;
  const file = join(folder, 'kubeconfig');
  const text = JSON.stringify({
    ...admin,
    users: [{ name: CONTROLLER, user: { token: token.trim() } }],
    contexts: [{ ...first, context: { ...first?.context, user: CONTROLLER } }],
  });
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}
