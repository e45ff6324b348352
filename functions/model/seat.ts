// Seat, field by field as its CRD admits it.
import type { Isolation, ObjectMeta, Quantity, Resources } from './trust-tier';

/** Seat `steadmesh.io/v1alpha1`, as `schemas/seat.crd.yaml` admits it, defaults not applied. */
export interface Seat {
  readonly apiVersion: string;
  readonly kind: 'Seat';
  readonly metadata: ObjectMeta;
  readonly spec: SeatSpec;
}
/** What a seat is rendered as. */
export type Workload = 'StatefulSet' | 'Sandbox' | 'SandboxClaim';
export interface SeatSpec {
  readonly organization: string;
  readonly key?: string;
  readonly organizationID?: string;
  readonly seatID?: string;
  readonly tierRef?: { readonly name: string };
  readonly state?: 'Running' | 'Stopped';
  readonly workload?: Workload;
  readonly rollout?: 'OnDelete' | 'RollingUpdate';
  readonly harness: Harness;
  readonly resources?: Omit<Resources, 'claims'>;
  readonly resourceClaims?: readonly {
    readonly name: string;
    readonly resourceClaimName?: string;
    readonly resourceClaimTemplateName?: string;
  }[];
  readonly workspace?: Workspace;
  readonly sandbox?: { readonly runtimeClassName?: string };
  readonly access?: Access;
  readonly instructions?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly tools?: readonly {
    readonly resource: string;
    readonly operations?: readonly string[];
    readonly targets?: readonly string[];
  }[];
  readonly requires?: {
    readonly isolation?: readonly Isolation[];
    readonly jurisdiction?: string;
    readonly attestation?: boolean;
  };
  readonly session?: { readonly ttl?: string; readonly expiresAt?: string };
  readonly scheduling?: {
    readonly tolerations?: readonly Toleration[];
    readonly priorityClassName?: string;
    readonly nodeLabels?: Readonly<Record<string, string>>;
  };
  readonly imagePullSecrets?: readonly string[];
}
export interface Harness {
  readonly adapter: string;
  readonly image?: string;
  readonly config?: Readonly<Record<string, string>>;
  readonly model?: { readonly connection?: string; readonly name?: string; readonly providerTools?: readonly string[] };
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly EnvEntry[];
  readonly health?: { readonly port?: number; readonly livenessPath?: string; readonly readinessPath?: string };
}
export interface EnvEntry {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
    readonly secretKeyRef?: { readonly name: string; readonly key: string; readonly optional?: boolean };
  };
}
export interface Workspace {
  readonly size?: Quantity;
  readonly storageClassName?: string;
  readonly retention?: 'Retain' | 'Delete';
  readonly adoptClaim?: string;
  readonly shared?: readonly { readonly claimName: string; readonly mountPath: string; readonly readOnly?: boolean }[];
}
export interface Access {
  readonly egress?: readonly { readonly host: string; readonly ports?: readonly number[] }[];
  readonly network?: readonly NetworkAccess[];
  readonly browser?: { readonly sessionConnection?: string };
  readonly binaries?: readonly string[];
  readonly repositories?: readonly Repository[];
}
export interface NetworkAccess {
  readonly cidr: string;
  readonly except?: readonly string[];
  readonly protocol?: string;
  readonly ports?: readonly number[];
  readonly endPort?: number;
}
export interface Repository {
  readonly connection: string;
  readonly host: string;
  readonly repos: readonly string[];
  readonly permissions?: Readonly<Record<string, 'read' | 'write'>>;
  readonly delivery?: 'platform' | 'sandbox';
}
export interface Toleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly tolerationSeconds?: number;
}
