import { Configs, type KubernetesObject } from 'kpt-functions';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expandSeats, validateSeats } from '../functions/kpt-function';

const tier = {
  apiVersion: 'maqpna.com/v1alpha1',
  kind: 'TrustTier',
  metadata: { name: 'tier-0' },
  spec: { runtimeClassName: 'gvisor', isolation: 'gvisor', defaultResources: { limits: { cpu: '1', memory: '1Gi' } } },
};
const seat = {
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'Seat',
  metadata: { name: 'lead', namespace: 'team-a' },
  spec: {
    organization: 'acme',
    tierRef: { name: 'tier-0' },
    harness: { adapter: 'claude', image: `ghcr.io/example/agent@sha256:${'a'.repeat(64)}` },
  },
};
const kinds = (configs: Configs): string[] =>
  configs
    .getAll()
    .map(({ kind }) => kind)
    .sort();

const sdk = suite('functions of the TypeScript SDK');
sdk('expandSeats inserts the objects of a seat, and a second run changes nothing', async () => {
  const configs = new Configs([tier, seat] as KubernetesObject[]);
  await expandSeats(configs);
  assert.equal(
    kinds(configs).filter((kind, n, all) => all.indexOf(kind) === n),
    [
      ...['ClusterRole', 'ClusterRoleBinding', 'ConfigMap', 'Job', 'NetworkPolicy', 'PersistentVolumeClaim'],
      ...['PriorityClass', 'Role', 'RoleBinding', 'Seat', 'ServiceAccount', 'StatefulSet', 'TrustTier'],
      ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    ],
  );
  const before = JSON.stringify(configs.getAll());
  await expandSeats(configs);
  assert.is(JSON.stringify(configs.getAll()), before);
});
sdk('with an error nothing is inserted, and the results say why', async () => {
  const configs = new Configs([seat] as KubernetesObject[]);
  await expandSeats(configs);
  assert.equal(kinds(configs), ['Seat']);
  assert.equal(
    configs.getResults().map(({ tags }) => tags?.['seatplan.dev/code']),
    ['UNKNOWN_TIER'],
  );
});
sdk('validateSeats changes nothing', async () => {
  const configs = new Configs([tier, seat] as KubernetesObject[]);
  await validateSeats(configs);
  assert.equal(kinds(configs), ['Seat', 'TrustTier']);
});
sdk.run();
