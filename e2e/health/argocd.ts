// What Argo CD says of an object's health, by its own command line: with the settings of an installation, offline.
import { cpSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { must } from '../command';
import { withFolder } from '../kustomization';
import { readStream } from '../objects';
import { program, SHARE } from '../prerequisites';

export const COMPONENT = resolve(__dirname, '../../deploy/argocd');
const ARGOCD = program('argocd') ?? 'argocd';
const NO_CLUSTER = { HOME: '/nonexistent', KUBECONFIG: '/nonexistent' };

export interface Health {
  readonly status: string;
  readonly message: string;
}
/** undefined: Argo CD has no check for the kind, and takes it for healthy. */
export type Judge = (object: object) => Health | undefined;

/**
 * Argo CD 3.6 with argocd-cm as kustomize makes it of upstream's manifests and these components, given as folders of
 * deploy/argocd. Throws where a check cannot be run.
 */
export function argocd(...components: readonly string[]): Judge {
  const settings = settingsOf(components);
  return (object) =>
    withFolder((folder) => {
      const [cm, file] = [join(folder, 'argocd-cm.yaml'), join(folder, 'object.yaml')];
      writeFileSync(cm, JSON.stringify(settings));
      writeFileSync(file, JSON.stringify(object));
      const asked = ['--argocd-cm-path', cm, '--load-cluster-settings=false'];
      return parse(
        must([ARGOCD, 'admin', 'settings', 'resource-overrides', 'health', file, ...asked], { env: NO_CLUSTER }),
      );
    });
}

function settingsOf(components: readonly string[]): object {
  return withFolder((folder) => {
    cpSync(join(SHARE, 'argocd/install.yaml'), join(folder, 'install.yaml'));
    const kustomization = {
      namespace: 'argocd',
      resources: ['install.yaml'],
      components: components.map((name) => relative(folder, resolve(COMPONENT, name))),
    };
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    const built = readStream(must([program('kustomize') ?? 'kustomize', 'build', folder]));
    return built.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'argocd-cm')!;
  });
}

function parse(printed: string): Health | undefined {
  if (/^Health script is not configured for /m.test(printed)) return undefined;
  const [, status, message] = /^STATUS: (.*)\nMESSAGE: ([\s\S]*)\n$/.exec(printed) ?? [];
  if (status === undefined || message === undefined) throw new Error(`not an answer about health: ${printed}`);
  return { status, message };
}
