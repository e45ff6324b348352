// The metadata of an object, as the API server decodes and validates it on create (k8s.io/apimachinery ObjectMeta).
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
const METADATA: Shape = {
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

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const isSubdomain = (text: string): boolean => text.length <= 253 && text.split('.').every((part) => LABEL.test(part));
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const isNamePart = (text: string): boolean => text.length <= 63 && NAME_PART.test(text);
const MOST_ANNOTATION_BYTES = 256 * 1024;

function isQualified(key: string): boolean {
  const parts = key.split('/');
  return parts.length === 1 ? isNamePart(key) : parts.length === 2 && isSubdomain(parts[0]!) && isNamePart(parts[1]!);
}

const problem = (code: SchemaProblem['code'], path: string, message: string, value?: unknown): SchemaProblem => ({
  code,
  source: 'schema',
  path,
  message,
  ...(value === undefined ? {} : { value }),
});

export function checkMetadata(metadata: unknown, namespaced: boolean): SchemaProblem[] {
  if (metadata === undefined || metadata === null) return [problem('MISSING_FIELD', 'metadata.name', 'must be set')];
  const shape = checkShape(metadata, METADATA, 'metadata');
  if (shape.length || !isFields(metadata)) return shape;
  return [
    ...checkName(metadata),
    ...checkNamespace(metadata, namespaced),
    ...checkMaps(metadata),
    ...checkRest(metadata),
  ];
}

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
function checkShape(value: unknown, shape: Shape, path: string): SchemaProblem[] {
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

function checkName({ name, generateName }: Fields): SchemaProblem[] {
  const rule =
    'must be a DNS subdomain: at most 253 lower-case letters, digits, "-" and ".", beginning and ending with a letter or digit';
  const prefix = typeof generateName === 'string' ? generateName : '';
  const wrongPrefix =
    prefix !== '' && !isSubdomain(prefix.replace(/-+$/, (dashes) => (dashes.length > 1 ? dashes.slice(1) : '')));
  const found = wrongPrefix ? [problem('INVALID_VALUE', 'metadata.generateName', rule, prefix)] : [];
  if (typeof name !== 'string' || name === '')
    return prefix ? found : [problem('MISSING_FIELD', 'metadata.name', 'must be set')];
  return isSubdomain(name) ? found : [...found, problem('INVALID_VALUE', 'metadata.name', rule, name)];
}

function checkNamespace({ namespace }: Fields, namespaced: boolean): SchemaProblem[] {
  if (typeof namespace !== 'string' || namespace === '') return [];
  if (!namespaced) return [];
  const fits = namespace.length <= 63 && LABEL.test(namespace);
  return fits
    ? []
    : [
        problem(
          'INVALID_VALUE',
          'metadata.namespace',
          'must be a DNS label: at most 63 lower-case letters, digits and "-"',
          namespace,
        ),
      ];
}

function checkMaps({ labels, annotations }: Fields): SchemaProblem[] {
  const keyRule =
    'must have a key of at most 63 letters, digits, "-", "_" and ".", with an optional DNS subdomain and "/" before it';
  const found: SchemaProblem[] = [];
  for (const [key, value] of Object.entries(isFields(labels) ? labels : {})) {
    const path = 'metadata.labels'; // the API server names the map, not the key
    if (!isQualified(key)) found.push(problem('INVALID_VALUE', path, keyRule, key));
    if (typeof value === 'string' && value !== '' && !isNamePart(value)) {
      found.push(problem('INVALID_VALUE', path, 'must be at most 63 letters, digits, "-", "_" and "."', value));
    }
  }
  let bytes = 0;
  for (const [key, value] of Object.entries(isFields(annotations) ? annotations : {})) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(String(value ?? ''));
    if (!isQualified(key.toLowerCase())) found.push(problem('INVALID_VALUE', 'metadata.annotations', keyRule, key));
  }
  if (bytes > MOST_ANNOTATION_BYTES)
    found.push(
      problem(
        'INVALID_VALUE',
        'metadata.annotations',
        `must not have more than ${MOST_ANNOTATION_BYTES} bytes together`,
      ),
    );
  return found;
}

function checkRest({ resourceVersion, finalizers, ownerReferences }: Fields): SchemaProblem[] {
  const found: SchemaProblem[] = [];
  if (typeof resourceVersion === 'string' && resourceVersion !== '') {
    found.push(
      problem(
        'INVALID_VALUE',
        'metadata.resourceVersion',
        'must not be set on an object that is yet to be created',
        resourceVersion,
      ),
    );
  }
  for (const [index, finalizer] of (Array.isArray(finalizers) ? finalizers : []).entries()) {
    if (!isQualified(String(finalizer ?? ''))) {
      found.push(
        problem(
          'INVALID_VALUE',
          `metadata.finalizers[${index}]`,
          'must be a qualified name such as example.com/cleanup',
          finalizer,
        ),
      );
    }
  }
  return [...found, ...checkOwners(Array.isArray(ownerReferences) ? ownerReferences : [])];
}

function checkOwners(owners: readonly unknown[]): SchemaProblem[] {
  const controllers = owners.filter((owner) => isFields(owner) && owner['controller'] === true);
  const missing = owners.flatMap((owner, index) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((field) => !isFields(owner) || !owner[field])
      .map((field) => problem('INVALID_VALUE', `metadata.ownerReferences[${index}].${field}`, 'must not be empty')),
  );
  return controllers.length > 1
    ? [...missing, problem('INVALID_VALUE', 'metadata.ownerReferences', 'must name at most one controller')]
    : missing;
}
