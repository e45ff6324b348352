// In which order objects were stored: what a watch saw first of each.
import { spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Cluster } from '../cluster';
import { program } from '../prerequisites';

export interface Watch {
  /** Kind/name to the resourceVersion that the object had when it was created; the API server counts all kinds together. */
  readonly first: ReadonlyMap<string, number>;
  stop(): void;
}

const TEMPLATE = '{{.object.kind}}/{{.object.metadata.name}} {{.object.metadata.resourceVersion}}{{"\\n"}}';

/** Watches these kinds (plural names) in a namespace, which has none of them yet. */
export function watch({ kubeconfig }: Cluster, namespace: string, kinds: readonly string[]): Watch {
  const first = new Map<string, number>();
  const note = (line: string): void => {
    const [name = '', version] = line.split(' ');
    if (version && !first.has(name)) first.set(name, Number(version));
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
  return { first, stop: () => children.forEach((child) => void child.kill()) };
}
