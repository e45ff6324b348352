// The stage of the tests: a cluster with the seats' platform, Argo CD's core with our plugin, and a Git repository.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { type Cluster, cluster, type Images } from '../cluster';
import { must } from '../command';
import { type Manifest, readStream } from '../objects';
import { declare, GVISOR, installPlatform, makeNamespace } from '../seat-package';
import { clusterSecret } from './documented';
import { ARGOCD, apply, build, controllerKubeconfig, platformOf } from './install';
import { clear } from './leftovers';
import { type Processes, startProcesses } from './processes';
import { makeRepository, type Repository } from './repository';

/** Version of the plugin as it ships. */
export const VERSION = 'v0.1.0';

export interface Stage {
  readonly on: Cluster;
  readonly images: Images;
  readonly argocd: Processes;
  readonly git: Repository;
  /** As in the sidecar: the plugin's program, and the folder of the platform level. */
  readonly cli: string;
  readonly platform: string;
  close(): Promise<void>;
}

export async function openStage(namespace: string): Promise<Stage> {
  const on = cluster();
  const images = on.images();
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-argocd-core-'));
  await clear(on, namespace);
  await installPlatform(on, images);
  await makeNamespace(on, namespace);

  const built = build(join(folder, 'install'), platformLevel(images));
  await apply(on, built, { 'resource.respectRBAC': 'normal' }, [namespace]);
  await on.apply(clusterSecret(namespace));
  const platform = join(folder, 'platform');
  mkdirSync(platform);
  for (const [name, text] of Object.entries(platformOf(built))) writeFileSync(join(platform, name), text);

  const cli = join(folder, 'cli.js'); // alone, as in the image
  copyFileSync(resolve(__dirname, '../../dist/cli.js'), cli);
  const kubeconfig = await controllerKubeconfig(on, folder);
  const argocd = await startProcesses(on, { kubeconfig, namespace: ARGOCD, cli, platform });
  await argocd.startPlugin(VERSION);
  const git = makeRepository();
  return {
    on,
    images,
    argocd,
    git,
    cli,
    platform,
    async close() {
      await argocd.stop();
      if (!process.env.E2E_KEEP_CLUSTER) await clear(on, namespace);
      git.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Options and tiers: what the platform's people own. */
function platformLevel(images: Images): Readonly<Record<string, string>> {
  const all = declare({ namespace: '', images, seats: {}, tiers: { 'tier-gvisor': GVISOR } });
  const of = (wanted: string): string => stringify(all.find(({ kind }) => kind === wanted));
  return { 'options.yaml': of('ExpandSeats'), 'tiers.yaml': of('TrustTier') };
}

/** What the package in this folder of the repository is rendered to. */
export const rendered = ({ git, cli, platform }: Stage, path: string): Manifest[] =>
  readStream(must([process.execPath, cli, 'render', '--all', join(git.folder, path), '--platform', platform]));
