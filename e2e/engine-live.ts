// Real `kpt live` as the tests ask it: a package in a namespace of its own, and what kpt did to each object in which order.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { ApiServer } from './apiserver';
import { type Ran, run } from './command';
import { type Described, renderWith, writePackage } from './engine-package';
import { makeNamespace } from './engine-server';
import { programs } from './prerequisites';

/** A line of `--output json`. */
export interface Event {
  /** `apply`, `wait`, `prune`, `delete`; others are of the run as a whole. */
  readonly type: string;
  /** `Successful`, `Skipped`, `Failed`; of `wait` also `Pending` and `Timeout`. */
  readonly status?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly error?: string;
}
export interface Done {
  /** kpt's: 0, 1 for an error, 3 where something failed or was not ready in time. */
  readonly exit: number | null;
  readonly events: readonly Event[];
  /** Of the last event of this type for the only object of the kind, or for the one of that name. */
  outcome(type: string, kind: string, name?: string): string | undefined;
}
/** What `kpt live` waits, in seconds, for each group of objects: without controllers some are never ready. */
const WAIT = '--reconcile-timeout=2s';
const PRUNE_WAIT = '--prune-timeout=2s';

export class KptLive {
  constructor(
    private readonly kpt: string,
    private readonly server: ApiServer,
  ) {}

  /** Notes in the package by which name the cluster will know it. */
  init(folder: string, name: string): void {
    const { status, stderr } = this.run('init', folder, '--namespace', 'default', '--name', name);
    if (status !== 0) throw new Error(stderr);
  }
  apply(folder: string, ...flags: readonly string[]): Done {
    return read(this.run('apply', folder, '--output', 'json', WAIT, PRUNE_WAIT, ...flags));
  }
  destroy(folder: string): Done {
    return read(this.run('destroy', folder, '--output', 'json'));
  }
  /** What `kpt live status` says of each object. */
  status(folder: string): string {
    return this.run('status', folder).stdout;
  }
  private run(command: string, ...args: readonly string[]): Ran {
    return run([this.kpt, 'live', command, ...args], { env: { KUBECONFIG: this.server.kubeconfig } });
  }
}

function read({ status, stdout, stderr }: Ran): Done {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.startsWith('{'));
  const events = lines.map((line) => JSON.parse(line) as Event);
  return {
    exit: status,
    events,
    outcome: (type, kind, name) =>
      events.findLast(
        (event) => event.type === type && event.kind === kind && (name === undefined || event.name === name),
      )?.status,
  };
}

/** Position of what was done to the first object of a kind; a kind to which it was not done fails. */
export function indexOf({ events }: Done, type: string, kind: string, status = 'Successful'): number {
  const index = events.findIndex((event) => event.type === type && event.kind === kind && event.status === status);
  assert.ok(index >= 0, `${type} ${kind} ${status}`);
  return index;
}

export interface Used {
  readonly folder: string;
  readonly namespace: string;
  readonly live: KptLive;
  readonly server: ApiServer;
  render(): void;
}

/** The namespace of a package that this kpt applies: each kpt has its own. */
export const namespaceOf = (kpt: string, name: string): string => `${name}-${programs('kpt').indexOf(kpt)}`;

/** Gives a rendered package that kpt live knows, in its own namespace and without a probe, to `use`. */
export async function withLive(
  kpt: string,
  server: ApiServer,
  { namespace, ...described }: Partial<Described> & { namespace: string },
  use: (used: Used) => Promise<void>,
): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), 'seatplan-live-'));
  const folder = join(parent, 'package');
  const name = namespaceOf(kpt, namespace);
  try {
    const seats = { analyst: {}, librarian: {} };
    writePackage(folder, { namespace: name, seats, options: { probe: { mode: 'none' } }, ...described });
    const live = new KptLive(kpt, server);
    const render = () => void renderWith(kpt, folder);
    render();
    live.init(folder, name);
    if (!described.others?.some(({ kind }) => kind === 'Namespace')) await makeNamespace(server, name);
    await use({ folder, namespace: name, live, server, render });
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}
