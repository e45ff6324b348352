// The words of the project as types: what is read, what is declared, what is decided. Types only: no code, no defaults.
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Finding } from './finding';

/** What every stage returns: its value, and all it has to tell the user. */
export interface Outcome<T> {
  readonly value: T;
  readonly findings: readonly Finding[];
}

/** Group, kind, namespace and name of an object: its identity in a package. `apiVersion` names the group. */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** Where a text came from. `line` is 1-based: the file's line on which the text starts; `column` 1-based likewise. */
export interface Origin {
  /** Path as the user knows it (relative to the package where there is one); absent for inline input. */
  readonly file?: string;
  /** Position of the document in its file, from 0. */
  readonly index?: number;
  readonly line: number;
  readonly column: number;
}

/**
 * One object of the input. `text` is its exact source; only what the cheap look found stands beside it, the rest is
 * decoded when a stage asks. Items that are not ours leave as `text`, byte for byte.
 */
export interface Item {
  readonly text: string;
  readonly origin: Origin;
  /** Empty strings where the text has none: such an item is opaque and passes through. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  /** All annotations, values as text. */
  readonly annotations: Readonly<Record<string, string>>;
  /** `platform` items are read but never written. */
  readonly level: 'platform' | 'package';
}

/** A decoded object together with the item it came from, so that findings can point into the text. */
export interface Located<T> {
  readonly object: T;
  readonly item: Item;
}

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

/** Seat `steadmesh.io/v1alpha1`, as `schemas/seat.crd.yaml` admits it, defaults not applied. */
export interface Seat {
  readonly apiVersion: string;
  readonly kind: 'Seat';
  readonly metadata: ObjectMeta;
  readonly spec: SeatSpec;
}
export interface SeatSpec {
  readonly organization: string;
  readonly key?: string;
  readonly organizationID?: string;
  readonly seatID?: string;
  readonly tierRef?: { readonly name: string };
  readonly state?: 'Running' | 'Stopped';
  readonly workload?: 'StatefulSet' | 'Sandbox' | 'SandboxClaim';
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

/** The input, sorted by what it is. `related`: decoded foreign objects that a rule needs to look at. */
export interface Declared {
  readonly tiers: readonly Located<TrustTier>[];
  readonly seats: readonly Located<Seat>[];
  readonly rest: readonly Item[];
  readonly related: readonly Located<KubernetesObject>[];
}

/** What the platform and the package settled together; every default applied. Shape and rules: `options.ts`. */
export interface Options {
  readonly platformURL: string;
  readonly controlPlaneNamespace: string;
  /** Pod port of the platform: a policy sees the pod's port, after the Service translated it. */
  readonly platformPort: number;
  readonly imagePullPolicy: 'IfNotPresent' | 'Always' | 'Never';
  readonly probeImage: string;
  readonly deniedURL: string;
  readonly dnsNamespace: string;
  readonly dns: Dns | undefined;
  readonly fieldOwner: string;
  /** Empty: there is no egress gateway. */
  readonly egressURL: string;
  /** Pod port of the gateway; undefined without `egressURL`. */
  readonly egressPort: number | undefined;
  readonly requireTier: boolean;
  readonly allowImageTags: boolean;
  readonly allowSecretEnv: boolean;
  readonly platformFromDenyAll: boolean;
  readonly attestationAudience: string;
  /** Namespace of Seats that name none; undefined: such a Seat is an error. */
  readonly namespace: string | undefined;
  readonly warmPoolNamespaces: readonly string[];
  readonly layout: 'flat' | 'split';
  /** Folder of rendered files inside the package, no trailing slash. */
  readonly directory: string;
  /** undefined: as the front end is used to (a package keeps its inputs, a generator drops its own). */
  readonly inputs: 'keep' | 'drop' | undefined;
  readonly tierAccess: readonly TierAccess[];
}
export interface Dns {
  readonly namespace?: string;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly ports?: readonly number[];
  readonly cidrs?: readonly string[];
}
export interface TierAccess {
  readonly namespaces?: readonly string[];
  readonly organizations?: readonly string[];
  readonly tiers?: readonly string[];
}

/** One rule of the seat's policy, decided; `peers` is never empty (an empty list would mean everyone). */
export interface EgressRule {
  readonly peers: readonly (
    | { readonly namespace: string; readonly podLabels?: Readonly<Record<string, string>> }
    | { readonly cidr: string; readonly except?: readonly string[] }
  )[];
  readonly ports: readonly {
    readonly protocol: 'TCP' | 'UDP' | 'SCTP';
    readonly port?: number;
    readonly endPort?: number;
  }[];
}

/** A Seat with all that its tier, the options and the defaults decide. Renderers choose nothing more. */
export interface ResolvedSeat {
  readonly seat: Located<Seat>;
  readonly namespace: string;
  /** Base name of every object of the seat: `seat-<key>-<hash8>`. */
  readonly name: string;
  readonly organization: string;
  readonly key: string;
  readonly organizationID: string;
  readonly seatID: string;
  readonly tier:
    | {
        readonly name: string;
        readonly isolation: Isolation;
        readonly jurisdiction: string | undefined;
        readonly digest: string;
      }
    | undefined;
  readonly workload: 'StatefulSet';
  readonly replicas: 0 | 1;
  readonly rollout: 'OnDelete' | 'RollingUpdate';
  readonly runtimeClassName: string | undefined;
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly imagePullSecrets: readonly string[];
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** The user's own variables, values already escaped for the kubelet's `$(…)` expansion. */
  readonly env: readonly EnvEntry[];
  readonly adapter: string;
  readonly health: { readonly port: number; readonly livenessPath: string; readonly readinessPath: string };
  /** Quantities in canonical form; limits hold cpu and memory. */
  readonly resources: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
    readonly claims?: readonly ResourceClaim[];
  };
  readonly resourceClaims: NonNullable<SeatSpec['resourceClaims']>;
  readonly claim: {
    readonly name: string;
    /** true: an existing claim that is mounted and not rendered. */
    readonly adopted: boolean;
    readonly size: string;
    readonly storageClassName: string | undefined;
    readonly retain: boolean;
  };
  readonly shared: readonly { readonly claimName: string; readonly mountPath: string; readonly readOnly: boolean }[];
  readonly platformURL: string;
  /** Empty unless the seat uses the gateway. */
  readonly egressURL: string;
  readonly egress: readonly EgressRule[];
  readonly token: { readonly audience: string; readonly attested: boolean };
  /** Those that seat and tier agree on; undefined when the seat asks for none. */
  readonly providerTools: readonly string[] | undefined;
  readonly sessionTTL: string | undefined;
  readonly expiresAt: string | undefined;
  /** Required node labels of tier and seat together, keys sorted. */
  readonly nodeLabels: readonly (readonly [key: string, value: string])[];
  readonly tolerations: readonly Toleration[];
  readonly priorityClassName: string | undefined;
  /** Files of the manifest ConfigMap: key in the ConfigMap, path below the mount, text. manifest.json comes first. */
  readonly files: readonly { readonly key: string; readonly path: string; readonly text: string }[];
  /** `sha256:` and hex over what needs a restart when it changes. */
  readonly configRevision: string;
  readonly layout: Options['layout'];
}

/** A rendered object and where it belongs. `file` is relative to the package, `stage` orders every stream. */
export interface Rendered {
  readonly object: KubernetesObject;
  readonly seat: ResolvedSeat;
}

/** Where one decided value came from; `explain` prints these. */
export interface Decision {
  /** Field path in the Seat, or the name of the decided thing. */
  readonly field: string;
  readonly value: unknown;
  readonly from: 'seat' | 'tier' | 'options' | 'default';
  /** Why, or what was dropped. */
  readonly note?: string;
}
export type Trace = (decision: Decision) => void;
