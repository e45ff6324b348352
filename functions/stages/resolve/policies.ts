// NetworkPolicies of the package that open a seat's pod further than its own policy does: policies only ever add up.
import { type Finding, report } from '../../finding';
import { meets, recordOf } from '../../kubernetes/label-selector';
import { podLabels } from '../../labels';
import type { Declared, Item, ResolvedSeat, Workload } from '../../model';
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

/** A seat's pod as a policy sees it. */
interface Pod {
  readonly seat: ResolvedSeat;
  readonly labels: Readonly<Record<string, string>>;
  /** The rules of its own policy; read when first asked for. */
  readonly rules: () => readonly OwnRule[];
}

/**
 * One finding for each policy that selects the pod of a seat and allows what is not proven to lie within the seat's own
 * rules: an error where a seat has a tier (every posture of a tier forbids it), else a warning. A policy without a
 * namespace may end up in any.
 */
export function widenedSeats(seats: readonly ResolvedSeat[], declared: Declared): Finding[] {
  const policies = declared.related.filter(({ item }) => isPolicy(item));
  if (policies.length === 0) return [];
  const pods = seats.filter((seat) => seat.workload !== 'SandboxClaim' || seat.sandboxTemplate).map(podOf);
  const byNamespace = groupBy(pods, ({ seat }) => seat.namespace);
  const own = new Set(seats.map(({ namespace, name }) => `${namespace}/${name}`));
  return policies.flatMap(({ object, item }) => {
    if (isReplaced(item, own)) return [];
    const namespace = item.namespace || undefined;
    const policy = foreignPolicy((object as { spec?: unknown }).spec, namespace);
    const candidates = namespace === undefined ? pods : (byNamespace.get(namespace) ?? []);
    return widenedBy(policy, item, candidates);
  });
}

const isPolicy = ({ kind, apiVersion }: Item): boolean =>
  kind === 'NetworkPolicy' && GROUPS.some((group) => apiVersion.startsWith(group));

/** The seat's own policy: this run writes it anew, or refuses the name. Any other policy is judged, whatever it says of its owner. */
const isReplaced = ({ level, apiVersion, namespace, name }: Item, own: ReadonlySet<string>): boolean =>
  level === 'package' && apiVersion.startsWith(GROUP) && own.has(`${namespace}/${name}`);

function podOf(seat: ResolvedSeat): Pod {
  let rules: readonly OwnRule[] | undefined;
  return {
    seat,
    labels: labelsOf(seat),
    rules: () => {
      rules ??= seat.egress.map(ownRule);
      return rules;
    },
  };
}

function labelsOf(seat: ResolvedSeat): Readonly<Record<string, string>> {
  const { workload, name, sandboxTemplate } = seat;
  if (workload === 'SandboxClaim')
    return recordOf(sandboxTemplate?.podTemplate.metadata?.labels) as Record<string, string>;
  return { ...podLabels(seat), ...(workload === 'StatefulSet' ? { [POD_NAME]: `${name}-0` } : {}) };
}

function widenedBy(policy: ForeignPolicy, item: Item, candidates: readonly Pod[]): Finding[] {
  if (policy.ingress === undefined && policy.egress.length === 0) return [];
  const widened = candidates.flatMap(({ seat, labels, rules }) => {
    const path = meets(labels, policy.podSelector, UNCERTAIN[seat.workload]) ? widening(policy, rules) : undefined;
    return path === undefined ? [] : [{ seat, path }];
  });
  const [first] = widened;
  if (!first) return [];
  const names = widened.slice(0, NAMED_AT_MOST).map(({ seat }) => `${seat.namespace}/${seat.seat.item.name}`);
  const more = widened.length > names.length ? ` and ${widened.length - names.length} more` : '';
  const message =
    `this policy opens more than the own policy of ${widened.length === 1 ? 'seat' : 'seats'} ${names.join(', ')}${more}, ` +
    'and policies add up: let its podSelector leave seats out, or say the access in the Seat';
  const severity = widened.some(({ seat }) => seat.tier) ? 'error' : 'warning';
  return [report('POLICY_WIDENS_SEAT', item, first.path, message, { severity })];
}
