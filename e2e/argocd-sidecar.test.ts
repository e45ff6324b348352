// The sidecar as kustomize makes it, on a real kubelet: its probes, its volumes, its security; asked over its socket.
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { appIn, objectsOf, renderedIn, SAMPLE } from './argocd-app';
import { build, COMPONENT, platformOf, podOf } from './argocd-kustomize';
import { type Cluster, cluster, type Live } from './cluster';
import { connect, type PluginServer } from './cmp-client';
import { must } from './command';
import { docker, IMAGES } from './docker';
import type { Manifest } from './objects';
import { CACHE, suiteWith } from './prerequisites';

const NAMESPACE = 'argocd-sidecar';
const POD = 'repo-server';
const test = suiteWith('Argo CD sidecar on a cluster', 'argocd', 'docker', 'kustomize', 'cluster');

/** The repo-server's pod without the repo-server: Argo CD's program comes from this machine, not from its image. */
function podWith(image: string, objects: readonly Manifest[]): Manifest {
  const { containers, volumes } = podOf(objects);
  const sidecar = containers.find(({ name }) => name === 'seatplan') as unknown as Record<string, object>;
  const needed = new Set((sidecar.volumeMounts as { name: string }[]).map(({ name }) => name));
  const program = { name: 'var-files', hostPath: { path: join(CACHE, 'bin') } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: POD, namespace: NAMESPACE },
    spec: {
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      // a test does not wait for minutes
      containers: [
        { ...sidecar, image, livenessProbe: { ...sidecar.livenessProbe, periodSeconds: 2, timeoutSeconds: 7 } },
      ],
      volumes: [program, ...volumes.filter(({ name }) => needed.has(name) && name !== program.name)],
    },
  };
}

interface Status {
  readonly containerStatuses?: readonly { readonly ready: boolean; readonly restartCount: number }[];
}
const ready = (on: Cluster, restarts: number): Promise<Live> =>
  on.waitFor(`the sidecar is ready, started ${restarts + 1} times`, 90, async () => {
    const pod = await on.get('pod', POD, NAMESPACE);
    const [container] = ((pod?.status ?? {}) as Status).containerStatuses ?? [];
    return container?.ready && container.restartCount >= restarts ? pod : undefined;
  });

/** The socket lies deeper than a socket's path may be long. */
async function ask<T>({ metadata }: Live, use: (server: PluginServer) => Promise<T>): Promise<T> {
  const state = process.env.STATE ?? join(tmpdir(), 'seatplan-cluster/state');
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-sidecar-'));
  symlinkSync(join(state, 'kubelet/pods', metadata.uid, 'volumes/kubernetes.io~empty-dir/plugins'), join(folder, 's'));
  const server = connect(join(folder, `s/seatplan-v${require('../package.json').version}.sock`));
  try {
    return await use(server);
  } finally {
    server.close();
    rmSync(folder, { recursive: true });
  }
}

/** The process in the pod's container. */
function serverOf({ metadata }: Live): number {
  const uid = metadata.uid.replaceAll('-', '[-_]');
  const found = must(['bash', '-c', `grep -lE 'pod${uid}' /proc/[0-9]*/cgroup 2>/dev/null || true`])
    .trim()
    .split('\n');
  const pids = found.map((file) => Number(file.split('/')[2]));
  const pid = pids.find((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').startsWith('/var/run/argocd/'));
  if (pid === undefined) throw new Error(`no argocd-cmp-server among ${pids}`);
  return pid;
}

test('it starts, renders by the platform level of its ConfigMap, and is started again when it hangs', async () => {
  const on = cluster();
  const load = resolve(__dirname, 'cluster/load');
  const image = IMAGES['argocd-cmp'];
  const loaded = must(['bash', '-c', `set -o pipefail; docker save ${image} | ${load} ${image}`], { env: docker() });
  const objects = build(['.']);
  const { metadata, ...platform } = platformOf(objects);
  await on.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } },
    { ...platform, metadata: { ...metadata, namespace: NAMESPACE } },
  ]);
  await on.waitFor('the account of pods', 30, () => on.get('serviceaccount', 'default', NAMESPACE));
  await on.apply([podWith(loaded.trim(), objects)]);
  try {
    const pod = await ready(on, 0);
    const rendered = await ask(pod, (server) => server.generate(appIn(SAMPLE)));
    assert.equal(objectsOf(rendered), renderedIn(SAMPLE, { platform: join(COMPONENT, 'platform') }));
    process.kill(serverOf(pod), 'SIGSTOP');
    const again = await ready(on, 1);
    assert.equal(await ask(again, (server) => server.generate(appIn(SAMPLE))), rendered);
  } finally {
    await on.delete('namespace', NAMESPACE);
  }
});
test.run();
