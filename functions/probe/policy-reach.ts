// What a declared policy lets a seat reach: such a target is no denied one. Only what is sure counts as allowed.
import type {
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1NetworkPolicySpec,
} from '@kubernetes/client-node';
import { listOf, meets, recordOf, requirementsOf } from '../kubernetes/label-selector';
import type { EgressRule } from '../model';
import { parseAddress } from '../stages/resolve/address';
import { addressBlock, parseCidr, reaches } from '../stages/resolve/cidr';
import { NAMESPACE_NAME, type OwnRule, ownRule } from '../stages/resolve/policy-rules';
import { type Protocol, rangesOf, within } from '../stages/resolve/ports';

/** A literal address, the pod behind it where there is one, or both. */
export interface Destination {
  readonly address?: string;
  readonly pod?: { readonly namespace: string; readonly labels: Readonly<Record<string, string>> };
  readonly protocol: Protocol;
  readonly port: number;
}

const DNS_PORTS = [53, 5353] as const;

/** Whether the policy restricts a direction: by its types; without types, ingress always and egress where it has rules. */
export function acts({ policyTypes, egress }: V1NetworkPolicySpec, direction: 'Ingress' | 'Egress'): boolean {
  if (policyTypes?.length) return policyTypes.includes(direction);
  return direction === 'Ingress' || (egress?.length ?? 0) > 0;
}

/**
 * Whether the policy surely lets its pods reach the destination. false for what is not understood: named ports, selectors
 * of namespaces by labels other than their name, peers of "the same namespace", blocks that do not parse.
 */
export const allows = (policy: V1NetworkPolicySpec, destination: Destination): boolean =>
  !acts(policy, 'Egress') ||
  (policy.egress ?? []).some(
    (rule) =>
      opens(rule, destination.protocol, destination.port) &&
      (!rule.to?.length || rule.to.some((peer) => isPeer(peer, destination))),
  );

const opens = ({ ports }: V1NetworkPolicyEgressRule, protocol: Protocol, port: number): boolean =>
  !ports?.length || within({ protocol, first: port, last: port }, ports.flatMap(rangesOfPort));

/** Empty for a named port. */
function rangesOfPort({ protocol = 'TCP', port, endPort }: V1NetworkPolicyPort) {
  if (port !== undefined && typeof port !== 'number') return [];
  return rangesOf(protocol as Protocol, port === undefined ? [] : [port], endPort);
}

function isPeer({ ipBlock, namespaceSelector, podSelector }: V1NetworkPolicyPeer, { address, pod }: Destination) {
  if (ipBlock) return address !== undefined && isInBlock(ipBlock, address);
  if (!pod || !namespaceSelector) return false;
  const namespaces = requirementsOf(namespaceSelector);
  return (
    namespaces.every(({ key }) => key === NAMESPACE_NAME) &&
    meets({ [NAMESPACE_NAME]: pod.namespace }, namespaces) &&
    meets(pod.labels, requirementsOf(podSelector))
  );
}

function isInBlock({ cidr, except = [] }: NonNullable<V1NetworkPolicyPeer['ipBlock']>, text: string): boolean {
  const address = parseAddress(text);
  const [block, ...holes] = [cidr, ...except].map(parseCidr);
  if ('problem' in address || !block || 'problem' in block || holes.some((hole) => 'problem' in hole)) return false;
  const cut = { cidr: block.cidr, except: holes.flatMap((hole) => ('problem' in hole ? [] : [hole.cidr])) };
  return reaches(cut, addressBlock(address));
}

/**
 * Whether a rule is there for DNS: it opens port 53 or 5353 of the protocol, or any UDP port of pods, since nothing but
 * DNS is opened to pods by UDP.
 */
export const reachesDns = (policy: V1NetworkPolicySpec, protocol: 'UDP' | 'TCP'): boolean =>
  (policy.egress ?? []).some(
    (rule) => isDns(rule) && (rule.ports ?? []).some((port) => (port.protocol ?? 'TCP') === protocol),
  );

const isDns = (rule: V1NetworkPolicyEgressRule): boolean =>
  DNS_PORTS.some((port) => opens(rule, 'UDP', port)) ||
  ((rule.to ?? []).some(({ ipBlock }) => !ipBlock) && (rule.ports ?? []).some(({ protocol }) => protocol === 'UDP'));

/** Rules that open ports of every pod in a namespace: where they stand, for people. */
export const namespaceWide = ({ egress = [] }: V1NetworkPolicySpec): readonly string[] =>
  egress.flatMap(({ to = [] }, index) =>
    to.flatMap(({ namespaceSelector, podSelector }, peer) =>
      namespaceSelector && requirementsOf(podSelector).length === 0 ? [`spec.egress[${index}].to[${peer}]`] : [],
    ),
  );

/** The rules in the terms of `widening`. Peers that a rendered policy never has are left out: then others are found to open more. */
export const ownRules = ({ egress = [] }: V1NetworkPolicySpec): readonly OwnRule[] =>
  egress.map(({ to = [], ports = [] }) => ownRule({ peers: to.flatMap(peerOf), ports: ports.flatMap(portOf) }));

function peerOf({ ipBlock, namespaceSelector, podSelector }: V1NetworkPolicyPeer): EgressRule['peers'][number][] {
  if (ipBlock) return [{ cidr: ipBlock.cidr, ...(ipBlock.except ? { except: ipBlock.except } : {}) }];
  const { matchLabels } = recordOf(namespaceSelector);
  const namespace = recordOf(matchLabels)[NAMESPACE_NAME];
  if (typeof namespace !== 'string' || listOf(podSelector?.matchExpressions).length > 0) return [];
  return [{ namespace, ...(podSelector?.matchLabels ? { podLabels: podSelector.matchLabels } : {}) }];
}

function portOf({ protocol = 'TCP', port, endPort }: V1NetworkPolicyPort): EgressRule['ports'][number][] {
  if (port !== undefined && typeof port !== 'number') return [];
  return [
    {
      protocol: protocol as Protocol,
      ...(port === undefined ? {} : { port }),
      ...(endPort === undefined ? {} : { endPort }),
    },
  ];
}
