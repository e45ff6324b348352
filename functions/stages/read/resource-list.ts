// Reads a ResourceList (the wire format of KRM functions) as text slices, so that what is not ours can leave byte for
// byte as it came. Contract: kustomize's KRM Functions Specification.
import { type Finding, report } from '../../finding';
import type { Item, Outcome } from '../../model';
import { unknownKind } from './decode-item';
import { type ListDocument, parseList, type Slice } from './documents';
import { readHeader } from './header';
import { itemOfSlice } from './items';

/** A ResourceList in slices. Writing them back in order gives the input again. */
export interface ResourceList {
  readonly items: readonly Item[];
  readonly functionConfig: Item | undefined;
  /** Source of the list's other top-level entries, whole lines, in order; `results` of earlier functions apart. */
  readonly before: string;
  /** The line that opens `items`, as written where it holds any. */
  readonly opening: string;
  readonly after: string;
  readonly earlierResults: string;
  /** Block items begin with a dash at this column (from 0); -1: the whole list is in flow style (JSON, KYAML). */
  readonly dash: number;
}

/** What stands in for a list that could not be read. */
export const NO_LIST: ResourceList = {
  items: [],
  functionConfig: undefined,
  before: 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n',
  opening: 'items:\n',
  after: '',
  earlierResults: '',
  dash: 0,
};

/** Never throws and never guesses: text that is no ResourceList gives an error finding and no items. */
export function readResourceList(text: string): Outcome<ResourceList> {
  const refuse = (message: string): Outcome<ResourceList> => ({
    value: NO_LIST,
    findings: [report('INVALID_RESOURCE_LIST', undefined, '', message)],
  });
  if (text.trim() === '') return refuse('the input is empty; it must be a ResourceList');
  if (text.includes('\0')) return refuse('the input holds a NUL byte, which YAML forbids');
  const bare = text.replace(/^---[ \t]*(?=\r?\n)/, ''); // some functions begin with a document marker
  const list = readBlock(bare) ?? readAny(bare);
  return typeof list === 'string'
    ? refuse(list)
    : { value: list, findings: [...refuseNonObjects(list.items), ...list.items.flatMap(unknownKind)] };
}

/** An entry that is no object cannot be accounted for: dropping it would lose what the user meant by it. */
function refuseNonObjects(items: readonly Item[]): Finding[] {
  return items
    .filter((item) => !/[:{]/.test(item.text) || /^\s*(?:-\s|\[)/.test(item.text))
    .map((item) => report('INVALID_RESOURCE_LIST', item, '', 'each entry of `items` must be an object'));
}

interface Section {
  readonly key: string;
  readonly start: number;
  end: number;
}

/** The canonical form that kpt and kustomize write. undefined: in another form. */
function readBlock(text: string): ResourceList | string | undefined {
  const sections = topLevelSections(text);
  if (!sections) return undefined;
  const section = (key: string): Section | undefined => sections.find((one) => one.key === key);
  const keys = new Set(sections.map(({ key }) => key));
  if (keys.size !== sections.length) return undefined;
  const kind = readHeader(
    sections
      .filter(({ key }) => key === 'kind')
      .map(({ start, end }) => text.slice(start, end))
      .join(''),
  ).kind;
  const items = section('items');
  if (kind !== 'ResourceList' || !items) return undefined;
  const cut = cutItems(text, items);
  if (!cut) return undefined;
  const config = section('functionConfig');
  const results = section('results');
  const others = (from: number, to: number): string =>
    sections
      .filter((one) => one !== items && one !== results && one.start >= from && one.start < to)
      .map((one) => text.slice(one.start, one.end))
      .join('');
  return {
    items: cut.slices.map(({ start, end }) => {
      const own = text.slice(start, end);
      const standing = `${own.slice(0, cut.dash)} ${own.slice(cut.dash + 1)}`;
      return itemOfSlice({ text: standing, line: 0, column: 1 });
    }),
    functionConfig: config && configOf(text, config),
    before: text.slice(0, sections[0]?.start ?? 0) + others(0, items.start),
    opening: cut.opening,
    after: others(items.end, text.length),
    earlierResults: results ? text.slice(results.start, results.end) : '',
    dash: cut.dash,
  };
}

/** Entries of the top-level mapping in plain block style, comments and blank lines with the entry before them. */
function topLevelSections(text: string): Section[] | undefined {
  const sections: Section[] = [];
  for (const match of text.matchAll(/^(?:([A-Za-z]+):(?=[ \r\n]|$)|[^\s#-].*)/gm)) {
    const last = sections.at(-1);
    if (last) last.end = match.index;
    if (match[1] === undefined) return undefined;
    sections.push({ key: match[1], start: match.index, end: text.length });
  }
  return sections;
}

function cutItems(
  text: string,
  { start, end }: Section,
): { dash: number; opening: string; slices: { start: number; end: number }[] } | undefined {
  const head = /^items:[ \t]*(\[\])?[ \t]*(?:#[^\n]*)?\r?(?:\n|$)/.exec(text.slice(start, Math.min(end, start + 200)));
  if (!head) return undefined;
  const from = start + head[0].length;
  if (head[1]) return /\S/.test(text.slice(from, end)) ? undefined : { dash: 0, opening: NO_LIST.opening, slices: [] };
  const first = /^( *)- /m.exec(text.slice(from, end));
  const dash = first?.[1]?.length ?? -1;
  if (dash < 0) return undefined;
  const starts: number[] = [];
  const mark = `${' '.repeat(dash)}- `;
  for (let at = from; at < end; at = text.indexOf('\n', at) + 1 || end) {
    if (text.startsWith(mark, at)) starts.push(at);
    else if (starts.length === 0 || !isInside(text, at, dash)) return undefined;
  }
  return { dash, opening: head[0], slices: starts.map((one, n) => ({ start: one, end: starts[n + 1] ?? end })) };
}

/** A line belongs to the item above it when it is blank, a comment, or further in than the dash. */
function isInside(text: string, at: number, dash: number): boolean {
  let column = 0;
  while (text[at + column] === ' ') column += 1;
  const first = text[at + column];
  return column > dash || first === '\n' || first === '\r' || first === '#' || first === undefined;
}

/** The text of `functionConfig`, standing alone; undefined for null. */
function configOf(text: string, { start, end }: Section): Item | undefined {
  const own = ' '.repeat('functionConfig:'.length) + text.slice(start + 'functionConfig:'.length, end);
  const body = own.replace(/^[ \t]*(?:#[^\n]*)?\r?\n/, '');
  const standing = body === own ? own : `\n${body}`;
  return /^\s*(?:null|~|\{\s*\})?\s*$/.test(standing) ? undefined : itemOfSlice({ text: standing, line: 0, column: 1 });
}

function readAny(text: string): ResourceList | string {
  const list = parseList(text, { line: 0 });
  if (!list) return 'the input is not one readable YAML or JSON object; it must be a ResourceList';
  const textOf = (key: string): string =>
    list.entries
      .get(key)
      ?.text.trim()
      .replace(/^(["'])(.*)\1$/, '$2') ?? '';
  if (textOf('kind') !== 'ResourceList')
    return `the input must be of kind ResourceList, not "${textOf('kind').slice(0, 60)}"`;
  if (!list.items) return '`items` is missing or no list; a ResourceList without objects has `items: []`';
  return fromDocument(list, list.items);
}

/** A list that was not cut by lines is written anew around its items' own text. */
function fromDocument({ entries, dash }: ListDocument, items: readonly Slice[]): ResourceList {
  const config = entries.get('functionConfig');
  return {
    ...NO_LIST,
    items: items.map((slice) => itemOfSlice(slice)),
    functionConfig: config && config.text.trim() !== 'null' ? itemOfSlice(config) : undefined,
    after: config && dash >= 0 ? `functionConfig:\n${config.text}` : '',
    dash,
  };
}
