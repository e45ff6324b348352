// Rendered folders as artifacts, served and announced in source-controller's place: a tar of the folder by HTTP, and the
// status of an OCIRepository that names it.
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Cluster } from './cluster';
import { must } from './command';

export interface Source {
  /** Where an artifact of these bytes is, and what revision it is. */
  add(folder: string): Artifact;
  close(): void;
}
export interface Artifact {
  readonly digest: string;
  readonly revision: string;
  readonly path: string;
  readonly url: string;
  readonly size: number;
  readonly lastUpdateTime: string;
}

/** Serves what is added, on loopback. */
export async function startSource(): Promise<Source> {
  const artifacts = new Map<string, Buffer>();
  const server: Server = createServer(({ url = '' }, response) => {
    const bytes = artifacts.get(url);
    response.writeHead(bytes ? 200 : 404).end(bytes);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  server.unref(); // a test that fails before it closes this must still end
  const { port } = server.address() as { port: number };
  return {
    add(folder) {
      const bytes = tarOf(folder);
      const hex = createHash('sha256').update(bytes).digest('hex');
      const path = `/${hex}.tar.gz`;
      artifacts.set(path, bytes);
      return {
        digest: `sha256:${hex}`,
        revision: `main@sha256:${hex}`,
        path: path.slice(1),
        url: `http://127.0.0.1:${port}${path}`,
        size: bytes.length,
        lastUpdateTime: new Date().toISOString(),
      };
    },
    close: () => server.close(),
  };
}

/** Without owners and times: the same files give the same bytes, so the same revision. */
const tarOf = (folder: string): Buffer =>
  Buffer.from(
    must([
      ...(['bash', '-c'] as const),
      'set -o pipefail; tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$0" -c . | gzip -n | base64',
      folder,
    ]),
    'base64',
  );

/** What source-controller writes once it has fetched an artifact. */
export async function announce(
  { kubectl }: Cluster,
  { name, namespace }: { readonly name: string; readonly namespace: string },
  artifact: Artifact,
): Promise<void> {
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Succeeded',
    message: `stored artifact for digest '${artifact.revision}'`,
    lastTransitionTime: artifact.lastUpdateTime,
    observedGeneration: 1,
  };
  await kubectl([
    ...['patch', `ocirepositories.source.toolkit.fluxcd.io/${name}`, '--namespace', namespace],
    ...['--subresource', 'status', '--type', 'merge', '--patch'],
    JSON.stringify({ status: { artifact, conditions: [ready], observedGeneration: 1 } }),
  ]);
}
