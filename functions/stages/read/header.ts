// The cheap look at one object's text: identity and annotations, without parsing it. A package may hold thousands of
// foreign objects that only pass through; they cost one walk over their lines. Text in an unusual form is decoded whole.
import { decode } from './decode';

/** Identity of an object as its text tells it. Empty strings where it tells none. */
export interface Header {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly annotations: Readonly<Record<string, string>>;
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});
const TOP_LEVEL = new Set(['apiVersion', 'kind']);
const METADATA = new Set(['name', 'namespace']);

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
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** What the walk has seen so far. Indents are -1 until the first line of that level was met. */
interface Walk {
  readonly fields: Record<string, string>;
  readonly annotations: Record<string, string>;
  base: number;
  section: string;
  metadataIndent: number;
  subsection: string;
  annotationIndent: number;
}

/** undefined: the text holds something that this walk does not understand. */
function scan(text: string): Header | undefined {
  const walk: Walk = {
    fields: {},
    annotations: {},
    base: -1,
    section: '',
    metadataIndent: -1,
    subsection: '',
    annotationIndent: -1,
  };
  for (let start = 0; start < text.length; ) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    if (!takeLine(walk, text, start, end)) return undefined;
    start = end + 1;
  }
  const { apiVersion = '', kind = '', name = '', namespace } = walk.fields;
  return { apiVersion, kind, name, namespace, annotations: walk.annotations };
}

function takeLine(walk: Walk, text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && text.charCodeAt(at) === 32) at += 1;
  const first = text.charCodeAt(at);
  if (at >= end || first === 35 /* # */ || (first === 13 && at + 1 === end)) return true;
  const indent = at - start;
  if (walk.base < 0) walk.base = indent;
  if (indent > walk.base) return walk.section === 'metadata' ? takeMetadataLine(walk, text, at, end, indent) : true;
  if (indent < walk.base) return false;
  const entry = splitEntry(text, at, end);
  if (!entry) return false;
  [walk.section] = entry;
  if (TOP_LEVEL.has(entry[0])) return takeField(walk, entry);
  return entry[0] === 'metadata' ? entry[1] === '' : endsHere(entry);
}

function takeMetadataLine(walk: Walk, text: string, at: number, end: number, indent: number): boolean {
  if (walk.metadataIndent < 0) walk.metadataIndent = indent;
  if (indent > walk.metadataIndent) {
    return walk.subsection !== 'annotations' || takeAnnotation(walk, splitEntry(text, at, end), indent);
  }
  const entry = indent === walk.metadataIndent && splitEntry(text, at, end);
  if (!entry) return false;
  [walk.subsection] = entry;
  if (METADATA.has(entry[0])) return takeField(walk, entry);
  return entry[0] === 'annotations' ? entry[1] === '' : endsHere(entry);
}

function takeAnnotation(walk: Walk, entry: Entry | undefined, indent: number): boolean {
  if (walk.annotationIndent < 0) walk.annotationIndent = indent;
  const value = entry && indent === walk.annotationIndent ? scalar(entry[1]) : undefined;
  if (!entry || value === undefined || Object.hasOwn(walk.annotations, entry[0])) return false;
  walk.annotations[entry[0]] = value;
  return true;
}

/** A value that goes on below its line could hide a key from this walk. */
const endsHere = ([, value]: Entry): boolean => !/^["'&*!?{[]/.test(value) || isClosed(value);

function takeField(walk: Walk, [key, text]: Entry): boolean {
  const value = scalar(text);
  if (!value || Object.hasOwn(walk.fields, key)) return false;
  walk.fields[key] = value;
  return true;
}

type Entry = readonly [key: string, value: string];
const ENTRY = /^(?:([A-Za-z0-9_][A-Za-z0-9_./-]*)|'([^']*)'|"([^"\\]*)"):(?:[ \t]+(.*))?$/s;

/** `key: value` with a plain or simply quoted key; the value without its comment. */
function splitEntry(text: string, start: number, end: number): Entry | undefined {
  const match = ENTRY.exec(text.slice(start, text.charCodeAt(end - 1) === 13 ? end - 1 : end));
  if (!match) return undefined;
  const value = (match[4] ?? '').trim();
  return [match[1] ?? match[2] ?? match[3] ?? '', value.startsWith('#') ? '' : value];
}

const isClosed = (value: string): boolean => scalar(value) !== undefined || /^(?:\{\}|\[\])(?:\s+#.*)?$/.test(value);

/** The text of a one-line scalar; undefined when it is not surely one. Null reads as the empty string. */
function scalar(value: string): string | undefined {
  const quoted = /^(?:'((?:[^']|'')*)'|"([^"\\]*)")(?:\s+#.*)?$/.exec(value);
  if (quoted) return quoted[1] === undefined ? quoted[2] : quoted[1].replaceAll("''", "'");
  const plain = value.replace(/\s#.*$/s, '').trim();
  return /^["'&*!?{}[\]|>%@`,]|^-(?:\s|$)|:(?:\s|$)|^(?:null|Null|NULL|~)$/.test(plain) ? undefined : plain;
}
