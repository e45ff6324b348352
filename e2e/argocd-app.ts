// Apps for the plugin's tests: repositories, the platform levels that they need, and what the command line prints of them.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Fixture } from '../test/fixtures';
import type { Sidecar } from './argocd-server';
import { type Entry, entriesOf, tgz } from './argocd-tar';
import type { App, Source } from './cmp-client';
import { environment } from './cmp-client';
import { must } from './command';
import { filesBelow, type Manifest, readFolder } from './objects';

const ROOT = resolve(__dirname, '..');
export const SAMPLE = join(ROOT, 'deploy/argocd/sample');
export type Texts = Readonly<Record<string, string>>;

/** Texts by the names of a folder's files. */
export const textsOf = (folder: string): Record<string, string> =>
  Object.fromEntries(filesBelow(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
export const EXAMPLE = textsOf(join(ROOT, 'deploy/argocd/platform'));

/** A platform level below which the package says what it says without one: its own, else its tiers and config. */
export function platformFor({ platform }: Pick<Fixture, 'platform'>, copy: string): Texts {
  if (platform) return textsOf(platform);
  const own = readFolder(copy).filter(({ kind }) => kind === 'TrustTier' || kind === 'ExpandSeats');
  const config = { apiVersion: 'seatplan.dev/v1alpha1', kind: 'ExpandSeats', metadata: { name: 'platform' } };
  const objects = own.length ? own : [{ ...config, spec: { requireTier: false } }];
  return Object.fromEntries(objects.map((object, n) => [`${n}.json`, JSON.stringify(object)]));
}

/** An app in the folder team-a of a repository that holds another one beside it. */
export const appOf = (files: Texts | readonly Entry[], source: Source = {}): App => ({
  repository: tgz([
    { path: 'team-b/seat.yaml', content: seat('neighbour') },
    ...('length' in files
      ? (files as readonly Entry[])
      : Object.entries(files).map(([name, content]) => ({ path: `team-a/${name}`, content }))),
  ]),
  path: 'team-a',
  env: environment(source),
});
export const appIn = (folder: string, source: Source = {}): App => appOf(entriesOf(folder, 'team-a'), source);

/** A Seat without a flaw, unless `more` brings one. */
export const seat = (name: string, more = ''): string =>
  readFileSync(join(SAMPLE, 'seat.yaml'), 'utf8').replace('name: engineer', `name: ${name}`) + more;

/** What Argo CD got, decoded. */
export const objectsOf = (manifests: readonly string[]): Manifest[] => manifests.map((text) => JSON.parse(text));

/** What `seatplan render --all` prints of the folder below the same platform level, decoded. */
export function renderedIn(folder: string, { platform }: Pick<Sidecar, 'platform'>): Manifest[] {
  const command = [process.execPath, join(ROOT, 'dist/cli.js'), 'render', '--all', '--platform', platform] as const;
  return parseAllDocuments(must([...command, folder]), { merge: true }).map((document) => document.toJS());
}

/** What Argo CD shows of an app that the plugin refuses. */
export async function refusal(sidecar: Sidecar, app: App, seconds?: number): Promise<string> {
  const answer = await sidecar.generate(app, seconds).then(
    (manifests) => new Error(`it is not refused, but rendered: ${manifests.length} objects`),
    ({ details }: { readonly details: string }) => details,
  );
  if (answer instanceof Error) throw answer;
  return answer;
}

/** The plugin's own lines of it. */
export function linesOf(shown: string): string[] {
  const [command, text] = shown.split(/ failed exit status 1: /);
  if (text === undefined) throw new Error(`not an error of the plugin: ${shown}`);
  if (!command?.endsWith('`node /app/cli.js cmp generate`')) throw new Error(`not of our command: ${shown}`);
  return text.split('\n');
}
