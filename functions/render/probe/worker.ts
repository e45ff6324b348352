// What a plan says of a task worker: its pod and its policy, as they stand in the package.
import type { V1PodTemplateSpec } from '@kubernetes/client-node';
import type { ResolvedTask } from '../../model';
import { OWNER_ANNOTATION } from '../../owner';
import type { RenderedTask } from '../../probe/tasks';
import { renderPolicy, renderWorker } from '../task-worker';

/** Engines read these of the object, and some take them off what they apply. */
const FOR_ENGINES = /(?:^|\.)(?:config\.kubernetes|toolkit\.fluxcd|argoproj|cli-utils\.sigs\.k8s)\.io\//;

export const renderedTask = (task: ResolvedTask): RenderedTask => {
  const { metadata, spec } = renderWorker(task);
  const annotations = Object.entries(metadata?.annotations ?? {}).filter(
    ([key]) => key !== OWNER_ANNOTATION && !FOR_ENGINES.test(key),
  );
  const pod = {
    metadata: { labels: metadata?.labels, annotations: Object.fromEntries(annotations) },
    spec,
  } as V1PodTemplateSpec;
  return { pod, policy: renderPolicy(task).spec! };
};
