// Escapes user text for the place where it is printed: nothing in a package may move a cursor or command a CI system.

/** Controls, invisible and direction-changing characters, line separators, lone surrogates, non-characters. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu;
/** The same without what JSON text itself is made of or already escapes (line ends, other C0 controls, surrogates). */
const UNSAFE_IN_JSON = /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}\uFFFE\uFFFF]/gu;
/** `##vso[`, `##teamcity[`, `##[`: Azure Pipelines, TeamCity and GitHub read these anywhere in a line. */
const CI_COMMAND = /#(?=#[A-Za-z]*\[)/g;
/** `::error::`: GitHub reads this at the start of a line, after white space. */
const CI_COMMAND_LINE = /^(\s*):(?=:)/gm;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function visible(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16);
  if (point <= 0xff) return SHORT[character] ?? `\\x${hex.padStart(2, '0')}`;
  return point <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
}

/** A text as part of one line of a terminal or a log. The line as a whole then goes through `asLine`. */
export const forTerminal = (text: string): string => text.replace(UNSAFE, visible).replace(CI_COMMAND, '\\x23');

/** A line, made of parts escaped before, that no CI system takes for a command. */
export const asLine = (line: string): string => line.replace(CI_COMMAND_LINE, '$1\\x3a').replace(CI_COMMAND, '\\x23');

/** A text that may have several lines, each of them safe. */
export const asLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => asLine(forTerminal(line)))
    .join('\n');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

/** A text as XML 1.0 character data or attribute value; characters that XML cannot hold show as in a terminal. */
export const forXml = (text: string): string =>
  forTerminal(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

const unicodeEscapes = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** JSON text in which all such characters are escaped: the same value for every reader, and safe in a log. */
export const forJson = (json: string): string =>
  json.replace(UNSAFE_IN_JSON, unicodeEscapes).replace(CI_COMMAND, unicodeEscapes);
