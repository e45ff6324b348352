// Finds the place of a field by the lines of its text alone, where they are as most people write them: plain keys in
// block style. All else is left to a parser, which takes far longer.
import { keyText, resolvePlain } from './scalar';

interface Place {
  readonly line: number;
  readonly column: number;
}

/** Lines from `from` to `to`, the latter not included. */
interface Region {
  readonly from: number;
  readonly to: number;
}

/** Of a mapping or a list. `value` is where its value begins, on its own line or below. */
interface Entry {
  readonly start: Place;
  readonly value: Place;
  readonly inside: Region;
}
type Found = Entry | 'absent' | 'unsure';

/** Each place is looked for from the first line on; in a longer text many of them are found faster in the parser's tree. */
const LONGEST = 8192;
const NOTHING: Region = { from: 0, to: 0 };
const KEY = /^( *)([A-Za-z_][\w./-]*):(?:(?: +)([^ ].*)?|$)/;
const DASH = /^( *- +)[^ #]/;
const BLANK = /^ *(?:#|$)/;
/** An alias, an anchor, a tag or a flow collection: more than its line shows. */
const CLOSED = /^[&*!{[]/;

/**
 * The 1-based place of a field's value, or of the key of the nearest thing above it, as `locate` tells it. undefined: the
 * text, or the path through it, is not that simple.
 */
export function placeInBlock(text: string, steps: readonly (string | number)[]): Place | undefined {
  if (text.length > LONGEST || /[\t\r]/.test(text)) return undefined;
  const lines = text.split('\n');
  let inside: Region = { from: 0, to: lines.length };
  let last: Entry | undefined;
  for (const step of steps) {
    const entry = typeof step === 'number' ? itemAt(lines, inside, step) : keyAt(lines, inside, step);
    if (entry === 'unsure') return undefined;
    if (entry === 'absent') return last?.start;
    last = entry;
    inside = entry.inside;
  }
  return last?.value;
}

function keyAt(lines: readonly string[], { from, to }: Region, name: string): Found {
  const starts = entryStarts(lines, { from, to });
  for (const [n, at] of starts.entries()) {
    const [, indent = '', key, value = ''] = KEY.exec(lines[at] ?? '') ?? [];
    if (key === undefined) return 'unsure';
    if (keyText(resolvePlain(key), key) !== name) continue;
    const start = { line: at + 1, column: indent.length + 1 };
    if (CLOSED.test(value)) return 'unsure';
    if (value && !value.startsWith('#'))
      return { start, value: { ...start, column: (lines[at] ?? '').length - value.length + 1 }, inside: NOTHING };
    return keyWithBlock(lines, start, { from: at + 1, to: starts[n + 1] ?? to });
  }
  return 'absent';
}

function keyWithBlock(lines: readonly string[], start: Place, inside: Region): Found {
  const first = firstLine(lines, inside);
  const indent = indentOf(lines[first]);
  if (first === inside.to || CLOSED.test((lines[first] ?? '').slice(indent))) return 'unsure';
  return { start, value: { line: first + 1, column: indent + 1 }, inside };
}

/** What the item holds moves into the place of its dash, so that it can be looked into like any other lines. */
function itemAt(lines: string[], { from, to }: Region, index: number): Found {
  const starts = entryStarts(lines, { from, to });
  if (!starts.every((at) => DASH.test(lines[at] ?? ''))) return 'unsure';
  const at = starts[index];
  if (at === undefined) return starts.length ? 'absent' : 'unsure';
  const column = DASH.exec(lines[at] ?? '')?.[1]?.length ?? 0;
  const text = (lines[at] ?? '').slice(column);
  if (CLOSED.test(text)) return 'unsure';
  lines[at] = ' '.repeat(column) + text;
  const start = { line: at + 1, column: column + 1 };
  return { start, value: start, inside: { from: at, to: starts[index + 1] ?? to } };
}

/** Lines as far in as the first one; but a list may stand as far in as the key that it belongs to. */
function entryStarts(lines: readonly string[], region: Region): number[] {
  const first = firstLine(lines, region);
  const indent = indentOf(lines[first]);
  const isList = lines[first]?.[indent] === '-';
  const starts: number[] = [];
  for (let at = first; at < region.to; at += 1) {
    const line = lines[at] ?? '';
    if (indentOf(line) === indent && !BLANK.test(line) && (isList || line[indent] !== '-')) starts.push(at);
  }
  return starts;
}

function firstLine(lines: readonly string[], { from, to }: Region): number {
  for (let at = from; at < to; at += 1) if (!BLANK.test(lines[at] ?? '')) return at;
  return to;
}

const indentOf = (line = ''): number => /^ */.exec(line)?.[0].length ?? 0;
