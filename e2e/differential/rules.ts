// For every rule in CEL one Seat or TaskRun that keeps it narrowly and one that breaks it.
import type { Sample } from './corpus';

/** Name, then the fields below spec in flow style; harness and organization come along. */
const seat = (spec: string, name = 'scribe', harness = ''): Sample => ({
  kind: 'Seat',
  text: `apiVersion: steadmesh.io/v1alpha1\nkind: Seat\nmetadata: {name: "${name}"}\nspec:\n  organization: acme\n  harness: {adapter: x${harness}}\n  ${spec}\n`,
});
/** The fields below spec beside `seatRef`, in flow style. */
const task = (spec: string): Sample => ({
  kind: 'TaskRun',
  text: `apiVersion: steadmesh.io/v1alpha1\nkind: TaskRun\nmetadata: {name: fix}\nspec:\n  seatRef: {name: scribe}\n  ${spec}\n`,
});
const env = (entry: string): Sample => seat('', 'scribe', `, env: [${entry}]`);
const network = (fields: string): Sample => seat(`access: {network: [{cidr: 10.0.0.0/8, ${fields}}]}`);
const toleration = (fields: string): Sample => seat(`scheduling: {tolerations: [{${fields}}]}`);
const claim = (fields: string): Sample => seat(`resourceClaims: [{name: a, ${fields}}]`);

export const RULE_SAMPLES: readonly Sample[] = [
  seat('', 'a.b'),
  seat('key: a_b', 'a.b'),
  seat('', '9a'),
  seat('', `a${'b'.repeat(62)}`),
  seat('', `a${'b'.repeat(63)}`),
  seat('sandbox: {}'),
  seat('sandbox: {runtimeClassName: gvisor}'),
  seat('sandbox: {}\n  tierRef: {name: a}'),
  env('{name: A, value: ""}'),
  env('{name: A}'),
  env('{name: A, value: a, valueFrom: {configMapKeyRef: {name: a, key: b}}}'),
  env('{name: A, valueFrom: {}}'),
  env('{name: A, valueFrom: {configMapKeyRef: {name: a, key: b}, secretKeyRef: {name: a, key: b}}}'),
  env('{name: A, valueFrom: {secretKeyRef: {name: a, key: b}}}'),
  env('{name: HOME, value: a}'),
  env('{name: HOMES, value: a}'),
  env('{name: POD_UID, value: a}'),
  env('{name: STEADMESH_, value: a}'),
  env('{name: STEADMESH, value: a}'),
  claim('resourceClaimName: a'),
  claim('resourceClaimName: a, resourceClaimTemplateName: a'),
  seat('resourceClaims: [{name: a}]'),
  network('endPort: 5'),
  network('ports: [], endPort: 5'),
  network('ports: [5], endPort: 5'),
  network('ports: [6], endPort: 5'),
  network('ports: [1, 2], endPort: 5'),
  seat('files: {manifest.json: a}'),
  seat('files: {instructions.md: a}'),
  seat('files: {manifest.jsonx: a}'),
  seat(`files: {${'a'.repeat(253)}: a}`),
  seat(`files: {${'a'.repeat(254)}: a}`),
  seat(`files: {${'é'.repeat(253)}: a}`),
  seat(`files: {"${'😀'.repeat(254)}": a}`),
  ...['1ns', '0s', '0', '-1s', '1d', '', '1h1m1s', '2562047h', '2562048h', '1.5h', '0.1ns', '1µs', '1μs', '1 h'].map(
    (ttl) => seat(`session: {ttl: "${ttl}"}`),
  ),
  ...[
    '2030-01-31T12:00:00Z',
    '2030-02-29T12:00:00Z',
    '2028-02-29T23:59:59.999999999+23:59',
    '2030-13-01T00:00:00Z',
    '2030-00-01T00:00:00Z',
    '2030-01-00T00:00:00Z',
    '1970-01-01T00:00:00Z',
    '1970-01-01T00:00:01Z',
    '1970-01-01T00:00:00.5Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '9999-12-31T23:59:59-23:59',
    '1970-01-01T00:00:01+00:01',
    '2030-01-31T24:00:00Z',
    '2030-01-31 12:00:00Z',
    '2030-01-31',
  ].map((time) => seat(`session: {expiresAt: "${time}"}`)),
  seat('session: {expiresAt: 2030-01-31T12:00:00Z}'),
  seat('session: {expiresAt: [a]}'),
  toleration(''),
  toleration('operator: Exists'),
  toleration('key: "", operator: Exists'),
  toleration('key: a'),
  toleration('key: "", operator: Equal'),
  toleration('key: a, operator: Exists, value: ""'),
  toleration('key: a, operator: Exists, value: b'),
  toleration('key: a, tolerationSeconds: 1'),
  toleration('key: a, tolerationSeconds: 1, effect: NoExecute'),
  toleration('key: a, tolerationSeconds: 1, effect: NoSchedule'),
  task('input: {}'),
  task('input: {text: ""}'),
  task('input: {files: {}}'),
  ...['manifest.json', 'instructions.md', 'input.md', 'input.mdx', 'a'.repeat(253), 'a'.repeat(254)].map((path) =>
    task(`input: {files: {${path}: a}}`),
  ),
  ...['1ns', '0s', '-1s', '1d', ''].map((ttl) => task(`ttl: "${ttl}"`)),
  ...['{name: A}', '{name: HOME, value: a}', '{name: A, valueFrom: {}}', '{name: A, value: a}'].map((entry) =>
    task(`harness: {env: [${entry}]}`),
  ),
  task('access: {network: [{cidr: 10.0.0.0/8, ports: [6], endPort: 5}]}'),
];
