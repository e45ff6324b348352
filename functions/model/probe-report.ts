// What a probe run found: results of checks, verdicts of seats, the report.
import type { CheckID, Coverage, Gap } from './probe-plan';

/**
 * FAIL: declared, and shown not to be enforced. INCONCLUSIVE: no valid evidence. GAP: a known limit of the platform.
 * SKIP: not declared, or there is nothing to try.
 */
export type Verdict = 'PASS' | 'FAIL' | 'INCONCLUSIVE' | 'GAP' | 'SKIP';

export type Area =
  | ('network' | 'runtime' | 'process' | 'filesystem' | 'identity')
  | ('storage' | 'placement' | 'admission' | 'session');

export type Evidence = Readonly<Record<string, unknown>>;

interface Result {
  readonly check: CheckID;
  /** One sentence for people: what was seen, and what to do where something is to be done. */
  readonly message: string;
  /** Name of the Seat that it is about; undefined: all seats of the group. */
  readonly seat?: string | undefined;
  /** Digest of the profile and the node whose probe pods it comes from; both undefined for what the API server told. */
  readonly profile?: string | undefined;
  readonly node?: string | undefined;
  /** What was tried to reach, for people: `API server 10.96.0.1:443`. */
  readonly target?: string | undefined;
  readonly evidence?: Evidence;
}

/** No PASS without a control: what shows that the evidence means something. Everything but PASS has a reason. */
export type CheckResult =
  | (Result & { readonly verdict: 'PASS'; readonly reason?: undefined; readonly control: Evidence })
  | (Result & { readonly verdict: 'FAIL'; readonly reason: FailReason; readonly control?: Evidence })
  | (Result & { readonly verdict: 'INCONCLUSIVE'; readonly reason: OpenReason; readonly control?: Evidence })
  | (Result & { readonly verdict: 'GAP'; readonly reason: Gap; readonly control?: Evidence })
  | (Result & { readonly verdict: 'SKIP'; readonly reason: SkipReason; readonly control?: Evidence });

export type FailReason =
  // network
  | ('Reached' | 'RequestGotOut' | 'Flapping' | 'OverBlocked' | 'DnsPathNotSelected')
  | ('PolicyMissing' | 'PolicyDiffers' | 'PolicyWidens' | 'SelectorDiffers')
  // the pod
  | ('SharedKernel' | 'WrongRuntime' | 'WrongUser' | 'CapabilitiesHeld' | 'PrivilegesCanGrow' | 'SeccompOff')
  | (
      | 'KernelFileOpen'
      | 'DevicePresent'
      | 'KernelLogOpen'
      | 'LimitMissing'
      | 'RootWritable'
      | 'MountUndeclared'
      | 'MountWritable'
    )
  | ('ApiTokenMounted' | 'WrongAudience' | 'TokenTooLong' | 'TokenOfOtherPod' | 'AccountHasRights')
  // the live seat
  | ('ClaimOwned' | 'ClaimOfOtherSeat' | 'ClaimPrunable' | 'WrongNode')
  | ('SpecDiffers' | 'ForeignPod' | 'WrongImage' | 'StaleRevision' | 'StillRunning' | 'SessionExpired');

export type OpenReason =
  | ('TargetDead' | 'NoNetworkAtAll' | 'InterceptedByProxy' | 'ControlBlocked' | 'ControlLate' | 'NoControl')
  | ('NoResult' | 'UnknownSandbox' | 'NotShown' | 'NotPermitted' | 'NotFound' | 'SeatNotRunning' | 'NodeNotProbed')
  | (
      | 'QuotaDenied'
      | 'LimitRangeDenied'
      | 'AdmissionDenied'
      | 'Unschedulable'
      | 'ImageUnavailable'
      | 'RuntimeUnavailable'
    )
  | ('TemplateUnknown' | 'PodFailed' | 'Timeout' | 'Interrupted' | 'Busy' | 'ApiUnavailable' | 'NothingChecked');

export type SkipReason = 'NotDeclared' | 'DeclaredOpen' | 'NothingThere' | 'SingleStack' | 'NoCanary' | 'Stopped';

/** Verdict of one area of a seat, or of the whole seat. `reason` is that of the result that decided it. */
export interface Summary {
  readonly verdict: Exclude<Verdict, 'SKIP'>;
  /** `Enforced`, `EnforcedWithGaps`, or the deciding result's reason. */
  readonly reason: string;
  readonly message: string;
}

export interface SeatReport extends Summary {
  readonly seat: string;
  readonly name: string;
  /** absent: a StatefulSet of that name. */
  readonly workload?: { readonly kind: 'Sandbox' | 'SandboxClaim'; readonly name: string };
  readonly tier: string | undefined;
  readonly profile: string;
  /** Node of its live pod. */
  readonly node: string | undefined;
  /** The Seat whose labels the probe pod had; another one's where seats share a profile. */
  readonly provenBy: string | undefined;
  readonly running: boolean;
  /** Revision of the configuration that was probed. */
  readonly configRevision?: string;
  readonly areas: Readonly<Partial<Record<Area, Summary>>>;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly gaps: readonly Gap[];
}

/** A group of probe pods: one profile on one node. */
export interface GroupReport {
  readonly profile: string;
  readonly node: string | undefined;
  readonly seat: string;
  readonly nonce: string;
  readonly pods: Readonly<Record<string, { readonly name: string; readonly uid: string }>>;
  /** How long after its start the seat-labelled pod could still reach a denied target, in ms; 0: never; undefined: not measured. */
  readonly startWindowMs: number | undefined;
}

/** `status` of the Job's exit codes: 0 PASS, 10 FAIL, 2 INCONCLUSIVE. A GAP that is not accepted counts as INCONCLUSIVE. */
export interface Report {
  readonly version: 1;
  readonly namespace: string;
  /** Digest of all that the verdict depends on: the suffix of the Job's name. */
  readonly digest: string;
  /** Nonce of the run. */
  readonly run: string;
  /** RFC 3339, seconds. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly validUntil: string;
  readonly verdict: Exclude<Verdict, 'SKIP'>;
  readonly reason: string;
  /** First line of the termination message. */
  readonly message: string;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly gaps: readonly Gap[];
  readonly acceptedGaps: readonly Gap[];
  readonly seats: readonly SeatReport[];
  readonly groups: readonly GroupReport[];
  readonly results: readonly CheckResult[];
  readonly coverage: Coverage;
}

/** What stays of earlier runs, newest first: a FAIL is never lost behind a later PASS. */
export interface RunRecord {
  readonly run: string;
  readonly digest: string;
  readonly endedAt: string;
  readonly verdict: Report['verdict'];
  readonly reason: string;
  readonly message: string;
}
