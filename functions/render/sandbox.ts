// The seat's workload as a Sandbox of kubernetes-sigs/agent-sandbox: the same pod, with suspension and an end.
import type { KubernetesObject, V1PodTemplateSpec } from '@kubernetes/client-node';
import { SANDBOX_API } from '../kinds';
import type { ResolvedSeat } from '../model';
import { workloadMetadata } from './metadata';
import { podTemplate } from './pod-template';

const apiVersion = SANDBOX_API;
const kind = 'Sandbox';

export interface Sandbox extends KubernetesObject {
  readonly spec: {
    readonly operatingMode: 'Running' | 'Suspended';
    readonly shutdownPolicy: 'Retain';
    /** RFC 3339. */
    readonly shutdownTime?: string;
    readonly podTemplate: V1PodTemplateSpec;
  };
}

/**
 * Defaults of the API are written out, so that nothing differs from Git. `Retain`: with `Delete` the controller would delete
 * what Git still declares, and engines would make it again. No claim templates: those claims would go with the Sandbox.
 */
export const renderSandbox = (seat: ResolvedSeat): Sandbox => ({
  apiVersion,
  kind,
  metadata: workloadMetadata(seat, { apiVersion, kind }),
  spec: {
    operatingMode: seat.replicas === 0 ? 'Suspended' : 'Running',
    shutdownPolicy: 'Retain',
    ...(seat.expiresAt === undefined ? {} : { shutdownTime: seat.expiresAt }),
    podTemplate: podTemplate(seat),
  },
});
