// agent-sandbox's real controller, with its extensions: what makes pods of Sandboxes, pools and claims.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../cluster';
import { type Controller, startController } from '../controller';
import { readStream } from '../objects';

const NAMESPACE = 'agent-sandbox-system';
const CRDS = join(__dirname, 'crds');

/** Its CRDs, and its namespace, where it looks for its settings. */
export async function installAgentSandbox(cluster: Cluster): Promise<void> {
  const crds = readdirSync(CRDS)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => readStream(readFileSync(join(CRDS, name), 'utf8')));
  await cluster.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }, ...crds]);
  await cluster.kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
}

/** The CRDs here have one version, so that nothing is converted and no webhook is needed. */
export const startAgentSandbox = (cluster: Cluster): Controller =>
  startController(
    'agent-sandbox-controller',
    cluster,
    [
      ...['--extensions', '--enable-webhook=false', '--manage-webhook-certs=false', '--leader-elect=false'],
      ...['--metrics-bind-address=0', '--health-probe-bind-address=127.0.0.1:0'],
    ],
    { POD_NAMESPACE: NAMESPACE },
  );
