// Patterns of schemas and rules on RE2, the API server's own engine: linear time whatever the input, and the same syntax.
import type { RE2JS } from 're2js';

/** Remembered verdicts per pattern: seats repeat each other's words. Bounded, so that a long run stays small. */
const MOST_REMEMBERED = 4096;
const LONGEST_REMEMBERED = 256;

export interface Pattern {
  test(text: string): boolean;
}

/** Unanchored match, as regexp.MatchString. The engine is loaded and the pattern compiled when a text comes. */
export function pattern(source: string): Pattern {
  const known = new Map<string, boolean>();
  let compiled: RE2JS | undefined;
  return {
    test(text) {
      const remembered = known.get(text);
      if (remembered !== undefined) return remembered;
      compiled ??= (require('re2js') as typeof import('re2js')).RE2JS.compile(source);
      const verdict = compiled.test(text);
      if (text.length <= LONGEST_REMEMBERED && known.size < MOST_REMEMBERED) known.set(text, verdict);
      return verdict;
    },
  };
}
