// Cuts a collection in flow style (JSON, KYAML) at its own commas.

/** Offsets into a text; `end` is exclusive. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * What stands between the commas of the collection that opens at `open`, comments included, without the space around.
 * `opaque`: places of scalars and tags, in order, in which a bracket, a comma or a number sign says nothing.
 */
export function flowRanges(text: string, open: number, opaque: readonly Range[]): Range[] {
  const ranges: Range[] = [];
  let from = open + 1;
  let depth = 0;
  for (const at of marks(text, from, opaque)) {
    const change = DEPTH[text[at] ?? ''] ?? 0;
    const ends = depth + change < 0;
    if (ends || (change === 0 && depth === 0)) {
      ranges.push(trimmed(text, from, at));
      from = at + 1;
    }
    if (ends) break;
    depth += change;
  }
  return ranges;
}

const DEPTH: Readonly<Record<string, number>> = { '[': 1, '{': 1, ']': -1, '}': -1 };

/** Brackets and commas that are neither in a scalar nor in a comment. */
function* marks(text: string, start: number, opaque: readonly Range[]): Iterable<number> {
  let from = start;
  for (const next of [...opaque, { start: text.length, end: text.length }]) {
    for (const { 0: mark, index } of text.slice(from, next.start).matchAll(/#.*|[[\]{},]/g)) {
      if (!mark.startsWith('#')) yield from + index;
    }
    from = next.end;
  }
}

function trimmed(text: string, start: number, end: number): Range {
  let from = start;
  let to = end;
  while (from < to && isSpace(text[from])) from += 1;
  while (to > from && isSpace(text[to - 1])) to -= 1;
  return { start: from, end: to };
}

const isSpace = (character: string | undefined): boolean => /^[ \t\r\n]$/.test(character ?? '');

/** A part of a flow collection, so that a comma or a bracket may follow: a comment would hide it. */
export function closed(text: string): string {
  const part = text.trim();
  return part.includes('#', part.lastIndexOf('\n') + 1) ? `${part}\n` : part;
}
