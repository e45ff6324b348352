// Cuts a file into documents. Each keeps its exact text and its place.

/** One object's text, padded so that it stands alone, and where it starts. */
export interface Slice {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

const BOUNDARY = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;

/** The text with a line feed at its end, so that more can follow. */
export const endLine = (text: string): string => (text.endsWith('\n') ? text : `${text}\n`);

/** The documents of a YAML file that hold more than comments. Markers are not part of a document. */
export function splitDocuments(text: string): Slice[] {
  const starts: number[] = [0];
  const ends: number[] = [];
  for (const match of text.matchAll(BOUNDARY)) {
    ends.push(match.index);
    starts.push(match.index + 3);
  }
  ends.push(text.length);
  const slices: Slice[] = [];
  let line = 1;
  let counted = 0;
  for (const [n, start] of starts.entries()) {
    const end = ends[n] ?? text.length;
    if (!hasContent(text, start, end)) continue;
    // What follows `---` on its own line keeps its column; an empty rest of that line is dropped.
    const rest = /^[ \t]*(?:#[^\n]*)?\r?\n/.exec(text.slice(start, end));
    const from = n > 0 && rest ? start + rest[0].length : start;
    line += countLines(text, counted, from);
    counted = from;
    const padding = from === start && n > 0 ? '   ' : '';
    slices.push({ text: padding + text.slice(from, end), line, column: 1 });
  }
  return slices;
}

function hasContent(text: string, start: number, end: number): boolean {
  return /^[ \t]*[^\s#%]/m.test(text.slice(start, end));
}

function countLines(text: string, from: number, to: number): number {
  let lines = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
