// One line of block YAML as key and value, where that is surely what it is.
import { resolvePlain } from './scalar';

/** The value as written, without a comment that is all there is. */
export type Entry = readonly [key: string, value: string];
const ENTRY = /^(?:([A-Za-z0-9_][A-Za-z0-9_./-]*)|'([^']*)'|"([^"\\]*)"):(?:[ \t]+|$)/;

/** `key: value` with a plain or simply quoted key; the value without its comment. */
export function splitEntry(text: string, start: number, end: number): Entry | undefined {
  const line = text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
  const match = ENTRY.exec(line.length > LONGEST_KEY ? line.slice(0, LONGEST_KEY) : line);
  if (!match) return undefined;
  const value = trimmed(line.slice(match[0].length));
  return [match[1] ?? match[2] ?? match[3] ?? '', value.startsWith('#') ? '' : value];
}

/** More than any key of Kubernetes has. */
const LONGEST_KEY = 1024;

/** Without blanks at its end; other space is part of a word in YAML. */
function trimmed(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(0, end);
}

/** A value that goes on below its line could hide a key from this walk. */
export const endsHere = ([, value]: Entry): boolean => !/^["'&*!?{[]/.test(value) || isClosed(value);

const isClosed = (value: string): boolean => scalar(value) !== undefined || /^(?:\{\}|\[\])(?:[ \t]+#.*)?$/.test(value);

/** The text of a one-line scalar; undefined when it is not surely one, or no text. An empty value reads as the empty string. */
export function scalar(value: string): string | undefined {
  if (value.startsWith("'") || value.startsWith('"')) return quoted(value);
  const comment = /[ \t]#/.exec(value);
  const plain = comment ? trimmed(value.slice(0, comment.index)) : value;
  if (/^["'&*!?{}[\]|>%@`,]|^-(?:\s|$)|:(?:\s|$)/.test(plain)) return undefined;
  return plain === '' || typeof resolvePlain(plain) === 'string' ? plain : undefined;
}

function quoted(value: string): string | undefined {
  const end = closingQuote(value);
  if (end < 0 || !/^(?:[ \t]+#.*)?$/.test(value.slice(end + 1))) return undefined;
  const inner = value.slice(1, end);
  if (value.startsWith("'")) return inner.replaceAll("''", "'");
  return inner.includes('\\') ? undefined : inner;
}

function closingQuote(value: string): number {
  const [quote = ''] = value;
  let end = value.indexOf(quote, 1);
  while (quote === "'" && end >= 0 && value[end + 1] === quote) end = value.indexOf(quote, end + 2);
  return end;
}
