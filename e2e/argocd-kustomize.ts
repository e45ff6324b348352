// Argo CD's own manifests with our components, built by kustomize as whoever installs it does.
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { must } from './command';
import { withFolder } from './kustomization';
import { type Manifest, readStream } from './objects';
import { program, programs, SHARE } from './prerequisites';

export const COMPONENT = resolve(__dirname, '../deploy/argocd');
export const TOOLS = [
  [program('kustomize') ?? 'kustomize', 'build'],
  ...programs('kubectl').map((file) => [file, 'kustomize'] as const),
] as const;

/** An installation of Argo CD with our components, the last one being of whoever installs it: its platform level. */
export function build(components: readonly string[], tool: readonly [string, ...string[]] = TOOLS[0]): Manifest[] {
  return withFolder((folder) => {
    cpSync(join(SHARE, 'argocd/install.yaml'), join(folder, 'install.yaml'));
    cpSync(join(COMPONENT, 'platform'), join(folder, 'platform'), { recursive: true });
    const write = (file: string, object: object) => writeFileSync(join(folder, file), JSON.stringify(object));
    write('platform/options.yaml', {
      ...parse(readFileSync(join(COMPONENT, 'platform/options.yaml'), 'utf8')),
      spec: {},
    });
    write('platform/kustomization.yaml', {
      apiVersion: 'kustomize.config.k8s.io/v1alpha1',
      kind: 'Component',
      configMapGenerator: [{ name: 'seatplan-platform', behavior: 'replace', files: ['options.yaml', 'tiers.yaml'] }],
    });
    write('kustomization.yaml', {
      namespace: 'argocd',
      resources: ['install.yaml'],
      components: components.map((name) => (name === 'platform' ? name : relative(folder, resolve(COMPONENT, name)))),
    });
    return readStream(must([...tool, folder]));
  });
}

export interface Container {
  readonly name: string;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
export interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly configMap?: { readonly name: string } }[];
}
/** By its name, without the digest that kustomize may have put behind it. */
export const plainName = ({ metadata }: Manifest): string => metadata.name.replace(/-[a-z0-9]{10}$/, '');
export const find = (objects: readonly Manifest[], kind: string, name: string) => {
  const [one, ...others] = objects.filter((object) => object.kind === kind && plainName(object) === name);
  assert.is(others.length, 0);
  return one as Manifest & { readonly data: Readonly<Record<string, string>> };
};
export const podOf = (objects: readonly Manifest[]): PodSpec =>
  (find(objects, 'Deployment', 'argocd-repo-server').spec as { template: { spec: PodSpec } }).template.spec;
export const platformOf = (objects: readonly Manifest[]) => find(objects, 'ConfigMap', 'seatplan-platform');
