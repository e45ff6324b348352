// NetworkPolicies of the package that open the pod of a seat or task run further than its own policy does: policies only ever add up.
import { type Finding, report } from '../../finding';
import { meets } from '../../kubernetes/label-selector';
import { podLabels, taskLabels } from '../../labels';
import type { Declared, EgressRule, Item, ResolvedPod, ResolvedSeat, ResolvedTask, Workload } from '../../model';
import { groupBy } from './grouping';
import { type ForeignPolicy, foreignPolicy, type OwnRule, ownRule, widening } from './policy-rules';

/** The group of the policies that we write, and the one that they had before. */
const GROUP = 'networking.k8s.io/';
const GROUPS = [GROUP, 'extensions/'];
const NAMED_AT_MOST = 5;

/** Labels that workloads' controllers set: the first is known, the others depend on their version and on revisions. */
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const UNCERTAIN: Readonly<Record<Workload, ReadonlySet<string>>> = {
  StatefulSet: new Set(['apps.kubernetes.io/pod-index', 'controller-revision-hash']),
  Sandbox: new Set(['agents.x-k8s.io/sandbox-name-hash', 'agents.x-k8s.io/created-by']),
  SandboxClaim: new Set([
    ...['agents.x-k8s.io/sandbox-name-hash', 'agents.x-k8s.io/sandbox-template-ref-hash', 'agents.x-k8s.io/created-by'],
    ...['agents.x-k8s.io/warm-pool-sandbox', 'agents.x-k8s.io/claim-uid'],
    ...['sandbox.users.io/organization', 'sandbox.users.io/seat', 'sandbox.users.io/tier'],
  ]),
};

/** What a pod of ours is made of, and what it may reach. */
export interface Maker {
  readonly namespace: string;
  /** Name of the Seat, the TaskRun or the SandboxTemplate. */
  readonly title: string;
  readonly isTiered: boolean;
  readonly egress: readonly EgressRule[];
}

/** The pods of a tier's pool, whether or not a seat here claims one. */
export interface PoolPod extends Maker {
  /** Of their template. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A pod of ours as a policy sees it. */
interface Pod {
  readonly of: Maker;
  readonly labels: Readonly<Record<string, string>>;
  /** Keys of labels that somebody else sets. */
  readonly uncertain: ReadonlySet<string>;
  /** The rules of its own policy; read when first asked for. */
  readonly rules: () => readonly OwnRule[];
}

/**
 * One finding for each policy that selects the pod of a seat or task run and allows what is not proven to lie within the
 * pod's own rules: an error where one has a tier (every posture of a tier forbids it), else a warning. A policy without a
 * namespace may end up in any.
 */
export function widenedSeats(
  seats: readonly ResolvedSeat[],
  tasks: readonly ResolvedTask[],
  pools: readonly PoolPod[],
  declared: Declared,
): Finding[] {
  const policies = declared.related.filter(({ item }) => isPolicy(item));
  if (policies.length === 0) return [];
  const ownPods = seats.filter(({ workload }) => workload !== 'SandboxClaim');
  const pods = [
    ...ownPods.map((seat) => podOf(makerOf(seat), labelsOf(seat), UNCERTAIN[seat.workload])),
    ...tasks.map((task) => podOf(makerOf(task), taskLabels(task), NOTHING)),
    ...pools.map((pool) => podOf(pool, pool.labels, UNCERTAIN.SandboxClaim)),
  ];
  const byNamespace = groupBy(pods, ({ of }) => of.namespace);
  const own = new Set([...seats, ...tasks].map(({ namespace, name }) => `${namespace}/${name}`));
  return policies.flatMap(({ object, item }) => {
    if (isReplaced(item, own)) return [];
    const namespace = item.namespace || undefined;
    const policy = foreignPolicy((object as { spec?: unknown }).spec, namespace);
    const candidates = namespace === undefined ? pods : (byNamespace.get(namespace) ?? []);
    return widenedBy(policy, item, candidates);
  });
}

const NOTHING: ReadonlySet<string> = new Set();

const isPolicy = ({ kind, apiVersion }: Item): boolean =>
  kind === 'NetworkPolicy' && GROUPS.some((group) => apiVersion.startsWith(group));

/** The pod's own policy: this run writes it anew, or refuses the name. Any other policy is judged, whatever it says of its owner. */
const isReplaced = ({ level, apiVersion, namespace, name }: Item, own: ReadonlySet<string>): boolean =>
  level === 'package' && apiVersion.startsWith(GROUP) && own.has(`${namespace}/${name}`);

const makerOf = ({ namespace, seat, tier, egress }: ResolvedPod): Maker => ({
  namespace,
  title: seat.item.name,
  isTiered: tier !== undefined,
  egress,
});

function podOf(of: Maker, labels: Pod['labels'], uncertain: ReadonlySet<string>): Pod {
  let rules: readonly OwnRule[] | undefined;
  return {
    ...{ of, labels, uncertain },
    rules: () => {
      rules ??= of.egress.map(ownRule);
      return rules;
    },
  };
}

function labelsOf(seat: ResolvedSeat): Readonly<Record<string, string>> {
  const { workload, name } = seat;
  return { ...podLabels(seat), ...(workload === 'StatefulSet' ? { [POD_NAME]: `${name}-0` } : {}) };
}

function widenedBy(policy: ForeignPolicy, item: Item, candidates: readonly Pod[]): Finding[] {
  if (policy.ingress === undefined && policy.egress.length === 0) return [];
  const widened = candidates.flatMap(({ of, labels, uncertain, rules }) => {
    const path = meets(labels, policy.podSelector, uncertain) ? widening(policy, rules) : undefined;
    return path === undefined ? [] : [{ of, path }];
  });
  const [first] = widened;
  if (!first) return [];
  const names = widened.slice(0, NAMED_AT_MOST).map(({ of }) => `${of.namespace}/${of.title}`);
  const more = widened.length > names.length ? ` and ${widened.length - names.length} more` : '';
  const message =
    `this policy opens more than the own policy of ${names.join(', ')}${more}, and policies add up: ` +
    'let its podSelector leave seats and task runs out, or say the access there';
  const severity = widened.some(({ of }) => of.isTiered) ? 'error' : 'warning';
  return [report('POLICY_WIDENS_SEAT', item, first.path, message, { severity })];
}
