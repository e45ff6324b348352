// Names of rendered objects, the owner annotation, and field paths.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { fieldOf } from '../functions/field-path';
import { baseName, claimName, manifestName } from '../functions/names';
import { groupOf, ownerOf, parseOwner } from '../functions/owner';

const names = suite('names');
const BASE_NAMES: readonly (readonly [organization: string, key: string, name: string])[] = [
  ['acme', 'lead_engineer', 'seat-lead-engineer-ff9b99fb'],
  ['acme', 'lead-engineer-of-the-platform-team-number-1451', 'seat-lead-engineer-of-the-platform-team-acd91a5b'],
  ['acme', 'lead-engineer-of-the-platform-team-number-52249', 'seat-lead-engineer-of-the-platform-team-acd91a5b'],
];
for (const [organization, key, name] of BASE_NAMES)
  names(`${organization}/${key} is ${name}`, () => assert.is(baseName(organization, key), name));

names('a long key is cut at 40 bytes, and no dash is left at the cut', () => {
  const key = `${'a'.repeat(34)}_${'b'.repeat(28)}`;
  assert.match(baseName('acme', key), /^seat-a{34}-[0-9a-f]{8}$/);
  assert.match(baseName('acme', 'a'.repeat(63)), /^seat-a{35}-[0-9a-f]{8}$/);
});
names('the longest name has 49 bytes, and its claim and manifest fit as well', () => {
  const base = baseName('acme', 'a'.repeat(63));
  assert.is(base.length, 49);
  assert.ok(claimName(base).length <= 63 && manifestName(base).length <= 63);
});
names('keys that read alike have different names', () => {
  const alike = ['a_b', 'a-b'].map((key) => baseName('acme', key));
  assert.is(new Set(alike).size, 2);
});
names('an organization and a key cannot be shifted into each other', () =>
  assert.is.not(baseName('a', 'b-c'), baseName('a-b', 'c')),
);
names.run();

const owners = suite('owner');
const SEAT = { apiVersion: 'steadmesh.io/v1alpha1', kind: 'Seat', namespace: 'team-a', name: 'lead' };
owners('the annotation names the Seat and the rendered object', () => {
  const text = ownerOf(SEAT, { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'seat-lead-0' });
  assert.is(text, 'steadmesh.io/Seat/team-a/lead apps/StatefulSet/seat-lead-0');
  assert.equal(parseOwner(text), {
    owner: { group: 'steadmesh.io', kind: 'Seat', namespace: 'team-a', name: 'lead' },
    object: { group: 'apps', kind: 'StatefulSet', name: 'seat-lead-0' },
  });
});
owners('the core group is called core', () => {
  assert.is(groupOf('v1'), 'core');
  assert.is(
    ownerOf(SEAT, { apiVersion: 'v1', kind: 'ConfigMap', name: 'm' }),
    'steadmesh.io/Seat/team-a/lead core/ConfigMap/m',
  );
});
owners('a cluster-scoped owner has no namespace', () => {
  const text = ownerOf(
    { apiVersion: 'maqpna.com/v1alpha1', kind: 'TrustTier', name: 't' },
    { apiVersion: 'v1', kind: 'X', name: 'x' },
  );
  assert.is(text, 'maqpna.com/TrustTier/t core/X/x');
  assert.equal(parseOwner(text)?.owner, { group: 'maqpna.com', kind: 'TrustTier', name: 't' });
});
for (const text of ['', 'a', 'a/b/c', 'a/b/c d/e', 'a/b/c d/e/f g', 'a//c d/e/f', 'a/b/c/d/e f/g/h', 'a/b/c d/e/f/g'])
  owners(`"${text}" is nothing that we wrote`, () => assert.is(parseOwner(text), undefined));
owners.run();

const paths = suite('field path');
for (const [key, path] of [
  ['limits', 'spec.limits'],
  ['a__b', 'spec.a__b'],
  ['nvidia.com/gpu', 'spec["nvidia.com/gpu"]'],
  ['a"b', 'spec["a\\"b"]'],
  ['', 'spec[""]'],
] as const)
  paths(`the member ${JSON.stringify(key)} of spec is ${path}`, () => assert.is(fieldOf('spec', key), path));
paths.run();
