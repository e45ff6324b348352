// A finding: one thing to tell the user. The codes are a contract (docs/findings.md has a line for each); wording is not.
import type { Item, ObjectRef } from './model';

export type Severity = 'error' | 'warning' | 'info';

/** Every code with its usual severity. Closed: a new mistake is a new line here, a fixture and a line in docs/findings.md. */
export const CODES = {
  // text
  INVALID_ENCODING: 'error',
  INVALID_YAML: 'error',
  DUPLICATE_KEY: 'error',
  ALIAS_EXPANSION: 'error',
  INPUT_TOO_LARGE: 'error',
  INVALID_RESOURCE_LIST: 'error',
  NOT_A_RESOURCE: 'info',
  HELM_TEMPLATE: 'info',
  NOTHING_TO_RENDER: 'error',
  // schema
  UNKNOWN_FIELD: 'error',
  MISSING_FIELD: 'error',
  INVALID_TYPE: 'error',
  INVALID_VALUE: 'error',
  RULE_VIOLATED: 'error',
  UNSUPPORTED_VERSION: 'error',
  INVALID_DURATION: 'error',
  INVALID_QUANTITY: 'error',
  // config
  UNKNOWN_OPTION: 'error',
  INVALID_OPTION: 'error',
  OPTION_NOT_AVAILABLE: 'error',
  OPTION_NOT_ALLOWED: 'error',
  OPTION_LOOSENS: 'warning',
  DUPLICATE_CONFIG: 'error',
  UNSUPPORTED_CONFIG: 'error',
  URL_NOT_IN_CONTROL_PLANE: 'error',
  // identity
  DUPLICATE_TIER: 'error',
  DUPLICATE_SEAT: 'error',
  DUPLICATE_TASK_RUN: 'error',
  UNKNOWN_SEAT: 'error',
  NAME_COLLISION: 'error',
  NAME_TAKEN: 'error',
  NAME_TOO_LONG: 'error',
  INVALID_LABEL_VALUE: 'error',
  NAMESPACE_MISSING: 'error',
  // tiers
  UNKNOWN_TIER: 'error',
  TIER_REQUIRED: 'error',
  TIER_DIFFERS: 'error',
  TIER_NOT_ALLOWED: 'error',
  ISOLATION_NOT_PROVIDED: 'error',
  RUNTIME_DOES_NOT_PROVIDE: 'error',
  RUNTIME_NOT_IN_PACKAGE: 'info',
  JURISDICTION_MISMATCH: 'error',
  JURISDICTION_NOT_SCHEDULED: 'warning',
  ATTESTATION_NEEDS_CONFIDENTIAL: 'error',
  ATTESTATION_NOT_PROVIDED: 'error',
  SESSION_TTL_EXCEEDS_TIER: 'error',
  TTL_NOT_ENFORCED: 'warning',
  PROVIDER_TOOL_REMOVED: 'warning',
  WARM_POOL_IGNORED: 'warning',
  WARM_POOL_NAMESPACE_UNKNOWN: 'warning',
  TEMPLATE_NOT_FOUND: 'info',
  TEMPLATE_WEAKER_THAN_TIER: 'error',
  TEMPLATE_IMAGE_DIFFERS: 'error',
  // network
  EGRESS_NOT_ALLOWED: 'error',
  ACCESS_EXCEEDS_SEAT: 'error',
  EGRESS_GATEWAY_NOT_CONFIGURED: 'error',
  PLATFORM_UNREACHABLE: 'warning',
  INVALID_HOST: 'error',
  INVALID_CIDR: 'error',
  CIDR_MASKED: 'warning',
  CIDR_TOO_WIDE: 'warning',
  INVALID_EXCEPT: 'error',
  EXCEPT_REOPENED: 'warning',
  METADATA_REACHABLE: 'error',
  POLICY_WIDENS_SEAT: 'warning',
  // pods
  LIMITS_MISSING: 'error',
  REQUESTS_EXCEED_LIMITS: 'error',
  RESOURCE_CLAIM_UNDEFINED: 'error',
  UNSUPPORTED_BY_WORKLOAD: 'error',
  NODE_LABEL_CONFLICT: 'error',
  IMAGE_INVALID: 'error',
  IMAGE_NOT_PINNED: 'error',
  SECRET_ENV_NOT_ALLOWED: 'error',
  MOUNT_PATH_RESERVED: 'error',
  CLAIM_OF_OTHER_SEAT: 'error',
  TOLERATION_TOO_WIDE: 'error',
  PRIORITY_RESERVED: 'error',
  // manifest
  INVALID_FILE_NAME: 'error',
  DUPLICATE_FILE: 'error',
  MANIFEST_TOO_LARGE: 'error',
  PLAN_TOO_LARGE: 'error',
  MANIFEST_LARGE: 'warning',
  // packages
  WORKSPACE_ORPHANED: 'warning',
  PRUNE_SKIPPED: 'warning',
  INPUTS_ARE_FILES: 'error',
  NAMESPACE_PRUNABLE: 'warning',
  // engines
  FUNCTION_NOT_AVAILABLE: 'error',
  KUSTOMIZATION_NOT_APPLIED: 'error',
} as const satisfies Record<string, Severity>;
export type Code = keyof typeof CODES;

export interface Finding {
  readonly severity: Severity;
  readonly code: Code;
  /** One sentence; says what is allowed. User text in it is raw: every output escapes for its own medium. */
  readonly message: string;
  readonly resource?: ObjectRef;
  /** Field path in spec form: `spec.containers[3].image`. */
  readonly path?: string;
  readonly file?: string;
  /** Position of the document in its file, from 0. */
  readonly index?: number;
  /** 1-based place in the file; filled in by `locate` at the end of a run. */
  readonly line?: number;
  readonly column?: number;
  /** The value as the user wrote it, and a value that would be right. */
  readonly value?: unknown;
  readonly proposed?: unknown;
  /** Who decides: the CRD's schema, its CEL rules, the decoder, or a rule of ours that is stricter than the CRD. */
  readonly source: 'schema' | 'cel' | 'decode' | 'rule';
  /** The item that the finding is about; positions are looked up in its text. */
  readonly item?: Item;
}

/** The optional parts of a finding. `severity` overrides the code's usual one. */
export type Extras = Partial<
  Pick<Finding, 'severity' | 'value' | 'proposed' | 'source' | 'line' | 'column' | 'file' | 'index'>
>;

/** A finding about a field (`path`; empty for the whole object) of an item. */
export function report(
  code: Code,
  item: Item | undefined,
  path: string,
  message: string,
  extras: Extras = {},
): Finding {
  const { file, index } = item?.origin ?? {};
  return {
    severity: CODES[code],
    code,
    message,
    source: 'rule',
    ...(item && (item.kind || item.name) ? { resource: refOf(item) } : {}),
    ...(path ? { path } : {}),
    ...(file === undefined ? {} : { file }),
    ...(index === undefined ? {} : { index }),
    ...(item ? { item } : {}),
    ...extras,
  };
}

const refOf = ({ apiVersion, kind, namespace, name }: Item): ObjectRef => ({
  apiVersion,
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

export const isError = (finding: Finding): boolean => finding.severity === 'error';

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

/** Most important first (kpt shows four lines), then by place: the order in which every output lists findings. */
export function byImportance(a: Finding, b: Finding): number {
  return (
    RANK[a.severity] - RANK[b.severity] ||
    compare(a.file ?? '', b.file ?? '') ||
    (a.line ?? 0) - (b.line ?? 0) ||
    (a.index ?? 0) - (b.index ?? 0) ||
    (a.column ?? 0) - (b.column ?? 0) ||
    compare(a.code, b.code) ||
    compare(a.path ?? '', b.path ?? '') ||
    compare(a.message, b.message)
  );
}

/** By code unit, so that the order is the same on any machine and locale. */
export const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
