// Strings whose YAML form needs no thought: words and paths as they are, plain texts as literal blocks.

/** Letters first, no space or colon at the end: nothing in it is syntax, in a key or in a value. */
const WORDS = /^[A-Za-z/](?:[\w./@-]|[: ](?=[\w./@-]))*$/;
/** What readers of YAML 1.1 take for a boolean or null; `true`, `null` and `false` are that in YAML 1.2 too. */
const RESERVED = /^(?:[yn]|yes|no|on|off|true|false|null)$/i;
const LONGEST_RESERVED = 5;
/** A longer key is written in another form. */
const LONGEST_KEY = 1024;

/** `250m`, `8h`: no number in either version, unlike `1e3`, `1_000` or `0x10`. */
const QUANTITY = /^\d+(?:[mhs]|[KMGTPE]i)$/;

/** The string itself where it is safe as it stands. undefined: it may need quotes. */
export const plain = (text: string): string | undefined =>
  isPlainWords(text) || QUANTITY.test(text) ? text : undefined;

const isPlainWords = (text: string): boolean =>
  WORDS.test(text) && text.length <= LONGEST_KEY && (text.length > LONGEST_RESERVED || !RESERVED.test(text));

/** Digits, or nothing at all, in the quotes that keep them a string. */
export const quotedDigits = (text: string): string | undefined => (/^\d*$/.test(text) ? `'${text}'` : undefined);

/** Lines of printable ASCII, the first not blank and not indented. */
const TEXT = /^[!-~][ -~]*\n[ -~\n]*$/;

/** The block with its header, without its last newline. undefined: no such text, or one whose end needs a sign. */
export function literalBlock(text: string, indent: string): string | undefined {
  if (!TEXT.test(text) || text.endsWith('\n\n')) return undefined;
  const body = text.replace(/^(?=.)/gm, indent);
  return text.endsWith('\n') ? `|\n${body.slice(0, -1)}` : `|-\n${body}`;
}

/** `::error::` at the start of a line, `##vso[` anywhere: CI systems take these for commands when a log shows them. */
const COMMAND = /^[ \t]*::|##[A-Za-z]*\[/m;
/** Marks that turn the direction of text: what is read is then not what is there. */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const NOT_IN_QUOTES = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|#(?=#)/g;

/** Such a text on one line, with all that could do harm escaped. undefined: nothing in it could. */
export const harmless = (text: string): string | undefined =>
  COMMAND.test(text) || DIRECTION.test(text) ? JSON.stringify(text).replace(NOT_IN_QUOTES, escaped) : undefined;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
