// Where the parts of a text lie: entries of its mapping, members of a list, in any YAML style.
import { COLLECTION_STYLE, EVENT_ID, type Event, getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml';
import { flowRanges, type Range } from './flow';
import { parseText } from './parse';

/** An entry of a mapping, with the comments after it. Its value stands somewhere behind `body`. */
export interface Entry extends Range {
  readonly key: string;
  readonly body: number;
  /** Names the value, for `members`. */
  readonly value: number;
}

export interface Members {
  /** Block style: whole lines, from the dash on. Flow style: what stands between two commas. Comments included. */
  readonly ranges: readonly Range[];
  /** Column (from 0) of the dashes; -1 in flow style. */
  readonly dash: number;
  /** A member refers to an anchor outside of itself: it does not stand alone. */
  readonly isShared: boolean;
}

export interface Outline {
  readonly isFlow: boolean;
  /** undefined: no mapping, or one with a key that is not simply a scalar. */
  readonly entries: readonly Entry[] | undefined;
  /** The members of the list under an entry's value, found by the keys that lead to it. undefined: there is no list, or one with an empty member. */
  readonly members: (path: readonly string[]) => Members | undefined;
}

/** undefined: the text is not readable, or not one document. */
export function outlineOf(text: string): Outline | undefined {
  try {
    const parsed = parseText(text);
    if (parsed.events.filter(({ type }) => type === EVENT_ID.DOCUMENT).length !== 1) return undefined;
    const nodes = new Nodes(parsed.text, parsed.events);
    return { isFlow: nodes.isFlow(1), entries: nodes.entries(1), members: (path) => nodes.members(nodes.at(path)) };
  } catch {
    return undefined;
  }
}

/** Nodes are named by the place of their first event; the root is 1. */
class Nodes {
  constructor(
    private readonly text: string,
    private readonly events: readonly Event[],
  ) {}

  isFlow(node: number): boolean {
    const event = this.events[node];
    return event !== undefined && 'style' in event && event.style === COLLECTION_STYLE.FLOW;
  }

  entries(node: number): readonly Entry[] | undefined {
    if (this.events[node]?.type !== EVENT_ID.MAPPING) return undefined;
    const children = this.children(node);
    const keys = children.filter((_, n) => n % 2 === 0);
    const ranges = this.ranges(node, keys);
    const entries: Entry[] = [];
    for (const [n, key] of keys.entries()) {
      const event = this.events[key];
      if (event?.type !== EVENT_ID.SCALAR || event.valueStart < 0) return undefined;
      const body = this.text.indexOf(':', event.valueEnd) + 1;
      entries.push({ ...ranges[n]!, key: getScalarValue(this.text, event), body, value: children[2 * n + 1]! });
    }
    return entries;
  }

  members(node: number): Members | undefined {
    const list = this.events[node];
    if (list?.type !== EVENT_ID.SEQUENCE) return undefined;
    const children = this.children(node);
    if (children.some((child) => this.startOf(child) < 0)) return undefined;
    const dash = this.isFlow(node) ? -1 : list.start - this.lineStart(list.start);
    return { ranges: this.ranges(node, children, dash), dash, isShared: this.isShared(children, this.after(node)) };
  }

  at(path: readonly string[]): number {
    let node = 1;
    for (const key of path) node = this.entries(node)?.find((entry) => entry.key === key)?.value ?? -1;
    return node;
  }

  private children(node: number): number[] {
    const children: number[] = [];
    for (let at = node + 1; this.events[at]?.type !== EVENT_ID.POP; at = this.after(at)) children.push(at);
    return children;
  }

  /** The event after a node. */
  private after(node: number): number {
    let depth = 0;
    for (let at = node; at < this.events.length; at += 1) {
      const type = this.events[at]?.type;
      if (type === EVENT_ID.POP) depth -= 1;
      else if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth += 1;
      if (depth <= 0) return at + 1;
    }
    return this.events.length;
  }

  /** Of the parts of a collection that begin with these nodes, up to the next one. */
  private ranges(node: number, parts: readonly number[], dash = 0): Range[] {
    const event = this.events[node];
    if (this.isFlow(node)) {
      // A comma may stand behind the last part.
      return flowRanges(this.text, (event as { start: number }).start, this.opaque(node)).slice(0, parts.length);
    }
    const starts = parts.map((part) => this.startOf(part));
    const opens = event?.type === EVENT_ID.SEQUENCE ? starts.map((start) => this.dashAbove(start, dash)) : starts;
    const end = this.endOf(node);
    return opens.map((start, n) => ({ start, end: opens[n + 1] === undefined ? end : this.lineStart(opens[n + 1]!) }));
  }

  /** With its anchor and tag. -1: an empty scalar has no place. */
  private startOf(node: number): number {
    const event = this.events[node];
    if (!event || event.type === EVENT_ID.DOCUMENT || event.type === EVENT_ID.POP) return -1;
    const anchor = event.anchorStart < 0 ? -1 : event.anchorStart - 1;
    if (event.type === EVENT_ID.ALIAS) return anchor;
    const value = event.type === EVENT_ID.SCALAR ? event.valueStart - quotes(event) : event.start;
    const known = [anchor, event.tagStart, value].filter((start) => start >= 0);
    return known.length ? Math.min(...known) : -1;
  }

  /** The line on which the next node after a block begins. */
  private endOf(node: number): number {
    for (let at = this.after(node); at < this.events.length; at += 1) {
      const start = this.startOf(at);
      if (start >= 0) return this.lineStart(start);
    }
    return this.text.length;
  }

  private lineStart(offset: number): number {
    return offset > 0 ? this.text.lastIndexOf('\n', offset - 1) + 1 : 0;
  }

  /** Only blank lines and comments stand between a dash and its value. */
  private dashAbove(offset: number, column: number): number {
    let line = this.lineStart(offset);
    while (line > 0 && !this.text.startsWith(`${' '.repeat(column)}-`, line)) line = this.lineStart(line - 1);
    return line;
  }

  /** Scalars and tags. */
  private opaque(node: number): Range[] {
    const ranges: Range[] = [];
    const end = this.after(node);
    for (let at = node + 1; at < end; at += 1) {
      const event = this.events[at]!;
      if ('tagStart' in event && event.tagStart >= 0) ranges.push({ start: event.tagStart, end: event.tagEnd });
      if (event.type !== EVENT_ID.SCALAR || event.valueStart < 0) continue;
      ranges.push({ start: event.valueStart - quotes(event), end: event.valueEnd + quotes(event) });
    }
    return ranges;
  }

  private isShared(members: readonly number[], end: number): boolean {
    const owners = new Map<string, number>();
    let member = -1;
    for (const [at, event] of this.events.entries()) {
      if (at === members[member + 1]) member += 1;
      if (!('anchorStart' in event) || event.anchorStart < 0) continue;
      const owner = at < end ? member : -1;
      const name = this.text.slice(event.anchorStart, event.anchorEnd);
      if (event.type !== EVENT_ID.ALIAS) owners.set(name, owner);
      else if (owners.get(name) !== owner) return true;
    }
    return false;
  }
}

const quotes = ({ style }: ScalarEvent): number =>
  style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
