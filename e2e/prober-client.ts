// The prober's own client, as its account with a real token, and as a user who may do everything.
import { KubeConfig } from '@kubernetes/client-node';
import type { Plan } from '../functions/model';
import { Api } from '../functions/probe/prober/api';
import type { ApiServer } from './apiserver';

export function adminOf({ kubeconfig }: ApiServer): Api {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  return new Api(config);
}

/** Its ServiceAccount must be there. */
export async function proberOf(server: ApiServer, { controlPlaneNamespace, prober }: Plan): Promise<Api> {
  const path = `/api/v1/namespaces/${controlPlaneNamespace}/serviceaccounts/${prober}/token`;
  const { status } = await adminOf(server).call<{ status: { token: string } }>('POST', path, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  const cluster = config.getCurrentCluster()!;
  config.loadFromClusterAndUser(cluster, { name: prober, token: status.token });
  return new Api(config);
}
