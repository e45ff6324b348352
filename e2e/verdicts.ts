// What a probe's report says of a seat, check by check.
import type { CheckID, Report } from '../functions/model';

/** Verdicts of a check for a seat: its own results, and those of the pods that stood for it. */
export function verdicts({ results, seats }: Report, check: CheckID, name: string): string[] {
  const seat = seats.find((one) => one.seat === name);
  const mine = results.filter(
    (one) => one.check === check && (one.seat === name || (one.seat === undefined && one.profile === seat?.profile)),
  );
  return [...new Set(mine.map(({ verdict, reason }) => [verdict, reason].filter(Boolean).join(' ')))].sort();
}
