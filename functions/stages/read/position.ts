// Gives a finding its line and column, where its item came from a file.
import type { Finding } from '../../finding';
import type { Origin } from '../../model';
import { locate, type Place } from './locate';

/** The place of the finding's field, or of the nearest thing above it that is written down. */
export function position(finding: Finding): Finding {
  const { item, path = '', line } = finding;
  if (!item || line !== undefined || item.origin.line <= 0) return finding;
  const place = path ? locate(item.text, path) : undefined;
  if (place) return { ...finding, ...placeIn(item.origin, place) };
  const blank = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*/.exec(item.text)?.[0] ?? '';
  const column = item.text.slice(blank.length).search(/\S/) + 1;
  return { ...finding, ...placeIn(item.origin, { line: blank.split('\n').length, column: Math.max(column, 1) }) };
}

/** The place in the file of a place in an item's text, whose first line may begin further in. */
export const placeIn = (origin: Origin, { line, column }: Place): Place => ({
  line: origin.line + line - 1,
  column: line === 1 ? origin.column + column - 1 : column,
});
