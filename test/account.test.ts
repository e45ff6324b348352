import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item } from '../functions/model';
import { account, identityOf, isOurs, packageFolders, type Wanted } from '../functions/stages/account';

const OWNER = 'seatplan.dev/owner';
const item = (
  kind: string,
  name: string,
  annotations: Record<string, string> = {},
  file = 'a.yaml',
  apiVersion = 'v1',
): Item => ({
  text: `kind: ${kind}\n`,
  origin: { file, index: 0, line: 1, column: 1 },
  apiVersion,
  kind,
  name,
  namespace: kind === 'Kptfile' ? undefined : 'team-a',
  annotations,
  level: 'package',
});
const owned = (kind: string, name: string, more: Record<string, string> = {}, file = 'generated/x.yaml'): Item =>
  item(kind, name, { [OWNER]: `steadmesh.io/Seat/team-a/x core/${kind}/${name}`, ...more }, file);
const kptfile = (file = 'Kptfile'): Item => item('Kptfile', 'p', {}, file, 'kpt.dev/v1');
const rendered: Wanted[] = [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'team-a', name: 'seat-x-manifest' }];
const run = (items: Item[], wanted = rendered) => account(items, () => wanted);
const codes = (items: Item[], wanted = rendered): string[] => run(items, wanted).findings.map(({ code }) => code);
const names = (items: Item[], wanted = rendered): string[] => run(items, wanted).value.kept.map(({ name }) => name);

const pruning = suite('what a run replaces, prunes and keeps');
pruning('its own object of an earlier run is replaced', () => {
  const before = owned('ConfigMap', 'seat-x-manifest');
  const { value, findings } = run([before]);
  assert.equal([value.kept.length, findings.length], [0, 0]);
  assert.is(value.predecessors.get(identityOf(rendered[0]!)), before);
});
pruning('its own object of a deleted seat is pruned from a complete package', () => {
  assert.equal(names([kptfile(), owned('ConfigMap', 'seat-gone-manifest')]), ['p']);
});
pruning('without the Kptfile nothing is pruned, and that is said', () => {
  const items = [owned('ConfigMap', 'seat-gone-manifest')];
  assert.equal([names(items), codes(items)], [['seat-gone-manifest'], ['PRUNE_SKIPPED']]);
});
for (const mark of ['internal.config.k8s.io/kpt-resource-id', 'internal.config.kubernetes.io/kpt-resource-id']) {
  pruning(`where a selector may hide items (${mark}) nothing is pruned`, () => {
    const items = [kptfile(), item('Deployment', 'd', { [mark]: '1' }), owned('ConfigMap', 'seat-gone-manifest')];
    assert.equal(codes(items), ['PRUNE_SKIPPED']);
  });
}
pruning('a Kptfile of another folder does not complete a package', () => {
  assert.equal(codes([kptfile('sub/Kptfile'), owned('ConfigMap', 'seat-gone-manifest')]), ['PRUNE_SKIPPED']);
});
pruning('a Kptfile of another package path does not complete a package', () => {
  const mark = { 'internal.config.kubernetes.io/package-path': '/p/sub' };
  assert.equal(codes([kptfile(), owned('ConfigMap', 'seat-gone-manifest', mark)]), ['PRUNE_SKIPPED']);
});
pruning('a Kptfile above completes the folders below it', () => {
  assert.equal(names([kptfile('sub/Kptfile'), owned('ConfigMap', 'gone', {}, 'sub/generated/x.yaml')]), ['p']);
});
pruning('the workspace claim of a deleted seat is kept and reported', () => {
  const claim = owned('PersistentVolumeClaim', 'ws-seat-gone', { 'cli-utils.sigs.k8s.io/on-remove': 'keep' });
  assert.equal([names([kptfile(), claim]), codes([kptfile(), claim])], [['p', 'ws-seat-gone'], ['WORKSPACE_ORPHANED']]);
});
pruning('the claim of a deleted seat with retention Delete is pruned', () => {
  assert.equal(names([kptfile(), owned('PersistentVolumeClaim', 'ws-seat-gone')]), ['p']);
});
pruning('an object that a seat of the input no longer has is pruned, wherever that seat stands', () => {
  const seat = item('Seat', 'x', {}, 's.yaml', 'steadmesh.io/v1alpha1');
  assert.equal(names([seat, owned('ConfigMap', 'seat-old-manifest')]), ['x']);
});

/** An object of the probe for the seats of team-a; an empty namespace: it stands in none. */
const ofProbe = (kind: string, name: string, namespace = 'steadmesh-system'): Item => ({
  ...item(kind, name, { [OWNER]: `seatplan.dev/ExpandSeats/team-a/probe core/${kind}/${name}` }, 'generated/p.yaml'),
  namespace: namespace || undefined,
});
const probe = (kind: string, name: string, namespace = 'steadmesh-system'): Wanted => ({
  ...{ apiVersion: 'v1', kind, name, owner: `seatplan.dev/ExpandSeats/team-a/probe core/${kind}/${name}` },
  ...(namespace ? { namespace } : {}),
});
pruning(
  "the probe of a namespace's last seat is pruned from a complete package, in every namespace and outside of any",
  () => {
    const left = [ofProbe('Job', 'probe-1'), ofProbe('Role', 'probe', 'team-a'), ofProbe('ClusterRole', 'p', '')];
    assert.equal([names([kptfile(), ...left], []), codes([kptfile(), ...left], [])], [['p'], []]);
  },
);
pruning('the probe of a namespace without seats is kept where the package may be incomplete', () => {
  const left = [ofProbe('Job', 'probe-1'), ofProbe('ClusterRole', 'p', '')];
  assert.equal(
    [names(left, []), codes(left, [])],
    [
      ['probe-1', 'p'],
      ['PRUNE_SKIPPED', 'PRUNE_SKIPPED'],
    ],
  );
});
pruning("the earlier Job of a namespace's probe goes with the next one, whether or not the package is complete", () => {
  assert.equal(names([ofProbe('Job', 'probe-1')], [probe('Job', 'probe-2')]), []);
});
pruning('the probe of another namespace says nothing about this one', () => {
  const other = { ...probe('Job', 'probe-2'), owner: 'seatplan.dev/ExpandSeats/team-b/probe core/Job/probe-2' };
  assert.equal(codes([ofProbe('Job', 'probe-1')], [other]), ['PRUNE_SKIPPED']);
});
pruning('an object of a user that has the name of one of the probe is an error, with or without a namespace', () => {
  const role = { ...item('ClusterRole', 'p'), namespace: undefined };
  assert.equal(codes([role, kptfile()], [probe('ClusterRole', 'p', '')]), ['NAME_TAKEN']);
});
pruning.run();

const foreign = suite('what is not ours is not touched');
foreign('an object of a name that we would render is an error', () => {
  const items = [item('ConfigMap', 'seat-x-manifest')];
  assert.equal([names(items), codes(items)], [['seat-x-manifest'], ['NAME_TAKEN']]);
});
foreign('an edited copy of one of ours under another name stays', () => {
  const copy = item('ConfigMap', 'mine', { [OWNER]: 'steadmesh.io/Seat/team-a/x core/ConfigMap/seat-x-manifest' });
  assert.equal([isOurs(copy), names([kptfile(), copy])], [false, ['p', 'mine']]);
});
foreign('a copy of one of ours in another namespace stays, and that is said', () => {
  const copy = { ...owned('ConfigMap', 'seat-gone-manifest'), namespace: 'backup' };
  assert.equal([names([kptfile(), copy]), codes([kptfile(), copy])], [['p', 'seat-gone-manifest'], ['PRUNE_SKIPPED']]);
});
foreign('an object whose namespace a later function changed with its seat is replaced', () => {
  const moved = { ...owned('ConfigMap', 'seat-x-manifest'), namespace: 'prod' };
  assert.equal(names([moved], [{ ...rendered[0]!, namespace: 'prod' }]), []);
});
foreign('an object whose namespace a later function changed without its seat is replaced in its place', () => {
  const seat = item('Seat', 'x', {}, 's.yaml', 'steadmesh.io/v1alpha1');
  const moved = { ...owned('ConfigMap', 'seat-x-manifest'), namespace: 'prod' };
  const claim = { ...owned('PersistentVolumeClaim', 'ws', { 'cli-utils.sigs.k8s.io/on-remove': 'keep' }) };
  const wanted = [
    { ...rendered[0]!, file: 'x.yaml' },
    { ...rendered[0]!, kind: 'PersistentVolumeClaim', name: 'ws', file: 'x.yaml' },
  ];
  assert.equal(names([seat, moved, { ...claim, namespace: 'prod' }], wanted), ['x']);
  assert.equal(codes([seat, { ...moved, origin: { ...moved.origin, file: 'copy.yaml' } }], wanted), ['PRUNE_SKIPPED']);
  assert.equal(codes([kptfile(), { ...claim, namespace: 'prod' }], wanted), ['WORKSPACE_ORPHANED']);
});
foreign('an owner annotation that we cannot have written makes nothing ours', () => {
  assert.not.ok(isOurs(item('ConfigMap', 'a', { [OWNER]: 'me' })));
});
foreign('the same name in another namespace is another object', () => {
  const elsewhere = { ...item('ConfigMap', 'seat-x-manifest'), namespace: 'team-b' };
  assert.equal(codes([elsewhere]), []);
});
foreign('a package of foreign objects costs no rendering', () => {
  let asked = false;
  account([item('Deployment', 'd')], () => {
    asked = true;
    return [];
  });
  assert.not.ok(asked);
});
foreign.run();

const folders = suite('rendered files live in the package of their seat');
folders('the nearest Kptfile above decides', () => {
  const folderOf = packageFolders([kptfile(), kptfile('teams/a/Kptfile')]);
  assert.is(folderOf(item('Seat', 's', {}, 'teams/a/seats/s.yaml')), 'teams/a/');
  assert.is(folderOf(item('Seat', 's', {}, 'teams/s.yaml')), '');
});
folders.run();
