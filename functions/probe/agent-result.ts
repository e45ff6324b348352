// An agent's result as a pod can hand it over: its termination message, which has room for 4096 bytes.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { AgentResult, Sight } from '../model';
import { outcomeOf } from './truth';

/** k8s.io/kubernetes/pkg/kubelet/container: MaxContainerTerminationMessageLength is 4 KiB. */
export const MOST_BYTES = 4096;
/** What a message may grow to: a pod's text is nobody's word yet. */
const MOST_UNPACKED = 256 * 1024;
const MARK = 'z:';
/** So many nonces are kept where not all fit. */
const MOST_HEARD = 20;

/**
 * `z:` and base64, always such that it can be read again. Where that is too long, detail goes, but never so that less looks like more: no
 * attempt that got through, no part of the mount table, and with strangers' nonces also the sign that the listener lived.
 */
export function packResult(result: AgentResult): string {
  for (const shorten of SHORTENINGS) {
    const text = packed(shorten(result));
    if (unpackResult(text)) return text;
  }
  const { version, role, nonce, podUID, startedAt, endedAt, end } = result;
  return packed({ version, role, nonce, podUID, startedAt, endedAt, end, listening: [], attempts: {}, heard: [] });
}

const packed = (value: object): string => MARK + deflateRawSync(JSON.stringify(value), { level: 9 }).toString('base64');

/** Of each target the last stretches, and of the others those that are no block. */
const shorter = (result: AgentResult, count: number): AgentResult => ({
  ...result,
  attempts: Object.fromEntries(
    Object.entries(result.attempts).map(([id, all]) => [
      id,
      all.filter(([word], index) => index >= all.length - count || outcomeOf(word) !== 'blocked'),
    ]),
  ),
});
const fewHeard = (result: AgentResult): AgentResult => {
  if (result.heard.length <= MOST_HEARD) return result;
  const { silent: _, heard, ...rest } = result;
  return { ...rest, heard: heard.slice(0, MOST_HEARD) };
};
const unseen = ({ seen: _, ...result }: AgentResult): AgentResult => result;
const untold = ({ witnessHeard: _, ...result }: AgentResult): AgentResult => result;

const SHORTENINGS: readonly ((result: AgentResult) => AgentResult)[] = [
  (result) => result,
  (result) => shorter(result, 4),
  (result) => shorter(fewHeard(result), 2),
  (result) => untold(shorter(fewHeard(result), 2)),
  (result) => unseen(untold(shorter(fewHeard(result), 2))),
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
const isTexts = (value: unknown): boolean => isList(value, isText);
const isTextOrAbsent = (value: unknown): boolean => value === undefined || isText(value);
const isStretch = (value: unknown): boolean => {
  if (!Array.isArray(value) || value.length !== 4 || !isText(value[0])) return false;
  const [, first, last, count] = value;
  return [first, last, count].every(Number.isFinite) && first >= 0 && first <= last && count >= 1;
};
const isHeard = (value: unknown): boolean => isRecord(value) && isText(value.nonce) && isText(value.port);
const isSilent = (value: unknown): boolean =>
  isRecord(value) && [value.count, value.first, value.last].every(Number.isFinite) && isTexts(value.from);

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
    isTexts(listening) &&
    isRecord(attempts) &&
    Object.values(attempts).every((one) => isList(one, isStretch)) &&
    isList(heard, (one) => isHeard(one) && isRecord(one) && isText(one.from) && Number.isFinite(one.at)) &&
    (silent === undefined || isSilent(silent)) &&
    (witnessHeard === undefined || isList(witnessHeard, isHeard)) &&
    (seen === undefined || isSight(seen))
  );
}

function isSight(value: unknown): value is Sight {
  if (!isRecord(value)) return false;
  const { status, present, mounts, writes, opens, sizes, cgroup, nameservers, addresses, apiToken, token } = value;
  const { bootID, osrelease, version, cmdline, tokenProblem, processors } = value;
  const holdText = [status, writes, opens, cgroup].every((one) => isRecord(one) && Object.values(one).every(isText));
  const isMount = (one: unknown): boolean =>
    Array.isArray(one) && one.length === 4 && one.slice(0, 3).every(isText) && typeof one[3] === 'boolean';
  const isToken =
    isRecord(token) &&
    isTexts(token.audiences) &&
    isText(token.sha256) &&
    [token.podUID, token.serviceAccount].every(isTextOrAbsent) &&
    Number.isFinite(token.issuedAt) &&
    Number.isFinite(token.expiresAt);
  return (
    holdText &&
    [present, nameservers, addresses].every(isTexts) &&
    [bootID, osrelease, version, cmdline, tokenProblem].every(isTextOrAbsent) &&
    Number.isFinite(processors) &&
    isList(mounts, isMount) &&
    isRecord(sizes) &&
    Object.values(sizes).every(Number.isFinite) &&
    typeof apiToken === 'boolean' &&
    (token === undefined || isToken)
  );
}
