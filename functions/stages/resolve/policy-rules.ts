// A foreign NetworkPolicy as rules that can be compared, and the proof that a seat's own rules contain one.
import { listOf, pins, type Requirement, recordOf, requirementsOf } from '../../kubernetes/label-selector';
import type { EgressRule } from '../../model';
import { type CutBlock, containsCut, parseCidr } from './cidr';
import { isPort, type PortRange, PROTOCOLS, type Protocol, rangesOf, within } from './ports';

type Peer =
  | { readonly block: CutBlock }
  | { readonly namespaces: readonly Requirement[]; readonly pods: readonly Requirement[] };

/** undefined peers or ports: everyone, every port, or not understood; either way more than a seat has. */
interface ForeignRule {
  readonly path: string;
  readonly peers: readonly Peer[] | undefined;
  readonly ports: readonly PortRange[] | undefined;
}

/** What a policy lets through; a policy without such rules adds nothing to others. */
export interface ForeignPolicy {
  readonly podSelector: readonly Requirement[];
  /** Path of the first ingress rule; a seat has none, so any is more. */
  readonly ingress: string | undefined;
  readonly egress: readonly ForeignRule[];
}

export const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

/** Reads the spec of a policy in a namespace (undefined: not known). Rules of a direction that `policyTypes` leaves out act not. */
export function foreignPolicy(spec: unknown, namespace: string | undefined): ForeignPolicy {
  const { podSelector, policyTypes, ingress, egress } = recordOf(spec);
  const types = listOf(policyTypes);
  const acts = (type: string) => types.length === 0 || types.includes(type);
  return {
    podSelector: requirementsOf(podSelector),
    ingress: acts('Ingress') && listOf(ingress).length > 0 ? 'spec.ingress[0]' : undefined,
    egress: acts('Egress') ? listOf(egress).map((rule, index) => ruleOf(rule, index, namespace)) : [],
  };
}

function ruleOf(rule: unknown, index: number, namespace: string | undefined): ForeignRule {
  const { to, ports } = recordOf(rule);
  return {
    path: `spec.egress[${index}]`,
    peers: allOrNone(listOf(to).map((peer) => peerOf(peer, namespace))),
    ports: allOrNone(listOf(ports).map(rangeOf)),
  };
}

const allOrNone = <T>(list: readonly (T | undefined)[]): readonly T[] | undefined =>
  list.length > 0 && list.every((one) => one !== undefined) ? list : undefined;

function peerOf(peer: unknown, namespace: string | undefined): Peer | undefined {
  const { ipBlock, namespaceSelector, podSelector } = recordOf(peer);
  if (ipBlock) return blockOf(ipBlock);
  if (!namespaceSelector && (!podSelector || namespace === undefined)) return undefined;
  const own: Requirement[] =
    namespace === undefined ? [] : [{ key: NAMESPACE_NAME, operator: 'In', values: [namespace] }];
  return {
    namespaces: namespaceSelector ? requirementsOf(namespaceSelector) : own,
    pods: requirementsOf(podSelector),
  };
}

function blockOf(ipBlock: unknown): Peer | undefined {
  const { cidr, except } = recordOf(ipBlock);
  const [block, ...holes] = [cidr, ...listOf(except)].map((text) => {
    const parsed = parseCidr(String(text));
    return 'problem' in parsed ? undefined : parsed.cidr;
  });
  if (!block) return undefined;
  return { block: { cidr: block, except: holes.filter((hole) => hole !== undefined) } };
}

function rangeOf(entry: unknown): PortRange | undefined {
  const { protocol = 'TCP', port, endPort } = recordOf(entry);
  if (!PROTOCOLS.includes(protocol as Protocol)) return undefined;
  if (port === undefined || port === null) return endPort ? undefined : rangesOf(protocol as Protocol, [])[0];
  const end = endPort ?? port;
  return isPort(port) && isPort(end) ? { protocol: protocol as Protocol, first: port, last: end } : undefined;
}

/** A rule of the seat's own policy in the same terms. */
export interface OwnRule {
  readonly blocks: readonly CutBlock[];
  readonly pods: readonly { readonly namespace: string; readonly labels: Readonly<Record<string, string>> }[];
  readonly ports: readonly PortRange[];
}

export const ownRule = ({ peers, ports }: EgressRule): OwnRule => ({
  blocks: peers.flatMap((peer) => {
    const [cidr, ...except] = 'cidr' in peer ? [peer.cidr, ...(peer.except ?? [])].map(parseCidr) : [];
    if (!cidr || 'problem' in cidr) return [];
    return [{ cidr: cidr.cidr, except: except.flatMap((hole) => ('problem' in hole ? [] : [hole.cidr])) }];
  }),
  pods: peers.flatMap((peer) => ('cidr' in peer ? [] : [{ namespace: peer.namespace, labels: peer.podLabels ?? {} }])),
  ports: ports.flatMap(({ protocol, port, endPort }) => rangesOf(protocol, port === undefined ? [] : [port], endPort)),
});

/** The first place where a policy allows more than the rules; undefined if all of it is proven to lie within them. */
export function widening(policy: ForeignPolicy, own: () => readonly OwnRule[]): string | undefined {
  return policy.ingress ?? policy.egress.find((rule) => !isContained(rule, own()))?.path;
}

/** Each peer with each of its ports lies within one rule. Several rules may cover it together: that is not looked for. */
function isContained({ peers, ports }: ForeignRule, own: readonly OwnRule[]): boolean {
  if (!peers || !ports) return false;
  return peers.every((peer) => {
    const rules = own.filter((rule) => admits(rule, peer));
    return ports.every((range) => rules.some((rule) => within(range, rule.ports)));
  });
}

function admits({ blocks, pods }: OwnRule, peer: Peer): boolean {
  if ('block' in peer) return blocks.some((block) => containsCut(block, peer.block));
  return pods.some(
    ({ namespace, labels }) =>
      pins(peer.namespaces, NAMESPACE_NAME, namespace) &&
      Object.entries(labels).every(([key, value]) => pins(peer.pods, key, value)),
  );
}
