// The CEL functions that our rules call and that the evaluator lacks, or has in a form that differs from the API server's.
import type { Environment } from '@marcbachmann/cel-js';
import { parseDuration } from '../../kubernetes/duration';
import { type Pattern, pattern } from './patterns';

/** An evaluator's own function cannot be replaced, so that calls are renamed when the CRDs are compiled. */
const REPLACED: Readonly<Record<string, string>> = {
  matches: 're2Matches',
  duration: 'goDuration',
  timestamp: 'goTimestamp',
};

/** All that a rule may call; build/compile-schemas.ts refuses any other. Each is tried against the API server. */
const KNOWN = new Set([
  'has',
  'all',
  'exists',
  'exists_one',
  'size',
  'startsWith',
  'endsWith',
  ...Object.keys(REPLACED),
]);

const CALL = /\b([A-Za-z_]\w*)\(/g;
const TEXT = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g;

/** A rule in the evaluator's words. Throws on a function that no test has compared with the API server's. */
export function translateRule(rule: string): string {
  const texts: string[] = [];
  const bare = rule.replace(TEXT, (text) => `\u0000${texts.push(text) - 1}\u0000`); // a text may look like a call
  const renamed = bare.replace(CALL, (_call, name: string) => {
    if (!KNOWN.has(name)) throw new Error(`CEL function ${name} is not registered in cel-library.ts: ${rule}`);
    return `${REPLACED[name] ?? name}(`;
  });
  return renamed.replace(/\u0000(\d+)\u0000/g, (_mark, index: string) => texts[Number(index)] ?? '');
}

export function registerLibrary(environment: Environment): Environment {
  const patterns = new Map<string, Pattern>();
  const compiled = (source: string): Pattern => {
    const known = patterns.get(source) ?? pattern(source);
    patterns.set(source, known);
    return known;
  };
  return environment
    .registerFunction('string.re2Matches(string): bool', (text: string, source: string) => compiled(source).test(text))
    .registerFunction('goTimestamp(string): int', (text: string) => {
      const time = parseTime(text);
      if (time === undefined) throw new Error(`not a time: ${text}`);
      return BigInt(time);
    })
    .registerFunction('goDuration(string): int', (text: string) => {
      const nanoseconds = parseDuration(text);
      if (nanoseconds === undefined) throw new Error(`not a duration: ${text}`);
      return nanoseconds;
    });
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** What a CEL timestamp can hold: the years 1 to 9999 in UTC. */
const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Milliseconds of an RFC 3339 time; undefined for what is none, days outside the calendar included. */
function parseTime(text: string): number | undefined {
  const [, year = 0, month = 0, day = 0] = (TIME.exec(text) ?? []).map(Number);
  const milliseconds = Date.parse(text);
  const isDay = new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
  return day > 0 && isDay && milliseconds >= FIRST && milliseconds <= LAST ? milliseconds : undefined;
}
