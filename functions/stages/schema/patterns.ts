// Patterns of schemas and rules, decided as RE2 decides them, which is the API server's engine: linear time on any input.
import type { RE2JS } from 're2js';

/**
 * Loading RE2 takes longer than a whole run. Short texts need not wait for it: on patterns of literals, classes, groups and
 * counts alone, both engines accept the same texts (a test compares them), and backtracking on so few characters is nothing.
 */
const SHORT = 128;
const SAME_IN_BOTH = /^\^?(?:[^\\?^$]|\\[.+/]|\[\^?|(?<=[^(*+?}])\?)*\$?$/;

/** Remembered verdicts per pattern: seats repeat each other's words. Bounded, so that a long run stays small. */
const MOST_REMEMBERED = 4096;

export interface Pattern {
  test(text: string): boolean;
}

/** Unanchored match, as regexp.MatchString. Engines are loaded and patterns compiled when a text comes. */
export function pattern(source: string): Pattern {
  const known = new Map<string, boolean>();
  const short = SAME_IN_BOTH.test(source) ? new RegExp(source, 'u') : undefined;
  let linear: RE2JS | undefined;
  const decide = (text: string): boolean => {
    if (short && text.length <= SHORT) return short.test(text);
    linear ??= (require('re2js') as typeof import('re2js')).RE2JS.compile(source);
    return linear.test(text);
  };
  return {
    test(text) {
      const remembered = known.get(text);
      if (remembered !== undefined) return remembered;
      const verdict = decide(text);
      if (text.length <= SHORT && known.size < MOST_REMEMBERED) known.set(text, verdict);
      return verdict;
    },
  };
}
