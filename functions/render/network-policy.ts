// The seat's policy: no ingress, and the egress that is already decided.
import type {
  V1NetworkPolicy,
  V1NetworkPolicyEgressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicySpec,
} from '@kubernetes/client-node';
import { policySelector } from '../labels';
import type { EgressRule, ResolvedSeat } from '../model';
import { metadataOf } from './metadata';

const apiVersion = 'networking.k8s.io/v1';
const kind = 'NetworkPolicy';

export const renderNetworkPolicy = (seat: ResolvedSeat): V1NetworkPolicy => ({
  apiVersion,
  kind,
  metadata: metadataOf(seat, { apiVersion, kind, name: seat.name }),
  spec: policySpec(policySelector(seat), seat.egress),
});

/** Of the one policy of the pods that have these labels. */
export const policySpec = (
  matchLabels: Readonly<Record<string, string>>,
  egress: readonly EgressRule[],
): V1NetworkPolicySpec => ({
  podSelector: { matchLabels },
  policyTypes: ['Ingress', 'Egress'],
  egress: egress.filter(isBounded).map(egressRule),
});

/** Without peers a rule would mean everyone, and without ports every port: such a rule is left out. */
const isBounded = ({ peers, ports }: EgressRule): boolean => peers.length > 0 && ports.length > 0;

const egressRule = ({ peers, ports }: EgressRule): V1NetworkPolicyEgressRule => ({
  to: peers.map(peerOf),
  ports: ports.map(({ protocol, port, endPort }) => ({
    protocol,
    ...(port === undefined ? {} : { port }),
    ...(endPort === undefined ? {} : { endPort }),
  })),
});

const peerOf = (peer: EgressRule['peers'][number]): V1NetworkPolicyPeer =>
  'cidr' in peer
    ? { ipBlock: { cidr: peer.cidr, ...(peer.except?.length ? { except: [...peer.except] } : {}) } }
    : {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': peer.namespace } },
        ...(peer.podLabels ? { podSelector: { matchLabels: { ...peer.podLabels } } } : {}),
      };
