// The table of docs/sabotage.md, made of measured outcomes.
import type { Row } from './row';
import type { Outcome } from './run-row';

const HEAD = ['| what was done | expected | seen | as expected | report after |', '|---|---|---|---|---|'];

/** Markdown, a line per row in the order of their first outcomes. */
export function toTable(outcomes: readonly Outcome[]): string {
  const rows = [...new Set(outcomes.map(({ row }) => row))];
  return [
    ...HEAD,
    ...rows.map((row) =>
      line(
        row,
        outcomes.filter((outcome) => outcome.row === row),
      ),
    ),
  ].join('\n');
}

function line({ what, verdict, reason, findings }: Row, outcomes: readonly Outcome[]): string {
  const seen = new Map<string, number>();
  for (const { report } of outcomes) {
    const name = report?.verdict ?? 'no report';
    seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  const expected = [verdict, [reason, ...findings].filter((text) => text !== undefined).join(', ')];
  const times = outcomes.map(({ seconds }) => seconds).sort((a, b) => a - b);
  const good = outcomes.filter(({ problems }) => problems.length === 0).length;
  return `| ${[
    what,
    expected.filter(Boolean).join(': '),
    [...seen].map(([name, count]) => `${count} × ${name}`).join(', '),
    `${good} of ${outcomes.length}`,
    `${times[0]?.toFixed(0)}–${times.at(-1)?.toFixed(0)} s`,
  ].join(' | ')} |`;
}
