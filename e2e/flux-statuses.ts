// What a cluster's controllers would write, for an API server that has none: seats run, claims are bound, probes passed.
import type { Cluster, Live } from './cluster';

const statusOf: Readonly<Record<string, (object: Live) => object>> = {
  statefulsets: ({ metadata, spec }) => {
    const { replicas } = spec as { replicas: number };
    const counts = { replicas, readyReplicas: replicas, currentReplicas: replicas, updatedReplicas: replicas };
    return { observedGeneration: metadata.generation, availableReplicas: replicas, ...counts };
  },
  persistentvolumeclaims: () => ({ phase: 'Bound' }),
  jobs: () => {
    const at = new Date(Date.now() - 1000).toISOString();
    const condition = (type: string) => ({ type, status: 'True', reason: 'Test', lastTransitionTime: at });
    const conditions = [condition('SuccessCriteriaMet'), condition('Complete')];
    return { startTime: at, completionTime: at, succeeded: 1, conditions };
  },
};

/** Writes the status of each object that has none, until it is stopped. */
export function playControllers(cluster: Cluster): { stop(): Promise<void> } {
  let running = true;
  const seen = new Set<string>();
  const round = async (kind: string): Promise<void> => {
    for (const object of await cluster.list(kind)) {
      const { name, namespace = '', uid, generation } = object.metadata;
      if (seen.has(`${uid} ${generation}`)) continue;
      seen.add(`${uid} ${generation}`);
      const patch = JSON.stringify({ status: statusOf[kind]?.(object) });
      const where = [`${kind}/${name}`, '--namespace', namespace, '--subresource', 'status'];
      // it may be gone by now
      await cluster.kubectl(['patch', ...where, '--type', 'merge', '--patch', patch]).catch(() => undefined);
    }
  };
  const done = (async () => {
    while (running) {
      for (const kind of Object.keys(statusOf)) await round(kind);
      await new Promise((next) => setTimeout(next, 300));
    }
  })();
  return {
    stop() {
      running = false;
      return done;
    },
  };
}
