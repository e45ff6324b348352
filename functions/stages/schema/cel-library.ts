// The CEL functions that our rules call and that the evaluator lacks, or has in a form that differs from the API server's.
import type { Environment } from '@marcbachmann/cel-js';
import { parseDuration } from '../../kubernetes/duration';
import { type Pattern, pattern } from './patterns';

/** An evaluator's own function cannot be replaced, so that calls are renamed when the CRDs are compiled. */
const REPLACED: Readonly<Record<string, string>> = { matches: 're2Matches', duration: 'goDuration' };

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
    .registerFunction('goDuration(string): int', (text: string) => {
      const nanoseconds = parseDuration(text);
      if (nanoseconds === undefined) throw new Error(`not a duration: ${text}`);
      return nanoseconds;
    });
}
