// The objects of a seat, in the order in which they must reach a cluster. A new kind is a file and a line here.
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Stage } from '../layout';
import type { ResolvedSeat, Workload } from '../model';
import { renderManifest } from './manifest';
import { renderNetworkPolicy } from './network-policy';
import { renderSandbox } from './sandbox';
import { renderSandboxClaim } from './sandbox-claim';
import { renderServiceAccount } from './service-account';
import { renderStatefulSet } from './stateful-set';
import { renderWorkspaceClaim } from './workspace-claim';

export interface Renderer {
  readonly stage: Stage;
  /** Which seats have such an object. */
  readonly workloads: readonly Workload[];
  /** It is the workload itself: all that it needs goes before. */
  readonly isWorkload?: true;
  /** undefined: this one has none after all. */
  readonly render: (seat: ResolvedSeat) => KubernetesObject | undefined;
}

/** A seat that has a pod of its own, and all that belongs to it. */
const OWN_POD: readonly Workload[] = ['StatefulSet', 'Sandbox'];

export const RENDERERS: readonly Renderer[] = [
  { stage: 'guard', workloads: OWN_POD, render: renderServiceAccount },
  { stage: 'seats', workloads: OWN_POD, render: renderManifest },
  { stage: 'guard', workloads: OWN_POD, render: renderNetworkPolicy }, // before any workload: a pod must never start ahead of its policy
  { stage: 'seats', workloads: OWN_POD, render: renderWorkspaceClaim },
  { stage: 'seats', workloads: ['StatefulSet'], isWorkload: true, render: renderStatefulSet },
  { stage: 'seats', workloads: ['Sandbox'], isWorkload: true, render: renderSandbox },
  { stage: 'seats', workloads: ['SandboxClaim'], isWorkload: true, render: renderSandboxClaim },
];

/** The objects of one seat, in their order. */
export const objectsOfSeat = (seat: ResolvedSeat): KubernetesObject[] =>
  RENDERERS.flatMap(({ workloads, render }) => {
    const object = workloads.includes(seat.workload) ? render(seat) : undefined;
    return object ? [object] : [];
  });

/** The stages in which a seat has objects; a claim that is stopped is not rendered at all. */
export const stagesOf = ({ workload, replicas }: ResolvedSeat): Stage[] =>
  workload === 'SandboxClaim' && replicas === 0
    ? []
    : [...new Set(RENDERERS.filter(({ workloads }) => workloads.includes(workload)).map(({ stage }) => stage))];
