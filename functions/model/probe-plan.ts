// What a probe run is told: the plan, made of the rendered objects and kept in a ConfigMap beside the Job.
import type { V1NetworkPolicySpec, V1PodTemplateSpec } from '@kubernetes/client-node';
import type { Isolation } from './trust-tier';

/** One check of `docs/checks.md`; letters are areas, numbers those of the catalogue. */
export type CheckID =
  | ('N1' | 'N3' | 'N4' | 'N5' | 'N6' | 'N7' | 'N10' | 'N11' | 'N12' | 'N13' | 'N14' | 'N15' | 'N18')
  | ('U1' | 'U2')
  | ('R1' | 'R2')
  | ('P1' | 'P2' | 'P3' | 'P4' | 'P7' | 'P8' | 'P9' | 'P11')
  | ('F1' | 'F2')
  | ('I1' | 'I2' | 'I3')
  | ('S1' | 'J1' | 'A1' | 'A2' | 'A4' | 'T1');

/** Known limits of platforms, which `probe.acceptGaps` may name. */
export type Gap =
  | 'SandboxBoundary'
  | 'StartWindow'
  | 'DnsNamespaceWide'
  | 'DnsExfil'
  | 'LocalNodeOpen'
  | 'NotAttested'
  | 'ImageByTag';

/** Options of the probe, every default applied. */
export interface ProbeOptions {
  readonly mode: 'job' | 'none';
  /** How long a run waits for seats and for its own pods, in seconds. */
  readonly timeoutSeconds: number;
  /** How long the network may take until a new pod's policy counts; a denied target that is open later is a FAIL. */
  readonly settleSeconds: number;
  /** How long a verdict is worth something. */
  readonly validForSeconds: number;
  readonly acceptGaps: readonly Gap[];
  /** Any text; a new one makes a new run. */
  readonly epoch: string | undefined;
  /** `namespace`: nothing cluster-scoped is rendered, and what needs rights there stays unverified. */
  readonly rbac: 'cluster' | 'namespace';
  /** `address:port` of servers that the operator keeps up and that no seat may reach. */
  readonly canaries: readonly string[];
  /** A DNS zone of the operator that answers every name below it; undefined: tunnelling is not tried. */
  readonly dnsCanaryZone: string | undefined;
}

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** Version 1. All of it is decided in Git; what only the cluster knows the prober looks up. */
export interface Plan {
  readonly version: 1;
  /** Namespace of the seats. */
  readonly namespace: string;
  readonly controlPlaneNamespace: string;
  /** Base name of the prober's objects: ServiceAccount, Roles; plan and report are named after it. */
  readonly prober: string;
  readonly image: string;
  readonly imagePullPolicy: string;
  /** PriorityClass of the probe's pods; undefined where nothing cluster-scoped is rendered. */
  readonly priorityClassName: string | undefined;
  /** Field manager of what the probe writes. */
  readonly fieldOwner: string;
  readonly options: Omit<ProbeOptions, 'mode' | 'epoch'>;
  /** Where seats reach the platform: the Service as seats see it, the path that answers, the pod's port behind it. */
  readonly platform: Endpoint & { readonly path: string; readonly podPort: number };
  /** The reference package's denied URL. */
  readonly denied: Endpoint | undefined;
  readonly profiles: readonly Profile[];
  readonly seats: readonly PlannedSeat[];
  /** absent: the package has no task run here that is not finished. */
  readonly tasks?: PlannedTasks | undefined;
  readonly coverage: Coverage;
}

/** Seats whose isolation is the same: one probe pod stands for all of them on a node, each seat's policies are compared apart. */
export interface Profile {
  /** `sha256:` and hex over what isolates, names and identities left out. */
  readonly digest: string;
  readonly tier: string | undefined;
  readonly isolation: Isolation | undefined;
  readonly nodeLabels: readonly (readonly [key: string, value: string])[];
  /** Audience of the projected token. */
  readonly audience: string;
  /** Go duration; undefined: sessions have no end. */
  readonly sessionTTL: string | undefined;
  readonly healthPort: number;
  /**
   * Pod template and policy spec of the first seat that runs, else of the first, as rendered. Seats that claim a sandbox
   * have their SandboxTemplate's; without a pod spec it is not in the package, and nothing says what their pods should be.
   */
  readonly template: V1PodTemplateSpec;
  readonly policy: V1NetworkPolicySpec;
  /** Only of claimed sandboxes: what the tier lets a pod reach at most. The policies that select one are others' to write. */
  readonly bounds?: V1NetworkPolicySpec | undefined;
  /** Checks that its fields ask for. */
  readonly checks: readonly CheckID[];
}

/** `sandbox`: what the claim was given, which the prober finds out; a plan in Git never has it. */
export type PlannedWorkload =
  | { readonly kind: 'Sandbox'; readonly name: string }
  | { readonly kind: 'SandboxClaim'; readonly name: string; readonly sandbox?: string };

export interface PlannedSeat {
  /** Name of the Seat. */
  readonly seat: string;
  readonly organization: string;
  readonly key: string;
  readonly seatID: string;
  /** Base name of its objects. */
  readonly name: string;
  /** absent: a StatefulSet of the base name. */
  readonly workload?: PlannedWorkload;
  /** Digest of its profile. */
  readonly profile: string;
  readonly running: boolean;
  readonly configRevision: string;
  readonly rollout: 'OnDelete' | 'RollingUpdate';
  readonly claim: { readonly name: string; readonly adopted: boolean; readonly retain: boolean };
  /**
   * Leaves of its pod template that differ from the profile's once the seat's own names are put in there (`templateOf` of
   * `probe/profile.ts` reads it): a path of keys and indexes, and the value (absent: removed).
   */
  readonly template: readonly (readonly [path: readonly (string | number)[], value?: unknown])[];
  /** The same for its policy spec. */
  readonly policy: readonly (readonly [path: readonly (string | number)[], value?: unknown])[];
}

/** Task workers: the first as rendered, and what each changes in it (`probe/tasks.ts` reads it). */
export interface PlannedTasks {
  readonly base: Pick<PlannedTask, 'task' | 'name' | 'label' | 'digest'> & {
    readonly pod: V1PodTemplateSpec;
    readonly policy: V1NetworkPolicySpec;
  };
  readonly runs: readonly PlannedTask[];
}

export interface PlannedTask {
  /** Name of the TaskRun, and of the Seat that it is of. */
  readonly task: string;
  readonly seat: string;
  /** Of the worker, its policy and its account. */
  readonly name: string;
  readonly label: string;
  readonly digest: string;
  /** As a seat's `template` and `policy`. */
  readonly pod: PlannedSeat['template'];
  readonly policy: PlannedSeat['policy'];
}

/** How many declared fields have a check, and which have none. */
export interface Coverage {
  readonly fields: number;
  readonly verified: number;
  readonly unverified: readonly { readonly field: string; readonly why: string }[];
}
