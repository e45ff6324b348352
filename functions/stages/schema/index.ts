// Checks one decoded Seat, TaskRun or TrustTier by itself, as the API server would on create with fieldValidation=Strict.
import { kinds } from '../../../generated/schemas';
import { check } from './checks';
import { checkMetadata } from './metadata';
import { isFields, type SchemaProblem } from './problem';
import { prune, withDefaults } from './prune';
import { problemOf } from './schema-errors';

export type { SchemaProblem } from './problem';

/**
 * Problems of the object, all at once; and the object without the nulls that mean "absent" and without the defaults of the
 * CRD, which is what the user wrote. The value may be used when there are no problems. Never throws, whatever the JSON.
 */
export function checkResource(
  object: unknown,
  kind: 'Seat' | 'TaskRun' | 'TrustTier',
): { problems: SchemaProblem[]; value: unknown } {
  const { apiVersion, namespaced, structure, validate } = kinds[kind];
  if (!isFields(object)) {
    return {
      problems: [{ code: 'INVALID_TYPE', source: 'schema', path: '', message: 'must be an object' }],
      value: object,
    };
  }
  const problems: SchemaProblem[] = [];
  const { metadata, apiVersion: givenVersion, kind: givenKind, ...rest } = object;
  const pruned = prune(rest, structure, '', problems) as Record<string, unknown>;
  const complete = withDefaults(pruned, structure) as Record<string, unknown>;
  problems.push(...checkType('apiVersion', givenVersion, apiVersion), ...checkType('kind', givenKind, kind));
  problems.push(...checkMetadata(metadata, namespaced));
  if (!validate(complete)) problems.push(...(validate.errors ?? []).map((error) => problemOf(error, complete)));
  problems.push(...check({ spec: complete.spec, metadata: nameOf(metadata) }, structure, problems.length === 0));
  return {
    problems: withoutEchoes(problems),
    value: { apiVersion: givenVersion, kind: givenKind, metadata, ...pruned },
  };
}

/** A value of the wrong type is no word of an enum either, and its fields are unknown; but the type says it all. */
function withoutEchoes(problems: SchemaProblem[]): SchemaProblem[] {
  const wrong = problems.filter(({ code }) => code === 'INVALID_TYPE').map(({ path }) => path);
  if (wrong.length === 0) return problems;
  const exact = new Set(wrong);
  const isInside = (path: string) =>
    wrong.some((outer) => path.startsWith(outer) && /^[.[]/.test(path.slice(outer.length)));
  return problems.filter(
    ({ code, path }) => code === 'INVALID_TYPE' || !(exact.has(path) || (code === 'UNKNOWN_FIELD' && isInside(path))),
  );
}

function checkType(field: string, given: unknown, expected: string): SchemaProblem[] {
  if (given === expected) return [];
  const code =
    given === undefined || given === null
      ? 'MISSING_FIELD'
      : typeof given === 'string'
        ? 'INVALID_VALUE'
        : 'INVALID_TYPE';
  return [{ code, source: 'schema', path: field, message: `must be ${expected}`, value: given, proposed: expected }];
}

/** Rules see the name only; a generated one is known by its prefix, five characters follow. */
function nameOf(metadata: unknown): object {
  const { name, generateName } = isFields(metadata) ? metadata : {};
  if (typeof name === 'string' && name !== '') return { name };
  return { name: typeof generateName === 'string' ? `${generateName.slice(0, 58)}xxxxx` : '' };
}
