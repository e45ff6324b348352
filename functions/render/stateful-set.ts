// The seat's workload: a StatefulSet of at most one pod.
import type { V1StatefulSet } from '@kubernetes/client-node';
import { runnerSelector } from '../labels';
import type { ResolvedSeat } from '../model';
import { workloadMetadata } from './metadata';
import { podTemplate } from './pod-template';

const apiVersion = 'apps/v1';
const kind = 'StatefulSet';

export const renderStatefulSet = (seat: ResolvedSeat): V1StatefulSet => ({
  apiVersion,
  kind,
  metadata: workloadMetadata(seat, { apiVersion, kind }),
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
