// In which order objects were stored and deleted, as a watch saw it.
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Cluster } from '../cluster';
import { program } from '../prerequisites';

export interface Watch {
  /** Kind/name to the resourceVersion that the object was created with; the API server counts all kinds together. */
  readonly added: ReadonlyMap<string, number>;
  readonly deleted: ReadonlyMap<string, number>;
  stop(): void;
}

const TEMPLATE = '{{.type}} {{.object.kind}}/{{.object.metadata.name}} {{.object.metadata.resourceVersion}}{{"\\n"}}';

/** Watches these kinds (plural names) in a namespace, which has none of them yet. */
export function watch({ kubeconfig }: Cluster, namespace: string, kinds: readonly string[]): Watch {
  const seen: Record<string, Map<string, number>> = { ADDED: new Map(), DELETED: new Map() };
  const note = (line: string): void => {
    const [type = '', name = '', version] = line.split(' ');
    if (!seen[type]?.has(name)) seen[type]?.set(name, Number(version));
  };
  const children = kinds.map((kind) => {
    const words = ['--watch', '--output-watch-events', '--output', 'go-template', '--template', TEMPLATE];
    const command = ['--pdeathsig', 'KILL', program('kubectl') ?? 'kubectl', '--kubeconfig', kubeconfig];
    const child = spawn('setpriv', [...command, 'get', kind, '--namespace', namespace, ...words]);
    for (const output of [child.stdout, child.stderr] as Socket[]) output.unref();
    child.stdin.end();
    child.stdout.setEncoding('utf8').on('data', (text: string) => text.split('\n').forEach(note));
    child.unref();
    return child;
  });
  return { added: seen.ADDED!, deleted: seen.DELETED!, stop: () => children.forEach((child) => void child.kill()) };
}
