// A whole package in the stages of the split layout. Each is complete: what stood outside of them would never be applied.
import { isInput } from '../../kinds';
import { FOLDERS, KUSTOMIZATION_FILE, kustomizationOf, STAGES, type Stage } from '../../layout';
import type { Item, Rendered } from '../../model';
import { groupOf } from '../../owner';
import { endLine } from '../read/documents';
import { type OutputFile, OutputFiles } from './output-files';
import { toYAML } from './yaml';

/** Folder in a stage for objects of the package itself: no file of theirs can be one of ours, whatever it is called. */
const PACKAGE = 'package';

/** What pods need before they start and what makes none: all of these groups, and these kinds. Network policies beside. */
const GUARD_GROUPS = new Set([
  ...['maqpna.com', 'apiextensions.k8s.io', 'rbac.authorization.k8s.io'],
  ...['node.k8s.io', 'scheduling.k8s.io', 'storage.k8s.io'],
]);
const GUARD_KINDS = new Set([
  ...[
    'core/Namespace',
    'core/ServiceAccount',
    'core/ConfigMap',
    'core/Secret',
    'core/ResourceQuota',
    'core/LimitRange',
  ],
  // not the webhooks: nothing is admitted before their pods run
  // its policy comes with it, and no pod before a pool or a claim
  'extensions.agents.x-k8s.io/SandboxTemplate',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicy',
  'admissionregistration.k8s.io/ValidatingAdmissionPolicyBinding',
  'admissionregistration.k8s.io/MutatingAdmissionPolicy',
  'admissionregistration.k8s.io/MutatingAdmissionPolicyBinding',
]);

/**
 * Where an object of the package belongs; a kind that nobody knows goes with the workloads. Seats and TaskRuns are applied
 * with the probe: their status is its verdict, and an engine that waits for an earlier stage to be healthy would never
 * apply the next probe of a seat that failed.
 */
export function stageOf(object: Pick<Item, 'apiVersion' | 'kind'>): Stage {
  const group = groupOf(object.apiVersion);
  const isPolicy = object.kind.endsWith('NetworkPolicy'); // of the cluster's network too: Cilium, Calico, the admin's
  if (isPolicy || GUARD_GROUPS.has(group) || GUARD_KINDS.has(`${group}/${object.kind}`)) return 'guard';
  return isInput(object) ? 'probe' : 'seats';
}

/**
 * `items` byte for byte, each in its stage under its own path below `package/`; `rendered` as the layout names its files. A
 * stage without objects is there too: an engine fails on a folder that is gone, and would not prune what left it.
 */
export function stagedFiles(items: Iterable<Item>, rendered: Iterable<Rendered>): readonly OutputFile[] {
  const files = new OutputFiles();
  for (const item of items) {
    files.add(`${FOLDERS[stageOf(item)]}/${PACKAGE}/${item.origin.file ?? 'inputs.yaml'}`, endLine(item.text));
  }
  for (const { object, file, home } of rendered) if (home) files.add(file, toYAML(object));
  const whole = files.list();
  return [...whole, ...STAGES.map((stage) => kustomizationFile(stage, whole))];
}

function kustomizationFile(stage: Stage, files: readonly OutputFile[]): OutputFile {
  const folder = `${FOLDERS[stage]}/`;
  const below = files.filter(({ path }) => path.startsWith(folder)).map(({ path }) => path.slice(folder.length));
  return { path: `${folder}${KUSTOMIZATION_FILE}`, text: toYAML(kustomizationOf(stage, below)) };
}
