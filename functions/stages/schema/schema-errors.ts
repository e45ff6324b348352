// Words and codes for what the validation code of ajv reports.
import type { ErrorObject } from 'ajv';
import { fieldOf } from '../../field-path';
import { isFields, type SchemaProblem } from './problem';

type Words = Pick<SchemaProblem, 'code' | 'message'>;
type Params = Readonly<Record<string, unknown>>;

const invalid = (message: string): Words => ({ code: 'INVALID_VALUE', message });
const NAMES: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  object: 'an object',
  string: 'a text',
};

const WORDS: Readonly<Record<string, (params: Params) => Words>> = {
  required: () => ({ code: 'MISSING_FIELD', message: 'must be set' }),
  type: ({ type }) => ({
    code: 'INVALID_TYPE',
    message: `must be ${[type]
      .flat()
      .map((name) => NAMES[String(name)] ?? name)
      .join(' or ')}`,
  }),
  enum: ({ allowedValues }) => invalid(`must be one of ${(allowedValues as string[]).join(', ')}`),
  pattern: ({ pattern }) => invalid(`must match ${pattern}`),
  format: () => invalid('must be a whole number of 64 bits'),
  minimum: ({ limit }) => invalid(`must not be less than ${limit}`),
  maximum: ({ limit }) => invalid(`must not be greater than ${limit}`),
  minLength: () => invalid('must not be empty'),
  maxLength: ({ limit }) => invalid(`must not have more than ${limit} characters`),
  minItems: ({ limit }) => invalid(`must have at least ${limit} entries`),
  maxItems: ({ limit }) => invalid(`must not have more than ${limit} entries`),
  maxProperties: ({ limit }) => invalid(`must not have more than ${limit} entries`),
};

/** One problem from one error; the path is spelled by what the value holds, since a pointer does not tell `0` from `[0]`. */
export function problemOf({ keyword, params, instancePath }: ErrorObject, root: unknown): SchemaProblem {
  const words = WORDS[keyword]?.(params) ?? invalid(`must keep the schema's ${keyword}`);
  const { path, value } = resolve(instancePath, root);
  const missing = (params as { missingProperty?: string }).missingProperty;
  if (missing !== undefined) return { ...words, source: 'schema', path: fieldOf(path, missing) };
  return { ...words, source: 'schema', path, value };
}

function resolve(pointer: string, root: unknown): { path: string; value: unknown } {
  let path = '';
  let value = root;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) {
      path += `[${key}]`;
      value = value[Number(key)];
    } else {
      path = fieldOf(path, key);
      value = isFields(value) ? value[key] : undefined;
    }
  }
  return { path, value };
}
