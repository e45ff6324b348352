// A real API server on loopback for tests, with schemas/ installed.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { startControlPlane } from './control-plane';
import { isEstablished } from './objects';

const ROOT = join(__dirname, '..');

/** The API's answer: the object, or a Status that says why not. */
export interface Answer {
  readonly code: number;
  readonly body: Status;
  /** What the server warns of. */
  readonly warnings?: readonly string[];
}
export interface Status {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: { readonly causes?: readonly { field?: string; reason?: string; message?: string }[] };
  readonly [field: string]: unknown;
}
export interface Manifest {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
}
export interface ApiServer {
  readonly url: string;
  /** A kubeconfig file of a user who may do everything. */
  readonly kubeconfig: string;
  /** Folder of kube-apiserver and kubectl. */
  readonly bin: string;
  call(method: string, path: string, body?: string, type?: string): Promise<Answer>;
  /** The same as another user, who needs rights of their own. */
  as(user: string, groups?: readonly string[]): ApiServer['call'];
  /** Creates an object for good. */
  create(object: Manifest, options?: { namespace?: string }): Promise<Answer>;
  /** Creates an object on trial, strictly: nothing is stored. A code below 300 means accepted. */
  dryRun(object: Manifest, options?: { namespace?: string }): Promise<Answer>;
  /** Stops both processes and removes their files. */
  stop(): Promise<void>;
}

export interface Start {
  readonly bin?: string | undefined;
  /** Further flags of kube-apiserver. */
  readonly flags?: readonly string[];
}

/** The folder with kube-apiserver and kubectl; undefined where they or etcd are missing and cannot be built. */
export function findTools(): string | undefined {
  try {
    execFileSync('etcd', ['--version'], { stdio: 'ignore' });
    const printed = execFileSync(join(ROOT, 'e2e/tools.sh'), ['kubernetes'], { stdio: ['ignore', 'pipe', 'inherit'] });
    return printed.toString().trim().split('\n').pop();
  } catch {
    return undefined;
  }
}

/** Starts both servers, installs the CRDs and waits until they are served. */
export async function startApiServer({ bin = findTools(), flags = [] }: Start = {}): Promise<ApiServer> {
  if (bin === undefined) throw new Error('needs etcd, Go and the Go module proxy (see e2e/tools.sh)');
  const { url, certificate, token, kubeconfig, log, stop } = await startControlPlane(bin, flags);
  const call = caller(url, readFileSync(certificate), token);
  const post = async (object: Manifest, namespace: string | undefined, query: string) => {
    const path = await pathOf(call, object, namespace);
    return path === undefined
      ? { code: 404, body: { message: 'unknown kind' } }
      : call('POST', `${path}${query}`, JSON.stringify(object));
  };
  const server: ApiServer = {
    url,
    bin,
    kubeconfig,
    call,
    as: (user, groups = []) =>
      caller(url, readFileSync(certificate), token, {
        'impersonate-user': user,
        ...(groups.length ? { 'impersonate-group': [...groups] } : {}),
      }),
    create: (object, { namespace } = {}) => post(object, namespace, ''),
    dryRun: (object, { namespace } = {}) => post(object, namespace, '?dryRun=All&fieldValidation=Strict'),
    stop,
  };
  try {
    await waitFor(async () => (await call('GET', '/readyz')).code === 200);
    await waitFor(async () => (await call('GET', '/api/v1/namespaces/default')).code === 200);
    await installSchemas(server);
  } catch (error) {
    const tail = readFileSync(log, 'utf8').split('\n').slice(-20).join('\n');
    await stop();
    throw new Error(`${(error as Error).message}\n${tail}`);
  }
  return server;
}

/** Ours, and those of agent-sandbox, whose kinds we render. */
const SCHEMAS = ['schemas', 'e2e/agent-sandbox/crds'];

async function installSchemas(server: ApiServer): Promise<void> {
  const files = SCHEMAS.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => join(ROOT, folder, name)),
  );
  for (const file of files) await install(server, file);
}

interface CustomResourceDefinition extends Manifest {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

async function install(server: ApiServer, file: string): Promise<void> {
  const crd = load(readFileSync(file, 'utf8')) as CustomResourceDefinition;
  const { code, body } = await server.create(crd);
  if (code >= 300) throw new Error(`${file}: ${body.message}`);
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata?.name}`;
  await waitFor(async () => isEstablished((await server.call('GET', path)).body));
  // Established comes a moment before the kind is served.
  const { group, names, versions } = crd.spec;
  await waitFor(
    async () => (await server.call('GET', `/apis/${group}/${versions[0]?.name}/${names.plural}`)).code === 200,
  );
}

/** Where objects of the kind live, by the API's own discovery. */
async function pathOf(
  call: ApiServer['call'],
  object: Manifest,
  namespace: string | undefined,
): Promise<string | undefined> {
  const group = String(object.apiVersion).includes('/') ? `/apis/${object.apiVersion}` : `/api/${object.apiVersion}`;
  const { body } = await call('GET', group);
  const resources = (body.resources ?? []) as { name: string; kind: string; namespaced: boolean }[];
  const resource = resources.find(({ kind, name }) => kind === object.kind && !name.includes('/'));
  if (!resource) return undefined;
  const scope = namespace ?? object.metadata?.namespace ?? 'default';
  return resource.namespaced ? `${group}/namespaces/${scope}/${resource.name}` : `${group}/${resource.name}`;
}

type Headers = Readonly<Record<string, string | string[]>>;

function caller(url: string, ca: Buffer, token: string, more: Headers = {}): ApiServer['call'] {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca });
  return (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...more,
        ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
      };
      const sent = request(url + path, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            code: response.statusCode ?? 0,
            body: parse(Buffer.concat(chunks).toString()),
            warnings: [response.headers.warning ?? []].flat(),
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
}

function parse(text: string): Status {
  try {
    return JSON.parse(text) as Status;
  } catch {
    return { message: text };
  }
}

async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition().catch(() => false))) {
    if (Date.now() > deadline) throw new Error('the API server is not ready after 60 s');
    await new Promise((done) => setTimeout(done, 200));
  }
}
