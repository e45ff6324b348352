// `seatplan status`: what probes found about the seats of a cluster, how old that is, and whether it still counts.
import { asLines } from '../escape';
import { type SeatStatus, statusesOf, statusJson, statusJunit, tableOf } from '../report/seat-status';
import { EXIT, type ExitCode, Refusal, type Shell } from './shell';
import type { Published } from './status-cluster';

export interface StatusOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly controlPlaneNamespace: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly format: 'text' | 'json' | 'junit';
}

const FORMATS: Readonly<Record<StatusOptions['format'], (rows: readonly SeatStatus[], now: number) => string>> = {
  text: tableOf,
  json: statusJson,
  junit: statusJunit,
};

/** Ends with 0 only if every seat is proven to be enforced now. */
export async function status(options: StatusOptions, shell: Shell): Promise<ExitCode> {
  const { reports, seats, notes } = await read(options);
  const now = Date.now();
  const rows = statusesOf(reports, seats, now);
  for (const note of notes) shell.errors.write(`${asLines(`seatplan: ${note}`)}\n`);
  if (rows.length === 0 && options.format === 'text') {
    const running = reports.filter(({ report }) => !report).map(({ namespace }) => namespace);
    const where = options.allNamespaces ? 'any namespace' : `namespace ${options.namespace ?? 'of the context'}`;
    shell.errors.write(
      asLines(
        running.length
          ? `seatplan: no report yet for ${running.join(', ')}: the probe has not ended`
          : `seatplan: no Seat and no report of a probe in ${where} (reports are looked for in ${options.controlPlaneNamespace})`,
      ).concat('\n'),
    );
    return EXIT.findings;
  }
  shell.output.write(FORMATS[options.format](rows, now));
  return rows.every(({ enforced }) => enforced === 'True') ? EXIT.fine : EXIT.findings;
}

/** What the Kubernetes client asks for; every other command runs on Node 20. */
const LEAST_NODE = [22, 19] as const;

async function read(options: StatusOptions): Promise<Published> {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1])) {
    throw new Refusal(`status needs Node ${LEAST_NODE.join('.')} or newer, and this is ${process.version}`);
  }
  const { readPublished } = await import('./status-cluster');
  const { kubeconfig, context, controlPlaneNamespace } = options;
  try {
    return await readPublished({
      ...(kubeconfig ? { kubeconfig } : {}),
      ...(context ? { context } : {}),
      controlPlaneNamespace,
      namespace: options.allNamespaces ? undefined : (options.namespace ?? ''),
    });
  } catch (error) {
    throw new Refusal(`cannot read the cluster: ${error instanceof Error ? error.message : String(error)}`);
  }
}
