// Writes a ResourceList: items that stay leave byte for byte as they came, rendered objects follow, then the findings.
import type { Finding } from '../../finding';
import type { Item } from '../../model';
import { decode } from '../read/decode';
import { endLine } from '../read/documents';
import { closed } from '../read/flow';
import type { ResourceList } from '../read/resource-list';
import { toJSON } from './json';
import { type Placing, placed } from './place';
import { CODE_TAG, toResult } from './results';
import { toListEntry } from './yaml';

export interface ResourceListParts extends Placing {
  /** Items of the function config that are to become objects of the list. */
  readonly inline: readonly Item[];
  readonly findings: readonly Finding[];
}

/** The text in pieces, in order. Valid for every input that could be read. */
export function* writeResourceList(list: ResourceList, parts: ResourceListParts): Iterable<string> {
  if (list.dash < 0) yield* writeFlow(list, parts);
  else yield* writeBlock(list, parts);
}

function* writeBlock(
  { before, opening, after, earlierResults, dash }: ResourceList,
  parts: ResourceListParts,
): Iterable<string> {
  yield before;
  let first = true;
  for (const entry of entries(parts, dash)) {
    if (first) yield opening;
    first = false;
    yield entry;
  }
  if (first) yield 'items: []\n';
  yield after;
  yield resultsText(earlierResults, parts.findings);
}

function* entries({ kept, ...parts }: ResourceListParts, dash: number): Iterable<string> {
  for (const { text } of kept) yield endLine(`${text.slice(0, dash)}-${text.slice(dash + 1)}`);
  for (const { text } of parts.inline) yield toListEntry(decode(text).value as object, dash);
  for (const object of placed({ kept, ...parts })) yield toListEntry(object, dash);
}

/** JSON (and KYAML) lists stay what they were: their reader may know nothing else. */
function* writeFlow({ before, after, earlierResults }: ResourceList, parts: ResourceListParts): Iterable<string> {
  yield `{${before.startsWith('#') ? '\n' : ''}${before}"items": [`; // a comment begins after white space
  let separator = '\n';
  for (const { text } of parts.kept) {
    yield separator + closed(text);
    separator = ',\n';
  }
  for (const object of [...parts.inline.map(({ text }) => decode(text).value), ...placed(parts)]) {
    yield separator + toJSON(object);
    separator = ',\n';
  }
  yield `]${after}`;
  const results = [...resultsOf(earlierResults), ...parts.findings.map(toResult)];
  if (results.length) yield `,\n"results": ${toJSON(results)}`;
  yield '}\n';
}

/** Results of earlier functions stay, and as they are written where that text can be continued. */
function resultsText(earlier: string, findings: readonly Finding[]): string {
  const hasOurs = earlier.includes(CODE_TAG);
  if (findings.length === 0 && !hasOurs) return earlier;
  const block = hasOurs ? null : /^results:[ \t]*\r?\n( *)- /.exec(earlier);
  const results = [...(block ? [] : resultsOf(earlier)), ...findings.map(toResult)];
  const own = results.map((result) => toListEntry(result, block?.[1]?.length ?? 0)).join('');
  return block ? `${endLine(earlier)}${own}` : own && `results:\n${own}`;
}

/** An old form has them under `items`. Our own of an earlier run are told anew by this one. */
function resultsOf(earlier: string): object[] {
  const { results } = (decode(earlier).value ?? {}) as { results?: unknown };
  const list = Array.isArray(results) ? results : (results as { items?: unknown } | null | undefined)?.items;
  return (Array.isArray(list) ? list : []).filter((result) => result?.tags?.[CODE_TAG] === undefined);
}

/** The list as it came, with findings: what a failed run and a validator answer. */
export const echo = (list: ResourceList, findings: readonly Finding[], items = list.items): Iterable<string> =>
  writeResourceList(list, { kept: items, inline: [], rendered: [], predecessors: new Map(), directory: '', findings });
