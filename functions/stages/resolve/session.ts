// How long a session may live: the seat's wish, capped by its tier. A StatefulSet keeps no deadline by itself.
import { type Finding, report } from '../../finding';
import { parseDuration } from '../../kubernetes/duration';
import type { Item, Located, Outcome, Seat, TrustTier, Workload } from '../../model';

/** What is wrong with a session's longest life; undefined when nothing is. */
export function ttlProblem(text: string): string | undefined {
  const duration = parseDuration(text);
  if (duration === undefined) return 'must be a Go duration such as 90s, 45m or 1h30m';
  return duration > 0n ? undefined : 'must be above zero';
}

/** What a workload does not keep, and why. */
const UNKEPT: Readonly<Record<Workload, { readonly ttl?: string; readonly expiresAt?: string }>> = {
  StatefulSet: { ttl: 'a StatefulSet has no deadline', expiresAt: 'a StatefulSet has no deadline' },
  Sandbox: {},
  SandboxClaim: { ttl: 'a SandboxClaim ends at a time, and not after one' },
};

/** Whether something ends a session that lives as long as its tier lets it. */
export const keepsTTL = (workload: Workload): boolean => UNKEPT[workload].ttl === undefined;

/** The tier's longest life stands for a seat that names none. */
export function resolveSession(
  { object: { spec }, item }: Located<Seat>,
  tier: TrustTier | undefined,
  workload: Workload,
): Outcome<{ ttl: string | undefined; expiresAt: string | undefined }> {
  const { ttl, expiresAt } = spec.session ?? {};
  const most = tier?.spec.maxSessionTTL;
  const findings = ttl === undefined ? [] : checkTTL(ttl, 'spec.session.ttl', tier, item);
  const unkept = UNKEPT[workload];
  const own = (['ttl', 'expiresAt'] as const).find((field) => spec.session?.[field] !== undefined && unkept[field]);
  if (own) {
    const message = `${unkept[own]}: the pod is told it, nothing ends the session`;
    findings.push(report('TTL_NOT_ENFORCED', item, `spec.session.${own}`, message));
  }
  return { value: { ttl: ttl ?? most, expiresAt }, findings };
}

/** Of a session that names its longest life at `path`: that it is one, and within the tier's. */
export function checkTTL(ttl: string, path: string, tier: TrustTier | undefined, item: Item): Finding[] {
  const problem = ttlProblem(ttl);
  if (problem) return [report('INVALID_DURATION', item, path, problem, { value: ttl })];
  const most = tier?.spec.maxSessionTTL;
  const cap = most === undefined ? undefined : parseDuration(most);
  if (cap === undefined || parseDuration(ttl)! <= cap) return [];
  const message = `must be at most ${most}, the \`maxSessionTTL\` of tier "${tier?.metadata.name}"`;
  return [report('SESSION_TTL_EXCEEDS_TIER', item, path, message, { value: ttl, proposed: most })];
}
