// The objects of a seat, in the order in which they must reach a cluster. A new kind is a file and a line here.
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Stage } from '../layout';
import type { ResolvedSeat } from '../model';
import { renderManifest } from './manifest';
import { renderNetworkPolicy } from './network-policy';
import { renderServiceAccount } from './service-account';
import { renderStatefulSet } from './stateful-set';
import { renderWorkspaceClaim } from './workspace-claim';

export interface Renderer {
  readonly stage: Stage;
  /** undefined: the seat has no such object. */
  readonly render: (seat: ResolvedSeat) => KubernetesObject | undefined;
}

export const RENDERERS: readonly Renderer[] = [
  { stage: 'guard', render: renderServiceAccount },
  { stage: 'seats', render: renderManifest },
  { stage: 'guard', render: renderNetworkPolicy }, // before any workload: a pod must never start ahead of its policy
  { stage: 'seats', render: renderWorkspaceClaim },
  { stage: 'seats', render: renderStatefulSet },
];
