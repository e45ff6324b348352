// Finds the place of a field in a text: block, flow, KYAML or JSON. Asked only when there are findings.
import type { Document, LineCounter, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { placeInBlock } from './block-place';
import { keyText, resolvePlain } from './scalar';

export interface Place {
  readonly line: number;
  readonly column: number;
}
type Yaml = typeof import('yaml');
interface Parsed {
  readonly text: string;
  readonly yaml: Yaml;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** Findings come one after another about the same object, so that one parsed text is enough. */
let last: Parsed | undefined;

/**
 * The 1-based place of a field's value, or of the key of the nearest thing above it that is written down. Paths are those
 * of `fieldOf`: `spec.files["a.txt"]`, `spec.tools[3]`. undefined: not even the first step is there, or it is no YAML.
 */
export function locate(text: string, path: string): Place | undefined {
  const steps = stepsOf(path);
  return placeInBlock(text, steps) ?? placeInDocument(text, steps);
}

/** By the parser's tree, whatever the style. */
export function placeInDocument(text: string, steps: readonly (string | number)[]): Place | undefined {
  try {
    const parsed = last?.text === text ? last : parse(text);
    last = parsed;
    const offset = follow(parsed, steps);
    if (offset === undefined) return undefined;
    const { line, col } = parsed.lines.linePos(offset);
    return { line, column: col };
  } catch {
    return undefined; // nested beyond what the parser's recursion bears
  }
}

function parse(text: string): Parsed {
  const yaml = require('yaml') as Yaml;
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: false,
    lineCounter: lines,
    logLevel: 'silent',
  });
  return { text, yaml, document, lines };
}

const STEP = /\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+)/g;

function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(STEP)].map(([, index, quoted, name = '']) => {
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name : (JSON.parse(quoted) as string);
  });
}

function follow(parsed: Parsed, steps: readonly (string | number)[]): number | undefined {
  let found: Child | undefined;
  let node: unknown = parsed.document.contents;
  for (const step of steps) {
    const child = childOf(parsed, target(parsed, node), step);
    if (!child) return found?.start;
    found = child;
    node = child.value;
  }
  return startOf(node) ?? found?.start;
}

/** `start`: where the key stands, or the list item itself. */
interface Child {
  readonly start: number | undefined;
  readonly value: unknown;
}

function childOf(parsed: Parsed, node: unknown, step: string | number): Child | undefined {
  const { isMap, isSeq } = parsed.yaml;
  if (typeof step === 'number') {
    const value = isSeq(node) ? node.items[step] : undefined;
    return value === undefined ? undefined : { start: startOf(value), value };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => nameOf(key) === step);
  if (pair) return { start: startOf(pair.key), value: pair.value };
  return merged(parsed, node, step);
}

/** A field that a merge key brings in. */
function merged(parsed: Parsed, node: YAMLMap, step: string): Child | undefined {
  const { isSeq } = parsed.yaml;
  for (const { key, value } of node.items as Pair[]) {
    if (nameOf(key) !== '<<') continue;
    const source = target(parsed, value);
    for (const mapping of isSeq(source) ? source.items : [source]) {
      const child = childOf(parsed, target(parsed, mapping), step);
      if (child) return child;
    }
  }
  return undefined;
}

/** What an alias points at, or the node itself. */
const target = ({ yaml, document }: Parsed, node: unknown): unknown =>
  yaml.isAlias(node) ? node.resolve(document) : node;

/** The key as the decoder names it. */
function nameOf(key: unknown): string | undefined {
  const { type, value } = key as Scalar;
  const text = String(value);
  return type === 'PLAIN' ? keyText(resolvePlain(text), text) : text;
}

const startOf = (node: unknown): number | undefined => (node as Node | null)?.range?.[0];
