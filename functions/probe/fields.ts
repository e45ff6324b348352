// Walks every field of rendered manifests and asks which checks observe it: what a profile must be checked for, and what nobody verifies.
import { fieldOf } from '../field-path';
import { listOf, recordOf } from '../kubernetes/label-selector';
import type { CheckID, Coverage, Isolation } from '../model';
import { type EgressOptions, egressKinds } from './egress-kinds';
import { FIELD_RULES, type FieldRule, UNKNOWN_FIELD } from './field-rules';
import { isObject } from './leaves';

/** A field of a manifest, indexes and what differs from seat to seat left out, and what is known about it. */
export interface Field {
  readonly field: string;
  readonly rule: FieldRule;
}

/** How the manifests of one set of options are read; keeps what it has looked up. */
export interface FieldReader {
  /** Fields of one seat's rendered objects, each once and always the same object. `claim` is the whole PersistentVolumeClaim; undefined where none is rendered. */
  readonly fieldsOf: (rendered: {
    readonly template: unknown;
    readonly policy: unknown;
    readonly claim?: unknown;
  }) => Field[];
}

export function fieldReader(options: EgressOptions): FieldReader {
  const fields = new Map<string, Field>();
  const fieldAt = (path: string): Field => {
    const read = fieldFor(path);
    const field = fields.get(read.field) ?? read;
    fields.set(field.field, field);
    return field;
  };
  const [template, policy, claim] = [placeAt('template'), placeAt('policy'), placeAt('claim')];
  const egressKind = egressKinds(options);
  return {
    fieldsOf: (rendered) => {
      const found = new Set<Field>();
      const walker: Walker = { egressKind, fieldAt, kinds: volumeKinds(rendered.template), found };
      walk(rendered.template, template, walker);
      walk(rendered.policy, policy, walker);
      if (rendered.claim !== undefined) walk(declaredOf(rendered.claim), claim, walker);
      return [...found];
    },
  };
}

/** A path of manifests with what was found out about it: most seats have the same ones. */
interface Place {
  readonly path: string;
  readonly below: Map<string, Place>;
  field?: Field;
}
const placeAt = (path: string): Place => ({ path, below: new Map() });

function placeBelow({ path, below }: Place, step: string, pathOf: (path: string, step: string) => string): Place {
  const known = below.get(step);
  if (known) return known;
  const place = placeAt(pathOf(path, step));
  below.set(step, place);
  return place;
}

/** The longest rule that covers a path. */
function fieldFor(path: string): Field {
  for (let end = path.length; end > 0; end--) {
    const next = path[end];
    if (next !== undefined && next !== '.' && next !== '[') continue;
    const field = path.slice(0, end);
    if (Object.hasOwn(FIELD_RULES, field)) return { field, rule: FIELD_RULES[field]! };
  }
  return { field: path, rule: UNKNOWN_FIELD };
}

interface Walker {
  readonly egressKind: (rule: unknown) => string;
  readonly fieldAt: (path: string) => Field;
  /** Kind of each volume of the pod, by name. */
  readonly kinds: ReadonlyMap<unknown, string>;
  readonly found: Set<Field>;
}

/** Leaves, and empty lists and objects: these say something too. */
function walk(value: unknown, place: Place, walker: Walker): void {
  if (Array.isArray(value) && value.length > 0) {
    for (const one of value) walk(one, placeBelow(place, elementOf(place.path, one, walker), elementPath), walker);
  } else if (isObject(value) && Object.keys(value).length > 0) {
    for (const key of Object.keys(value)) walk(value[key], placeBelow(place, key, fieldOf), walker);
  } else if (value !== undefined) {
    place.field ??= walker.fieldAt(place.path);
    walker.found.add(place.field);
  }
}

const elementPath = (path: string, kind: string): string => `${path}[${kind}]`;

/** Of a claim: type and name declare nothing. */
function declaredOf(claim: unknown): unknown {
  const { metadata, spec } = recordOf(claim);
  const { annotations, labels } = recordOf(metadata);
  return { metadata: { annotations, labels }, spec };
}

/** What an element is, in lists whose elements differ in kind. */
function elementOf(path: string, element: unknown, { egressKind, kinds }: Walker): string {
  switch (path) {
    case 'template.spec.volumes':
      return volumeKind(element);
    case 'template.spec.containers[].volumeMounts':
      return kinds.get(recordOf(element).name) ?? '';
    case 'template.spec.volumes[projected].projected.sources':
      return Object.keys(recordOf(element)).sort().join('+');
    case 'policy.policyTypes':
      return String(element);
    case 'policy.egress':
      return egressKind(element);
    default:
      return '';
  }
}

const volumeKind = (volume: unknown): string =>
  Object.keys(recordOf(volume))
    .filter((key) => key !== 'name')
    .sort()
    .join('+');

const volumeKinds = (template: unknown): ReadonlyMap<unknown, string> =>
  new Map(
    listOf(recordOf(recordOf(template).spec).volumes).map((volume) => [recordOf(volume).name, volumeKind(volume)]),
  );

/** What a run can see at all. */
export interface Sighted {
  readonly isolation: Isolation | undefined;
  readonly rbac: 'cluster' | 'namespace';
}

/** Why a check has no say about a field in this run; undefined: it has. */
function blindness(check: CheckID, { isolation, rbac }: Sighted): string | undefined {
  if ((check === 'R1' || check === 'R2') && isolation === undefined) {
    return 'compared on the live pod by A1; no tier says which sandbox the class stands for';
  }
  if ((check === 'R2' || check === 'J1') && rbac === 'namespace') {
    return 'needs the nodes, which `probe.rbac: namespace` does not let the probe read';
  }
  return undefined;
}

/** Checks of a rule that have a say; a reason where none has. */
export function seenBy(rule: FieldRule, sighted: Sighted): FieldRule {
  if (typeof rule === 'string') return rule;
  const seeing = rule.filter((check) => blindness(check, sighted) === undefined);
  return seeing.length > 0 ? seeing : (blindness(rule[0]!, sighted) ?? UNKNOWN_FIELD);
}

/** Sums up fields by name: one is verified only if it is for everyone who declares it. */
export function coverageOf(fields: Iterable<Field>): Coverage {
  const names = new Set<string>();
  const unverified = new Map<string, string>();
  for (const { field, rule } of fields) {
    names.add(field);
    if (typeof rule === 'string') unverified.set(field, rule);
  }
  return {
    fields: names.size,
    verified: names.size - unverified.size,
    unverified: [...unverified].map(([field, why]) => ({ field, why })).sort((a, b) => (a.field < b.field ? -1 : 1)),
  };
}
