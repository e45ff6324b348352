// Pieces of CEL for the guards. What is read may be a pod, a Sandbox's pod template, or absent.
import type { V1Variable } from '@kubernetes/client-node';

/** A CEL literal: JSON's escapes are among CEL's. */
export const text = (value: string): string => JSON.stringify(value);
export const list = (values: Iterable<string>): string => `[${[...new Set(values)].sort().map(text).join(', ')}]`;

/** The parser takes 100,000 characters of one expression (cel-go, parser/options.go): so many names of 63 characters and less. */
const NAMES_IN_ONE_LIST = 1000;

/** A long list as variables that each hold some of it: `<prefix>0`, `<prefix>1`, … */
export function listVariables(prefix: string, names: readonly string[], most = NAMES_IN_ONE_LIST): V1Variable[] {
  const sorted = [...new Set(names)].sort();
  return Array.from({ length: Math.ceil(sorted.length / most) }, (_, n) => ({
    name: `${prefix}${n}`,
    expression: list(sorted.slice(n * most, (n + 1) * most)),
  }));
}

/** Message and expression. */
export type Check = readonly [message: string, expression: string];

/** The pod of an object: its own, or the one that a Sandbox makes. */
const podOf = (object: string): string => `(${object}.kind == 'Sandbox' ? ${object}.spec.podTemplate : ${object})`;

/** The object as it comes and as it was, as pods: who takes a label off is still held to it. */
export const BOTH = `([${podOf('object')}] + (oldObject == null ? [] : [${podOf('oldObject')}]))`;

export const labelsOf = (pod: string): string => `${pod}.?metadata.?labels.orValue({})`;

/**
 * Variables of both kinds of policy. `isMade`: a pod that is there, of which only marks and the image can change. What was right
 * when it was made is not asked again: a tier that got stricter must not keep controllers from tending the pods of before.
 */
export const VARIABLES = [
  { name: 'isMade', expression: "request.operation != 'CREATE' && object.kind != 'Sandbox'" },
  { name: 'pod', expression: podOf('object') },
  { name: 'labels', expression: labelsOf('variables.pod') },
  { name: 'spec', expression: 'variables.pod.spec' },
  {
    name: 'containers',
    expression:
      'variables.spec.containers + variables.spec.?initContainers.orValue([]) + variables.spec.?ephemeralContainers.orValue([])',
  },
  { name: 'volumes', expression: 'variables.spec.?volumes.orValue([])' },
];

/** Pods as they are made and edited, containers that are added to them, and what agent-sandbox makes pods of. */
export const MATCHED = [
  {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['pods', 'pods/ephemeralcontainers'],
    scope: 'Namespaced',
  },
  {
    apiGroups: ['agents.x-k8s.io'],
    apiVersions: ['v1beta1'],
    operations: ['CREATE', 'UPDATE'],
    resources: ['sandboxes'],
    scope: 'Namespaced',
  },
];
