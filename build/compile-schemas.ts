// Compiles schemas/*.crd.yaml to generated/: validation code, and the structure that pruning, defaults, lists and rules need.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type Format } from 'ajv';
import { _ } from 'ajv/dist/compile/codegen';
import standaloneCode from 'ajv/dist/standalone';
import { load } from 'js-yaml';
import { translateRule } from '../functions/stages/schema/cel-library';
import { formats } from '../functions/stages/schema/formats';
import type { Structure } from '../functions/stages/schema/structure';

const ROOT = join(__dirname, '..');
const TARGET = join(ROOT, 'generated');
const ADAPTERS = '../functions/stages/schema';

/** JSONSchemaProps of a CRD, as far as ours use it. */
interface CrdSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly additionalProperties?: CrdSchema;
  readonly items?: CrdSchema;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'set' | 'map' | 'atomic';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly { rule: string; message: string; fieldPath?: string }[];
}
interface Crd {
  readonly spec: {
    readonly group: string;
    readonly scope: 'Cluster' | 'Namespaced';
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: CrdSchema } }[];
  };
}

/** Annotations to JSON Schema; what they demand is checked from the structure. */
const KUBERNETES_KEYWORDS = ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-validations'];

function main(): void {
  const crds = readdirSync(join(ROOT, 'schemas'))
    .filter((file) => file.endsWith('.crd.yaml'))
    .sort()
    .map((file) => load(readFileSync(join(ROOT, 'schemas', file), 'utf8')) as Crd);
  mkdirSync(TARGET, { recursive: true });
  writeFileSync(join(TARGET, 'schemas.js'), moduleOf(crds));
  writeFileSync(join(TARGET, 'schemas.d.ts'), DECLARATIONS);
}

const DECLARATIONS = `import type { CompiledKind } from '../functions/stages/schema/structure';
export declare const kinds: Readonly<Record<'Seat' | 'TaskRun' | 'TrustTier', CompiledKind>>;
`;

function moduleOf(crds: readonly Crd[]): string {
  const ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true, // int-or-string
    strictTypes: false, // a pattern beside int-or-string
    verbose: false,
    messages: false,
    code: { source: true, lines: true, regExp: linear(), formats: _`require(${`${ADAPTERS}/formats`}).formats` },
    formats: formats as Record<string, Format>,
  });
  for (const keyword of KUBERNETES_KEYWORDS) ajv.addKeyword(keyword);
  for (const { spec } of crds) ajv.addSchema(forAjv(schemaOf(spec)), spec.names.kind);
  const code = standaloneCode(ajv, Object.fromEntries(crds.map(({ spec }) => [spec.names.kind, spec.names.kind])));
  const kinds = crds.map(({ spec }) => {
    const structure = JSON.stringify(structureOf(schemaOf(spec), true));
    const apiVersion = JSON.stringify(`${spec.group}/${spec.versions[0]!.name}`);
    const namespaced = spec.scope === 'Namespaced';
    return `  ${spec.names.kind}: { apiVersion: ${apiVersion}, namespaced: ${namespaced}, validate: exports.${spec.names.kind}, structure: ${structure} },`;
  });
  return `// Made by build/compile-schemas.ts from schemas/. Do not edit.\n${code}\nexports.kinds = {\n${kinds.join('\n')}\n};\n`;
}

const schemaOf = (spec: Crd['spec']): CrdSchema => spec.versions[0]!.schema.openAPIV3Schema;

/** Compiles patterns for ajv itself, and names the linear-time engine in the code that it writes. */
function linear() {
  const engine = (source: string, flags: string) => new RegExp(source, flags);
  return Object.assign(engine, { code: `require("${ADAPTERS}/patterns").pattern` });
}

/**
 * What the API server checks on create. Left to others: the type and metadata of the object, unknown fields (pruning comes
 * first there), and the status, which it empties beforehand.
 */
function forAjv(schema: CrdSchema): object {
  const {
    apiVersion: _version,
    kind: _kind,
    metadata: _metadata,
    status: _status,
    ...properties
  } = schema.properties ?? {};
  return node({ ...schema, properties });
}

/** One schema node for ajv: without descriptions and defaults, int-or-string as a union, no format that the server ignores. */
function node(schema: CrdSchema): object {
  const { properties, additionalProperties, items, ...rest } = schema as CrdSchema & Record<string, unknown>;
  const {
    description: _text,
    default: _default,
    anyOf: _union,
    'x-kubernetes-int-or-string': union,
    format,
    ...own
  } = rest;
  return {
    ...own,
    ...(union ? { type: ['integer', 'string'], format: 'int64' } : {}),
    ...formatOf(schema.type, format),
    ...(properties ? { properties: mapValues(properties, node) } : {}),
    ...(additionalProperties ? { additionalProperties: node(additionalProperties) } : {}),
    ...(items ? { items: node(items) } : {}),
  };
}

/** int32 is only a hint to the API server: every integer may have 64 bits there. */
function formatOf(type: string | undefined, format: string | undefined): object {
  if (type === 'integer') return { format: 'int64' };
  return format === undefined ? {} : { format };
}

function structureOf(schema: CrdSchema, root = false): Structure {
  const { properties, additionalProperties, items } = schema;
  const structure: Structure = {
    ...(properties ? { properties: mapValues(properties, (child) => structureOf(child)) } : {}),
    ...(additionalProperties ? { additional: structureOf(additionalProperties) } : {}),
    ...(items ? { items: structureOf(items) } : {}),
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(schema['x-kubernetes-int-or-string'] ? { quantity: true } : {}),
    ...uniqueOf(schema),
    ...rulesOf(schema),
  };
  const fields = Object.entries(structure.properties ?? {}).filter(([field]) => !root || field === 'spec'); // no status yet
  const others = [structure.additional, structure.items];
  const checked = fields.filter(([, child]) => child.checked).map(([field]) => field);
  const isChecked = structure.unique || structure.rules || checked.length || others.some((child) => child?.checked);
  const hasDefault = (child: Structure | undefined): boolean =>
    child?.default !== undefined || child?.defaulted !== undefined;
  const defaulted = fields.filter(([, child]) => hasDefault(child)).map(([field]) => field);
  return {
    ...structure,
    ...(isChecked ? { checked } : {}),
    ...(defaulted.length || others.some(hasDefault) ? { defaulted } : {}),
  };
}

function uniqueOf(schema: CrdSchema): Pick<Structure, 'unique'> {
  const type = schema['x-kubernetes-list-type'];
  if (type === 'set') return { unique: 'items' };
  return type === 'map' ? { unique: schema['x-kubernetes-list-map-keys'] ?? [] } : {};
}

/** Transition rules compare with an older object, which a package does not hold: they are the API server's alone. */
function rulesOf(schema: CrdSchema): Pick<Structure, 'rules'> {
  const rules = (schema['x-kubernetes-validations'] ?? [])
    .filter(({ rule }) => !/\boldSelf\b/.test(rule))
    .map(({ rule, message, fieldPath }) => ({
      rule: translateRule(rule),
      message,
      ...(fieldPath === undefined ? {} : { field: fieldPath.slice(1) }),
    }));
  return rules.length ? { rules } : {};
}

const mapValues = <A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));

main();
