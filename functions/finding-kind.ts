// Which of three kinds a problem is, as the steadmesh package `runtime/kube` sorts them: who can do something about it.
import type { Code } from './finding';

/**
 * Unsupported: not with this version, or not with what was chosen. Misconfigured: something in Git must change. Unavailable:
 * the input does not hold it, so that only the cluster knows.
 */
export type Kind = 'Unsupported' | 'Misconfigured' | 'Unavailable';

/** All others are mistakes in the input. */
const OTHER: Readonly<Partial<Record<Code, Kind>>> = {
  UNSUPPORTED_VERSION: 'Unsupported',
  OPTION_NOT_AVAILABLE: 'Unsupported',
  UNSUPPORTED_CONFIG: 'Unsupported',
  ISOLATION_NOT_PROVIDED: 'Unsupported',
  RUNTIME_DOES_NOT_PROVIDE: 'Unsupported',
  ATTESTATION_NEEDS_CONFIDENTIAL: 'Unsupported',
  ATTESTATION_NOT_PROVIDED: 'Unsupported',
  TTL_NOT_ENFORCED: 'Unsupported',
  UNSUPPORTED_BY_WORKLOAD: 'Unsupported',
  FUNCTION_NOT_AVAILABLE: 'Unsupported',
  KUSTOMIZATION_NOT_APPLIED: 'Unsupported',
  RUNTIME_NOT_IN_PACKAGE: 'Unavailable',
  TEMPLATE_NOT_FOUND: 'Unavailable',
};

export const kindOf = (code: Code): Kind => OTHER[code] ?? 'Misconfigured';
