// What a tier demands of the template that makes its pods: each demand alone, on a template that keeps to all of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { expandAll } from './expanded';
import { fixtures } from './fixtures';

const { folder } = fixtures().find(({ name }) => name === 'a-template-that-keeps-to-its-tier')!;
const read = (name: string) => parse(readFileSync(join(folder, name), 'utf8').split('\n---\n').pop()!);

/** A place in the template, `pod` and `box` short for its pod and container, and what to put there; undefined takes it out. */
type Edit = readonly [place: string, value?: unknown];
const SHORT: Readonly<Record<string, string>> = {
  pod: 'spec.podTemplate.spec',
  box: 'spec.podTemplate.spec.containers.0',
};

function edited(template: object, [place, value]: Edit): void {
  const keys = place.replace(/^(pod|box)/, (word) => SHORT[word]!).split('.');
  const last = keys.pop()!;
  const parent = keys.reduce<Record<string, unknown>>(
    (at, key) => at[key] as Record<string, unknown>,
    template as Record<string, unknown>,
  );
  if (value === undefined) delete parent[last];
  else parent[last] = value;
}

/** Findings about the template, once edited. */
function paths(edits: readonly Edit[], tier: object = {}): string[] {
  const template = read('template.yaml');
  for (const edit of edits) edited(template, edit);
  const trustTier = read('tier.yaml');
  const { findings } = expandAll([{ ...trustTier, spec: { ...trustTier.spec, ...tier } }, template, read('seat.yaml')]);
  return findings
    .filter(({ code }) => code === 'TEMPLATE_WEAKER_THAN_TIER')
    .map(({ path = '' }) => path.replace('spec.podTemplate.spec', 'pod').replace('pod.containers[0]', 'box'));
}

const RESTRICTED = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const IMAGE = `ghcr.io/acme/agent@sha256:${'d4'.repeat(32)}`;
const LIMITS = { limits: { cpu: '1', memory: '1Gi' } };
const AUDIENCE = 'pod.volumes.1.projected.sources.0.serviceAccountToken.audience';
const AUDIENCE_PATH = 'pod.volumes[1].projected.sources[0].serviceAccountToken.audience';

const CASES: Readonly<Record<string, readonly [Edit[], ...string[]]>> = {
  'as it stands': [[]],
  'another runtime': [[['pod.runtimeClassName', 'runc']], 'pod.runtimeClassName'],
  'no runtime': [[['pod.runtimeClassName']], 'pod.runtimeClassName'],
  'a token for the API server': [[['pod.automountServiceAccountToken', true]], 'pod.automountServiceAccountToken'],
  'nothing said of a token, which the controller then refuses': [[['pod.automountServiceAccountToken']]],
  'nodes of any region': [[['pod.nodeSelector']], 'pod.nodeSelector'],
  'the network of the host': [[['pod.hostNetwork', true]], 'pod.hostNetwork'],
  'root by the container': [[['box.securityContext.runAsNonRoot', false]], 'box.securityContext.runAsNonRoot'],
  'root by its number': [[['pod.securityContext.runAsUser', 0]], 'box.securityContext.runAsUser'],
  'nothing said of root': [[['pod.securityContext.runAsNonRoot']], 'box.securityContext.runAsNonRoot'],
  'no seccomp': [[['pod.securityContext.seccompProfile']], 'box.securityContext.seccompProfile'],
  'seccomp undone': [
    [['box.securityContext.seccompProfile', { type: 'Unconfined' }]],
    'box.securityContext.seccompProfile',
  ],
  'a seccomp profile of the node': [[['box.securityContext.seccompProfile', { type: 'Localhost' }]]],
  'no security context': [
    [['box.securityContext']],
    ...['box.securityContext.allowPrivilegeEscalation', 'box.securityContext.capabilities'],
  ],
  'capabilities kept': [
    [['box.securityContext.capabilities', { drop: ['NET_RAW'] }]],
    'box.securityContext.capabilities',
  ],
  'no limits': [[['box.resources']], 'box.resources.limits'],
  'no limit of memory': [[['box.resources.limits.memory']], 'box.resources.limits'],
  'an image by tag': [[['box.image', 'ghcr.io/acme/agent:1']], 'box.image'],
  'a second container that is not restricted': [
    [
      [
        'pod.containers.1',
        { name: 'two', image: IMAGE, resources: LIMITS, securityContext: { ...RESTRICTED, privileged: true } },
      ],
    ],
    'pod.containers[1].securityContext.privileged',
  ],
  'a volume of an unknown kind': [
    [['pod.volumes.2', { name: 'x', gcePersistentDisk: {} }]],
    'pod.volumes[2].gcePersistentDisk',
  ],
  'orders for its runtime': [
    [['spec.podTemplate.metadata.annotations', { 'dev.gvisor.spec.mount.x.source': '/' }]],
    'spec.podTemplate.metadata.annotations["dev.gvisor.spec.mount.x.source"]',
  ],
  'a sysctl': [[['pod.securityContext.sysctls', [{ name: 'kernel.msgmax' }]]], 'pod.securityContext.sysctls[0]'],
  'no AppArmor': [
    [['pod.securityContext.appArmorProfile', { type: 'Unconfined' }]],
    'box.securityContext.appArmorProfile',
  ],
  'another SELinux type': [
    [['box.securityContext.seLinuxOptions', { type: 'spc_t' }]],
    'box.securityContext.seLinuxOptions',
  ],
  'a process of a Windows host': [
    [['pod.securityContext.windowsOptions', { hostProcess: true }]],
    'box.securityContext.windowsOptions',
  ],
  'a volume of a claim': [[['pod.volumes.2', { name: 'x', persistentVolumeClaim: { claimName: 'data' } }]]],
  'a token for the broker, where the gateway is meant': [[[AUDIENCE, 'maqpna-identity-broker']], AUDIENCE_PATH],
  'no word on its policy': [[['spec.networkPolicy']], 'spec.networkPolicy'],
  'null for its policy': [[['spec.networkPolicy', null]], 'spec.networkPolicy'],
  'an empty policy': [[['spec.networkPolicy', {}]], 'spec.networkPolicy'],
  'no egress at all': [[['spec.networkPolicy', { egress: [] }]]],
  'egress to everyone': [[['spec.networkPolicy.egress', [{}]]], 'spec.networkPolicy.egress[0]'],
  'another port of the platform': [[['spec.networkPolicy.egress.0.ports.0.port', 22]], 'spec.networkPolicy.egress[0]'],
  'every port of the platform': [[['spec.networkPolicy.egress.0.ports']], 'spec.networkPolicy.egress[0]'],
  'a network': [
    [['spec.networkPolicy.egress.2', { to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: [{ port: 443 }] }]],
    'spec.networkPolicy.egress[2]',
  ],
  'ingress from anywhere': [[['spec.networkPolicy.ingress', [{}]]], 'spec.networkPolicy.ingress[0]'],
  'ingress from all of a namespace': [
    [['spec.networkPolicy.ingress.0.from.0.podSelector']],
    'spec.networkPolicy.ingress[0]',
  ],
  'a policy that nobody brings': [[['spec.networkPolicyManagement', 'Unmanaged']], 'spec.networkPolicyManagement'],
  'variables of claims': [[['spec.envVarsInjectionPolicy', 'Allowed']], 'spec.envVarsInjectionPolicy'],
  'nothing said of variables': [[['spec.envVarsInjectionPolicy']]],
  'volumes of claims': [[['spec.volumeClaimTemplatesPolicy', 'Overrides']], 'spec.volumeClaimTemplatesPolicy'],
  'nothing in it': [[['spec', {}]], 'spec.networkPolicy', 'pod.nodeSelector', 'pod.runtimeClassName'],
};

const table = suite('a template weaker than its tier');
for (const [name, [edits, ...expected]] of Object.entries(CASES)) {
  table(name, () => assert.equal(paths(edits).sort(), [...expected].sort()));
}
table('with attestation the gateway’s token is refused, and the broker’s is right', () => {
  const tier = { isolation: 'confidential', attestationRequired: true };
  assert.equal(paths([], tier), [AUDIENCE_PATH]);
  assert.equal(paths([[AUDIENCE, 'maqpna-identity-broker']], tier), []);
});
table('in a tier that denies all, what another may open is refused', () => {
  assert.equal(paths([], { egress: 'deny-all' }), ['spec.networkPolicy.egress[0]', 'spec.networkPolicy.egress[1]']);
});
table.run();
