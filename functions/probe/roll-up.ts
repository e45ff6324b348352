// From results of checks to one verdict: of an area, of a seat, of a run. What is not proven is never a PASS.
import type { CheckID, CheckResult, Gap, Summary } from '../model';
import { CHECKS } from './checks';

/** Accepted gaps are named so, as a Summary of verdict GAP. */
export const WITH_GAPS = 'EnforcedWithGaps';
export const ENFORCED = 'Enforced';

/** Higher decides. A SKIP has no rank: it says nothing. */
const RANK = { FAIL: 5, INCONCLUSIVE: 4, GAP: 3, ACCEPTED: 2, PASS: 1 } as const;
type Rank = (typeof RANK)[keyof typeof RANK];

/**
 * Follow from something else, or block more than declared: they stand behind results of the same verdict that say why,
 * or that something is open.
 */
const SECONDARY: readonly string[] = [
  ...['OverBlocked', 'DnsPathNotSelected'],
  ...['NodeNotProbed', 'NoResult', 'NoControl', 'NothingChecked'],
];

export const NOTHING_CHECKED: Summary = {
  verdict: 'INCONCLUSIVE',
  reason: 'NothingChecked',
  message: 'nothing was checked',
};

/**
 * FAIL > INCONCLUSIVE > GAP > GAP in `acceptGaps` (then the reason is `EnforcedWithGaps`) > PASS. SKIP does not count,
 * and where nothing counts it is INCONCLUSIVE `NothingChecked`. The message is that of the first result that decides,
 * in the order given, those last that only follow from others; `(and 2 more)` tells how many have the same rank.
 */
export function summarise(results: readonly CheckResult[], acceptGaps: readonly Gap[]): Summary {
  const counted = results.filter(({ verdict }) => verdict !== 'SKIP');
  const rankOf = (result: CheckResult): Rank =>
    result.verdict === 'GAP' && acceptGaps.includes(result.reason)
      ? RANK.ACCEPTED
      : RANK[result.verdict as keyof typeof RANK];
  const highest = Math.max(0, ...counted.map(rankOf));
  if (highest === 0) return NOTHING_CHECKED;
  const deciding = counted.filter((result) => rankOf(result) === highest);
  const primary = deciding.find(({ reason }) => !SECONDARY.includes(reason ?? '')) ?? deciding[0]!;
  if (highest === RANK.PASS) {
    return { verdict: 'PASS', reason: ENFORCED, message: `${counts(deciding.length, 'check')} passed` };
  }
  if (highest === RANK.ACCEPTED) {
    const message = `${counts(counted.length - deciding.length, 'check')} passed, accepted gaps: ${gapsOf(deciding).join(', ')}`;
    return { verdict: 'GAP', reason: WITH_GAPS, message };
  }
  const more = deciding.length > 1 ? ` (and ${deciding.length - 1} more)` : '';
  return {
    verdict: primary.verdict as Summary['verdict'],
    reason: primary.reason as string,
    message: `${sentenceOf(primary)}${more}`,
  };
}

/** The one that decides among summaries, by the same order; the first where several are equal. */
export function worstOf(summaries: readonly Summary[]): Summary {
  const rankOf = ({ verdict, reason }: Summary): Rank =>
    verdict === 'GAP' && reason === WITH_GAPS ? RANK.ACCEPTED : RANK[verdict];
  const highest = Math.max(0, ...summaries.map(rankOf));
  const deciding = summaries.filter((one) => rankOf(one) === highest);
  return deciding.find(({ reason }) => !SECONDARY.includes(reason)) ?? deciding[0] ?? NOTHING_CHECKED;
}

/** True for what counts as enforced: PASS, and GAP of which every gap is accepted. */
export const isEnforced = ({ verdict, reason }: Summary): boolean =>
  verdict === 'PASS' || (verdict === 'GAP' && reason === WITH_GAPS);

/** `N3 witness 10.0.0.5:8080: was reached`; without a full stop. */
export const sentenceOf = ({ check, message }: CheckResult): string => `${check}: ${message.replace(/\.$/, '')}`;

/** Gaps among results, each once, sorted. */
export const gapsOf = (results: readonly CheckResult[]): Gap[] =>
  [...new Set(results.flatMap((result) => (result.verdict === 'GAP' ? [result.reason] : [])))].sort();

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly gaps: readonly Gap[];
}

export function countsOf(results: readonly CheckResult[]): Counts {
  const count = (verdict: CheckResult['verdict']): number => results.filter((one) => one.verdict === verdict).length;
  return {
    passed: count('PASS'),
    failed: count('FAIL'),
    inconclusive: count('INCONCLUSIVE'),
    gaps: gapsOf(results),
  };
}

const CHECK_ORDER = new Map((Object.keys(CHECKS) as CheckID[]).map((check, index) => [check, index]));

/** In the order of the catalogue, then by profile, node, seat and target: the same bytes whoever came first. */
export function inOrder(results: readonly CheckResult[]): CheckResult[] {
  const keyOf = ({ check, profile = '', node = '', seat = '', target = '' }: CheckResult): string =>
    [String(CHECK_ORDER.get(check) ?? 99).padStart(2, '0'), profile, node, seat, target].join('\0');
  return results
    .map((result) => ({ key: keyOf(result), result }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ result }) => result);
}

/** `1 check`, `2 checks`. */
export const counts = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
