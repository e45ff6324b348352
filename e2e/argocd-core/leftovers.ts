// Removes what the tests brought into the cluster, when they end, or what a run left behind that was killed.
import type { Cluster } from '../cluster';
import { CONTROL_PLANE } from '../seat-package';
import { ARGOCD } from './install';

/** Kinds of a probe, which live in the control plane's namespace or in none. */
const PROBE = 'jobs,configmaps,serviceaccounts,roles,rolebindings';
const PROBE_OF_CLUSTER =
  'clusterroles,clusterrolebindings,priorityclasses,validatingadmissionpolicies,validatingadmissionpolicybindings';

/** Waits until all is gone: Applications, Argo CD's namespace, the seats' with its volumes, the probe's objects. */
export async function clear(on: Cluster, namespace: string): Promise<void> {
  for (const { metadata } of (await on.get('crd', 'applications.argoproj.io'))
    ? await on.list('applications', ARGOCD)
    : []) {
    await on.patch('application', metadata.name, ARGOCD, { metadata: { finalizers: null } });
  }
  const selector = ['--selector', `seatplan.dev/probed-namespace=${namespace}`];
  await on.kubectl(['delete', PROBE, '--namespace', CONTROL_PLANE, ...selector]);
  await on.kubectl(['delete', PROBE_OF_CLUSTER, ...selector]);
  const rights = ['argocd-seats', '--ignore-not-found'];
  await on.kubectl(['delete', 'role,rolebinding', '--namespace', CONTROL_PLANE, ...rights]);
  await on.kubectl(['delete', 'clusterrole,clusterrolebinding', ...rights]);
  await on.kubectl(['delete', 'namespace', namespace, ARGOCD, '--ignore-not-found']);
  const volumes = await on.list('persistentvolumes');
  const own = volumes.filter(
    ({ spec }) => (spec as { claimRef?: { namespace: string } }).claimRef?.namespace === namespace,
  );
  for (const { metadata } of own) await on.delete('persistentvolume', metadata.name);
}
