// The API server as JSON over HTTP: the client library finds and authenticates it; objects stay as the server wrote them,
// since a typed client drops the fields that it does not know, and a probe looks for just those.
import { HttpMethod, IsomorphicFetchHttpLibrary, KubeConfig, RequestContext } from '@kubernetes/client-node';
import { isTransient, pauseBefore, TRIES, TRIES_IN_A_HURRY } from './retry';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Call {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** The answer is the object's metadata alone. */
  readonly metadataOnly?: true;
}

/** What the API server answered when it refused; 0: it did not answer. */
export class ApiError extends Error {
  constructor(
    readonly code: number,
    /** `reason` of its Status, e.g. `AlreadyExists`; empty where it gave none. */
    readonly reason: string,
    message: string,
    /** Of a Retry-After header, in seconds. */
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

/** Nothing of the prober may take longer, in ms. */
const TIMEOUT = 15_000;
const TIMEOUT_IN_A_HURRY = 5000;
/** Where the client library looks when neither a pod nor a kubeconfig names a cluster. */
const NOWHERE = 'http://localhost:8080';
const JSON_TYPE = 'application/json';
/** kubernetes.io/docs/reference/using-api/api-concepts: how metadata-only clients ask. */
const METADATA_TYPE = `${JSON_TYPE};as=PartialObjectMetadata;g=meta.k8s.io;v=v1`;
/** Tokens of a pod are rotated; what was read of them is used so long, in ms. */
const FRESH = 60_000;
const PAGE = '500';

export class Api {
  /** How many requests were sent. */
  calls = 0;
  private readonly http = new IsomorphicFetchHttpLibrary();
  private signed: { readonly at: number; readonly context: RequestContext } | undefined;
  private inAHurry = false;
  private readonly hurried: Promise<void>;
  /** From now on no call may take long, nor one that waits to be tried again: the process is told to end. */
  readonly hurry: () => void;

  constructor(private readonly config: KubeConfig) {
    let wake = (): void => {};
    this.hurried = new Promise((done) => (wake = done));
    this.hurry = () => {
      this.inAHurry = true;
      wake();
    };
  }

  /** The cluster of the kubeconfig, else that which this process runs in; undefined where there is none. Throws an Error for a broken kubeconfig. */
  static find(): Api | undefined {
    const config = new KubeConfig();
    config.loadFromDefault();
    const server = config.getCurrentCluster()?.server;
    return server === undefined || server === NOWHERE ? undefined : new Api(config);
  }

  /** `host:port` of the server as this process reaches it. */
  get server(): URL {
    return new URL(this.config.getCurrentCluster()?.server ?? '');
  }

  /** JSON of the answer. Tries again what may pass: 429, 5xx, a lost connection. Throws ApiError. */
  async call<T>(method: Method, path: string, call: Call = {}): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return (await this.once(method, path, call)) as T;
      } catch (error) {
        const failure = error instanceof ApiError ? error : new ApiError(0, '', messageOf(error));
        if (tries >= (this.inAHurry ? TRIES_IN_A_HURRY : TRIES) || !isTransient(failure)) throw failure;
        const pause = new Promise<void>((next) => setTimeout(next, pauseBefore(tries, failure, Math.random())));
        await Promise.race([pause, this.hurried]);
      }
    }
  }

  /** All items of a list, page by page. */
  async list<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T[]> {
    const items: T[] = [];
    let next = '';
    do {
      const page: { items?: T[]; metadata?: { continue?: string } } = await this.call('GET', path, {
        query: { ...query, limit: PAGE, ...(next ? { continue: next } : {}) },
      });
      items.push(...(page.items ?? []));
      next = page.metadata?.continue ?? '';
    } while (next);
    return items;
  }

  private async once(
    method: Method,
    path: string,
    { query = {}, body, contentType, metadataOnly }: Call,
  ): Promise<unknown> {
    const url = new URL(path, this.server);
    for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
    const request = new RequestContext(url.toString(), HttpMethod[method]);
    const signed = await this.sign();
    const dispatcher = signed.getDispatcher();
    if (dispatcher) request.setDispatcher(dispatcher);
    for (const [key, value] of Object.entries(signed.getHeaders())) request.setHeaderParam(key, value);
    request.setHeaderParam('Accept', metadataOnly ? METADATA_TYPE : JSON_TYPE);
    request.setHeaderParam('User-Agent', 'seatplan-probe');
    if (body !== undefined) {
      request.setHeaderParam('Content-Type', contentType ?? JSON_TYPE);
      request.setBody(JSON.stringify(body));
    }
    request.setSignal(AbortSignal.timeout(this.inAHurry ? TIMEOUT_IN_A_HURRY : TIMEOUT));
    this.calls += 1;
    const response = await this.http.send(request).toPromise();
    const text = await response.body.text();
    if (response.httpStatusCode < 300) return text === '' ? undefined : JSON.parse(text);
    throw refused(response.httpStatusCode, text, response.headers['retry-after']);
  }

  private async sign(): Promise<RequestContext> {
    if (!this.signed || Date.now() - this.signed.at > FRESH) {
      const context = new RequestContext(this.server.toString(), HttpMethod.GET);
      await this.config.applySecurityAuthentication(context);
      this.signed = { at: Date.now(), context };
    }
    return this.signed.context;
  }
}

function refused(code: number, text: string, retryAfter: string | undefined): ApiError {
  const seconds = Number(retryAfter);
  const wait = retryAfter !== undefined && Number.isFinite(seconds) ? seconds : undefined;
  try {
    const { reason = '', message = '' } = JSON.parse(text) as { reason?: string; message?: string };
    return new ApiError(code, reason, message || `the API server answered ${code}`, wait);
  } catch {
    return new ApiError(code, '', `the API server answered ${code}: ${text.slice(0, 200)}`, wait);
  }
}

/** fetch hides the cause behind "fetch failed". */
const messageOf = (error: unknown): string => {
  const { message = String(error), cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ? `${message}: ${cause.message}` : message;
};
