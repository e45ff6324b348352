// The seat's workload: a StatefulSet of at most one pod.
import type { V1PodTemplateSpec, V1StatefulSet } from '@kubernetes/client-node';
import { podLabels, runnerSelector } from '../labels';
import type { ResolvedSeat } from '../model';
import { after, CONFIG_REVISION, metadataOf, seatIDOf, UNMESHED } from './metadata';
import { podSpec } from './pod';

const apiVersion = 'apps/v1';
const kind = 'StatefulSet';

export const renderStatefulSet = (seat: ResolvedSeat): V1StatefulSet => ({
  apiVersion,
  kind,
  metadata: metadataOf(
    seat,
    { apiVersion, kind, name: seat.name },
    after('networking.k8s.io', { namespace: seat.namespace, kind: 'NetworkPolicy', name: seat.name }),
  ),
  spec: {
    replicas: seat.replicas,
    serviceName: '',
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: seat.rollout },
    revisionHistoryLimit: 3,
    selector: { matchLabels: runnerSelector(seat) },
    template: podTemplate(seat),
  },
});

/** Without the tier's digest: an edit of a tier that does not touch the pod must not replace it. */
const podTemplate = (seat: ResolvedSeat): V1PodTemplateSpec => ({
  metadata: {
    labels: podLabels(seat),
    annotations: {
      [CONFIG_REVISION]: seat.configRevision,
      ...seatIDOf(seat),
      ...UNMESHED,
      ...(seat.token.attested ? { 'seatplan.dev/attestation': 'required' } : {}),
      ...(seat.sessionTTL === undefined ? {} : { 'seatplan.dev/session-ttl': seat.sessionTTL }),
      ...(seat.expiresAt === undefined ? {} : { 'seatplan.dev/session-expires-at': seat.expiresAt }),
    },
  },
  spec: podSpec(seat),
});
