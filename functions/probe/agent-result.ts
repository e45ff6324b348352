// An agent's result as a pod can hand it over: its termination message, which has room for 4096 bytes.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AgentResult, Sight, Stretch } from '../model';

/** k8s.io/kubernetes/pkg/kubelet/container: MaxContainerTerminationMessageLength is 4 KiB. */
export const MOST_BYTES = 4096;
/** What a message may grow to: a pod's text is nobody's word yet. */
const MOST_UNPACKED = 256 * 1024;
const MARK = 'z:';

/** `z:` and base64. Where that is too long, detail goes: first mounts, then older stretches, then nonces of strangers. */
export function packResult(result: AgentResult): string {
  for (const shorten of SHORTENINGS) {
    const text = MARK + deflateRawSync(JSON.stringify(shorten(result)), { level: 9 }).toString('base64');
    if (text.length <= MOST_BYTES) return text;
  }
  return (
    MARK + deflateRawSync(JSON.stringify({ ...result, attempts: {}, heard: [], seen: undefined })).toString('base64')
  );
}

const lastOf = (stretches: readonly Stretch[], count: number): readonly Stretch[] => stretches.slice(-count);
const withSight = (result: AgentResult, change: (sight: Sight) => Sight): AgentResult =>
  result.seen ? { ...result, seen: change(result.seen) } : result;
const attemptsOf = (result: AgentResult, count: number): AgentResult => ({
  ...result,
  attempts: Object.fromEntries(Object.entries(result.attempts).map(([id, one]) => [id, lastOf(one, count)])),
});
const fewMounts = (result: AgentResult): AgentResult =>
  withSight(result, (sight) => ({ ...sight, mounts: sight.mounts.slice(0, 40) }));

const SHORTENINGS: readonly ((result: AgentResult) => AgentResult)[] = [
  (result) => result,
  fewMounts,
  (result) => attemptsOf(fewMounts(result), 4),
  (result) => attemptsOf({ ...fewMounts(result), heard: result.heard.slice(0, 20) }, 2),
];

/** undefined for whatever is not a result of this version. Sizes are bounded; contents are judged by who reads them. */
export function unpackResult(text: string): AgentResult | undefined {
  if (!text.startsWith(MARK) || text.length > MOST_BYTES) return undefined;
  try {
    const json = inflateRawSync(Buffer.from(text.slice(MARK.length), 'base64'), { maxOutputLength: MOST_UNPACKED });
    const value: unknown = JSON.parse(json.toString('utf8'));
    return isResult(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string';
const isList = (value: unknown, holds: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(holds);
const isStretch = (value: unknown): boolean =>
  Array.isArray(value) && value.length === 4 && isText(value[0]) && value.slice(1).every(Number.isFinite);
const isHeard = (value: unknown): boolean => isRecord(value) && isText(value.nonce) && isText(value.port);

function isResult(value: unknown): value is AgentResult {
  if (!isRecord(value) || value.version !== 1) return false;
  const { role, nonce, podUID, startedAt, endedAt, end, listening, attempts, heard, silent, witnessHeard, seen } =
    value;
  return (
    ['seat', 'control', 'witness'].includes(role as string) &&
    isText(nonce) &&
    isText(podUID) &&
    Number.isFinite(startedAt) &&
    Number.isFinite(endedAt) &&
    (end === 'done' || end === 'terminated') &&
    isList(listening, isText) &&
    isRecord(attempts) &&
    Object.values(attempts).every((one) => isList(one, isStretch)) &&
    isList(heard, (one) => isHeard(one) && Number.isFinite((one as Record<string, unknown>).at)) &&
    (silent === undefined || (isRecord(silent) && [silent.count, silent.first, silent.last].every(Number.isFinite))) &&
    (witnessHeard === undefined || isList(witnessHeard, isHeard)) &&
    (seen === undefined || isSight(seen))
  );
}

function isSight(value: unknown): value is Sight {
  if (!isRecord(value)) return false;
  const { status, present, mounts, writes, opens, sizes, cgroup, nameservers, addresses, apiToken, token } = value;
  const holdText = [status, writes, opens, cgroup].every((one) => isRecord(one) && Object.values(one).every(isText));
  const isMount = (one: unknown): boolean =>
    Array.isArray(one) && one.length === 4 && one.slice(0, 3).every(isText) && typeof one[3] === 'boolean';
  const isToken =
    isRecord(token) &&
    isList(token.audiences, isText) &&
    Number.isFinite(token.issuedAt) &&
    Number.isFinite(token.expiresAt);
  return (
    holdText &&
    [present, nameservers, addresses].every((one) => isList(one, isText)) &&
    isList(mounts, isMount) &&
    isRecord(sizes) &&
    Object.values(sizes).every(Number.isFinite) &&
    typeof apiToken === 'boolean' &&
    (token === undefined || isToken)
  );
}
