// The stage of the tests of Flux: an API server without controllers, the real kustomize-controller, and packages for them.
import { type ApiServer, startApiServer } from './apiserver';
import { type Cluster, connect } from './cluster';
import type { Controller } from './controller';
import { installFlux, startFlux } from './flux-controller';
import { namespaceObjects } from './flux-package';
import { type Source, startSource } from './flux-source';
import type { Manifest } from './objects';
import { CONTROL_PLANE, declare } from './seat-package';

export interface Scene {
  readonly server: ApiServer;
  readonly cluster: Cluster;
  readonly source: Source;
  controller: Controller;
}

export async function startScene(): Promise<Scene> {
  const server = await startApiServer();
  const cluster = connect(server.kubeconfig, undefined);
  await installFlux(cluster);
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: CONTROL_PLANE } }]);
  return { server, cluster, source: await startSource(), controller: startFlux(cluster) };
}

export async function stopScene({ controller, source, server }: Scene): Promise<void> {
  await controller.stop();
  source.close();
  await server.stop();
}

const DIGEST = `sha256:${'5eed'.repeat(16)}`;
/** Nobody runs them. */
const images = { seat: `registry.example/agent@${DIGEST}`, probe: `registry.example/probe@${DIGEST}` };

interface Package {
  readonly namespace: string;
  readonly layout: 'flat' | 'split';
  readonly seats: readonly string[];
  /** Absent: Git has the namespace, and the policy for its seats. */
  readonly withoutNamespace?: true;
  /** Of the Seats. */
  readonly spec?: Readonly<Record<string, unknown>>;
}

export const packageOf = ({ namespace, layout, seats, withoutNamespace, spec = {} }: Package): Manifest[] => [
  ...(withoutNamespace ? [] : namespaceObjects(namespace)),
  ...declare({
    namespace,
    images,
    seats: Object.fromEntries(seats.map((seat) => [seat, spec])),
    options: { output: { layout } },
  }),
];
