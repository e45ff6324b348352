// The API server of the engines' tests, and what it holds of seats.
import { type ApiServer, startApiServer } from './apiserver';
import type { Manifest } from './objects';

/** An object as the server has it. */
export interface Stored extends Manifest {
  readonly metadata: Manifest['metadata'] & {
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly managedFields?: unknown;
  };
}

/** Starts it with the namespace of the control plane. It has no controllers: nothing changes but by the engine. */
export async function startEngineServer(): Promise<ApiServer> {
  const server = await startApiServer();
  await makeNamespace(server, 'steadmesh-system');
  return server;
}

const PATHS: Readonly<Record<string, string>> = {
  ConfigMap: 'api/v1/*/configmaps',
  Job: 'apis/batch/v1/*/jobs',
  NetworkPolicy: 'apis/networking.k8s.io/v1/*/networkpolicies',
  PersistentVolumeClaim: 'api/v1/*/persistentvolumeclaims',
  Role: 'apis/rbac.authorization.k8s.io/v1/*/roles',
  RoleBinding: 'apis/rbac.authorization.k8s.io/v1/*/rolebindings',
  Seat: 'apis/steadmesh.io/v1alpha1/*/seats',
  ServiceAccount: 'api/v1/*/serviceaccounts',
  StatefulSet: 'apis/apps/v1/*/statefulsets',
};
/** All kinds that are rendered into the namespace of the seats, and Seats. */
export const KINDS = Object.keys(PATHS);
const pathOf = (kind: string, namespace: string): string => `/${PATHS[kind]!.replace('*', `namespaces/${namespace}`)}`;

/** The objects of a kind in a namespace, in order of their names; those that are being deleted too. */
export async function stored(server: ApiServer, kind: string, namespace: string): Promise<readonly Stored[]> {
  const { code, body } = await server.call('GET', pathOf(kind, namespace));
  if (code !== 200) throw new Error(body.message);
  return (body.items as readonly Stored[]).map((object) => ({ ...object, kind }));
}

/** Writes the status that a controller would. */
export async function setStatus(
  server: ApiServer,
  { kind, metadata: { namespace = '', name } }: Stored,
  status: object,
): Promise<void> {
  const path = `${pathOf(kind, namespace)}/${name}/status`;
  const { code, body } = await server.call('PATCH', path, JSON.stringify({ status }), 'application/merge-patch+json');
  if (code !== 200) throw new Error(body.message);
}

/** Creates a namespace, as the platform team does before any package. */
export async function makeNamespace(server: ApiServer, name: string): Promise<void> {
  const { code, body } = await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  if (code >= 300) throw new Error(body.message);
}

/** What is stored, but for notes of the server's own: it may store the same again. */
export const contents = (objects: readonly Stored[]): object[] =>
  objects.map(({ metadata: { resourceVersion: _, managedFields: __, ...metadata }, ...object }) => ({
    ...object,
    metadata,
  }));
