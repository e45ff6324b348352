// The namespace of seats itself: Pod Security, a policy that shuts in what no policy holds, and room for what is rendered.
import type { V1Namespace, V1NetworkPolicy, V1ResourceQuota } from '@kubernetes/client-node';
import { listOf, recordOf } from '../../kubernetes/label-selector';
import { parseQuantity } from '../../kubernetes/quantity';
import { COMPONENT } from '../../labels';
import type { Options, ResolvedSeat, ResolvedTask } from '../../model';
import { PROBE_PODS, PROBE_RESOURCES } from '../../probe/pods';
import { groupBy } from '../../stages/resolve/grouping';
import type { WarmPool } from '../../stages/resolve/warm-pools';
import { RETAINED } from '../metadata';
import type { SharedInput, SharedObject } from '../shared';
import { guardFile, guardMetadata } from './metadata';

/** Of Pod Security's profile: the oldest Kubernetes that seatplan runs on, so that no upgrade refuses a running seat. */
const POD_SECURITY_VERSION = 'v1.29';

/** Nothing for a namespace that the package declares itself, nor for that of the platform. */
export function* renderNamespaceGuards(input: SharedInput): Iterable<SharedObject> {
  const { seats, tasks, pools, options, declaredNamespaces } = input;
  if (!options.namespaceGuard) return;
  for (const [namespace, members] of groupBy(seats, (seat) => seat.namespace)) {
    if (declaredNamespaces.has(namespace) || namespace === options.controlPlaneNamespace) continue;
    const home = members[0]!.seat.item;
    const here = ({ namespace: one }: { readonly namespace: string }): boolean => one === namespace;
    const room = roomFor(members, tasks.filter(here), pools.filter(here), options);
    for (const object of [namespaceOf(namespace), defaultDeny(namespace), quota(namespace, room)])
      yield { stage: 'guard', file: guardFile(namespace), object, home };
  }
}

/** Kept like a workspace: its deletion would take all of them along. */
const namespaceOf = (name: string): V1Namespace => {
  const metadata = guardMetadata(name, { apiVersion: 'v1', kind: 'Namespace', name }, RETAINED);
  const enforce = 'pod-security.kubernetes.io/enforce';
  const labels = { ...metadata.labels, [enforce]: 'restricted', [`${enforce}-version`]: POD_SECURITY_VERSION };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { ...metadata, labels } };
};

/**
 * Seats and task workers wear the label, and the probe's pod that stands for them; its control and witness do not, or every
 * verdict would rest on nothing. Kept too: a seat that leaves Git loses its own policy before its pod has ended.
 */
const defaultDeny = (namespace: string): V1NetworkPolicy => {
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', name: 'seats-default-deny', namespace };
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: guardMetadata(namespace, object, RETAINED),
    spec: { podSelector: { matchLabels: { [COMPONENT]: 'seat' } }, policyTypes: ['Ingress', 'Egress'] },
  };
};

const quota = (namespace: string, hard: Readonly<Record<string, string>>): V1ResourceQuota => {
  const object = { apiVersion: 'v1', kind: 'ResourceQuota', name: 'seats', namespace };
  return {
    apiVersion: 'v1',
    kind: object.kind,
    metadata: guardMetadata(namespace, object),
    spec: { hard: { ...hard } },
  };
};

type Limits = Readonly<Record<string, string>>;

/**
 * Pods and their limits: every seat, stopped ones too, every worker, every sandbox that is warm or claimed, the probe's pods at
 * once, and one more of the largest, since what is replaced ends slowly. Of templates that are not here nothing is known but that
 * there are pods: then only those are counted.
 */
function roomFor(
  seats: readonly ResolvedSeat[],
  tasks: readonly ResolvedTask[],
  pools: readonly WarmPool[],
  { probe }: Options,
): Record<string, string> {
  const own = [...seats.filter(({ workload }) => workload !== 'SandboxClaim'), ...tasks].map(
    ({ resources }) => resources.limits,
  );
  const claiming = seats.filter(({ workload }) => workload === 'SandboxClaim');
  const probes = probe.mode === 'job' ? Array.from({ length: PROBE_PODS }, () => PROBE_RESOURCES) : [];
  const warm = pools.reduce((sum, { replicas }) => sum + replicas, 0);
  const claimed = claiming.map(limitsOfTemplate);
  const known = [...own, ...probes, ...claimed.filter((limits) => limits !== undefined)];
  const pods = String(own.length + probes.length + claiming.length + warm + 1);
  if (warm > 0 || claimed.includes(undefined)) return { pods };
  return { pods, 'limits.cpu': total(known, 'cpu'), 'limits.memory': total(known, 'memory') };
}

/** undefined: the template is not in the package, or says nothing that can be counted. */
function limitsOfTemplate({ sandboxTemplate }: ResolvedSeat): Limits | undefined {
  const containers = listOf(sandboxTemplate?.podTemplate.spec?.containers);
  const limits = containers.map((one) => recordOf(recordOf(recordOf(one).resources).limits));
  if (limits.length === 0 || limits.some(({ cpu, memory }) => !isQuantity(cpu) || !isQuantity(memory)))
    return undefined;
  return { cpu: sum(limits.map(({ cpu }) => String(cpu))), memory: sum(limits.map(({ memory }) => String(memory))) };
}

const isQuantity = (value: unknown): boolean => parseQuantity(String(value)) !== undefined;

/** Of one resource over all pods, and the largest once more. */
function total(limits: readonly Limits[], name: string): string {
  const amounts = limits.map((one) => one[name] ?? '0');
  const largest = amounts.reduce((a, b) => (nanos(b) > nanos(a) ? b : a), '0');
  return sum([...amounts, largest]);
}

const NANO = 1_000_000_000n;
const nanos = (text: string): bigint => parseQuantity(text)?.value ?? 0n;

/** In the form that the API server keeps: binary where whole Ki come out. */
function sum(amounts: readonly string[]): string {
  const value = amounts.reduce((all, one) => all + nanos(one), 0n);
  const isBinary = value >= 1024n * NANO && value % (1024n * NANO) === 0n && amounts.some((one) => one.endsWith('i'));
  const text = isBinary ? `${value / NANO / 1024n}Ki` : `${value}n`;
  return parseQuantity(text)?.canonical ?? '0';
}
