// Speaks to Argo CD's plugin server over its socket, with the environment that Argo CD's repo-server gives to a plugin.
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import {
  type CallOptions,
  Client,
  credentials,
  makeGenericClientConstructor,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

export interface App {
  /** The repository, a tar.gz. */
  readonly repository: Buffer;
  /** Of the app in it; default: all of it. */
  readonly path?: string;
  readonly env?: Readonly<Record<string, string>>;
}
export interface Parameter {
  readonly name: string;
  readonly itemType: string;
  readonly string: string;
}
export interface PluginServer {
  /** Objects as JSON. Rejects with what Argo CD shows; `seconds`: what it gives a plugin unless told otherwise. */
  generate(app: App, seconds?: number): Promise<string[]>;
  match(app: App): Promise<{ readonly supported: boolean; readonly discovery: boolean }>;
  parameters(app: App): Promise<readonly Parameter[]>;
  configuration(): Promise<{ readonly discovery: boolean; readonly gitCredentials: boolean }>;
  close(): void;
}

const MIB = 2 ** 20;
/** ARGOCD_CMP_CHUNK_SIZE, ARGOCD_GRPC_MAX_SIZE_MB and `repo.server.timeout.seconds`, unless someone sets them. */
const CHUNK = 1024;
const LARGEST = 100 * MIB;
const SECONDS = 60;

const Plugin = makeGenericClientConstructor(
  loadSync(resolve(__dirname, 'plugin.proto'), { defaults: true, longs: Number })[
    'plugin.ConfigManagementPluginService'
  ] as ServiceDefinition,
  'Plugin',
);

export function connect(socket: string): PluginServer {
  const client = new Plugin(`unix:${socket}`, credentials.createInsecure(), {
    'grpc.max_receive_message_length': LARGEST,
  });
  type Answered = (error: ServiceError | null, answer: unknown) => void;
  const options = (seconds: number): CallOptions => ({ deadline: Date.now() + seconds * 1000 });
  const send = <T>(method: string, { repository, path = '', env = environment() }: App, seconds = SECONDS) =>
    new Promise<T>((done, fail) => {
      const answered: Answered = (error, answer) => (error ? fail(error) : done(answer as T));
      const call = client[method]?.call(client, options(seconds), answered);
      call.on('error', fail); // of writes after the answer, which has come already
      call.write({
        app: {
          name: 'app',
          path,
          sha256: createHash('sha256').update(repository).digest('hex'),
          size: repository.length,
          env: Object.entries(env).map(([name, value]) => ({ name, value })),
        },
      });
      for (let at = 0; at < repository.length; at += CHUNK)
        call.write({ bytes: { chunk: repository.subarray(at, at + CHUNK) } });
      call.end();
    });
  return {
    generate: async (app, seconds) => {
      const { manifests } = await send<{ manifests: string[] }>('generateManifest', app, seconds);
      return manifests;
    },
    match: (app) => send('matchRepository', app),
    parameters: async (app) => {
      const { parameters } = await send<{ parameters: Parameter[] }>('getParametersAnnouncement', app);
      return parameters;
    },
    configuration: () =>
      new Promise((done, fail) => {
        const answered: Answered = (error, answer) => (error ? fail(error) : done(answer as never));
        client.checkPluginConfiguration?.call(client, {}, options(SECONDS), answered);
      }),
    close: () => Client.prototype.close.call(client),
  };
}

/** What Applications can say to a plugin, and where they come from. */
export interface Source {
  readonly name?: string;
  readonly namespace?: string;
  readonly project?: string;
  readonly revision?: string;
  /** `spec.source.plugin.env` */
  readonly env?: Readonly<Record<string, string>>;
  /** `spec.source.plugin.parameters` */
  readonly parameters?: readonly { readonly name: string; readonly [value: string]: unknown }[];
}

/**
 * The variables of a request, all that Argo CD sets (argo-cd v3.6.1, reposerver/repository/repository.go newEnv and
 * getPluginEnvs, pkg/apis/application/v1alpha1/types.go Environ): what an Application chooses begins with ARGOCD_ENV_ or PARAM_.
 */
export function environment({
  name = 'team-a',
  namespace = 'team-a',
  project = 'seats',
  revision = '5dd310c0a3f1b7e2946c8d5f0a1b2c3d4e5f6071',
  env = {},
  parameters,
}: Source = {}): Record<string, string> {
  const escaped = (text: string): string => text.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
  return {
    ARGOCD_APP_NAME: name,
    ARGOCD_APP_NAMESPACE: namespace,
    ARGOCD_APP_PROJECT_NAME: project,
    ARGOCD_APP_REVISION: revision,
    ARGOCD_APP_REVISION_SHORT: revision.slice(0, 7),
    ARGOCD_APP_REVISION_SHORT_8: revision.slice(0, 8),
    ARGOCD_APP_SOURCE_REPO_URL: 'https://github.com/acme/agents.git',
    ARGOCD_APP_SOURCE_PATH: name,
    ARGOCD_APP_SOURCE_TARGET_REVISION: 'main',
    KUBE_VERSION: '1.35.4',
    KUBE_API_VERSIONS: 'v1,apps/v1,networking.k8s.io/v1',
    ...Object.fromEntries(Object.entries(env).map(([key, value]) => [`ARGOCD_ENV_${key}`, value])),
    ARGOCD_APP_PARAMETERS: JSON.stringify(parameters ?? null),
    ...Object.fromEntries(
      (parameters ?? []).map((one) => [`PARAM_${escaped(one.name)}`, String(one.string ?? '')] as const),
    ),
  };
}
