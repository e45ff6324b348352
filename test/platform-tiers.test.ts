// Which tiers count, and for whom: beside a platform level its own alone, and a package's only if they are the same.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Item } from '../functions/model';
import { expand } from '../functions/pipeline';
import { readFiles } from '../functions/stages/read/files';
import { IMAGE } from './resolve-table';

const items = (level: Item['level'], ...objects: readonly object[]): readonly Item[] =>
  readFiles(
    objects.map((object, index) => ({ path: `${level}-${index}.json`, bytes: Buffer.from(JSON.stringify(object)) })),
    level,
  ).value;
const tier = (name: string, kind = 'TrustTier') => ({
  apiVersion: 'maqpna.com/v1alpha1',
  kind,
  metadata: { name },
  spec: {
    runtimeClassName: 'gvisor',
    isolation: 'gvisor',
    defaultResources: { limits: { cpu: '1', memory: '1Gi' } },
  },
});
const options = (spec: object = {}) => ({
  apiVersion: 'seatplan.dev/v1alpha1',
  kind: 'ExpandSeats',
  metadata: { name: 'c' },
  spec,
});
const seat = (spec: object = {}) => ({
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'Seat',
  metadata: { name: 'engineer', namespace: 'seats' },
  spec: { organization: 'acme', tierRef: { name: 'strict' }, harness: { adapter: 'claude', image: IMAGE }, ...spec },
});
const errors = (own: readonly object[], above?: readonly object[]): string[] =>
  expand({ items: items('package', ...own), platform: above && items('platform', ...above) })
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code, path = '' }) => `${code} ${path}`.trim());

const tiers = suite('tiers of a package');
tiers('count where there is no platform level', () => assert.equal(errors([seat(), tier('strict')]), []));
tiers('do not count beside a platform level that has none', () =>
  assert.equal(errors([seat(), tier('strict')], [options()]), ['TIER_DIFFERS']),
);
tiers('are told once: the seat that names one hears nothing more', () =>
  assert.equal(errors([seat(), tier('strict')], [tier('other')]), ['TIER_DIFFERS']),
);
tiers('of a kind in the wrong case are told once as well', () =>
  assert.equal(errors([seat(), tier('strict', 'trusttier')]), ['UNSUPPORTED_VERSION kind']),
);
tiers('may repeat those of the platform', () => assert.equal(errors([seat(), tier('strict')], [tier('strict')]), []));
tiers.run();

const runtimes = suite('RuntimeClasses beside a platform level');
const runtime = (handler: string, provides?: string) => ({
  apiVersion: 'node.k8s.io/v1',
  kind: 'RuntimeClass',
  metadata: { name: 'gvisor', ...(provides ? { annotations: { 'steadmesh.io/provides': provides } } : {}) },
  handler,
});
const WEAK = ['RUNTIME_DOES_NOT_PROVIDE spec.isolation'];
runtimes('a package cannot say by annotation what its handler provides', () => {
  const own = [seat(), runtime('runc', 'gvisor')];
  assert.equal(errors(own, [tier('strict')]), WEAK);
  assert.equal(errors([...own, tier('strict')]), []);
});
runtimes('the platform can', () => assert.equal(errors([seat()], [tier('strict'), runtime('odd', 'gvisor')]), []));
runtimes('a handler that is known speaks for itself', () =>
  assert.equal(errors([seat(), runtime('runsc')], [tier('strict')]), []),
);
runtimes.run();

const names = suite('names that the server would generate');
const generated = <T extends object>(object: T) => ({
  ...object,
  metadata: { generateName: 'x-', namespace: 'seats' },
});
names('name no tier in Git, and no seat', () => {
  assert.equal(errors([generated(tier('strict'))]), ['MISSING_FIELD metadata.name']);
  assert.equal(errors([generated(seat({ key: 'engineer' })), tier('strict')]), ['MISSING_FIELD metadata.name']);
});
names.run();

const access = suite('tierAccess');
const ACME = options({ tierAccess: [{ organizations: ['acme'] }, { organizations: ['org_01H', 'umbrella'] }] });
access('admits an organization under its own key', () => assert.equal(errors([seat()], [tier('strict'), ACME]), []));
access('admits nobody under the id of another', () =>
  assert.equal(errors([seat({ organizationID: 'other' })], [tier('strict'), ACME]), [
    'TIER_NOT_ALLOWED spec.organizationID',
  ]),
);
access('wants key and id in one entry', () => {
  assert.equal(errors([seat({ organizationID: 'org_01H' })], [tier('strict'), ACME]), [
    'TIER_NOT_ALLOWED spec.organizationID',
  ]);
  const both = [tier('strict'), ACME];
  assert.equal(errors([seat({ organization: 'umbrella', organizationID: 'org_01H' })], both), []);
});
access('says nothing of ids where it names no organization', () =>
  assert.equal(
    errors([seat({ organizationID: 'other' })], [tier('strict'), options({ tierAccess: [{ tiers: ['strict'] }] })]),
    [],
  ),
);
access.run();
