// What kustomize-controller may change of a text, and what an account needs that applies packages of seats.
import * as assert from 'uvu/assert';
import { areReady, KUSTOMIZATION, told } from './flux-controller';
import { deploy, namespaceObjects } from './flux-package';
import { packageOf, type Scene, startScene, stopScene } from './flux-scene';
import { playControllers } from './flux-statuses';
import { suiteWith } from './prerequisites';

const test = suiteWith('Flux, texts and rights', 'flux', 'kube-apiserver', 'etcd', 'kubectl');
interface Running extends Scene {
  readonly statuses: { stop(): Promise<void> };
}
let started: Promise<Running> | undefined;
async function start(): Promise<Running> {
  const stage = await startScene();
  return Object.assign(stage, { statuses: playControllers(stage.cluster) });
}
const scene = (): Promise<Running> => (started ??= start());

test('text that looks like variables arrives as written, though the Kustomizations substitute', async () => {
  const { cluster, source } = await scene();
  const flux = await deploy(cluster, source, 'oci', 'flux-texts');
  for (const name of flux.names) {
    const spec = { postBuild: { substitute: { HOME: 'replaced' } } };
    await cluster.patch(KUSTOMIZATION, name, flux.namespace, { spec });
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: what Flux would replace
  const text = 'cd ${HOME} && echo ${UNSET} $${TWICE} ${HOME:=x}';
  const texts = packageOf({ namespace: 'texts', layout: 'split', seats: ['ana'], spec: { instructions: text } });
  const disabled = { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' };
  const annotated = texts.map((object) =>
    object.kind === 'Seat' ? { ...object, metadata: { ...object.metadata, annotations: disabled } } : object,
  );
  const { revision: first } = await flux.push(annotated);
  await areReady(cluster, flux.names, flux.namespace, first);
  const maps = await cluster.list('configmaps', 'texts');
  assert.ok(
    maps.some(({ data = {} }) => Object.values(data).some((value) => value.includes(text))),
    JSON.stringify(maps),
  );
  const [seat] = await cluster.list('seats', 'texts');
  assert.is(seat?.spec?.instructions, text);
  // what is the package's own is Flux's to substitute
  await flux.push(texts);
  const { reason, message } = await cluster.waitFor('a failed build', 60, async () => {
    const ready = await told(cluster, 'seats-probe', flux.namespace);
    return ready?.status === 'False' && ready.reason === 'BuildFailed' ? ready : undefined;
  });
  assert.is(reason, 'BuildFailed');
  assert.match(message, /UNSET/);
});

test('an account with the rights of deploy/flux/tenant is enough, and it can grant no more than it holds', async () => {
  const { cluster, source } = await scene();
  await cluster.apply(namespaceObjects('tenant').slice(0, 1));
  const flux = await deploy(cluster, source, 'tenant', 'flux-tenant', { 'team-a': 'tenant' });
  const package_ = packageOf({ namespace: 'tenant', layout: 'split', seats: ['ana'] });
  const { revision: first } = await flux.push(package_);
  await areReady(cluster, flux.names, flux.namespace, first);
  // all of it, pruning too
  const { revision: second } = await flux.push(packageOf({ namespace: 'tenant', layout: 'split', seats: ['ben'] }));
  await areReady(cluster, flux.names, flux.namespace, second);

  const { rules = [] } = (await cluster.get('clusterrole', 'seatplan-cluster')) as unknown as {
    rules: { resources: string[] }[];
  };
  const less = rules.filter(({ resources }) => !resources.includes('nodes'));
  await cluster.patch('clusterrole', 'seatplan-cluster', '', { rules: less });
  await cluster.kubectl(['delete', 'clusterrole', 'seatplan-probe-tenant']);
  await flux.push(packageOf({ namespace: 'tenant', layout: 'split', seats: ['ben', 'cid'] }));
  const { message } = await cluster.waitFor('a refusal', 60, async () => {
    const ready = await told(cluster, 'seats-probe', flux.namespace);
    return ready?.status === 'False' && ready.reason === 'ReconciliationFailed' ? ready : undefined;
  });
  assert.match(message, /attempting to grant RBAC permissions not currently held/);
});

test('the servers stop', async () => {
  const running = await scene();
  await running.statuses.stop();
  await stopScene(running);
});
test.run();
