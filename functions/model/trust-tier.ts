// TrustTier and the parts that a Seat has in common with it.

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export type Quantity = string | number;
export interface ResourceClaim {
  readonly name: string;
  readonly request?: string;
}
export interface Resources {
  readonly requests?: Readonly<Record<string, Quantity>>;
  readonly limits?: Readonly<Record<string, Quantity>>;
  readonly claims?: readonly ResourceClaim[];
}

export type Isolation = 'gvisor' | 'microvm' | 'confidential';

/** TrustTier `maqpna.com/v1alpha1`, as `schemas/trusttier.crd.yaml` admits it, defaults not applied. */
export interface TrustTier {
  readonly apiVersion: string;
  readonly kind: 'TrustTier';
  readonly metadata: ObjectMeta;
  readonly spec: TrustTierSpec;
}
export interface TrustTierSpec {
  readonly runtimeClassName: string;
  readonly isolation: Isolation;
  readonly jurisdiction?: string;
  readonly egress?: 'gateway-only' | 'deny-all';
  readonly allowedNodeLabels?: Readonly<Record<string, string>>;
  readonly allowedProviderTools?: readonly string[];
  readonly attestationRequired?: boolean;
  readonly defaultResources?: Resources;
  readonly maxSessionTTL?: string;
  readonly sandboxTemplateName?: string;
  readonly warmPoolSize?: number;
  readonly warmPoolNamespaces?: readonly string[];
}
