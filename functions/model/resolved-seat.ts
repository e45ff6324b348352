// A seat of which nothing is left to decide.
import type { V1NetworkPolicySpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import type { Located } from './item';
import type { Options } from './options';
import type { EnvEntry, Seat, SeatSpec, Toleration, Workload } from './seat';
import type { Isolation, ResourceClaim } from './trust-tier';

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

/** A template of sandboxes, as far as its pods matter. */
export interface SandboxTemplate {
  readonly name: string;
  /** As its author wrote it: no API server has looked at it yet. */
  readonly podTemplate: V1PodTemplateSpec;
  /** What the controller makes a policy of; undefined: the template leaves it to the controller's default, or to others. */
  readonly networkPolicy?: Pick<V1NetworkPolicySpec, 'ingress' | 'egress'> | undefined;
  /** Names of the volumes for which each sandbox gets a claim of its own. */
  readonly volumeClaims: readonly string[];
}

/** What a seat's pod and a task worker's are made of alike, decided by tier, options and defaults. */
export interface ResolvedPod {
  /** The Seat; for a task worker its seat with what the TaskRun changes, located at the TaskRun. */
  readonly seat: Located<Seat>;
  readonly namespace: string;
  /** Base name of every object: `seat-<key>-<hash8>`, or the task worker's name. */
  readonly name: string;
  readonly organization: string;
  /** Of the seat, here and below for a task worker too. */
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
  readonly runtimeClassName: string | undefined;
  readonly image: string;
  readonly imagePullPolicy: string;
  readonly imagePullSecrets: readonly string[];
  readonly command: readonly string[];
  readonly args: readonly string[];
  /** The user's own variables, values already escaped for the kubelet's `$(…)` expansion. */
  readonly env: readonly EnvEntry[];
  readonly adapter: string;
  /** Quantities in canonical form; limits hold cpu and memory. */
  readonly resources: {
    readonly requests?: Readonly<Record<string, string>>;
    readonly limits: Readonly<Record<string, string>>;
    readonly claims?: readonly ResourceClaim[];
  };
  readonly resourceClaims: NonNullable<SeatSpec['resourceClaims']>;
  /** Claims beside the workspace. */
  readonly shared: readonly { readonly claimName: string; readonly mountPath: string; readonly readOnly: boolean }[];
  readonly platformURL: string;
  /** Empty unless the gateway is used. */
  readonly egressURL: string;
  readonly egress: readonly EgressRule[];
  readonly token: { readonly audience: string; readonly attested: boolean };
  /** Those that seat and tier agree on; undefined when none are asked for. */
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

/** A Seat with all that its tier, the options and the defaults decide. Renderers choose nothing more. */
export interface ResolvedSeat extends ResolvedPod {
  readonly workload: Workload;
  /** Name of the workload's object: the base name, for a Sandbox and a SandboxClaim with the tier after it. */
  readonly workloadName: string;
  /** Of a SandboxClaim: the template that makes its pod, as the tier names it. */
  readonly sandboxTemplateName?: string | undefined;
  /** The same as the package has it; undefined: it does not. */
  readonly sandboxTemplate?: SandboxTemplate | undefined;
  readonly replicas: 0 | 1;
  readonly rollout: 'OnDelete' | 'RollingUpdate';
  readonly health: { readonly port: number; readonly livenessPath: string; readonly readinessPath: string };
  readonly claim: {
    readonly name: string;
    /** true: an existing claim that is mounted and not rendered. */
    readonly adopted: boolean;
    readonly size: string;
    readonly storageClassName: string | undefined;
    readonly retain: boolean;
  };
}
