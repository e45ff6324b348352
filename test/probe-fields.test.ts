// Which checks the fields of a manifest ask for, and which fields nobody verifies.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckID } from '../functions/model';
import { CHECKS } from '../functions/probe/checks';
import { FIELD_RULES, UNKNOWN_FIELD } from '../functions/probe/field-rules';
import { coverageOf, fieldReader, seenBy } from '../functions/probe/fields';
import { renderNetworkPolicy } from '../functions/render/network-policy';
import { renderStatefulSet } from '../functions/render/stateful-set';
import { renderWorkspaceClaim } from '../functions/render/workspace-claim';
import { resolved } from './rendered';
import { optionsWith } from './seats';

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
