// Cuts text into objects: documents of a file, items of a list. Each keeps its exact text and its place.
import type { Document, LineCounter, Node } from 'yaml';
import type { Origin } from '../../model';

/** One object's text, padded so that it stands alone, and where it starts. */
export interface Slice {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

/** Loaded when it is needed: most inputs are cut by lines. */
const yaml = (): typeof import('yaml') => require('yaml');

const BOUNDARY = /^(?:---|\.\.\.)(?=[ \t\r\n]|$)/gm;

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

/** A collection that a document holds under `items`, with the parts around it, all as source text. */
export interface ListDocument {
  /** Text of every top-level entry but `items`, by key. */
  readonly entries: ReadonlyMap<string, Slice>;
  /** undefined: no `items`, or something that is no list (null counts as none). */
  readonly items: readonly Slice[] | undefined;
  /** Column (from 0) of the dashes of `items`; -1 when the document is in flow style. */
  readonly dash: number;
}

/**
 * Reads a list of any YAML style (block, flow, KYAML, JSON) with a lossless parser. undefined: the text is no mapping, or
 * not readable, or shares nodes by anchors (an item's text would not stand alone). Slower than cutting lines; for input in a shape that only people write.
 */
export function parseList(text: string, origin: Pick<Origin, 'line'>): ListDocument | undefined {
  const { isMap, isSeq, LineCounter } = yaml();
  const lines = new LineCounter();
  const document = parse(text, lines);
  if (!document || document.errors.length || !isMap(document.contents)) return undefined;
  if (/^[^#"']*[\s,[{]&\w/m.test(text)) return undefined;
  const sliceOf = (node: unknown): Slice => cut(text, lines, origin, node as Node);
  const entries = new Map<string, Slice>();
  let items: Slice[] | undefined;
  let dash = 0;
  for (const { key, value } of document.contents.items) {
    const name = String((key as { value?: unknown } | null)?.value);
    if (name === 'items' && isSeq(value)) {
      items = value.items.map(sliceOf);
      if (!value.flow) dash = lines.linePos(value.range?.[0] ?? 0).col - 1;
    } else if (value) entries.set(name, sliceOf(value));
  }
  return { entries, items, dash: document.contents.flow ? -1 : dash };
}

/** The members of the list at a path of keys; undefined when there is none or the text is not readable. */
export function listAt(text: string, path: readonly string[], origin: Pick<Origin, 'line'>): Slice[] | undefined {
  const { isSeq, LineCounter } = yaml();
  const lines = new LineCounter();
  const document = parse(text, lines);
  const list = document?.errors.length === 0 ? document.getIn(path) : undefined;
  return isSeq(list) ? list.items.map((node) => cut(text, lines, origin, node as Node)) : undefined;
}

/** A node's own source, padded to its column. */
function cut(text: string, lines: LineCounter, origin: Pick<Origin, 'line'>, node: Node): Slice {
  const [start = 0, , end = start] = node.range ?? [];
  const { line, col } = lines.linePos(start);
  return {
    text: ' '.repeat(col - 1) + text.slice(start, end).replace(/\s*$/, '\n'),
    line: origin.line > 0 ? origin.line + line - 1 : 0,
    column: 1,
  };
}

function parse(text: string, lineCounter: LineCounter): Document.Parsed | undefined {
  try {
    return yaml().parseDocument(text, { lineCounter, uniqueKeys: false });
  } catch {
    return undefined; // nested too deep for the parser's stack
  }
}
