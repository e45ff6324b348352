// Parses YAML as leniently as the API server's parser where ours keeps to the letter of YAML 1.2: indentation inside brackets
// and quotes, comments without a space before them, the line breaks of YAML 1.1.
import { type Event, parseEvents } from 'js-yaml';

/** Deepest nesting that is read; the API server's decoder stops at 10,000, and no real object comes near. */
export const DEEPEST_NESTING = 1000;

/** Each repair parses the text again: a text full of them must not go on for ever, least of all a long one. */
const MOST_REPAIRS = 500;
const MOST_PARSED_AGAIN = 100_000_000;

const OTHER_BREAKS = /[\u0085\u2028\u2029]/g;

export interface ParsedText {
  readonly events: Event[];
  /** What the events' offsets point into. Every repair is as long as what it replaces, so they hold for the original too. */
  readonly text: string;
}

/** Throws the parser's exception on the first error that cannot be repaired. */
export function parseText(original: string): ParsedText {
  let text = original.replace(OTHER_BREAKS, '\n');
  const most = Math.min(MOST_REPAIRS, Math.ceil(MOST_PARSED_AGAIN / (text.length + 1)));
  for (let repairs = 0; ; repairs += 1) {
    try {
      return { events: parseEvents(text, { maxDepth: DEEPEST_NESTING }), text };
    } catch (error) {
      const repaired = repairs < most ? repair(text, error) : undefined;
      if (repaired === undefined) throw error;
      text = repaired;
    }
  }
}

/** The text with what the parser stumbled over made harmless; undefined where that is not one of these cases. */
function repair(text: string, error: unknown): string | undefined {
  const { reason, mark } = error as { reason?: string; mark?: { position: number } };
  const position = mark?.position;
  if (position === undefined) return undefined;
  if (reason === 'deficient indentation') return tabBefore(text, position) ?? joinLine(text, position);
  if (text[position] !== '#') return undefined;
  const isComment = reason === 'a line break is expected' || /[[\]{}"',]/.test(text[position - 1] ?? '');
  return isComment ? blank(text, position, lineEnd(text, position)) : undefined;
}

/** Between a key and its value, and between brackets, a tab is a blank; the place is that of the value, or of its first. */
function tabBefore(text: string, position: number): string | undefined {
  const line = text.slice(text.lastIndexOf('\n', position - 1) + 1, position);
  const tab = /\t[ \t]*[[{]?[ \t]*$/.exec(line);
  return tab ? blank(text, position - line.length + tab.index, position - line.length + tab.index + 1) : undefined;
}

/** Inside brackets, and at the very margin inside quotes, a line break means a space. */
function joinLine(text: string, position: number): string | undefined {
  const breakAt = text.lastIndexOf('\n', position - 1);
  if (breakAt < 0 || text.slice(breakAt + 1, position).trim() !== '') return undefined;
  if (isInQuotes(text.slice(0, breakAt))) return position === breakAt + 1 ? blank(text, breakAt, position) : undefined;
  const lineStart = text.lastIndexOf('\n', breakAt - 1) + 1;
  const comment = /(?:^|\s)#/.exec(text.slice(lineStart, breakAt));
  return blank(text, comment ? lineStart + comment.index : breakAt, breakAt + 1);
}

/** The parser itself says what was open when the text ended. */
function isInQuotes(text: string): boolean {
  try {
    parseEvents(text, { maxDepth: DEEPEST_NESTING });
    return false;
  } catch (error) {
    return (error as { reason?: string }).reason?.includes('quoted') === true;
  }
}

function lineEnd(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  return end < 0 ? text.length : end;
}

const blank = (text: string, from: number, to: number): string =>
  text.slice(0, from) + ' '.repeat(to - from) + text.slice(to);
