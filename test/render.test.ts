// What tier and seat change in the rendered objects, and what must never stand in them.
import type { V1NetworkPolicy } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EgressRule, TrustTierSpec } from '../functions/model';
import { parseOwner } from '../functions/owner';
import { renderNetworkPolicy } from '../functions/render/network-policy';
import { renderStatefulSet } from '../functions/render/stateful-set';
import { renderWorkspaceClaim } from '../functions/render/workspace-claim';
import { containerOf, envOf, HARNESS, LABELS, podOf, render, resolved } from './rendered';

const tiers = suite('what a tier adds');
const CONFIDENTIAL: Partial<TrustTierSpec> = {
  runtimeClassName: 'kata-qemu-snp',
  isolation: 'confidential',
  jurisdiction: 'EU-DE',
  allowedNodeLabels: { zone: 'z', region: 'eu' },
  attestationRequired: true,
  maxSessionTTL: '8h',
  allowedProviderTools: ['web_search'],
};
tiers('tier, isolation and jurisdiction label every object and the pod, and select nothing', () => {
  const seat = resolved({}, CONFIDENTIAL);
  const labels = {
    'maqpna.com/tier': 'tier-0',
    'maqpna.com/isolation': 'confidential',
    'maqpna.com/jurisdiction': 'EU-DE',
  };
  for (const { metadata } of render(seat)) {
    assert.equal(metadata?.labels, { ...LABELS, ...labels });
    assert.is(metadata?.annotations?.['seatplan.dev/tier-digest'], seat.tier?.digest);
  }
  const { selector, template } = renderStatefulSet(seat).spec!;
  assert.equal(template.metadata!.labels, { ...selector.matchLabels, ...labels });
  assert.equal(selector.matchLabels, { ...LABELS, 'steadmesh.io/workload': 'seat-runner' });
});
tiers('the pod gets runtime class and one node term with sorted keys, tier and seat together', () => {
  const pod = podOf(resolved({ scheduling: { nodeLabels: { disk: 'ssd', zone: 'z' } } }, CONFIDENTIAL));
  assert.is(pod.runtimeClassName, 'kata-qemu-snp');
  assert.equal(pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms, [
    {
      matchExpressions: [
        { key: 'disk', operator: 'In', values: ['ssd'] },
        { key: 'region', operator: 'In', values: ['eu'] },
        { key: 'zone', operator: 'In', values: ['z'] },
      ],
    },
  ]);
});
tiers('an attested seat gets no gateway token, and is told so', () => {
  const seat = resolved({}, CONFIDENTIAL);
  const tokens = podOf(seat).volumes!.flatMap(({ projected }) => projected?.sources ?? []);
  assert.equal(
    tokens.map(({ serviceAccountToken }) => serviceAccountToken?.audience),
    ['maqpna-identity-broker'],
  );
  assert.is(envOf(seat).STEADMESH_ATTESTATION, 'required');
  assert.is(renderStatefulSet(seat).spec!.template.metadata!.annotations!['seatplan.dev/attestation'], 'required');
});
tiers('session and provider tools stand in annotation and environment', () => {
  const harness = { ...HARNESS, model: { providerTools: ['web_search', 'code'] } };
  const seat = resolved({ harness, session: { expiresAt: '2030-01-01T00:00:00Z' } }, CONFIDENTIAL);
  const { annotations } = renderStatefulSet(seat).spec!.template.metadata!;
  assert.is(annotations!['seatplan.dev/session-ttl'], '8h');
  assert.is(annotations!['seatplan.dev/session-expires-at'], '2030-01-01T00:00:00Z');
  assert.is(envOf(seat).STEADMESH_SESSION_TTL, '8h');
  assert.is(envOf(seat).STEADMESH_PROVIDER_TOOLS, 'web_search');
});
tiers('deny-all leaves an empty list of rules, which denies', () =>
  assert.equal(renderNetworkPolicy(resolved({}, { egress: 'deny-all' })).spec?.egress, []),
);
tiers('the tier’s default resources and claims reach the container', () => {
  const defaults = {
    limits: { cpu: '2', memory: '4Gi' },
    requests: { cpu: '0.25' },
    claims: [{ name: 'gpu', request: 'one' }],
  };
  const claims = [{ name: 'gpu', resourceClaimTemplateName: 'gpu' }];
  const seat = resolved({ resources: {}, resourceClaims: claims }, { defaultResources: defaults });
  assert.equal(containerOf(seat).resources, { ...defaults, requests: { cpu: '250m' } });
  assert.equal(podOf(seat).resourceClaims, claims);
});
tiers.run();

const seats = suite('what a seat may set');
seats('a stopped seat has no pod', () =>
  assert.is(renderStatefulSet(resolved({ state: 'Stopped' })).spec?.replicas, 0),
);
seats('a seat may roll at once', () =>
  assert.equal(renderStatefulSet(resolved({ rollout: 'RollingUpdate' })).spec?.updateStrategy, {
    type: 'RollingUpdate',
  }),
);
seats('a workspace that may go carries nothing that keeps it', () => {
  const { annotations } = renderWorkspaceClaim(resolved({ workspace: { retention: 'Delete' } }))!.metadata!;
  assert.equal(Object.keys(annotations!), [
    'steadmesh.io/organization-id',
    'steadmesh.io/seat-id',
    'kustomize.toolkit.fluxcd.io/substitute',
    'seatplan.dev/owner',
  ]);
});
seats('an adopted claim is mounted and not rendered', () => {
  const seat = resolved({ workspace: { adoptClaim: 'old' } });
  assert.is(renderWorkspaceClaim(seat), undefined);
  assert.equal(podOf(seat).volumes![0], { name: 'seat', persistentVolumeClaim: { claimName: 'old' } });
});
seats('an empty storage class is given, an absent one is absent', () => {
  const empty = renderWorkspaceClaim(resolved({ workspace: { storageClassName: '', size: '2048Mi' } }))!;
  assert.is(empty.spec?.storageClassName, '');
  assert.equal(empty.spec?.resources, { requests: { storage: '2Gi' } });
  assert.not('storageClassName' in renderWorkspaceClaim(resolved())!.spec!);
});
seats('shared claims are mounted where they are asked for', () => {
  const seat = resolved({
    workspace: {
      shared: [
        { claimName: 'data', mountPath: '/data', readOnly: true },
        { claimName: 'out', mountPath: '/out' },
      ],
    },
  });
  assert.equal(containerOf(seat).volumeMounts!.slice(4), [
    { name: 'shared-0', mountPath: '/data', readOnly: true },
    { name: 'shared-1', mountPath: '/out' },
  ]);
  assert.equal(podOf(seat).volumes!.slice(4), [
    { name: 'shared-0', persistentVolumeClaim: { claimName: 'data', readOnly: true } },
    { name: 'shared-1', persistentVolumeClaim: { claimName: 'out' } },
  ]);
});
seats('files in folders are mounted by their paths', () =>
  assert.equal(podOf(resolved({ files: { 'src/a.ts': '' } })).volumes![1]!.configMap!.items, [
    { key: 'manifest.json', path: 'manifest.json' },
    { key: 'instructions.md', path: 'instructions.md' },
    { key: 'src__a.ts', path: 'src/a.ts' },
  ]),
);
seats('another agent takes the seat without loosening it', () => {
  const seat = resolved({
    harness: { ...HARNESS, command: ['agent'], args: ['--x'], health: { port: 9000, livenessPath: '/live' } },
  });
  const container = containerOf(seat);
  assert.equal(container.command, ['agent']);
  assert.equal(container.args, ['--x']);
  assert.equal(container.ports, [{ name: 'health', containerPort: 9000, protocol: 'TCP' }]);
  assert.equal(container.livenessProbe?.httpGet, { path: '/live', port: 9000 });
  assert.equal(container.readinessProbe?.httpGet, { path: '/readyz', port: 9000 });
  assert.equal(container.securityContext, containerOf(resolved()).securityContext);
});
seats('no text of a user is expanded by the kubelet', () => {
  const seat = resolved({
    harness: {
      ...HARNESS,
      adapter: '$(HOME)',
      command: ['$(A)'],
      args: ['$$', 'a'],
      env: [
        { name: 'X', value: '$(POD_UID)' },
        { name: 'Y', valueFrom: { configMapKeyRef: { name: 'm', key: 'k' } } },
      ],
    },
  });
  assert.equal(containerOf(seat).command, ['$$(A)']);
  assert.equal(containerOf(seat).args, ['$$$$', 'a']);
  assert.is(envOf(seat).STEADMESH_HARNESS, '$$(HOME)');
  assert.equal(containerOf(seat).env!.slice(-2), [
    { name: 'X', value: '$$(POD_UID)' },
    { name: 'Y', valueFrom: { configMapKeyRef: { name: 'm', key: 'k' } } },
  ]);
});
seats('scheduling and pull secrets reach the pod', () => {
  const tolerations = [{ key: 'gpu', operator: 'Exists' as const }];
  const pod = podOf(resolved({ scheduling: { tolerations, priorityClassName: 'high' }, imagePullSecrets: ['pull'] }));
  assert.equal(pod.tolerations, tolerations);
  assert.is(pod.priorityClassName, 'high');
  assert.equal(pod.imagePullSecrets, [{ name: 'pull' }]);
});
seats.run();

const never = suite('what never stands in an object');
const all = [
  resolved(),
  resolved({ files: { 'a/b': '' }, access: {} }, CONFIDENTIAL),
  resolved({}, { egress: 'deny-all' }),
];
function* members(value: unknown, path: string): Iterable<[path: string, value: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    yield [`${path}.${key}`, member];
    yield* members(member, `${path}.${key}`);
  }
}
never('an undefined or empty member, but for the egress of a policy that denies all', () => {
  for (const object of all.flatMap(render))
    for (const [path, value] of members(object, object.kind!)) {
      const empty = typeof value === 'object' && value !== null && Object.keys(value).length === 0;
      assert.ok(value !== undefined && (!empty || path === 'NetworkPolicy.spec.egress'), path);
    }
});
never('an ownerReference, a status, a timestamp, or what an engine writes', () => {
  for (const object of all.flatMap(render)) {
    assert.equal(Object.keys(object.metadata!), ['name', 'namespace', 'labels', 'annotations']);
    assert.not('status' in object);
    const keys = [...Object.keys(object.metadata!.labels!), ...Object.keys(object.metadata!.annotations!)];
    assert.not(
      keys.some((key) => /instance$|tracking-id$|sync-wave$|applyset|kustomize\.toolkit\.fluxcd\.io\/name/.test(key)),
    );
  }
});
never('an owner annotation for another object', () => {
  for (const { apiVersion, kind, metadata } of all.flatMap(render)) {
    const { owner, object } = parseOwner(metadata!.annotations!['seatplan.dev/owner']!)!;
    assert.equal(owner, { group: 'steadmesh.io', kind: 'Seat', namespace: 'team-a', name: 'lead' });
    assert.is(object.kind, kind);
    assert.is(object.name, metadata!.name);
    assert.is(object.group, apiVersion!.includes('/') ? apiVersion!.split('/')[0] : 'core');
  }
});
never('a rule without peers or ports, whatever is decided', () => {
  const open: EgressRule[] = [
    { peers: [], ports: [{ protocol: 'TCP', port: 80 }] },
    { peers: [{ namespace: 'a' }], ports: [] },
  ];
  const policy: V1NetworkPolicy = renderNetworkPolicy({ ...resolved(), egress: open });
  assert.equal(policy.spec?.egress, []);
});
never('a probe’s pod under the StatefulSet’s selector, though under the policy’s', () => {
  const seat = resolved();
  const probe: Record<string, string> = { ...LABELS, 'steadmesh.io/probe': 'netpol' };
  const matches = (selector: Record<string, string>) =>
    Object.entries(selector).every(([key, value]) => probe[key] === value);
  assert.ok(matches(renderNetworkPolicy(seat).spec!.podSelector!.matchLabels!));
  assert.not(matches(renderStatefulSet(seat).spec!.selector.matchLabels!));
});
never.run();
