// Finds tabs where a line's indentation stands: the API server's parser refuses them even on lines that hold nothing else.
import { COLLECTION_STYLE, EVENT_ID, type Event, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';

/** Offset of the first such tab; undefined when there is none. */
export function strayTab(text: string, events: readonly Event[]): number | undefined {
  if (!/^ *\t/m.test(text)) return undefined;
  const free = spansWithTabs(text, events);
  for (const { index, 0: blank } of text.matchAll(/^ *\t[ \t]*(?:#.*)?$/gm)) {
    const tab = index + blank.indexOf('\t');
    if (!free.some(([start, end]) => tab >= start && tab < end) && !continues(text, events, tab)) return tab;
  }
  return undefined;
}

/** Scalars keep their tabs, and between brackets there is no indentation. */
function spansWithTabs(text: string, events: readonly Event[]): [number, number][] {
  const spans: [number, number][] = [];
  const open: (number | undefined)[] = [];
  let last = 0;
  for (const event of events) {
    if (event.type === EVENT_ID.SCALAR) {
      if (!BLOCK.has(event.style) || !indents(text, event)) spans.push([event.valueStart, event.valueEnd]);
      last = event.valueEnd;
    } else if (event.type === EVENT_ID.SEQUENCE || event.type === EVENT_ID.MAPPING) {
      open.push(event.style === COLLECTION_STYLE.FLOW ? event.start : undefined);
      last = event.start;
    } else if (event.type === EVENT_ID.POP) {
      const start = open.pop();
      if (start === undefined) continue;
      last = closing(text, last);
      spans.push([start, last]);
    }
  }
  return spans;
}

const BLOCK = new Set<number>([SCALAR_STYLE.LITERAL_BLOCK, SCALAR_STYLE.FOLDED_BLOCK]);

/** Whether a tab stands where a block scalar's own indentation does. */
const indents = (text: string, { valueStart, valueEnd, indent }: ScalarEvent): boolean =>
  new RegExp(`^ {0,${Math.max(indent - 1, 0)}}\\t`, 'm').test(
    text.slice(text.indexOf('\n', valueStart - 1) + 1, valueEnd),
  );

/** The place behind the next closing bracket; comments may hold some too. */
function closing(text: string, from: number): number {
  const found = /^(?:[^#\]}]|#.*)*[\]}]/.exec(text.slice(from));
  return from + (found?.[0].length ?? 0);
}

/** After an unquoted scalar a tab is a blank as long as it stands further in than the key. */
function continues(text: string, events: readonly Event[], tab: number): boolean {
  const before = events.findLast((event) => event.type === EVENT_ID.SCALAR && event.valueEnd <= tab);
  if (before?.type !== EVENT_ID.SCALAR || before.style !== SCALAR_STYLE.PLAIN) return false;
  if (text.slice(before.valueEnd, tab).trim() !== '') return false;
  const lineStart = text.lastIndexOf('\n', before.valueStart - 1) + 1;
  const indent = /^ *(?:- +)*/.exec(text.slice(lineStart, before.valueStart))?.[0].length ?? 0;
  return tab - (text.lastIndexOf('\n', tab - 1) + 1) > indent;
}
