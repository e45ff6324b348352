// Differences of JSON values, and which checks the fields of a manifest ask for.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckID } from '../functions/model';
import { CHECKS } from '../functions/probe/checks';
import { FIELD_RULES, UNKNOWN_FIELD } from '../functions/probe/field-rules';
import { coverageOf, fieldReader, seenBy } from '../functions/probe/fields';
import { applied, differences, plain, replaced } from '../functions/probe/leaves';
import { renderNetworkPolicy } from '../functions/render/network-policy';
import { renderStatefulSet } from '../functions/render/stateful-set';
import { renderWorkspaceClaim } from '../functions/render/workspace-claim';
import { hold } from './expanded';
import { resolved } from './rendered';
import { optionsWith } from './seats';

const leaves = suite('differences of JSON');
const json = fc.jsonValue({ maxDepth: 4 });
/** Two values that have much in common. */
const edited = json.chain((base) =>
  fc.tuple(fc.constant(base), fc.array(fc.tuple(fc.nat(), json), { maxLength: 3 })).map(([value, edits]) => {
    let other: unknown = value;
    for (const [at, one] of edits) other = edit(other, at, one);
    return [value, other] as const;
  }),
);
function edit(value: unknown, at: number, one: unknown): unknown {
  if (Array.isArray(value)) {
    if (value.length === 0 || at % 3 === 0) return [...value, one];
    const place = at % value.length;
    return at % 3 === 1 ? value.toSpliced(place, 1) : value.with(place, edit(value[place], at >> 2, one));
  }
  if (typeof value !== 'object' || value === null) return one;
  const keys = Object.keys(value);
  const key = keys[at % (keys.length + 1)];
  const entries = Object.entries(value);
  if (key === undefined) return Object.fromEntries([...entries, [`key${at}`, one]]);
  return Object.fromEntries(
    entries.flatMap(([k, v]) => (k !== key ? [[k, v]] : at % 2 ? [[k, edit(v, at >> 2, one)]] : [])),
  );
}
leaves('what differs, applied, gives the other value', () => {
  hold(
    fc.property(fc.oneof(edited, fc.tuple(json, json)), ([base, other]) => {
      const found = differences(base, other);
      assert.equal(plain(applied(base, found)), plain(other));
      assert.equal(plain(applied(base, plain(found))), plain(other));
    }),
    500,
  );
});
leaves('nothing differs from itself, and nothing is changed in place', () => {
  hold(
    fc.property(edited, ([base, other]) => {
      const before = JSON.stringify(base);
      assert.equal(differences(base, JSON.parse(before)), []);
      applied(base, differences(base, other));
      assert.is(JSON.stringify(base), before);
    }),
  );
});
const DIFFERENCES: Record<string, readonly [base: unknown, other: unknown, found: readonly unknown[]]> = {
  'a leaf': [{ a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, [[['a', 'c'], 3]]],
  'a member more and a member less': [{ a: 1 }, { b: null }, [[['a']], [['b'], null]]],
  'a longer list': [
    [1],
    [2, 3, 4],
    [
      [[0], 2],
      [[1], 3],
      [[2], 4],
    ],
  ],
  'a shorter list, from the back': [[1, 2, 3], [1], [[[2]], [[1]]]],
  'another kind of value': [{ a: [] }, { a: {} }, [[['a'], {}]]],
  'the root': [1, [1], [[[], [1]]]],
  'a name that is no ordinary member': [
    JSON.parse('{"__proto__":1}'),
    JSON.parse('{"__proto__":2}'),
    [[['__proto__'], 2]],
  ],
};
for (const [name, [base, other, found]] of Object.entries(DIFFERENCES)) {
  leaves(name, () => {
    assert.equal(differences(base, other), found);
    assert.is(JSON.stringify(applied(base, differences(base, other))), JSON.stringify(other));
  });
}
leaves('a path that leads nowhere throws', () => {
  for (const path of [['a', 'b'], [0], ['list', 2], ['list', 'a']])
    assert.throws(() => applied({ a: 1, list: [1] }, [[path, 1]]), RangeError);
});
leaves('words are replaced as values, whole, and not as keys', () => {
  const words = new Map([['a', 'b']]);
  assert.equal(replaced({ a: ['a', 'aa', 1, { c: 'a' }] }, words), { a: ['b', 'aa', 1, { c: 'b' }] });
});
leaves('integers beyond numbers become numbers, as for every reader of JSON', () => {
  assert.equal(plain({ seconds: 5n, none: undefined }), { seconds: 5 });
});
leaves.run();

const fields = suite('fields of a manifest');
const OPTIONS = optionsWith({ egressURL: 'http://egress.steadmesh-system.svc:3128', egressPort: 3128 });
const rulesOf = (seat: ReturnType<typeof resolved>, options = OPTIONS): Record<string, readonly CheckID[] | string> => {
  const { template } = renderStatefulSet(seat).spec!;
  const rendered = { template, policy: renderNetworkPolicy(seat).spec, claim: renderWorkspaceClaim(seat) };
  return Object.fromEntries(
    fieldReader(options)
      .fieldsOf(rendered)
      .map(({ field, rule }) => [field, rule]),
  );
};
const everything = () =>
  resolved(
    {
      access: { network: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'], ports: [443] }] },
      sandbox: { runtimeClassName: 'gvisor' },
      scheduling: {
        tolerations: [{ key: 'a', operator: 'Exists' }],
        nodeLabels: { zone: 'a' },
        priorityClassName: 'p',
      },
      session: { ttl: '8h', expiresAt: '2030-01-01T00:00:00Z' },
      imagePullSecrets: ['pull'],
      workspace: { size: '5Gi', storageClassName: 'fast' },
      resources: { requests: { cpu: 0.1 }, limits: { cpu: 1, memory: '1Gi', 'ephemeral-storage': '1Gi' } },
    } as never,
    undefined,
    { egressURL: OPTIONS.egressURL, egressPort: 3128 },
  );
fields('every check of a rule is one of the catalogue', () => {
  for (const rule of Object.values(FIELD_RULES)) {
    if (typeof rule === 'string') continue;
    assert.ok(rule.length > 0);
    for (const check of rule) assert.ok(CHECKS[check], check);
  }
});
fields('every field that we render has its rule', () => {
  const rules = rulesOf(everything());
  assert.equal(
    Object.entries(rules).filter(([, rule]) => rule === UNKNOWN_FIELD),
    [],
  );
  assert.equal(rules['template.spec.runtimeClassName'], ['R1', 'R2']);
  assert.equal(rules['policy.egress[platform]'], ['N1']);
  assert.equal(rules['policy.egress[dns]'], ['N4', 'N5']);
});
fields('what only schedules, is claimed, or is an address block is unverified', () => {
  const told = Object.entries(rulesOf(everything())).flatMap(([field, rule]) =>
    typeof rule === 'string' ? [field] : [],
  );
  assert.equal(told.sort(), [
    'claim.metadata.labels',
    'claim.spec.accessModes',
    'claim.spec.resources',
    'claim.spec.storageClassName',
    'policy.egress[addresses]',
    'template.metadata.annotations["seatplan.dev/session-expires-at"]',
    'template.spec.containers[].resources.limits',
    'template.spec.containers[].resources.requests',
    'template.spec.priorityClassName',
    'template.spec.tolerations',
    'template.spec.volumes[emptyDir].emptyDir.sizeLimit',
  ]);
});
const fieldsIn = (template: object, policy: object) =>
  fieldReader(OPTIONS)
    .fieldsOf({ template, policy })
    .filter(({ field }) => field.includes('.'));
const read = (template: object, policy: object) =>
  fieldsIn(template, policy)
    .filter(({ rule }) => typeof rule === 'string')
    .map(({ field }) => field);
const STRANGE: Record<string, readonly [template: object, policy: object, unknown: readonly string[]]> = {
  'a field of the pod': [{ spec: { hostNetwork: true } }, {}, ['template.spec.hostNetwork']],
  'an empty one': [{ spec: { hostAliases: [] } }, {}, ['template.spec.hostAliases']],
  'one that begins like another': [{ spec: { tolerationsNew: 1 } }, {}, ['template.spec.tolerationsNew']],
  'a second kind of container': [
    { spec: { initContainers: [{ name: 'a' }] } },
    {},
    ['template.spec.initContainers[].name'],
  ],
  'a volume of the node': [
    { spec: { volumes: [{ name: 'a', hostPath: { path: '/' } }] } },
    {},
    ['template.spec.volumes[hostPath].name', 'template.spec.volumes[hostPath].hostPath.path'],
  ],
  'a mount of no volume': [
    { spec: { containers: [{ volumeMounts: [{ name: 'a' }] }] } },
    {},
    ['template.spec.containers[].volumeMounts[].name'],
  ],
  'another capability': [
    { spec: { containers: [{ securityContext: { procMount: 'U' } }] } },
    {},
    ['template.spec.containers[].securityContext.procMount'],
  ],
  'soft affinity': [
    { spec: { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [1] } } } },
    {},
    ['template.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[]'],
  ],
  ingress: [{}, { ingress: [{}] }, ['policy.ingress[]']],
  'egress to everyone': [{}, { egress: [{}] }, ['policy.egress[other]']],
  'egress to a namespace': [
    {},
    { egress: [{ to: [{ namespaceSelector: {} }], ports: [{ port: 53 }] }] },
    ['policy.egress[other]'],
  ],
};
for (const [name, [template, policy, unknown]] of Object.entries(STRANGE)) {
  fields(`nobody verifies ${name}`, () => assert.equal(read(template, policy), unknown));
}
fields('a rule is known by what it lets through', () => {
  const platform = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'steadmesh-system' } } };
  const pods = { podSelector: { matchLabels: { 'steadmesh.io/component': 'platform' } } };
  const egress = (to: object, port: number) => ({ egress: [{ to: [to], ports: [{ protocol: 'TCP', port }] }] });
  const nameOf = (policy: object) => fieldsIn({}, policy)[0]?.field;
  assert.is(nameOf(egress({ ...platform, ...pods }, 8080)), 'policy.egress[platform]');
  assert.is(nameOf(egress({ ...platform, ...pods }, 8443)), 'policy.egress[other]');
  assert.is(nameOf(egress(platform, 8080)), 'policy.egress[other]');
  const gateway = { podSelector: { matchLabels: { 'steadmesh.io/component': 'egress' } } };
  assert.is(nameOf(egress({ ...platform, ...gateway }, 3128)), 'policy.egress[gateway]');
});
const SEEN: readonly (readonly [
  rule: readonly CheckID[] | string,
  isolated: boolean,
  rbac: 'cluster' | 'namespace',
  seen: RegExp,
])[] = [
  [['R1', 'R2'], true, 'cluster', /^R1,R2$/],
  [['R1', 'R2'], true, 'namespace', /^R1$/],
  [['R1', 'R2'], false, 'cluster', /no tier says/],
  [['J1'], true, 'cluster', /^J1$/],
  [['J1'], true, 'namespace', /needs the nodes/],
  [['P1'], false, 'namespace', /^P1$/],
  ['why', true, 'cluster', /^why$/],
];
for (const [rule, isolated, rbac, seen] of SEEN) {
  fields(`${rule} ${isolated ? 'with' : 'without'} a tier, rbac ${rbac}: ${seen.source}`, () =>
    assert.match(String(seenBy(rule, { isolation: isolated ? 'gvisor' : undefined, rbac })), seen),
  );
}
fields('a field that one profile cannot verify is unverified', () => {
  const coverage = coverageOf([
    { field: 'b', rule: 'why b' },
    { field: 'a', rule: ['A1'] },
    { field: 'b', rule: ['R1'] },
    { field: 'a2', rule: 'why a2' },
  ]);
  assert.equal(coverage, {
    fields: 3,
    verified: 1,
    unverified: [
      { field: 'a2', why: 'why a2' },
      { field: 'b', why: 'why b' },
    ],
  });
});
fields.run();
