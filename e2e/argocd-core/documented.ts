// What docs/argocd.md and deploy/argocd ship for users to copy, with the names of a test in it: what is tried is what they get.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { type Manifest, readStream } from '../objects';

const ROOT = resolve(__dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The YAML block of docs/argocd.md whose first line is `# <title>`. */
export function block(title: string): string {
  const [, text] = read('docs/argocd.md').split(`\`\`\`yaml\n# ${title}\n`);
  if (text === undefined) throw new Error(`docs/argocd.md has no block "${title}"`);
  return text.slice(0, text.indexOf('\n```'));
}

/** Rights of the application controller for seats of this namespace, where Argo CD does not manage the whole cluster. */
export const rights = (namespace: string): Manifest[] =>
  readStream(block('rights.yaml').replaceAll('team-a', namespace));

/** The cluster Secret of such an installation. */
export const clusterSecret = (namespace: string): Manifest[] =>
  readStream(block('cluster.yaml').replaceAll('team-a', namespace));

const REPOSITORY = 'https://github.com/acme/agents.git';

/** deploy/argocd/appproject.yaml and application.yaml with this repository and folder; seats are in `namespace`. */
export function applicationOf(url: string, path: string, namespace: string): Manifest[] {
  const project = read('deploy/argocd/appproject.yaml').replaceAll(REPOSITORY, url);
  const application = read('deploy/argocd/application.yaml')
    .replaceAll(REPOSITORY, url)
    .replace('path: team-a', `path: ${path}`)
    .replaceAll('team-a', namespace);
  return [...readStream(project), ...readStream(application)];
}

/** The message holds this text, and docs/argocd.md the phrase of it by which users find what to do. */
export function assertDocumented(message: string | undefined, text: string, phrase = text): void {
  assert.ok(message?.includes(text), `"${text}" is not in: ${message}`);
  assert.ok(read('docs/argocd.md').includes(phrase), `docs/argocd.md does not explain "${phrase}"`);
}
