// A whole Argo CD core with our plugin on a real cluster: from a commit to proven seats, and what users see when something fails.
import * as assert from 'uvu/assert';
import { applicationIs, isGood } from './argocd-core/application';
import { applicationOf } from './argocd-core/documented';
import { openStage, rendered, type Stage, seats } from './argocd-core/stage';
import { watch } from './argocd-core/watch';
import type { Live } from './cluster';
import { identity, type Manifest } from './objects';
import { suiteWith } from './prerequisites';
import { CONTROL_PLANE, volumesFor } from './seat-package';

const test = suiteWith('Argo CD core', 'cluster', 'docker', 'argocd', 'kustomize', 'redis');
/** Of the seats; the Application has the same name. */
const TEAM = 'team-argo';
const APP = TEAM;
const PATH = 'agents/team';
const SEATS = { reader: { tierRef: { name: 'tier-gvisor' } }, writer: {}, away: { state: 'Stopped' } };

let opened: Promise<Stage> | undefined;
const stage = (): Promise<Stage> => (opened ??= openStage(TEAM));

const isJob = ({ kind }: Manifest): boolean => kind === 'Job';
const jobOf = (s: Stage): string => rendered(s, PATH).find(isJob)?.metadata.name ?? '';
const live = async ({ on }: Stage, { kind, apiVersion, metadata }: Manifest): Promise<Live | undefined> => {
  const group = apiVersion.includes('/') ? `.${apiVersion.split('/')[0]}` : '';
  return on.get(`${kind}${group}`, metadata.name, metadata.namespace);
};
/** The rendered object of this kind of a seat. */
function of(objects: readonly Manifest[], kind: string, seat: string): Manifest {
  const found = objects.find((one) => one.kind === kind && one.metadata.labels?.['steadmesh.io/seat'] === seat);
  if (!found) throw new Error(`no ${kind} of ${seat}`);
  return found;
}

test('a commit becomes seats that run and are proven', async () => {
  const s = await stage();
  s.git.commit({ [`${PATH}/seats.yaml`]: seats(s, TEAM, SEATS) });
  const objects = rendered(s, PATH);
  const running = objects.filter(({ metadata }) => metadata.labels?.['steadmesh.io/seat'] !== 'away');
  await s.on.apply(volumesFor(s.on, running)); // the stopped seat's claim waits for its first consumer
  const seen = watch(s.on, TEAM, ['networkpolicies', 'statefulsets']);
  await s.on.apply(applicationOf(s.git.url, PATH, TEAM));
  const app = await applicationIs(
    s.on,
    APP,
    'is Synced and Healthy',
    150,
    (one) => isGood(one) && one.resources.length > 0,
  );

  assert.equal(app.conditions, []);
  assert.equal(app.resources.map(identityOf).sort(), objects.map(identity).sort());
  assert.equal(
    app.resources.filter(({ status }) => status !== 'Synced'),
    [],
  );
  assert.is((await live(s, of(objects, 'PersistentVolumeClaim', 'away')))?.status?.phase, 'Pending');
  await s.on.kubectl(['wait', '--for=condition=Complete', `job/${jobOf(s)}`, '-n', CONTROL_PLANE, '--timeout=60s']);
  for (const name of Object.keys(SEATS)) {
    await s.on.kubectl(['wait', '--for=condition=Ready', `seat/${name}`, '-n', TEAM, '--timeout=30s']);
  }
  seen.stop();
  for (const { kind, metadata } of objects.filter(({ kind }) => kind === 'StatefulSet')) {
    const [policy, set] = [`NetworkPolicy/${metadata.name}`, `${kind}/${metadata.name}`].map((one) =>
      seen.first.get(one),
    );
    assert.ok(policy && set && policy < set, `${metadata.name}: policy ${policy}, StatefulSet ${set}`);
  }
});

const identityOf = ({
  group = '',
  kind,
  namespace = '',
  name,
}: {
  group?: string;
  kind: string;
  namespace?: string;
  name: string;
}): string => [group, kind, namespace, name].join('/');

test('leaves', async () => {
  const s = await stage();
  await s.close();
});
void randomUUID;
void stringify;
void ARGOCD;
void refresh;
void VERSION;
void jobs;

test.run();
