// Mutations of the text: repeated keys, words and numbers of YAML 1.1, quotes, tags, anchors, merge keys, indentation.
import type { Random } from './random';
import words from './words.json';

/** Scalars whose meaning differs between YAML versions, and odd punctuation. */
const SCALARS: readonly string[] = words.scalars;

type Mutation = (lines: string[], random: Random) => void;

const VALUE = /^(\s*(?:- )?[^\s:#][^:]*:)(?: (.*))?$/;

function replaceScalar(lines: string[], random: Random): void {
  const places = lines.flatMap((line, index) => (VALUE.test(line) ? [index] : []));
  if (places.length === 0) return;
  const index = random.pick(places);
  lines[index] = (lines[index] ?? '').replace(VALUE, (_line, key: string) => `${key} ${random.pick(SCALARS)}`);
}

function replaceKey(lines: string[], random: Random): void {
  const places = lines.flatMap((line, index) => (/^\s*[\w./-]+:/.test(line) ? [index] : []));
  if (places.length === 0) return;
  const index = random.pick(places);
  lines[index] = (lines[index] ?? '').replace(
    /[\w./-]+:/,
    () => `${random.pick([...SCALARS, '1', '1.5', '2001-01-01', '!!merge <<'])}:`,
  );
}

const SUFFIXES = [
  ' ',
  ' # note',
  '#x',
  '\r',
  '\t',
  ',',
  ':',
  ' "',
  " '",
  '\u00a0',
  '\u0085',
  ' &a',
  ' !!str',
  ' |',
  ' >',
];

/** Between brackets the two parsers differ in what they make of punctuation; nobody writes that. */
const isFlow = (line: string): boolean => /[[{,]$/.test(line);

/** Never the first: what may stand before a document is not a matter of one. */
const anyLine = (lines: readonly string[], random: Random): number => 1 + random.below(Math.max(1, lines.length - 2));
const indentOf = (line: string): string => /^ */.exec(line)?.[0] ?? '';

/** Mutations of whole lines; most leave YAML, some do not. */
const MUTATIONS: readonly Mutation[] = [
  replaceScalar,
  replaceScalar,
  replaceScalar,
  replaceScalar,
  replaceKey,
  (lines, random) => {
    const index = anyLine(lines, random);
    lines.splice(random.below(2) ? index : anyLine(lines, random), 0, lines[index] ?? '');
  },
  (lines, random) => lines.splice(anyLine(lines, random), 1),
  (lines, random) => {
    const index = anyLine(lines, random);
    lines[index] = random.chance(0.5) ? ` ${lines[index]}` : (lines[index] ?? '').slice(1);
  },
  (lines, random) => {
    const index = anyLine(lines, random);
    lines[index] = `${lines[index]}${random.pick(isFlow(lines[index] ?? '') ? [' ', ' # note', '#x'] : SUFFIXES)}`;
  },
  (lines, random) => {
    const index = anyLine(lines, random);
    const indent = indentOf(lines[index] ?? '');
    lines.splice(
      index,
      0,
      `${indent}${random.pick(['# note', '<<: {a: b}', '<<: {adapter: x}', '<<: [{adapter: x}]', '<<: 1', '<<: *a', '!!merge <<: {name: x}', '? x', '- x', '...', '---', '%YAML 1.1', '\t', 'x: &a {name: y}', '"x": y', "'x': y", '? x\n: y', '\ttab: x'])}`,
    );
  },
  (lines, random) => {
    const index = anyLine(lines, random);
    lines[index] = (lines[index] ?? '').replace(/: /, () =>
      random.pick([isFlow(lines[index] ?? '') ? ': ' : ':', ':  ', ': &a ', ': !!str ', ':\t', ' : ', ': *a', ': - ']),
    );
  },
  anchorAndAlias,
  mergeInto,
];

/** One mapping is named and stands in for another. */
function anchorAndAlias(lines: string[], random: Random): void {
  const blocks = lines.flatMap((line, index) => (/^\s+\w+:$/.test(line) ? [index] : []));
  if (blocks.length < 2) return;
  const from = random.pick(blocks);
  const to = random.pick(blocks.filter((index) => index !== from));
  lines[from] += ' &a';
  const indent = indentOf(lines[to] ?? '').length;
  let end = to + 1;
  while (
    end < lines.length &&
    (indentOf(lines[end] ?? '').length > indent || (lines[end] ?? '').trimStart().startsWith('- '))
  )
    end += 1;
  lines.splice(to, end - to, `${lines[to]} *a`);
}

function mergeInto(lines: string[], random: Random): void {
  const blocks = lines.flatMap((line, index) =>
    /^\s+\w+:$/.test(line) && /^\s+\w+:/.test(lines[index + 1] ?? '') ? [index] : [],
  );
  if (blocks.length === 0) return;
  const index = random.pick(blocks);
  const indent = indentOf(lines[index + 1] ?? '');
  const field = random.pick([
    'optional: true',
    'name: x',
    'retention: Delete',
    'state: Stopped',
    'adapter: x',
    'unknown: 1',
    'cpu: 1',
  ]);
  lines.splice(random.chance(0.5) ? index + 1 : index + 2, 0, `${indent}<<: {${field}}`);
}

export function mutateText(text: string, random: Random): string {
  const lines = text.split('\n');
  random.pick(MUTATIONS)(lines, random);
  const joined = lines.join(random.chance(0.02) ? '\r\n' : '\n');
  return random.chance(0.02) ? `\ufeff${joined}` : joined;
}
