// The health checks for Argo CD, in Argo CD's own Lua machine with the settings of an installation: on statuses as their
// controllers write them. And what Argo CD itself says of the kinds that have none.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { startApiServer } from './apiserver';
import { argocd, COMPONENT, type Health, type Judge } from './health/argocd';
import { RECORDED } from './health/recorded';
import { SEATS } from './health/seats';
import { suiteWith } from './prerequisites';

const HEALTH = join(COMPONENT, 'health');
const FOLDERS = ['steadmesh.io/Seat', 'maqpna.com/TrustTier', 'agents.x-k8s.io/Sandbox'].concat(
  ['SandboxClaim', 'SandboxWarmPool'].map((kind) => `extensions.agents.x-k8s.io/${kind}`),
);
const COLLECTIONS: Readonly<Record<string, string>> = {
  'steadmesh.io/Seat': '/apis/steadmesh.io/v1alpha1/namespaces/team-a/seats',
  'maqpna.com/TrustTier': '/apis/maqpna.com/v1alpha1/trusttiers',
};
interface Case {
  readonly inputPath: string;
  readonly healthStatus: Health;
}
const casesOf = (folder: string): Case[] => parse(readFileSync(join(HEALTH, folder, 'health_test.yaml'), 'utf8')).tests;
const read = (...path: string[]) => parse(readFileSync(join(HEALTH, ...path), 'utf8'));

const test = suiteWith('health in Argo CD', 'argocd', 'kustomize');
let shipped: Judge | undefined;
const judge: Judge = (object) => {
  shipped ??= argocd('.');
  return shipped(object);
};

test('the Seats of testdata are what a probe makes of them', () => {
  const folder = join(HEALTH, 'steadmesh.io/Seat/testdata');
  const expected = Object.fromEntries(
    Object.entries(SEATS).map(([name, seat]) => [`${name}.yaml`, stringify(seat, { lineWidth: 0 })]),
  );
  const found = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  if (process.env.UPDATE_GOLDEN === '1') {
    for (const [name, text] of Object.entries(expected)) writeFileSync(join(folder, name), text);
  }
  assert.equal(found, expected);
});

for (const folder of FOLDERS) {
  test(`${folder}: each case of health_test.yaml, and a case for each file`, () => {
    const cases = casesOf(folder);
    const files = readdirSync(join(HEALTH, folder, 'testdata')).map((name) => `testdata/${name}`);
    assert.equal(cases.map(({ inputPath }) => inputPath).sort(), files.sort());
    for (const { inputPath, healthStatus } of cases) {
      const object = read(folder, inputPath);
      assert.is(`${object.apiVersion.split('/')[0]}/${object.kind}`, folder);
      assert.equal(judge(object), healthStatus, inputPath);
    }
  });

  test(`${folder}: says something of a status with nothing in it`, () => {
    const [{ inputPath = '' } = {}] = casesOf(folder);
    const object = read(folder, inputPath);
    for (const status of [null, { conditions: [] }, { conditions: [{ type: 'Other', status: 'True' }] }]) {
      assert.match(judge({ ...object, status })?.status ?? '', /^(Healthy|Progressing)$/, JSON.stringify(status));
    }
  });
}

/** [Stalled, Reconciling, Ready] of writers that have other habits than ours, and which of the three decides. */
const HABITS = [
  [['True', 'False', 'True'], 'Degraded', 'Stalled'],
  [['True', 'False', undefined], 'Degraded', 'Stalled'],
  [['False', 'True', 'True'], 'Progressing', 'Reconciling'],
  [['False', 'False', 'False'], 'Degraded', 'Ready'],
] as const;
for (const [folder, file] of Object.entries({
  'steadmesh.io/Seat': 'enforced.yaml',
  'maqpna.com/TrustTier': 'available.yaml',
})) {
  test(`${folder}: Stalled decides, then Reconciling, then Ready`, () => {
    const object = read(folder, 'testdata', file);
    for (const [[Stalled, Reconciling, Ready], status, message] of HABITS) {
      const conditions = Object.entries({ Ready, Reconciling, Stalled })
        .filter(([, value]) => value !== undefined)
        .map(([type, value]) => ({ type, status: value, message: type }));
      assert.equal(judge({ ...object, status: { ...object.status, conditions } }), { status, message });
    }
  });
}

let chosen: Judge | undefined;
const withWaitingClaims: Judge = (object) => {
  chosen ??= argocd('.', 'health/waiting-claims');
  return chosen(object);
};
/** [what Argo CD says by itself, what it says with waiting-claims] of claims as a cluster shows them. */
const CLAIMS: Readonly<Record<string, readonly [string, string]>> = {
  bound: ['Healthy', 'Healthy'],
  'waits for its first consumer': ['Progressing', 'Healthy'],
  'whose class is missing': ['Progressing', 'Healthy'],
  'being provisioned': ['Progressing', 'Progressing'],
  'lost its volume': ['Degraded', 'Degraded'],
};
for (const [state, expected] of Object.entries(CLAIMS)) {
  test(`a claim ${state}: ${expected[0]}, and ${expected[1]} with waiting-claims`, () => {
    const { object } = RECORDED[`PersistentVolumeClaim ${state}`]!;
    assert.equal([judge(object)?.status, withWaitingClaims(object)?.status], expected);
  });
}
test('waiting-claims says something of a claim with nothing in it', () => {
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' } };
  assert.is(withWaitingClaims(claim)?.status, 'Progressing');
  assert.is(withWaitingClaims({ ...claim, status: {} })?.status, 'Progressing');
});
test('waiting-claims leaves the other checks as they are', () => {
  assert.is(withWaitingClaims(SEATS['not-enforced']!)?.status, 'Degraded');
  assert.is(withWaitingClaims(RECORDED['Job failed']!.object)?.status, 'Degraded');
});
test.run();

const api = suiteWith('statuses of testdata', 'kube-apiserver', 'etcd');
api('the API server takes those of Seats and TrustTiers, strictly', async () => {
  const server = await startApiServer();
  try {
    await server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
    for (const [folder, collection] of Object.entries(COLLECTIONS)) {
      for (const { inputPath } of casesOf(folder)) {
        const { status, ...object } = read(folder, inputPath);
        if (status === undefined) continue;
        const created = await server.create(object);
        assert.is(created.code, 201, JSON.stringify(created.body));
        const path = `${collection}/${object.metadata.name}`;
        const whole = JSON.stringify({ ...created.body, status });
        const { code, body } = await server.call('PUT', `${path}/status?fieldValidation=Strict`, whole);
        assert.is(code, 200, `${inputPath}: ${body.message}`);
        assert.equal(body.status, status, inputPath);
        await server.call('DELETE', path);
      }
    }
  } finally {
    await server.stop();
  }
});
api.run();
