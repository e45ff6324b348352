// Cuts lists into their members' own text, in any YAML style.
import type { Origin } from '../../model';
import type { Slice } from './documents';
import type { Range } from './flow';
import { type Members, outlineOf } from './outline';

/** The members of the list at a path of keys; undefined when there is none or the text is not readable. */
export function listAt(
  text: string,
  path: readonly string[],
  origin: Pick<Origin, 'line' | 'column'>,
): Slices | undefined {
  const members = outlineOf(text)?.members(path);
  return members && { slices: slicesOf(text, members, origin), isShared: members.isShared };
}

export interface Slices {
  readonly slices: readonly Slice[];
  /** A member refers to an anchor outside of itself: it does not stand alone. */
  readonly isShared: boolean;
}

function slicesOf(text: string, { ranges, dash }: Members, origin: Pick<Origin, 'line' | 'column'>): Slice[] {
  let line = origin.line;
  let lineStart = 0;
  return ranges.map((range) => {
    for (let end = text.indexOf('\n', lineStart); end >= 0 && end < range.start; end = text.indexOf('\n', lineStart)) {
      lineStart = end + 1;
      line += 1;
    }
    const column = range.start - lineStart + (line === origin.line ? origin.column : 1);
    return { text: standing(text, range, dash), line: origin.line > 0 ? line : 0, column: dash < 0 ? column : 1 };
  });
}

/** A member's text as it stands alone: the dash is a blank. */
export const standing = (text: string, { start, end }: Range, dash: number): string =>
  dash < 0 ? `${text.slice(start, end)}\n` : `${text.slice(start, start + dash)} ${text.slice(start + dash + 1, end)}`;
