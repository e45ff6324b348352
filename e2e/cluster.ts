// The cluster of the end-to-end tests, and what they do with it: that of e2e/cluster, or the one that E2E_KUBECONFIG names.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { must } from './command';
import { docker, IMAGES } from './docker';
import type { Manifest } from './objects';
import { program } from './prerequisites';

const SCRIPTS = resolve(__dirname, 'cluster');
const STATE = process.env.STATE ?? join(tmpdir(), 'seatplan-cluster/state');
const NAMESPACE = '/run/netns/seatplan';

/** An object as the API server shows it. */
export interface Live extends Manifest {
  readonly metadata: Manifest['metadata'] & {
    readonly uid: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string }[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}

/** References by digest. */
export interface Images {
  readonly tool: string;
  readonly seat: string;
  readonly probe: string;
}

export interface Cluster {
  readonly kubeconfig: string;
  /** Address of this machine as pods reach it; undefined in a cluster that the tests did not start. */
  readonly hostAddress: string | undefined;
  /** Folder of the node for volumes; undefined in a cluster that provisions its own. */
  readonly volumeFolder: string | undefined;
  /** Runs kubectl; throws what it says when it fails. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** Server-side, as a GitOps engine does; returns when all are stored. */
  apply(objects: readonly Manifest[]): Promise<void>;
  /** undefined where it is not there. */
  get(kind: string, name: string, namespace?: string): Promise<Live | undefined>;
  list(kind: string, namespace?: string, selector?: string): Promise<readonly Live[]>;
  /** Asks for it to be gone, and does not wait. */
  delete(kind: string, name: string, namespace?: string): Promise<void>;
  patch(kind: string, name: string, namespace: string, patch: unknown, type?: 'merge' | 'json'): Promise<void>;
  /** Asks each half second until it answers, and returns the answer. Throws what it waited for after so many seconds. */
  waitFor<T>(what: string, seconds: number, look: () => Promise<T | undefined>): Promise<T>;
  /** The images of the tests by digest: the stand-ins' program, the seat's, and the probe's of the local Docker engine. */
  images(): Images;
  /** Kills the pod's processes, as a crash does. Only where the tests started the cluster. */
  kill(pod: Live): void;
  /** Stops a daemon of the node and what it set up; `restore` starts it again. Only where the tests started the cluster. */
  stopNetworkPolicies(): void;
  restore(): void;
}

let started: Cluster | undefined;

/** The one cluster of this process: started at the first call (12 seconds once it is built), stopped when the process ends. */
export function cluster(): Cluster {
  started ??= process.env.E2E_KUBECONFIG ? connect(process.env.E2E_KUBECONFIG, undefined) : start();
  return started;
}

function start(): Cluster {
  const owner = join(STATE, 'owner');
  const other = existsSync(owner) ? readFileSync(owner, 'utf8') : '';
  // two runs would disturb one another's measurements, and the first to end would stop the other's cluster
  if (other && existsSync(`/proc/${other}`)) throw new Error(`process ${other} uses the cluster in ${STATE}`);
  must([join(SCRIPTS, 'up')]);
  writeFileSync(owner, String(process.pid));
  // E2E_KEEP_CLUSTER: whoever works on the tests need not wait for it each time
  if (!process.env.E2E_KEEP_CLUSTER) process.once('exit', () => spawnSync(join(SCRIPTS, 'down')));
  const hostAddress = must(['bash', '-c', `. ${SCRIPTS}/env.sh; echo $HOST_IP`]).trim();
  return connect(join(STATE, 'kubeconfig'), hostAddress);
}

export function connect(kubeconfig: string, hostAddress: string | undefined): Cluster {
  const kubectl: Cluster['kubectl'] = (args, input = '') => runKubectl(kubeconfig, args, input);
  const json = async (args: readonly string[]): Promise<Live | undefined> => {
    const text = await kubectl([...args, '--ignore-not-found', '--output', 'json']);
    return text ? (JSON.parse(text) as Live) : undefined;
  };
  return {
    kubeconfig,
    hostAddress,
    volumeFolder: hostAddress && join(STATE, 'volumes'),
    kubectl,
    async apply(objects) {
      if (objects.length === 0) return;
      const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
      await kubectl(['apply', '--server-side', '--force-conflicts', '--filename', '-'], list);
    },
    get: (kind, name, namespace = 'default') => json(['get', kind, name, '--namespace', namespace]),
    async list(kind, namespace, selector = '') {
      const scope = namespace === undefined ? ['--all-namespaces'] : ['--namespace', namespace];
      const found = (await json(['get', kind, ...scope, '--selector', selector])) as { items?: Live[] } | undefined;
      return found?.items ?? [];
    },
    async delete(kind, name, namespace = 'default') {
      await kubectl(['delete', kind, name, '--namespace', namespace, '--ignore-not-found', '--wait=false']);
    },
    async patch(kind, name, namespace, patch, type = 'merge') {
      await kubectl(['patch', kind, name, '--namespace', namespace, '--type', type, '--patch', JSON.stringify(patch)]);
    },
    waitFor,
    images: hostAddress === undefined ? givenImages : loadImages,
    kill: killPod,
    stopNetworkPolicies,
    restore: () => void must([join(SCRIPTS, 'up')]),
  };
}

function runKubectl(kubeconfig: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program('kubectl') ?? 'kubectl', ['--kubeconfig', kubeconfig, ...args], {
      env: { ...process.env, KUBECACHEDIR: join(dirname(kubeconfig), 'kubecache') },
    });
    const printed = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
    child.once('error', fail);
    child.once('close', (code) => {
      if (code === 0) done(printed.stdout);
      else fail(new Error(`kubectl ${args.join(' ')}: exit ${code}\n${printed.stderr}`));
    });
    child.stdin.end(input);
  });
}

async function waitFor<T>(what: string, seconds: number, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain: ${what}`);
    await new Promise((done) => setTimeout(done, 500));
  }
}

const loaded = (name: string): string => readFileSync(join(STATE, `${name}-image`), 'utf8').trim();

function loadImages(): Images {
  const image = IMAGES['probe-seats'];
  const probe = must(['bash', '-c', `set -o pipefail; docker save ${image} | ${SCRIPTS}/load ${image}`], {
    env: docker(),
  });
  return { tool: loaded('tool'), seat: loaded('seat'), probe: probe.trim() };
}

/** Of a cluster that the tests did not start: references that it can pull, or that its nodes hold. */
function givenImages(): Images {
  const { E2E_TOOL_IMAGE: tool, E2E_SEAT_IMAGE: seat, E2E_PROBE_IMAGE: probe } = process.env;
  if (tool && seat && probe) return { tool, seat, probe };
  throw new Error(
    'E2E_KUBECONFIG needs E2E_TOOL_IMAGE, E2E_SEAT_IMAGE and E2E_PROBE_IMAGE, by digest (see e2e/cluster/up)',
  );
}

/** kube-router leaves its rules behind when it ends: flush them, so that nothing is enforced. */
function stopNetworkPolicies(): void {
  process.kill(Number(readFileSync(join(STATE, 'run/kube-router.pid'), 'utf8')), 'SIGKILL');
  for (const chain of ['INPUT', 'FORWARD', 'OUTPUT']) {
    must(['nsenter', `--net=${NAMESPACE}`, 'iptables', '-w', '-F', `KUBE-ROUTER-${chain}`]);
  }
}

/** A container's cgroup is named after it, and below the cluster's own. */
function killPod({ metadata, status }: Live): void {
  const { containerStatuses = [] } = (status ?? {}) as { containerStatuses?: { containerID?: string }[] };
  const id = containerStatuses[0]?.containerID?.replace('containerd://', '');
  if (!id) throw new Error(`pod ${metadata.name} has no container`);
  const [folder = ''] = must(['find', '/sys/fs/cgroup', '-type', 'd', '-name', id]).split('\n');
  const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8').trim().split('\n');
  for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
}
