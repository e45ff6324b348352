// Objects as YAML text that every reader of Kubernetes YAML (YAML 1.1 and 1.2) understands the same way. The text is
// js-yaml's, byte for byte, but for texts that a log would carry out; what needs no thought is written here, several times
// as fast (bench/RESULTS.md).
import { DUMP_SCHEMA, dump } from 'js-yaml';
import { harmless, literalBlock, plain, quotedDigits } from './scalar';

const INTEGER = DUMP_SCHEMA.lookupScalarTag('tag:yaml.org,2002:int')!;
/** Whole numbers beyond 2^53 come as bigints, which js-yaml's own schema does not know. */
const SCHEMA = DUMP_SCHEMA.withTags({
  ...INTEGER,
  identify: (value) => typeof value === 'bigint' || INTEGER.identify(value),
  represent: String,
});
const OPTIONS = { lineWidth: -1, noRefs: true, seqNoIndent: true, schema: SCHEMA } as const;

/** One object in block style, ending in a newline. Strings that some reader would take for something else are quoted. */
export const toYAML = (value: object): string => entries(value, '') ?? dumped(value);

/** The same as an entry of a block list: a dash at column `dash`, everything below it two further in. */
export const toListEntry = (value: object, dash: number): string => item(value, ' '.repeat(dash));

/** Lines `key: value`; undefined where there is none, or where js-yaml has to look. */
function entries(value: unknown, indent: string): string | undefined {
  if (!isPlainObject(value)) return undefined;
  let text = '';
  for (const key of Object.keys(value)) {
    const one = value[key];
    if (one === undefined) continue;
    const name = plain(key) ?? keyText(key);
    if (name === undefined) return undefined;
    text += `${indent}${name}:${afterColon(one, indent)}`;
  }
  return text || undefined;
}

/** At the start of a line these end a document, whatever follows; js-yaml 5 writes such a key without quotes. */
const DOCUMENT_MARK = /^(?:---|\.\.\.)(?:\s|$)/;

/** What js-yaml makes of a key that needs quotes; undefined for one that it would not write as `key: value`. */
function keyText(key: string): string | undefined {
  if (DOCUMENT_MARK.test(key)) return JSON.stringify(key);
  const text = dumped({ [key]: 0 });
  return text.startsWith('?') ? undefined : text.slice(0, -': 0\n'.length);
}

/** All that follows `key:`, whose line has this indent. A list's dashes stand below the key's first letter. */
function afterColon(value: unknown, indent: string): string {
  const text = scalar(value, indent);
  if (text !== undefined) return ` ${text}\n`;
  const below = Array.isArray(value) ? items(value, indent) : entries(value, `${indent}  `);
  return below === undefined ? indented(dumped({ k: value }).slice('k:'.length), indent) : `\n${below}`;
}

function item(value: unknown, indent: string): string {
  const text = scalar(value, indent);
  if (text !== undefined) return `${indent}- ${text}\n`;
  const inner = `${indent}  `;
  const below = Array.isArray(value) ? items(value, inner) : entries(value, inner);
  return below === undefined
    ? `${indent}${indented(dumped([value]), indent)}`
    : `${indent}- ${below.slice(inner.length)}`;
}

function items(list: readonly unknown[], indent: string): string | undefined {
  let text = '';
  for (const value of list) text += item(value === undefined ? null : value, indent);
  return text || undefined;
}

/** A scalar that needs no thought. undefined: anything else. */
function scalar(value: unknown, indent: string): string | undefined {
  if (typeof value === 'string')
    return (
      plain(value) ?? quotedDigits(value) ?? harmless(value) ?? literalBlock(value, `${indent}  `) ?? quoted(value)
    );
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  return undefined;
}

const LONGEST_REMEMBERED = 64;
const MOST_REMEMBERED = 1000;
const remembered = new Map<string, string>();

/** What js-yaml makes of a short line such as `*.example.com`; the same ones return in every seat. */
function quoted(value: string): string | undefined {
  if (value.length > LONGEST_REMEMBERED || value.includes('\n')) return undefined;
  const known = remembered.get(value);
  if (known !== undefined) return known;
  const text = dumped([value]).slice('- '.length, -1);
  if (remembered.size < MOST_REMEMBERED) remembered.set(value, text);
  return text;
}

/** Without the document's end, `...`, that js-yaml puts after a block that keeps its last newlines. */
const dumped = (value: object): string => dump(value, OPTIONS).replace(/\n\.\.\.\n$/, '\n');

/** Further lines move in as deep as the first stands. */
const indented = (text: string, indent: string): string =>
  indent ? text.replace(/\n(?=[^\n])/g, `\n${indent}`) : text;

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
