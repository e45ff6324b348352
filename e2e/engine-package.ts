// Packages of seats for the tests of engines: written to disk as a team has them in Git, and rendered by real kpt.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dump } from 'js-yaml';
import { must } from './command';
import { filesBelow, type Manifest, readStream } from './objects';

const ROOT = resolve(__dirname, '..');
const IMAGE = `ghcr.io/acme/agent@sha256:${'d4f0bc5a'.repeat(8)}`;
/** For the pipeline or the command line only, never for a cluster. */
const LOCAL = { 'config.kubernetes.io/local-config': 'true' };
const FUNCTION = /image: ghcr\.io\/seatplan\/([a-z-]+):\S+/g;

/** What a test says of a package; everything else is as most users have it. */
export interface Described {
  readonly namespace: string;
  /** By name; the spec's fields are added to the least that a Seat needs. */
  readonly seats: Readonly<Record<string, object>>;
  /** Of the Seats. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of `ExpandSeats`. */
  readonly options?: object;
  readonly others?: readonly Manifest[];
}

/** Writes a kpt package: one file for each Seat, its tier and options, and `others.yaml`. */
export function writePackage(
  folder: string,
  { namespace, seats, annotations = {}, options = {}, others = [] }: Described,
): void {
  const write = (file: string, ...objects: readonly object[]): void =>
    writeFileSync(join(folder, file), objects.map((object) => dump(object)).join('---\n'));
  mkdirSync(folder, { recursive: true });
  const image = 'ghcr.io/seatplan/expand-seats:v0.1.0';
  write('Kptfile', {
    apiVersion: 'kpt.dev/v1',
    kind: 'Kptfile',
    metadata: { name: namespace, annotations: LOCAL },
    pipeline: { mutators: [{ image, configPath: 'options.yaml' }] },
  });
  write('options.yaml', {
    apiVersion: 'seatplan.dev/v1alpha1',
    kind: 'ExpandSeats',
    metadata: { name: 'options', annotations: LOCAL },
    spec: { dns: { namespace: 'kube-system', podLabels: { 'k8s-app': 'kube-dns' } }, ...options },
  });
  // of the whole cluster, which the packages of these tests share: installed by nobody
  write(
    'tier.yaml',
    {
      apiVersion: 'maqpna.com/v1alpha1',
      kind: 'TrustTier',
      metadata: { name: 'standard', annotations: LOCAL },
      spec: {
        runtimeClassName: 'gvisor',
        isolation: 'gvisor',
        defaultResources: { limits: { cpu: '1', memory: '1Gi' } },
      },
    },
    {
      apiVersion: 'node.k8s.io/v1',
      kind: 'RuntimeClass',
      metadata: { name: 'gvisor', annotations: LOCAL },
      handler: 'runsc',
    },
  );
  for (const [name, spec] of Object.entries(seats)) {
    write(`${name}.yaml`, {
      apiVersion: 'steadmesh.io/v1alpha1',
      kind: 'Seat',
      metadata: { name, namespace, annotations },
      spec: {
        organization: 'acme',
        tierRef: { name: 'standard' },
        harness: { adapter: 'claude-code', image: IMAGE },
        ...spec,
      },
    });
  }
  if (others.length) write('others.yaml', ...others);
  byExec(folder);
}

/** Has the pipelines of a package run the built functions as programs, where its Kptfile names their images. */
export function byExec(folder: string): void {
  for (const name of filesBelow(folder).filter((file) => /(^|\/)Kptfile$/.test(file))) {
    const text = readFileSync(join(folder, name), 'utf8');
    const exec = (_: string, program: string): string => `exec: ${process.execPath} ${ROOT}/dist/${program}.js`;
    writeFileSync(join(folder, name), text.replace(FUNCTION, exec));
  }
}

/** `kpt fn render` of a package of `byExec`. */
export const renderWith = (kpt: string, folder: string): string => must([kpt, 'fn', 'render', '--allow-exec', folder]);

/** Rewrites what was rendered into a folder, file by file; an object for which `change` has none is left out. */
export function rewrite(
  folder: string,
  change: (object: Manifest, beside: readonly Manifest[]) => Manifest | undefined,
) {
  for (const name of filesBelow(folder).filter((file) => file.endsWith('.yaml'))) {
    const objects = readStream(readFileSync(join(folder, name), 'utf8'));
    const changed = objects.map((object) => change(object, objects)).filter((object) => object !== undefined);
    writeFileSync(join(folder, name), changed.map((object) => dump(object)).join('---\n'));
  }
}

/** Removes a Seat, and nothing that was rendered of it. */
export const removeSeat = (folder: string, name: string): void => rmSync(join(folder, `${name}.yaml`));
