// A whole package in the stages of the split layout. Each is complete: what stood outside of them would never be applied.
import { isInput } from '../../kinds';
import { FOLDERS, KUSTOMIZATION_FILE, kustomizationOf, STAGES, type Stage } from '../../layout';
import type { Item, Rendered } from '../../model';
import { groupOf } from '../../owner';
import { endLine } from '../read/documents';
import { type OutputFile, OutputFiles } from './output-files';
import { toYAML } from './yaml';

/** Objects of the package itself live below it, so that no file of theirs is one of ours. */
const PACKAGE = 'package';

/** Every kind of these groups, and these kinds: others need them, and none of them starts a pod. */
const GUARD_GROUPS = new Set([
  ...['maqpna.com', 'rbac.authorization.k8s.io', 'networking.k8s.io', 'policy.networking.k8s.io', 'resource.k8s.io'],
  ...['node.k8s.io', 'scheduling.k8s.io', 'storage.k8s.io', 'apiextensions.k8s.io'],
]);
const GUARD_KINDS = new Set([
  ...['Namespace', 'ServiceAccount', 'ConfigMap', 'Secret', 'Service', 'ResourceQuota', 'LimitRange'].map(
    (kind) => `core/${kind}`,
  ),
  // not the webhooks: they answer for nothing before their pods run
  ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding', 'MutatingAdmissionPolicy']
    .concat('MutatingAdmissionPolicyBinding')
    .map((kind) => `admissionregistration.k8s.io/${kind}`),
]);

/**
 * Where an object of the package belongs. Seats and TaskRuns are applied with the probe: their status is its verdict, and
 * an engine that waits for an earlier stage would never apply the next probe of a seat that failed.
 */
export function stageOf(item: Pick<Item, 'apiVersion' | 'kind'>): Stage {
  const group = groupOf(item.apiVersion);
  if (isInput(item) && !GUARD_GROUPS.has(group)) return 'probe';
  return GUARD_GROUPS.has(group) || GUARD_KINDS.has(`${group}/${item.kind}`) || item.kind.endsWith('NetworkPolicy')
    ? 'guard'
    : 'seats';
}

/** `items` byte for byte, each in its stage below `package/`; `rendered` as the layout names its files. */
export function stagedFiles(items: Iterable<Item>, rendered: Iterable<Rendered>): readonly OutputFile[] {
  const files = new OutputFiles();
  for (const item of items) {
    const path = `${FOLDERS[stageOf(item)]}/${PACKAGE}/${item.origin.file ?? 'inputs.yaml'}`;
    files.add(path, endLine(item.text));
  }
  for (const { object, file, seat } of rendered) if (seat) files.add(file, toYAML(object));
  const whole = files.list();
  return [...whole, ...STAGES.flatMap((stage) => kustomization(stage, whole))];
}

/** None for a stage without objects: kustomize refuses one without resources. */
function kustomization(stage: Stage, files: readonly OutputFile[]): OutputFile[] {
  const folder = `${FOLDERS[stage]}/`;
  const resources = files.filter(({ path }) => path.startsWith(folder)).map(({ path }) => path.slice(folder.length));
  if (resources.length === 0) return [];
  return [{ path: `${folder}${KUSTOMIZATION_FILE}`, text: toYAML(kustomizationOf(stage, resources)) }];
}
