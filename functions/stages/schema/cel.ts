// Evaluates the rules of a schema node (x-kubernetes-validations) as the API server does on create.
import type { ParseResult } from '@marcbachmann/cel-js';
import { registerLibrary } from './cel-library';
import type { Rule } from './structure';

const programs = new Map<string, ParseResult>();
let parse: ((rule: string) => ParseResult) | undefined;

/** The evaluator is loaded with the first rule, and every rule parsed once. */
function programOf(rule: string): ParseResult {
  const known = programs.get(rule);
  if (known) return known;
  if (!parse) {
    const { Environment } = require('@marcbachmann/cel-js') as typeof import('@marcbachmann/cel-js');
    const environment = registerLibrary(new Environment({ unlistedVariablesAreDyn: true }));
    parse = (text) => environment.parse(text);
  }
  const program = parse(rule);
  programs.set(rule, program);
  return program;
}

/** Whether the value keeps the rule; undefined when the rule cannot be evaluated on it, which the API server refuses too. */
export function keeps({ rule }: Rule, self: unknown): boolean | undefined {
  try {
    return programOf(rule)({ self: mapOf(self) }) === true;
  } catch {
    return undefined;
  }
}

/** The evaluator takes an object with a field `constructor` for something else than a map. */
const mapOf = (self: unknown): unknown =>
  typeof self === 'object' && self !== null && Object.hasOwn(self, 'constructor')
    ? new Map(Object.entries(self))
    : self;
