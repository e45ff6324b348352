// The shape of an object's metadata, as the API server decodes it (k8s.io/apimachinery/pkg/apis/meta/v1 ObjectMeta).
import { fieldOf } from '../../field-path';
import { nearest } from '../../nearest';
import { type Fields, isFields, type SchemaProblem } from './problem';

/** What a field holds: a scalar, a map of texts, a list of one of them, or an object of named fields. */
type Shape =
  | 'text'
  | 'flag'
  | 'number'
  | 'time'
  | 'texts'
  | 'anything'
  | { readonly list: Shape }
  | { readonly fields: Readonly<Record<string, Shape>> };

const OWNER: Shape = {
  fields: {
    apiVersion: 'text',
    kind: 'text',
    name: 'text',
    uid: 'text',
    controller: 'flag',
    blockOwnerDeletion: 'flag',
  },
};
const MANAGER: Shape = {
  fields: {
    manager: 'text',
    operation: 'text',
    apiVersion: 'text',
    time: 'time',
    fieldsType: 'text',
    fieldsV1: 'anything',
    subresource: 'text',
  },
};
export const METADATA: Shape = {
  fields: {
    name: 'text',
    generateName: 'text',
    namespace: 'text',
    selfLink: 'text',
    uid: 'text',
    resourceVersion: 'text',
    generation: 'number',
    creationTimestamp: 'time',
    deletionTimestamp: 'time',
    deletionGracePeriodSeconds: 'number',
    labels: 'texts',
    annotations: 'texts',
    ownerReferences: { list: OWNER },
    finalizers: { list: 'text' },
    managedFields: { list: MANAGER },
  },
};

export const problem = (
  code: SchemaProblem['code'],
  path: string,
  message: string,
  value?: unknown,
): SchemaProblem => ({
  code,
  source: 'schema',
  path,
  message,
  ...(value === undefined ? {} : { value }),
});

const SCALARS: Readonly<
  Record<'text' | 'flag' | 'number' | 'time', { fits: (value: unknown) => boolean; message: string }>
> = {
  text: { fits: (value) => typeof value === 'string', message: 'must be a text; quote it' },
  flag: { fits: (value) => typeof value === 'boolean', message: 'must be true or false' },
  number: { fits: (value) => typeof value === 'bigint' || Number.isInteger(value), message: 'must be a whole number' },
  time: { fits: (value) => typeof value === 'string' && isTime(value), message: 'must be an RFC 3339 time' },
};
const TIME = /^\d{4}-\d\d-\d\dT\d?\d:\d\d:\d\d([.,]\d+)?(Z|[+-]\d\d:\d\d)$/;
const isTime = (text: string): boolean => TIME.test(text) && !Number.isNaN(Date.parse(text));

/** Null means absent everywhere in metadata. */
export function checkShape(value: unknown, shape: Shape, path: string): SchemaProblem[] {
  if (value === null || shape === 'anything') return [];
  if (shape === 'texts') {
    if (!isFields(value)) return [problem('INVALID_TYPE', path, 'must be a map of texts', value)];
    return Object.keys(value).flatMap((key) => checkShape(value[key], 'text', fieldOf(path, key)));
  }
  if (typeof shape === 'string')
    return SCALARS[shape].fits(value) ? [] : [problem('INVALID_TYPE', path, SCALARS[shape].message, value)];
  if ('list' in shape) {
    if (!Array.isArray(value)) return [problem('INVALID_TYPE', path, 'must be a list', value)];
    return value.flatMap((item, index) => checkShape(item, shape.list, `${path}[${index}]`));
  }
  return isFields(value)
    ? checkNamed(value, shape.fields, path)
    : [problem('INVALID_TYPE', path, 'must be an object', value)];
}

function checkNamed(value: Fields, fields: Readonly<Record<string, Shape>>, path: string): SchemaProblem[] {
  return Object.keys(value).flatMap((field) => {
    const shape = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (shape) return checkShape(value[field], shape, fieldOf(path, field));
    const proposed = nearest(field, Object.keys(fields));
    const found = problem('UNKNOWN_FIELD', fieldOf(path, field), `unknown field ${JSON.stringify(field)}`);
    return [proposed === undefined ? found : { ...found, proposed }];
  });
}
