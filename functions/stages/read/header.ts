// The cheap look at one object's text: identity and annotations, without parsing it. A package may hold thousands of
// foreign objects that only pass through; they cost one walk over their lines. Text in an unusual form is decoded whole.
import { decode } from './decode';
import { type Entry, endsHere, scalar, splitEntry } from './entry';

/** Identity of an object as its text tells it. Empty strings where it tells none. */
export interface Header {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

/** Reads the header from text in plain block style; anything else goes through the decoder. Never throws. */
export function readHeader(text: string): Header {
  return scan(text) ?? headerOf(decode(text).value);
}

/** The header of a decoded object of any shape. */
export function headerOf(value: unknown): Header {
  const object = asRecord(value);
  const metadata = asRecord(object.metadata);
  const annotations = Object.entries(asRecord(metadata.annotations)).map(([key, one]) => [key, textOf(one)]);
  return {
    apiVersion: textOf(object.apiVersion),
    kind: textOf(object.kind),
    name: textOf(metadata.name),
    namespace: metadata.namespace == null ? undefined : textOf(metadata.namespace),
    annotations: annotations.length ? Object.fromEntries(annotations) : NOTHING,
  };
}

const asRecord = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
const textOf = (value: unknown): string =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : '';

/** What the walk has seen so far. Indents are -1 until the first line of that level was met. */
interface Walk {
  readonly fields: Map<string, string>;
  readonly annotations: Map<string, string>;
  base: number;
  section: string;
  metadataIndent: number;
  subsection: string;
  annotationIndent: number;
  /** A quote may be open: at the very margin, what follows may still be inside. */
  isOpen: boolean;
  /** The section's own line holds no value, so that a list may follow at the same indent. */
  isEmpty: boolean;
}

const TOP_LEVEL = new Set(['apiVersion', 'kind']);
const METADATA = new Set(['name', 'namespace']);
/** Line breaks of YAML other than those that the walk goes by. */
const OTHER_BREAKS = /\r(?!\n)|[\u0085\u2028\u2029]/;

/** undefined: the text holds something that this walk does not understand. */
function scan(text: string): Header | undefined {
  if (OTHER_BREAKS.test(text)) return undefined;
  const walk: Walk = {
    fields: new Map(),
    annotations: new Map(),
    base: -1,
    section: '',
    metadataIndent: -1,
    subsection: '',
    annotationIndent: -1,
    isOpen: false,
    isEmpty: false,
  };
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    if (!takeLine(walk, text, start, end)) return undefined;
    start = end + 1;
  }
  const [apiVersion = '', kind = '', name = ''] = ['apiVersion', 'kind', 'name'].map((key) => walk.fields.get(key));
  const annotations = walk.annotations.size ? Object.fromEntries(walk.annotations) : NOTHING;
  return { apiVersion, kind, name, namespace: walk.fields.get('namespace'), annotations };
}

function takeLine(walk: Walk, text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && text.charCodeAt(at) === 32) at += 1;
  const first = text.charCodeAt(at);
  if (at >= end || first === 35 /* # */ || (first === 13 && at + 1 === end)) return true;
  const indent = at - start;
  if (walk.base < 0) walk.base = indent;
  if (indent > walk.base || (indent === walk.base && walk.isEmpty && startsMember(text, at, end))) {
    return takeDeeper(walk, text, at, end, indent);
  }
  const entry = indent === walk.base && !walk.isOpen && splitEntry(text, at, end);
  if (!entry) return false;
  [walk.section] = entry;
  walk.isEmpty = entry[1] === '';
  if (TOP_LEVEL.has(entry[0])) return takeField(walk, entry);
  return entry[0] === 'metadata' ? opens(walk, entry) : endsHere(entry);
}

function takeDeeper(walk: Walk, text: string, at: number, end: number, indent: number): boolean {
  if (walk.base === 0 && hasOddQuotes(text, at, end)) walk.isOpen = true;
  // A value of one line goes on here.
  if (TOP_LEVEL.has(walk.section)) return false;
  return walk.section !== 'metadata' || takeMetadataLine(walk, text, at, end, indent);
}

const startsMember = (text: string, at: number, end: number): boolean =>
  text[at] === '-' && (at + 1 === end || text[at + 1] === ' ' || text[at + 1] === '\r');

function hasOddQuotes(text: string, start: number, end: number): boolean {
  const quotes = text.slice(start, end).match(/["']/g) ?? [];
  const singles = quotes.filter((quote) => quote === "'").length;
  return quotes.length % 2 === 1 || singles % 2 === 1;
}

function takeMetadataLine(walk: Walk, text: string, at: number, end: number, indent: number): boolean {
  if (walk.metadataIndent < 0) walk.metadataIndent = indent;
  if (indent > walk.metadataIndent) {
    if (METADATA.has(walk.subsection)) return false;
    return walk.subsection !== 'annotations' || takeAnnotation(walk, splitEntry(text, at, end), indent);
  }
  const entry = indent === walk.metadataIndent && splitEntry(text, at, end);
  if (!entry) return false;
  [walk.subsection] = entry;
  if (METADATA.has(entry[0])) return takeField(walk, entry);
  return entry[0] === 'annotations' ? opens(walk, entry) : endsHere(entry);
}

function takeAnnotation(walk: Walk, entry: Entry | undefined, indent: number): boolean {
  if (walk.annotationIndent < 0) walk.annotationIndent = indent;
  const value = entry && indent === walk.annotationIndent ? scalar(entry[1]) : undefined;
  if (!entry || value === undefined || walk.annotations.has(entry[0])) return false;
  walk.annotations.set(entry[0], value);
  return true;
}

/** A mapping on the lines below, the only one of its name. */
function opens({ fields }: Walk, [key, value]: Entry): boolean {
  const isFirst = !fields.has(key);
  fields.set(key, '');
  return isFirst && value === '';
}

function takeField({ fields }: Walk, [key, text]: Entry): boolean {
  const value = scalar(text);
  if (!value || fields.has(key)) return false;
  fields.set(key, value);
  return true;
}
