// Rows of text as a table for terminals.
import { asLine } from '../escape';

/** Cells are escaped already. The last column is not padded. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const columns = Math.max(...rows.map(({ length }) => length)) - 1;
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return rows.map((row) => `${asLine(lineOf(row))}\n`).join('');
}
