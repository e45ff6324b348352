// The options of a run, all of them decided.
import type { ProbeOptions } from './probe-plan';

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
  /** Where tiers that name no namespaces keep sandboxes warm. */
  readonly warmPoolNamespaces: readonly string[];
  /** The MAQPNA operator makes warm pools in this cluster. */
  readonly operatorPresent: boolean;
  /** Namespaces of seats are rendered, with Pod Security, a default-deny policy and a quota. */
  readonly namespaceGuard: boolean;
  /** Whether policies of the API server refuse, or only report, pods that would weaken a tier. */
  readonly admission: 'Off' | 'Audit' | 'Deny';
  readonly layout: 'flat' | 'split';
  /** Folder of rendered files inside the package, no trailing slash. */
  readonly directory: string;
  /** undefined: as the front end is used to (a package keeps its inputs, a generator drops its own). */
  readonly inputs: 'keep' | 'drop' | undefined;
  readonly tierAccess: readonly TierAccess[];
  readonly probe: ProbeOptions;
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
