// What the prober looked up in the cluster, and what its pods told: the input of the checks.
import type {
  V1NetworkPolicy,
  V1Node,
  V1ObjectMeta,
  V1PersistentVolume,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodTemplateSpec,
  V1RuntimeClass,
  V1StatefulSet,
} from '@kubernetes/client-node';
import type { AgentResult, Target } from './probe-agent';
import type { CheckID, Profile } from './probe-plan';
import type { OpenReason } from './probe-report';

/** Something that could not be looked up or done, and why. */
export interface Obstacle {
  readonly reason: OpenReason;
  readonly message: string;
}
/** A list or an object that the API server showed, or why it did not. */
export type Looked<T> =
  | { readonly value: T; readonly obstacle?: undefined }
  | { readonly value?: undefined; readonly obstacle: Obstacle };

/** A Sandbox as the API server shows it, as far as the checks read it. */
export interface LiveSandbox {
  readonly metadata?: V1ObjectMeta;
  readonly spec?: {
    readonly podTemplate?: V1PodTemplateSpec;
    readonly operatingMode?: string;
    readonly volumeClaimTemplates?: readonly unknown[];
  };
}

/** A SandboxClaim, and the Sandbox that it was given. */
export interface LiveSandboxClaim {
  readonly metadata?: V1ObjectMeta;
  readonly status?: {
    readonly sandbox?: { readonly name?: string };
    readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
  };
}

/** All of the namespace of the seats unless said otherwise. */
export interface ClusterFacts {
  /** Unix ms of the look. */
  readonly at: number;
  readonly policies: Looked<readonly V1NetworkPolicy[]>;
  readonly pods: Looked<readonly V1Pod[]>;
  readonly statefulSets: Looked<readonly V1StatefulSet[]>;
  /** Of agent-sandbox; not looked for where no seat has one. */
  readonly sandboxes: Looked<readonly LiveSandbox[]>;
  /** The same. */
  readonly sandboxClaims: Looked<readonly LiveSandboxClaim[]>;
  readonly claims: Looked<readonly V1PersistentVolumeClaim[]>;
  /** Cluster-scoped, by name; only those that seats use. */
  readonly nodes: Readonly<Record<string, Looked<V1Node>>>;
  readonly volumes: Readonly<Record<string, Looked<V1PersistentVolume>>>;
  readonly runtimeClasses: Readonly<Record<string, Looked<V1RuntimeClass>>>;
  /** By ServiceAccount name: what it may do that a seat's account must not; empty: nothing. */
  readonly rights: Readonly<Record<string, Looked<readonly string[]>>>;
}

/** A target with what it is about. */
export interface PlannedTarget extends Target {
  readonly check: CheckID;
  readonly expect: 'allow' | 'deny';
  /** false: where the control pod finds nothing there is nothing to check (SKIP), e.g. metadata services. */
  readonly required: boolean;
  /** For people: `API server 10.96.0.1:443`. */
  readonly label: string;
  /** An open one is this known gap. */
  readonly gap?: 'LocalNodeOpen';
  /** It is the witness: what arrives there is seen on both sides. */
  readonly witness?: true;
  /** Name of the Seat whose live pod it is. */
  readonly seat?: string;
  /** Other evidence than the control pod's that the target is alive, e.g. that the kubelet finds it ready. */
  readonly alive?: string;
}

/** One profile on one node: the pods S (seat) and C (control), and the shared witness W. */
export interface GroupFacts {
  readonly profile: Profile;
  /** Name of the Seat whose labels S had. */
  readonly seat: string;
  readonly node: string | undefined;
  readonly nonce: string;
  readonly controlNonce: string;
  readonly targets: readonly PlannedTarget[];
  /** Pods as the API server last showed them; undefined: they could not be made. */
  readonly pods: { readonly seat?: V1Pod; readonly control?: V1Pod; readonly witness?: V1Pod };
  readonly seatResult: Looked<AgentResult>;
  readonly controlResult: Looked<AgentResult>;
  readonly settleSeconds: number;
}
