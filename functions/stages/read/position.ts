// Gives a finding its line and column, where its item came from a file.
import type { Finding } from '../../finding';
import { locate } from './locate';

/** The place of the finding's field, or of the nearest thing above it that is written down. */
export function position(finding: Finding): Finding {
  const { item, path = '', line } = finding;
  if (!item || line !== undefined || item.origin.line <= 0) return finding;
  const place = path ? locate(item.text, path) : undefined;
  if (place)
    return { ...finding, line: item.origin.line + place.line - 1, column: item.origin.column + place.column - 1 };
  const blank = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*/.exec(item.text)?.[0] ?? '';
  const column = item.text.slice(blank.length).search(/\S/) + 1;
  return { ...finding, line: item.origin.line + blank.split('\n').length - 1, column: Math.max(column, 1) };
}
