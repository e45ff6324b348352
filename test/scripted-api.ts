// An API server of the tests: real HTTP, a few objects in memory, pods that live fast, and whatever a test wants to go wrong.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig, type V1ConfigMap, type V1Pod } from '@kubernetes/client-node';
import type { AgentResult, AgentTask } from '../functions/model';
import { packResult } from '../functions/probe/agent-result';
import { AGENT_TASK, PROBE_LABEL } from '../functions/probe/identity';
import { Api } from '../functions/probe/prober/api';

export interface Request {
  /** `METHOD /path`, without the query. */
  readonly call: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
}
/** `drop`: the connection is cut without an answer. */
export type Answer = { readonly code: number; readonly body?: unknown } | 'drop';

export interface SeatObject {
  readonly metadata: { readonly name: string; readonly uid: string; readonly generation: number };
  status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}
interface Json {
  readonly [key: string]: unknown;
}

export const refusal = (code: number, reason: string, message: string): Answer => ({
  code,
  body: { kind: 'Status', code, reason, message },
});
const ok = (body: unknown): Answer => ({ code: 200, body });
const absent = refusal(404, 'NotFound', 'not found');

/** RFC 7386. */
function merged(value: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const result: Record<string, unknown> = { ...(value as object) };
  for (const [key, one] of Object.entries(patch)) {
    if (one === null) delete result[key];
    else result[key] = merged(result[key], one);
  }
  return result;
}

export class ScriptedApi {
  readonly calls: string[] = [];
  readonly pods = new Map<string, V1Pod>();
  /** uid asked for, by the name of each pod that was deleted. */
  readonly deleted = new Map<string, string | undefined>();
  /** Of the pods that were made, oldest first. */
  readonly tasks: AgentTask[] = [];
  report: V1ConfigMap | undefined = { metadata: { resourceVersion: '1' } };
  /** Lists by plural. */
  lists: Readonly<Record<string, readonly unknown[]>> = {};
  readonly seats: SeatObject[] = [];
  /** Every status that a Seat was given, oldest first. */
  readonly told: NonNullable<SeatObject['status']>[] = [];
  /** Asked first; undefined: the ordinary answer. */
  script: (request: Request) => Answer | undefined = () => undefined;
  private uids = 0;
  private readonly server = createServer((request, response) => void this.serve(request, response));

  /** A client for it; `close` it, or the process hangs. */
  async open(): Promise<Api> {
    await new Promise<void>((done) => this.server.listen(0, '127.0.0.1', done));
    const config = new KubeConfig();
    const { port } = this.server.address() as AddressInfo;
    config.loadFromClusterAndUser(
      { name: 'scripted', server: `http://127.0.0.1:${port}`, skipTLSVerify: true },
      { name: 'test' },
    );
    return new Api(config);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://x');
    const call = `${request.method} ${pathname}`;
    this.calls.push(call);
    let text = '';
    for await (const chunk of request) text += chunk;
    const asked: Request = { call, query, body: text === '' ? undefined : JSON.parse(text) };
    const answer = this.script(asked) ?? this.answer(asked);
    if (answer === 'drop') return void request.socket.destroy();
    // 0: whoever tries again need not wait for it
    response
      .writeHead(answer.code, { 'Content-Type': 'application/json', 'Retry-After': '0' })
      .end(JSON.stringify(answer.body ?? {}));
  }

  /** What it does when nothing goes wrong. */
  answer({ call, query, body }: Request): Answer {
    const [method = '', path = ''] = call.split(' ');
    const [name = '', plural = ''] = path.split('/').reverse();
    if (plural === 'pods' || name === 'pods') return this.ofPods(method, name, query, body as Json);
    if (plural === 'configmaps') return this.reported(method, body as V1ConfigMap);
    if (name === 'status' && method === 'PATCH') return this.tell(plural, (body as SeatObject).status);
    if (name === 'seats') return ok({ items: this.seats });
    if (name === 'subjectaccessreviews') return ok({ status: { allowed: false } });
    if (method === 'POST') return { code: 201, body };
    return this.lists[name] ? ok({ items: this.lists[name] }) : absent;
  }

  private ofPods(method: string, name: string, query: URLSearchParams, body: Json): Answer {
    if (method === 'DELETE') return this.remove(name, body);
    if (method === 'POST') return this.create(body as V1Pod);
    if (name !== 'pods') return this.shown(name);
    return ok({ items: query.has('labelSelector') ? this.probes() : [...this.pods.values()] });
  }

  private reported(method: string, body: V1ConfigMap): Answer {
    if (!this.report) return absent;
    if (method !== 'PATCH') return ok(this.report);
    const { resourceVersion } = this.report.metadata ?? {};
    const expected = body.metadata?.resourceVersion ?? resourceVersion;
    if (expected !== resourceVersion) return refusal(409, 'Conflict', 'changed in the meantime');
    this.write(body);
    return ok(this.report);
  }

  /** Whoever does, the report has another version afterwards. */
  write(patch: V1ConfigMap): void {
    const version = String(Number(this.report?.metadata?.resourceVersion) + 1);
    this.report = merged(merged(this.report, patch), { metadata: { resourceVersion: version } }) as V1ConfigMap;
  }

  private tell(name: string, status: SeatObject['status']): Answer {
    const seat = this.seats.find(({ metadata }) => metadata.name === name);
    if (!seat || !status) return absent;
    seat.status = status;
    this.told.push(status);
    return ok(seat);
  }

  private shown(name: string): Answer {
    const pod = this.pods.get(name);
    return pod ? ok(pod) : absent;
  }

  private create(pod: V1Pod): Answer {
    const name = pod.metadata?.name ?? '';
    if (this.pods.has(name)) return refusal(409, 'AlreadyExists', `pods "${name}" already exists`);
    const task = taskOf(pod);
    if (task) this.tasks.push(task);
    this.uids += 1;
    const created = { ...pod, metadata: { ...pod.metadata, uid: `uid-${this.uids}` }, status: { phase: 'Pending' } };
    this.pods.set(name, created);
    return { code: 201, body: created };
  }

  private remove(name: string, options: Json): Answer {
    const { uid } = (options.preconditions ?? {}) as { uid?: string };
    const pod = this.pods.get(name);
    if (!pod) return absent;
    if (uid !== undefined && uid !== pod.metadata?.uid) return refusal(409, 'Conflict', 'another uid');
    this.deleted.set(name, uid);
    this.pods.delete(name);
    return ok(pod);
  }

  /** Each look is a step in the life of the agent's pods: Pending, Running, Succeeded; others stay as they are. */
  private probes(): V1Pod[] {
    for (const [name, pod] of this.pods) {
      const task = taskOf(pod);
      if (task) this.pods.set(name, { ...pod, status: next(pod, task) });
    }
    return [...this.pods.values()].filter(({ metadata }) => metadata?.labels?.[PROBE_LABEL] !== undefined);
  }
}

function taskOf({ spec }: V1Pod): AgentTask | undefined {
  const text = spec?.containers[0]?.env?.find(({ name }) => name === AGENT_TASK)?.value;
  return text === undefined ? undefined : (JSON.parse(text) as AgentTask);
}

function next({ metadata, status }: V1Pod, { role, nonce }: AgentTask): NonNullable<V1Pod['status']> {
  const address = { podIPs: [{ ip: '10.0.0.9' }] };
  const lasts = status?.phase !== 'Pending' && role !== 'witness';
  if (!lasts) {
    const container = { name: 'probe', started: true, state: { running: {} } };
    return { ...address, phase: 'Running', containerStatuses: [container] as never };
  }
  const now = Date.now();
  const result: AgentResult = {
    ...{ version: 1, role, nonce, podUID: metadata?.uid ?? '', startedAt: now - 20_000, endedAt: now, end: 'done' },
    ...{ listening: [], attempts: {}, heard: [] },
  };
  const container = { name: 'probe', state: { terminated: { exitCode: 0, message: packResult(result) } } };
  return { ...address, phase: 'Succeeded', containerStatuses: [container] as never };
}
