// The guard of a namespace: for whom it is rendered, and how much room it gives.
import type { V1NetworkPolicy, V1ResourceQuota } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expandAll } from './expanded';

const IMAGE = `ghcr.io/acme/agent@sha256:${'d4'.repeat(32)}`;
const options = (spec: object = {}): object => ({
  apiVersion: 'seatplan.dev/v1alpha1',
  kind: 'ExpandSeats',
  metadata: { name: 'options' },
  spec: { requireTier: false, namespaceGuard: true, ...spec },
});
const seat = (name: string, spec: object = {}, namespace = 'team-a'): object => ({
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'Seat',
  metadata: { name, namespace },
  spec: {
    organization: 'acme',
    harness: { adapter: 'claude', image: IMAGE },
    resources: { limits: { cpu: '500m', memory: '1Gi' } },
    ...spec,
  },
});
const tier = (spec: object): object => ({
  apiVersion: 'maqpna.com/v1alpha1',
  kind: 'TrustTier',
  metadata: { name: 'pooled' },
  spec: { runtimeClassName: 'gvisor', isolation: 'gvisor', sandboxTemplateName: 'coder', ...spec },
});
const CLAIMING = { tierRef: { name: 'pooled' }, resources: undefined };
const NO_PROBE = { probe: { mode: 'none' } };

const rendered = (...objects: object[]) => [...expandAll(objects).render()].map(({ object }) => object);
const hard = (...objects: object[]) =>
  (rendered(...objects).find(({ kind }) => kind === 'ResourceQuota') as V1ResourceQuota).spec?.hard;

const test = suite('the guard of a namespace');
test('is rendered where it is asked for, but not for a namespace that the package declares, nor for the platform’s', () => {
  const guarded = (...objects: object[]): (string | undefined)[] =>
    rendered(...objects).flatMap(({ kind, metadata }) => (kind === 'Namespace' ? [metadata?.name] : []));
  const seats = [seat('a'), seat('b', {}, 'team-b')];
  assert.equal(guarded(options(NO_PROBE), ...seats), ['team-a', 'team-b']);
  assert.equal(guarded(options({ ...NO_PROBE, namespaceGuard: false }), ...seats), []);
  const declared = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b' } };
  assert.equal(guarded(options(NO_PROBE), ...seats, declared), ['team-a']);
  assert.equal(guarded(options({ ...NO_PROBE, controlPlaneNamespace: 'team-a' }), ...seats), ['team-b']);
});
test('has room for every seat, stopped ones too, and for one pod more of the largest', () => {
  const large = { resources: { limits: { cpu: 2, memory: '1536Mi' } } };
  assert.equal(hard(options(NO_PROBE), seat('a'), seat('b', { state: 'Stopped' }), seat('c', large)), {
    pods: '4',
    'limits.cpu': '5',
    'limits.memory': '5Gi',
  });
});
test('has room for workers, and for the pods of a probe at once', () => {
  const run = {
    apiVersion: 'steadmesh.io/v1alpha1',
    kind: 'TaskRun',
    metadata: { name: 'r', namespace: 'team-a' },
    spec: { seatRef: { name: 'a' }, ttl: '1h' },
  };
  assert.equal(hard(options(NO_PROBE), seat('a'), run), { pods: '3', 'limits.cpu': '1500m', 'limits.memory': '3Gi' });
  assert.equal(hard(options(), seat('a')), { pods: '9', 'limits.cpu': '2400m', 'limits.memory': '3840Mi' });
});
test('counts pods alone where nobody can tell what a template asks for', () => {
  assert.equal(hard(options(NO_PROBE), tier({}), seat('a', CLAIMING)), { pods: '2' });
  const warm = tier({ warmPoolSize: 3, warmPoolNamespaces: ['team-a'] });
  assert.equal(hard(options(NO_PROBE), warm, seat('a', CLAIMING), seat('b')), { pods: '6' });
});
test('shuts in whoever is a seat and has no policy, and nobody else', () => {
  const policy = rendered(options(NO_PROBE), seat('a')).find(
    ({ metadata }) => metadata?.name === 'seats-default-deny',
  ) as V1NetworkPolicy;
  assert.equal(policy.spec, {
    podSelector: { matchLabels: { 'steadmesh.io/component': 'seat' } },
    policyTypes: ['Ingress', 'Egress'],
  });
});
test.run();
