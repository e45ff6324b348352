// Finds tabs where a line's indentation stands: the API server's parser refuses them even on lines that hold nothing else.
import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

type Span = readonly [start: number, end: number];

/** Offset of a tab that stands where indentation should; undefined when there is none. */
export function strayTab(text: string, events: readonly Event[]): number | undefined {
  if (!/^ *\t/m.test(text)) return undefined;
  const scalars = events.filter((event) => event.type === EVENT_ID.SCALAR);
  for (const scalar of scalars) {
    const tab = tabBeforeBlock(text, scalar);
    if (tab !== undefined) return tab;
  }
  // Scalars keep their tabs, and between brackets there is no indentation.
  const free = [...scalars.map(({ valueStart, valueEnd }): Span => [valueStart, valueEnd]), ...flowSpans(text, events)];
  for (const { index, 0: blank } of text.matchAll(/^ *\t[ \t]*(?:#.*)?$/gm)) {
    const tab = index + blank.indexOf('\t');
    if (!free.some(([start, end]) => tab >= start && tab < end) && !continues(text, scalars, tab)) return tab;
  }
  return undefined;
}

/** A tab that stands before the lines of a block scalar have come to their indentation. */
function tabBeforeBlock(text: string, { style, valueStart, valueEnd, indent }: ScalarEvent): number | undefined {
  if (style !== SCALAR_STYLE.LITERAL_BLOCK && style !== SCALAR_STYLE.FOLDED_BLOCK) return undefined;
  const start = text.lastIndexOf('\n', valueStart - 1) + 1;
  const content = text.slice(start, valueEnd);
  const found = /^(?: *\n)* *\t/.exec(content) ?? new RegExp(`^ {0,${Math.max(indent - 1, 0)}}\\t`, 'm').exec(content);
  return found ? start + found.index + found[0].length - 1 : undefined;
}

function flowSpans(text: string, events: readonly Event[]): Span[] {
  const spans: Span[] = [];
  const open: (number | undefined)[] = [];
  let last = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.POP) {
      const start = open.pop();
      if (start === undefined) continue;
      last = closing(text, last);
      spans.push([start, last]);
    } else {
      last = Math.max(last, endOf(event));
      if (OPENING.has(event.type)) open.push(isFlow(event) ? endOf(event) : undefined);
    }
  }
  return spans;
}

const OPENING = new Set<number>([EVENT_ID.DOCUMENT, EVENT_ID.MAPPING, EVENT_ID.SEQUENCE]);
const isFlow = (event: Event): boolean => 'start' in event && event.style === COLLECTION_STYLE.FLOW;

/** How far the text is known to be read with this event. */
function endOf(event: Event): number {
  if ('valueEnd' in event) return event.valueEnd;
  if ('start' in event) return event.start + 1;
  return 'anchorEnd' in event ? event.anchorEnd : 0;
}

/** The place behind the next closing bracket; comments may hold some too. */
function closing(text: string, from: number): number {
  const found = /^(?:[^#\]}]|#.*)*[\]}]/.exec(text.slice(from));
  return from + (found?.[0].length ?? 0);
}

/** After an unquoted scalar a tab is a blank as long as it stands further in than the key. */
function continues(text: string, scalars: readonly ScalarEvent[], tab: number): boolean {
  const before = scalars.findLast(({ valueEnd }) => valueEnd <= tab);
  if (before?.style !== SCALAR_STYLE.PLAIN || text.slice(before.valueEnd, tab).trim() !== '') return false;
  const lineStart = text.lastIndexOf('\n', before.valueStart - 1) + 1;
  const indent = /^ *(?:- +)*/.exec(text.slice(lineStart, before.valueStart))?.[0].length ?? 0;
  return tab - (text.lastIndexOf('\n', tab - 1) + 1) > indent;
}
