// docs/coverage.md has a row for every name of the two reference documents, and each row names what is there.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';

const ROOT = resolve(__dirname, '..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Row {
  readonly name: string;
  readonly here: string;
  readonly file: string;
  readonly test: string;
}

const rowOf = (line: string): Row => {
  const [, name = '', here = '', file = '', test = ''] = line.split('|').map((cell) => cell.trim());
  return { name: name.replaceAll('`', ''), here, file, test };
};
const ROWS = text('docs/coverage.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map(rowOf);
const NAMES = new Set(ROWS.map(({ name }) => name));

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly required?: readonly string[];
  readonly [keyword: string]: unknown;
}
const { spec: CRD } = parse(text('schemas/trusttier.crd.yaml'), { merge: true });
const [VERSION] = CRD.versions;
const SCHEMA: Schema = VERSION.schema.openAPIV3Schema;

interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** Every field below a schema; one of a list's items is below `list[]`. */
const fieldsOf = ({ properties = {}, required = [] }: Schema, above = ''): Field[] =>
  Object.entries(properties).flatMap(([key, schema]) => {
    const path = `${above}${key}`;
    const below = [...fieldsOf(schema, `${path}.`), ...(schema.items ? fieldsOf(schema.items, `${path}[].`) : [])];
    return [{ path, schema, isRequired: required.includes(key) }, ...below];
  });

const typeOf = ({ type, format, items, additionalProperties, ...rest }: Schema): string =>
  items
    ? `list of ${typeOf(items)}`
    : additionalProperties
      ? `map of ${typeOf(additionalProperties)}`
      : rest['x-kubernetes-int-or-string']
        ? 'int-or-string'
        : [type, format].filter(Boolean).join(' ');

const BOUNDS = ['minLength', 'maxLength', 'minimum', 'maxItems', 'pattern', 'enum', 'default'];

/** In the words of FIELDS. */
const toldOf = ({ schema, isRequired }: Field): string =>
  [
    typeOf(schema),
    ...(isRequired ? ['required'] : []),
    ...BOUNDS.filter((bound) => schema[bound] !== undefined).map(
      (bound) => `${bound} ${[schema[bound]].flat().join(' ')}`,
    ),
  ].join(', ');

const words = (list: string): string[] => list.trim().split(/\s+/);

/** What the page of steadmesh `runtime/kube` (v0.7.0) names. */
const CONSTANTS = words(`
  LabelWorkload LabelProbe AnnotationConfigRevision AnnotationProvides WorkloadRunner ComponentSeat ComponentPlatform
  ComponentEgress LabelParentSeat LabelTaskRun ContainerName RunnerBinary TokenDir TokenPath TokenExpiration SeatMount
  ManifestDir RunnerUID HealthPort PlatformPort GracePeriod ManifestFile InstructionsFile BackendName`);
const FUNCTIONS = words(`
  ProbePodName ProfileDigest RenderManifestConfigMap RenderNetworkPolicy RenderProbePod RenderServiceAccount
  RenderStatefulSet RenderTaskWorker RenderWorkspaceClaim RunnerSelector SeatLabels TaskSeat New`);
const BACKEND = words(`
  ProbeFailureTTL ProbeTimeout CachedEnforcement Capabilities Cleanup Ensure Options PodGone PublishManifest Quiesce
  Status Stop Validate VerifyEnforcement`);
const OPTIONS = words(`
  PlatformURL ControlPlaneNamespace ImagePullPolicy NetprobeImage NetprobeDeniedURL DNSNamespace FieldOwner EgressURL`);

/** What the page of TrustTier tells of each field: its type, and what bounds it. */
const FIELDS: Readonly<Record<string, string>> = {
  'spec.allowedNodeLabels': 'map of string',
  'spec.allowedProviderTools': 'list of string, maxItems 16',
  'spec.attestationRequired': 'boolean',
  'spec.defaultResources': 'object',
  'spec.defaultResources.claims': 'list of object',
  'spec.defaultResources.claims[].name': 'string, required',
  'spec.defaultResources.claims[].request': 'string',
  'spec.defaultResources.limits': 'map of int-or-string',
  'spec.defaultResources.requests': 'map of int-or-string',
  'spec.egress': 'string, enum gateway-only deny-all, default gateway-only',
  'spec.isolation': 'string, required, enum gvisor microvm confidential',
  'spec.jurisdiction': 'string',
  'spec.maxSessionTTL': 'string',
  'spec.runtimeClassName': 'string, required, minLength 1',
  'spec.sandboxTemplateName': 'string',
  'spec.warmPoolNamespaces': 'list of string',
  'spec.warmPoolSize': 'integer int32, minimum 0',
  'status.conditions': 'list of object',
  'status.conditions[].lastTransitionTime': 'string date-time, required',
  'status.conditions[].message': 'string, required, maxLength 32768',
  'status.conditions[].observedGeneration': 'integer int64, minimum 0',
  'status.conditions[].reason':
    'string, required, minLength 1, maxLength 1024, pattern ^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  'status.conditions[].status': 'string, required, enum True False Unknown',
  'status.conditions[].type':
    'string, required, maxLength 316, pattern ^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
  'status.observedGeneration': 'integer int64',
  'status.warmPoolReady': 'integer int32',
};

/** What the page of TrustTier tells of the kind itself. */
const COLUMNS: Readonly<Record<string, readonly [type: string, from: string]>> = {
  Runtime: ['string', '.spec.runtimeClassName'],
  Isolation: ['string', '.spec.isolation'],
  Jurisdiction: ['string', '.spec.jurisdiction'],
  WarmReady: ['integer', '.status.warmPoolReady'],
  Age: ['date', '.metadata.creationTimestamp'],
};
const KIND = ['scope Cluster', 'plural trusttiers', 'short names tier, tt', 'categories maqpna', 'status subresource'];

const withoutRow = (names: readonly string[]): string[] => names.filter((name) => !NAMES.has(name));

const coverage = suite('docs/coverage.md');
coverage('every field of the CRD has a row', () => {
  const paths = fieldsOf(SCHEMA).map(({ path }) => path);
  assert.ok(paths.includes('spec.defaultResources.claims[].request') && paths.includes('status.conditions[].type'));
  assert.equal(withoutRow(paths), []);
});
coverage('the CRD has the fields that the reference tells, with their types and bounds, and no others', () => {
  const below = fieldsOf(SCHEMA).filter(({ path }) => /^(?:spec|status)\./.test(path));
  assert.equal(Object.fromEntries(below.map((field) => [field.path, toldOf(field)])), FIELDS);
});
coverage('so has what the reference tells of the kind', () => {
  assert.equal(withoutRow([...KIND, ...Object.keys(COLUMNS).map((name) => `column ${name}`)]), []);
});
coverage('so has every name of the Go package', () => {
  const members = [...BACKEND.map((name) => `Backend.${name}`), ...OPTIONS.map((name) => `Options.${name}`)];
  assert.equal(withoutRow([...CONSTANTS, ...FUNCTIONS, 'Backend', 'Options', ...members]), []);
});
coverage('no name has two rows', () => {
  assert.is(NAMES.size, ROWS.length);
});
coverage('no cell is empty, and what is there is named', () => {
  for (const { name, here, file, test } of ROWS) {
    assert.ok(here, name);
    const [, path = ''] = /^`([^`]+)`$/.exec(file) ?? [];
    assert.ok(path && existsSync(join(ROOT, path)), `${name}: there is no file ${file}`);
    const [, shownBy = '', title] = /^`([^`]+)`(?: "([^"]+)")?$/.exec(test) ?? [];
    assert.ok(shownBy && existsSync(join(ROOT, shownBy)), `${name}: there is no test ${test}`);
    const isShown = shownBy.startsWith('fixtures/') ? title === undefined : text(shownBy).includes(title ?? '');
    assert.ok(isShown, `${name}: ${shownBy} has no "${title}"`);
  }
});
coverage('the CRD is the kind that the reference tells', () => {
  const { kind, plural, shortNames, categories } = CRD.names;
  const told = [CRD.group, VERSION.name, kind, CRD.scope, plural, shortNames, categories, VERSION.subresources];
  const names = ['maqpna.com', 'v1alpha1', 'TrustTier', 'Cluster', 'trusttiers', ['tier', 'tt'], ['maqpna']];
  assert.equal(told, [...names, { status: {} }]);
});
coverage('the CRD has the columns that the reference tells', () => {
  const columns = VERSION.additionalPrinterColumns as readonly { name: string; type: string; jsonPath: string }[];
  assert.equal(
    columns.map(({ name, type, jsonPath }) => [name, type, jsonPath]),
    Object.entries(COLUMNS).map(([name, [type, from]]) => [name, type, from]),
  );
});
coverage.run();
