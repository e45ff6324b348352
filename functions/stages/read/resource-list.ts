// Reads a ResourceList (the wire format of KRM functions) as text slices, so that what is not ours can leave byte for
// byte as it came. Contract: kustomize's KRM Functions Specification.
import { type Finding, report } from '../../finding';
import type { Item, Outcome } from '../../model';
import { decode } from './decode';
import { unknownKind } from './decode-item';
import { endLine, splitDocuments } from './documents';
import { closed } from './flow';
import { readHeader } from './header';
import { itemOfSlice } from './items';
import { type ListLayout, layoutByLines, layoutByParser, type Section } from './list-layout';

/** A ResourceList in slices. Writing them back in order gives the input again. */
export interface ResourceList {
  readonly items: readonly Item[];
  readonly functionConfig: Item | undefined;
  /** Source of the list's other top-level entries, in order; `results` of earlier functions apart. */
  readonly before: string;
  /** The lines that open `items`, as written where it holds any. */
  readonly opening: string;
  readonly after: string;
  /** The entry `results`, as a text of its own. */
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
  const [document, ...others] = splitDocuments(text);
  if (!document || others.length) return refuse('the input must be one document, a ResourceList');
  const bare = endLine(document.text);
  const layout = layoutByLines(bare) ?? layoutByParser(bare);
  const list = typeof layout === 'string' ? layout : listOf(bare, layout);
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

function listOf(text: string, { sections, items, opening, dash, isFlow }: ListLayout): ResourceList | string {
  const repeated = sections.find(({ key }, n) => sections.findIndex((one) => one.key === key) !== n);
  if (repeated) return `the key "${repeated.key}" stands there twice`;
  const section = (key: string): Section | undefined => sections.find((one) => one.key === key);
  const source = (one: Section | undefined): string => (one ? text.slice(one.start, one.end) : '');
  const alone = (one: Section | undefined): string => (isFlow ? `{ ${source(one)}\n}` : source(one));
  const { kind } = readHeader(alone(section('kind')));
  if (kind !== 'ResourceList') return `the input must be of kind ResourceList, not "${kind.slice(0, 60)}"`;
  if (dash < 0) return '`items` is missing or no list; a ResourceList without objects has `items: []`';
  const place = section('items')?.start ?? 0;
  const others = sections.filter(({ key }) => key !== 'items' && key !== 'results');
  const before = others.filter(({ start }) => start < place).map(source);
  const after = others.filter(({ start }) => start > place).map(source);
  const config = section('functionConfig');
  return {
    items: items.map((one) => itemOfSlice({ text: one, line: 0, column: 1 })),
    functionConfig: config && configOf(text, config, isFlow),
    before: isFlow
      ? before.map((one) => `${closed(one)},\n`).join('')
      : text.slice(0, sections[0]?.start) + before.join(''),
    opening: opening ?? NO_LIST.opening,
    after: isFlow ? after.map((one) => `,\n${closed(one)}`).join('') : after.join(''),
    earlierResults: section('results') ? alone(section('results')) : '',
    dash: isFlow ? -1 : dash,
  };
}

/** The text of `functionConfig`, standing alone; undefined for nothing. */
function configOf(text: string, { start, body, end }: Section, isFlow: boolean): Item | undefined {
  const own = (isFlow ? '' : ' '.repeat(body - start)) + text.slice(body, end);
  const rest = own.replace(/^[ \t]*(?:#[^\n]*)?\r?\n/, '');
  const standing = rest === own ? own : `\n${rest}`;
  return standing.length < LONGEST_NOTHING && isNothing(decode(standing).value)
    ? undefined
    : itemOfSlice({ text: standing, line: 0, column: 1 });
}

/** `null`, `{}`, with a comment or not. */
const isNothing = (value: unknown): boolean => value === null || JSON.stringify(value) === '{}';
const LONGEST_NOTHING = 200;
