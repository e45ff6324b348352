// Where the parts of a ResourceList lie: by lines in the form that orchestrators write, by the parser's word in any other.
import type { Range } from './flow';
import { standing } from './lists';
import { outlineOf } from './outline';

/** A top-level entry, with the comments after it. What follows its colon starts at `body`. */
export interface Section extends Range {
  readonly key: string;
  readonly body: number;
}

export interface ListLayout {
  readonly isFlow: boolean;
  readonly sections: readonly Section[];
  /** From `items` to its first dash; undefined where it has none. */
  readonly opening: string | undefined;
  /** Texts of the items, each standing alone, with a blank for its dash. */
  readonly items: readonly string[];
  /** Column (from 0) of the dashes. */
  readonly dash: number;
}

/** Line breaks of YAML that this file does not look for. */
const OTHER_BREAKS = /\r(?!\n)|[\u0085\u2028\u2029]/;

/** Block style with plain keys, the only one that kpt and kustomize write. undefined: it may be another one. */
export function layoutByLines(text: string): ListLayout | undefined {
  if (OTHER_BREAKS.test(text)) return undefined;
  const sections = sectionsByLines(text);
  const items = sections?.find(({ key }) => key === 'items');
  return sections && items && itemsByLines(text, sections, items);
}

function sectionsByLines(text: string): Section[] | undefined {
  const sections: Section[] = [];
  let last: Section | undefined;
  for (const { 0: line, 1: key, index } of text.matchAll(/^(?:([A-Za-z]+):(?=[ \r\n]|$)|[^\s#-].*|---.*)/gm)) {
    if (last) sections.push({ ...last, end: index });
    if (key === undefined) return undefined;
    last = { key, start: index, body: index + line.length, end: text.length };
  }
  if (last) sections.push(last);
  return sections;
}

function itemsByLines(
  text: string,
  sections: readonly Section[],
  { start, body, end }: Section,
): ListLayout | undefined {
  const from = lineEnd(text, start, end);
  const head = /^[ \t]*(\[\])?[ \t]*(?:#.*)?\s*$/.exec(text.slice(body, from));
  if (!head) return undefined;
  const none = { isFlow: false, sections, opening: undefined, items: [], dash: 0 };
  if (head[1]) return text.slice(from, end).trim() ? undefined : none;
  const dash = dashColumn(text, from, end);
  const starts: number[] = [];
  for (let at = from; at < end; at = lineEnd(text, at, end)) {
    const column = indentOf(text, at);
    if (column === dash && text.startsWith('- ', at + column)) starts.push(at);
    else if (column <= dash && !isBlank(text[at + column])) return undefined;
  }
  if (starts.length === 0) return undefined;
  const items = starts.map((one, n) => standing(text, { start: one, end: starts[n + 1] ?? end }, dash));
  return { ...none, opening: text.slice(start, starts[0]), items, dash };
}

/** Column of the first line that is no comment, if a dash stands there. */
function dashColumn(text: string, from: number, end: number): number {
  for (let at = from; at < end; at = lineEnd(text, at, end)) {
    const column = indentOf(text, at);
    if (!isBlank(text[at + column])) return text[at + column] === '-' ? column : -1;
  }
  return -1;
}

function lineEnd(text: string, at: number, end: number): number {
  const newline = text.indexOf('\n', at);
  return newline < 0 || newline >= end ? end : newline + 1;
}

function indentOf(text: string, at: number): number {
  let column = 0;
  while (text[at + column] === ' ') column += 1;
  return column;
}

/** What may follow the indent of a line that says nothing: its end, or a comment. */
const isBlank = (character: string | undefined): boolean =>
  character === undefined || character === '\n' || character === '\r' || character === '#';

/** JSON, KYAML, quoted keys, flow items. A string: why there is no such layout. */
export function layoutByParser(text: string): ListLayout | string {
  const outline = outlineOf(text);
  const sections = outline?.entries;
  if (!outline || !sections) return 'the input is not one readable YAML or JSON object; it must be a ResourceList';
  const members = outline.members(['items']);
  if (!members) return { isFlow: outline.isFlow, sections, opening: undefined, items: [], dash: -1 };
  if (members.isShared) return 'items share values by anchors; write the values out';
  const items = members.ranges.map((range) => standing(text, range, members.dash));
  const opening = text.slice(sections.find(({ key }) => key === 'items')?.start, members.ranges[0]?.start);
  if (members.dash >= 0) return { isFlow: false, sections, opening, items, dash: members.dash };
  return {
    isFlow: outline.isFlow,
    sections,
    opening: undefined,
    items: items.map(outline.isFlow ? asItIs : moved),
    dash: 0,
  };
}

const asItIs = (text: string): string => text;
/** A flow item that is to follow a dash. */
const moved = (text: string): string => `  ${text.trimEnd().replaceAll('\n', '\n  ')}\n`;
