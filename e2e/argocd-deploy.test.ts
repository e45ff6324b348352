// deploy/argocd with real kustomize on the manifests that Argo CD is installed by, and a real API server on the result.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { type ApiServer, startApiServer } from './apiserver';
import { build, COMPONENT, find, plainName, platformOf, podOf, TOOLS } from './argocd-kustomize';
import { identity, type Manifest, readStream } from './objects';
import { SHARE, suiteWith } from './prerequisites';

const KINDS = ['steadmesh.io_Seat', 'maqpna.com_TrustTier', 'agents.x-k8s.io_Sandbox']
  .concat(['SandboxClaim', 'SandboxWarmPool'].map((kind) => `extensions.agents.x-k8s.io_${kind}`))
  .sort();

const test = suiteWith('deploy/argocd with kustomize', 'argocd', 'kustomize', 'kubectl');
for (const tool of TOOLS) {
  test(`${tool.join(' ')} adds the sidecar that argo-helm gets, and what it mounts`, () => {
    const { containers, volumes } = podOf(build(['.'], tool));
    const { repoServer } = parse(readFileSync(join(COMPONENT, 'helm-values.yaml'), 'utf8'));
    assert.equal(
      containers.map(({ name }) => name),
      ['argocd-repo-server', 'seatplan'],
    );
    assert.equal(containers.slice(1), repoServer.extraContainers);
    const names = volumes.map(({ name }) => name);
    assert.is(new Set(names).size, names.length);
    for (const mount of containers[1]?.volumeMounts ?? []) assert.ok(names.includes(mount.name), mount.name);
  });
}

test('everything but the repo-server and argocd-cm is as Argo CD ships it', () => {
  const shipped = readStream(readFileSync(join(SHARE, 'argocd/install.yaml'), 'utf8'));
  const built = build(['.']);
  // the namespace of the kustomization is in the subjects of bindings too
  const same = (object: Manifest) =>
    JSON.stringify(object)
      .replace(/"namespace":"argocd",?/g, '')
      .replace(/,}/g, '}');
  const before = new Map(shipped.map((object) => [object.kind + object.metadata.name, same(object)]));
  const changed = built.filter((object) => before.get(object.kind + object.metadata.name) !== same(object));
  assert.equal(changed.map((object) => `${object.kind}/${plainName(object)}`).sort(), [
    'ConfigMap/argocd-cm',
    'ConfigMap/seatplan-platform',
    'Deployment/argocd-repo-server',
  ]);
  assert.is(built.length, shipped.length + 1);
});

test('argocd-cm keeps its name and what it had, and holds each health check as its file has it', () => {
  const { metadata, data } = find(build(['.']), 'ConfigMap', 'argocd-cm');
  assert.is(metadata.name, 'argocd-cm');
  assert.match(data['resource.exclusions'] ?? '', 'Lease');
  const checks = Object.entries(data).filter(([key]) => key.startsWith('resource.customizations.health.'));
  assert.equal(checks.map(([key]) => key.split('.health.')[1]).sort(), KINDS);
  for (const [key, text] of checks) {
    const file = join(COMPONENT, 'health', (key.split('.health.')[1] ?? '').replace('_', '/'), 'health.lua');
    assert.is(text, readFileSync(file, 'utf8'), key);
  }
});

test('another platform level replaces the example, under another name, which the repo-server mounts', () => {
  const [example, own] = [build(['.']), build(['.', 'platform'])];
  assert.equal(Object.keys(platformOf(own).data), ['options.yaml', 'tiers.yaml']);
  assert.equal(parse(platformOf(own).data['options.yaml'] ?? '').spec, {});
  assert.is(platformOf(example).data['options.yaml'], readFileSync(join(COMPONENT, 'platform/options.yaml'), 'utf8'));
  assert.is.not(platformOf(own).metadata.name, platformOf(example).metadata.name);
  for (const objects of [example, own]) {
    const { name } = platformOf(objects).metadata;
    assert.ok(podOf(objects).volumes.some(({ configMap }) => configMap?.name === name));
  }
});

test('the component of discovery puts its plugin.yaml in the place of that of the image', () => {
  const objects = build(['.', 'discovery']);
  const { containers, volumes } = podOf(objects);
  const plugin = find(objects, 'ConfigMap', 'seatplan-plugin');
  assert.is(plugin.data['plugin.yaml'], readFileSync(join(COMPONENT, 'discovery/plugin.yaml'), 'utf8'));
  const volume = volumes.find(({ configMap }) => configMap?.name === plugin.metadata.name);
  const sidecar = containers.find(({ name }) => name === 'seatplan');
  const mount = sidecar?.volumeMounts.find(({ name }) => name === volume?.name);
  assert.is(mount?.mountPath, '/home/argocd/cmp-server/config');
  assert.is(containers.length, 2);
});
test.run();

const api = suiteWith('deploy/argocd on an API server', 'argocd', 'kustomize', 'kube-apiserver', 'etcd');
let started: Promise<ApiServer> | undefined;
const server = (): Promise<ApiServer> => {
  started ??= start();
  return started;
};
async function start(): Promise<ApiServer> {
  const apiServer = await startApiServer();
  const create = async (object: Manifest) => {
    const { code, body } = await apiServer.create(object);
    assert.ok(code < 300, `${identity(object)}: ${body.message}`);
  };
  await create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } });
  for (const kind of ['application', 'applicationset', 'appproject'])
    for (const crd of readStream(readFileSync(join(SHARE, `argocd/${kind}-crd.yaml`), 'utf8'))) await create(crd);
  return apiServer;
}
const tried = async (object: Manifest): Promise<string> => {
  const { code, body } = await (await server()).dryRun(object);
  return code < 300 ? 'accepted' : `${identity(object)}: ${code} ${body.message}`;
};

api('it takes the whole installation, strictly', async () => {
  const objects = build(['.', 'discovery', 'platform']).filter(({ kind }) => kind !== 'CustomResourceDefinition');
  assert.ok(objects.length > 40);
  for (const object of objects) assert.is(await tried(object), 'accepted');
});

for (const file of ['appproject', 'application', 'applicationset']) {
  api(`it takes ${file}.yaml, strictly`, async () => {
    const objects = readStream(readFileSync(join(COMPONENT, `${file}.yaml`), 'utf8'));
    assert.is(objects.length, 1);
    for (const object of objects) {
      // what a kind has just been created for may take a moment to be served
      let answer = await tried(object);
      for (let n = 0; n < 50 && /: 404 /.test(answer); n += 1) {
        await new Promise((done) => setTimeout(done, 200));
        answer = await tried(object);
      }
      assert.is(answer, 'accepted');
      const misspelt = { ...object, spec: { ...(object.spec as object), projects: 'seats' } };
      assert.match(await tried(misspelt), 'unknown field "spec.projects"');
    }
  });
}
api('it takes the sample and the tiers of the platform level, strictly', async () => {
  const files = ['sample/seat.yaml', 'platform/tiers.yaml'].map((name) => readFileSync(join(COMPONENT, name), 'utf8'));
  await (await server()).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
  const objects = files.flatMap(readStream);
  assert.is(objects.length, 3);
  for (const object of objects) assert.is(await tried(object), 'accepted');
});
api('the server stops', async () => (await started)?.stop());
api.run();
