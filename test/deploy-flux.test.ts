// deploy/flux: what its files must have in common with one another and with what is rendered.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { COMPONENT, podLabels } from '../functions/labels';
import { FOLDERS, STAGES } from '../functions/layout';
import { resolved } from './rendered';

const FLUX = resolve(__dirname, '../deploy/flux');
const read = (file: string): string => readFileSync(join(FLUX, file), 'utf8');
const documents = (file: string) => parseAllDocuments(read(file)).map((document) => document.toJS());
const STAGED = documents('oci/kustomizations.yaml');
const [ONE] = documents('one/seats.yaml');
const { healthCheckExprs } = parse(read('health-checks.yaml'));

const test = suite('deploy/flux');
test('has a Kustomization for each stage, which waits for the one before and prunes', () => {
  assert.equal(
    STAGED.map(({ spec }) => spec.path),
    STAGES.map((stage) => `./${FOLDERS[stage]}`),
  );
  const names = STAGED.map(({ metadata }) => metadata.name);
  assert.equal(
    STAGED.map(({ spec }) => spec.dependsOn),
    [undefined, ...names.slice(0, -1).map((name) => [{ name }])],
  );
  for (const { spec } of [...STAGED, ONE])
    assert.equal({ prune: spec.prune, wait: spec.wait }, { prune: true, wait: true });
});
test('changes nothing of what was rendered', () => {
  const allowed = [
    'dependsOn',
    'healthCheckExprs',
    'interval',
    'path',
    'prune',
    'retryInterval',
    'sourceRef',
    'timeout',
    'wait',
  ];
  for (const { spec } of [...STAGED, ONE])
    assert.equal(
      Object.keys(spec).filter((field) => !allowed.includes(field)),
      [],
    );
});
test('asks for health as health-checks.yaml does', () => {
  assert.equal(
    STAGED.flatMap(({ spec }) => spec.healthCheckExprs ?? []),
    healthCheckExprs,
  );
  assert.equal(ONE.spec.healthCheckExprs, healthCheckExprs);
});
test("has a policy for the namespace that selects every seat's pod", () => {
  const [, policy] = documents('namespace.yaml');
  const { podSelector, ...rules } = policy.spec;
  assert.equal(rules, { policyTypes: ['Ingress', 'Egress'] });
  assert.equal(podSelector, { matchLabels: { [COMPONENT]: podLabels(resolved())[COMPONENT] } });
});
test.run();
