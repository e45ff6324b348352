// The CRDs' schemas as the mutations read them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

export interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message: string }[];
}

function schemaIn(file: string): Schema {
  const text = readFileSync(join(__dirname, '../../schemas', file), 'utf8');
  const crd = load(text) as { spec: { versions: { schema: { openAPIV3Schema: Schema } }[] } };
  return crd.spec.versions[0]!.schema.openAPIV3Schema;
}

export const SCHEMAS = {
  Seat: schemaIn('seat.crd.yaml'),
  TaskRun: schemaIn('taskrun.crd.yaml'),
  TrustTier: schemaIn('trusttier.crd.yaml'),
};

/** Messages of all rules that act on create: each must have refused something by the end of a run. */
export function rulesOf(schema: Schema): string[] {
  const own = (schema['x-kubernetes-validations'] ?? [])
    .filter(({ rule }) => !rule.includes('oldSelf'))
    .map(({ message }) => message);
  const below = [...Object.values(schema.properties ?? {}), schema.additionalProperties, schema.items].filter(
    (child) => child !== undefined,
  );
  return [...own, ...below.flatMap(rulesOf)];
}
