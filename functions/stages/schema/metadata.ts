// The metadata of an object: names, labels, annotations and owners, as the API server validates them on create.
import { checkShape, METADATA, problem } from './metadata-shape';
import { type Fields, isFields, type SchemaProblem } from './problem';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const isSubdomain = (text: string): boolean => text.length <= 253 && text.split('.').every((part) => LABEL.test(part));
const NAME_PART = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const isNamePart = (text: string): boolean => text.length <= 63 && NAME_PART.test(text);
const MOST_ANNOTATION_BYTES = 256 * 1024;

function isQualified(key: string): boolean {
  const parts = key.split('/');
  return parts.length === 1 ? isNamePart(key) : parts.length === 2 && isSubdomain(parts[0]!) && isNamePart(parts[1]!);
}

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
  const controllers = owners.filter((owner) => isFields(owner) && owner.controller === true);
  const missing = owners.flatMap((owner, index) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((field) => !isFields(owner) || !owner[field])
      .map((field) => problem('INVALID_VALUE', `metadata.ownerReferences[${index}].${field}`, 'must not be empty')),
  );
  return controllers.length > 1
    ? [...missing, problem('INVALID_VALUE', 'metadata.ownerReferences', 'must name at most one controller')]
    : missing;
}
