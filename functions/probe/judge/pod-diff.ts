// Where a live pod, or the template of a live StatefulSet, is another than the declared template; and who made it so.
import type {
  V1Container,
  V1ManagedFieldsEntry,
  V1ObjectMeta,
  V1PodSpec,
  V1PodTemplateSpec,
} from '@kubernetes/client-node';
import { canonicalJSON } from '../../kubernetes/canonical-json';
import { parseQuantity } from '../../kubernetes/quantity';
import { isKnownAddition, type Surroundings } from './known-additions';

export type Step = string | { readonly element: unknown; readonly key: string };

export interface PodDifference {
  /** `containers[seat-runner].securityContext.privileged`, of the spec; `metadata.labels.…`. */
  readonly path: string;
  readonly kind: 'changed' | 'missing' | 'added';
  /** From the root of the pod or the template. */
  readonly steps: readonly Step[];
}

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Fields that tell the elements of a list apart, the first that all have; lists of plain values go by place. */
const LIST_KEYS: Readonly<Record<string, readonly string[]>> = {
  containers: ['name'],
  initContainers: ['name'],
  ephemeralContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  volumeMounts: ['mountPath'],
  ports: ['containerPort', 'protocol'],
  imagePullSecrets: ['name'],
  resourceClaims: ['name'],
  tolerations: ['key', 'operator', 'value', 'effect'],
};
/** Nothing there is the same as this: Go leaves out what is empty, for these also what is false. */
const OMITTED_WHEN_FALSE = ['readOnly', 'hostNetwork', 'hostPID', 'hostIPC', 'stdin', 'stdinOnce', 'tty'];
const QUANTITIES = /(?:^|\.)(?:limits|requests|overhead)\.[^.]+$|\.emptyDir\.sizeLimit$/;

interface Walk {
  readonly around: Surroundings;
  readonly found: PodDifference[];
}

/**
 * Every declared leaf must be there with its value (quantities as quantities), and every addition must be a known one.
 * Order does not matter in lists whose elements have names.
 */
export function podDifferences(
  declared: V1PodTemplateSpec,
  live: { readonly metadata?: V1ObjectMeta; readonly spec?: V1PodSpec },
  around: Surroundings,
): PodDifference[] {
  const walk: Walk = { around, found: [] };
  const marks = ({ metadata }: { readonly metadata?: V1ObjectMeta }): Members => ({
    labels: metadata?.labels ?? {},
    annotations: metadata?.annotations ?? {},
  });
  members(marks(declared), marks(live), 'metadata', ['metadata'], walk);
  const spec = around.pod === undefined ? declared.spec : withRequests(declared.spec);
  members((spec ?? {}) as unknown as Members, (live.spec ?? {}) as unknown as Members, '', ['spec'], walk);
  return walk.found;
}

/** A request that a pod does not make is its limit; in templates it stays absent (SetDefaults_Pod). */
const withRequests = (spec: V1PodSpec | undefined): V1PodSpec | undefined =>
  spec && {
    ...spec,
    containers: spec.containers.map(requesting),
    ...(spec.initContainers ? { initContainers: spec.initContainers.map(requesting) } : {}),
  };

function requesting(container: V1Container): V1Container {
  const { limits, requests } = container.resources ?? {};
  return limits
    ? { ...container, resources: { ...container.resources, requests: { ...limits, ...requests } } }
    : container;
}

function members(declared: Members, live: Members, path: string, steps: readonly Step[], walk: Walk): void {
  for (const key of [...new Set([...Object.keys(declared), ...Object.keys(live)])].sort()) {
    compare(declared[key], live[key], path === '' ? key : `${path}.${key}`, [...steps, key], walk);
  }
}

function compare(declared: unknown, live: unknown, path: string, steps: readonly Step[], walk: Walk): void {
  const report = (kind: PodDifference['kind']): void => {
    walk.found.push({ path, kind, steps });
  };
  if (isNothing(declared, path) && isNothing(live, path)) return;
  if (declared === undefined || declared === null) added(live, path, steps, walk);
  else if (live === undefined || live === null) {
    if (!isNothing(declared, path)) report('missing');
  } else if (Array.isArray(declared) && Array.isArray(live)) lists(declared, live, path, steps, walk);
  else if (isObject(declared) && isObject(live)) members(declared, live, path, steps, walk);
  else if (!isSame(declared, live, path)) report('changed');
}

function isNothing(value: unknown, path: string): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (value === false) return OMITTED_WHEN_FALSE.includes(path.slice(path.lastIndexOf('.') + 1));
  if (Array.isArray(value)) return value.length === 0;
  // An emptied object is nothing only where it says nothing: `emptyDir: {}` does say something.
  return isObject(value) && Object.values(value).every((member) => member === undefined) && !/\bvolumes\[/.test(path);
}

function isSame(declared: unknown, live: unknown, path: string): boolean {
  if (declared === live) return true;
  // AlwaysPullImages is stricter than any declared policy.
  if (path.endsWith('.imagePullPolicy')) return live === 'Always';
  if (!QUANTITIES.test(path)) return false;
  const [one, other] = [parseQuantity(String(declared)), parseQuantity(String(live))];
  return one !== undefined && one.value === other?.value;
}

/** The smallest parts that nobody knows are told, so that a known default beside them is not blamed. */
function added(live: unknown, path: string, steps: readonly Step[], walk: Walk): void {
  if (isKnownAddition(path, live, walk.around)) return;
  const isElement = path.endsWith(']');
  if (isObject(live) && !isElement && Object.keys(live).length > 0) members({}, live, path, steps, walk);
  else if (Array.isArray(live) && live.length > 0 && listKeys(path)) lists([], live, path, steps, walk);
  else walk.found.push({ path, kind: 'added', steps });
}

const listKeys = (path: string): readonly string[] | undefined => LIST_KEYS[path.slice(path.lastIndexOf('.') + 1)];

function lists(
  declared: readonly unknown[],
  live: readonly unknown[],
  path: string,
  steps: readonly Step[],
  walk: Walk,
): void {
  const keys = listKeys(path);
  const keyOf = (element: unknown, index: number): string =>
    keys && isObject(element)
      ? keys
          .map((key) => String(element[key] ?? (key === 'protocol' ? 'TCP' : '')))
          .join('/')
          .replace(/\/+$/, '')
      : String(index);
  const rest = live.map((element, index) => ({ element, key: keyOf(element, index), taken: false }));
  declared.forEach((element, index) => {
    const key = keyOf(element, index);
    const match = rest.find((one) => !one.taken && one.key === key);
    if (match) match.taken = true;
    compare(element, match?.element, `${path}[${key}]`, [...steps, { element: match?.element ?? element, key }], walk);
  });
  for (const { element, key } of rest.filter(({ taken }) => !taken)) {
    compare(undefined, element, `${path}[${key}]`, [...steps, { element, key }], walk);
  }
}

/**
 * Managers that set the field at a path from the root of an object, from its `managedFields` (structured-merge-diff: `f:` a
 * member, `k:` an element by its keys); empty for one without an owner. An admission webhook acts within its caller's request.
 */
export function managersOf(entries: readonly V1ManagedFieldsEntry[] | undefined, steps: readonly Step[]): string[] {
  const owned = (entries ?? []).map((entry) => ({ entry, depth: ownedDepth(entry.fieldsV1, steps) }));
  const deepest = Math.max(1, ...owned.map(({ depth }) => depth));
  const owners = owned.filter(({ depth }) => depth === deepest).map(({ entry }) => nameOf(entry));
  return [...new Set(owners)].sort();
}

const nameOf = ({ manager = 'unknown', subresource }: V1ManagedFieldsEntry): string =>
  subresource ? `${manager} (${subresource})` : manager;

/** How far down the path a manager owns it: all of it, or a part that is owned as one; 0: it does not. */
function ownedDepth(fields: unknown, steps: readonly Step[]): number {
  let at: unknown = fields;
  for (const [depth, step] of steps.entries()) {
    if (!isObject(at)) return 0;
    if (depth > 0 && Object.keys(at).length === 0) return depth;
    at =
      typeof step === 'string'
        ? at[`f:${step}`]
        : Object.entries(at).find(([name]) => name.startsWith('k:') && fits(name, step.element))?.[1];
  }
  return isObject(at) ? steps.length : 0;
}

function fits(name: string, element: unknown): boolean {
  if (!isObject(element)) return false;
  try {
    const keys = JSON.parse(name.slice(2)) as Members;
    return Object.entries(keys).every(([key, value]) => canonicalJSON(element[key]) === canonicalJSON(value));
  } catch {
    return false;
  }
}
