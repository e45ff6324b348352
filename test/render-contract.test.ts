// The rendered objects, field by field against the seat contract.
import type { V1StatefulSet } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderManifest } from '../functions/render/manifest';
import { renderNetworkPolicy } from '../functions/render/network-policy';
import { renderServiceAccount } from '../functions/render/service-account';
import { renderStatefulSet } from '../functions/render/stateful-set';
import { renderWorkspaceClaim } from '../functions/render/workspace-claim';
import { BASE, IMAGE, LABELS, render, resolved } from './rendered';

const meta = (kind: string, name: string, annotations: object = {}) => ({
  name,
  namespace: 'team-a',
  labels: LABELS,
  annotations: {
    ...annotations,
    'kustomize.toolkit.fluxcd.io/substitute': 'disabled',
    'seatplan.dev/owner': `steadmesh.io/Seat/team-a/lead ${kind}/${name}`,
  },
});
const IDS = { 'steadmesh.io/organization-id': 'o-1', 'steadmesh.io/seat-id': 's-1' };

const contract = suite('the contract');
contract('a seat is five objects, its policy before its workload', () =>
  assert.equal(
    render(resolved()).map(({ kind, metadata }) => `${kind} ${metadata?.name}`),
    [
      `ServiceAccount ${BASE}`,
      `ConfigMap ${BASE}-manifest`,
      `NetworkPolicy ${BASE}`,
      `PersistentVolumeClaim ws-${BASE}`,
      `StatefulSet ${BASE}`,
    ],
  ),
);
contract('the ServiceAccount mounts no API token', () =>
  assert.equal(renderServiceAccount(resolved()), {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: meta('core/ServiceAccount', BASE, IDS),
    automountServiceAccountToken: false,
  }),
);
contract('the claim is kept by every engine and has no owner', () =>
  assert.equal(renderWorkspaceClaim(resolved()), {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: meta('core/PersistentVolumeClaim', `ws-${BASE}`, {
      ...IDS,
      'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
      'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
      'client.lifecycle.config.k8s.io/deletion': 'detach',
      'cli-utils.sigs.k8s.io/on-remove': 'keep',
    }),
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
  }),
);
contract('the claim of a stopped seat may wait for its first consumer without end', () => {
  const ignored = (state: 'Running' | 'Stopped') =>
    renderWorkspaceClaim(resolved({ state }))?.metadata?.annotations?.['argocd.argoproj.io/ignore-healthcheck'];
  assert.is(ignored('Stopped'), 'true');
  assert.is(ignored('Running'), undefined);
});
contract('the ConfigMap holds manifest, instructions and the revision, and is mutable', () => {
  const seat = resolved({ instructions: 'Do it.', files: { 'src/a.ts': 'a' } });
  const { metadata, data, immutable } = renderManifest(seat);
  assert.equal(
    metadata,
    meta('core/ConfigMap', `${BASE}-manifest`, { 'steadmesh.io/config-revision': seat.configRevision }),
  );
  assert.equal(Object.keys(data!), ['manifest.json', 'instructions.md', 'src__a.ts']);
  assert.is(data!['instructions.md'], 'Do it.');
  assert.is(JSON.parse(data!['manifest.json']!).config_revision, seat.configRevision);
  assert.is(immutable, undefined);
});
contract('the policy lets nothing in, and out only what is decided', () =>
  assert.equal(
    renderNetworkPolicy(
      resolved(
        {
          access: {
            egress: [{ host: 'a.example' }],
            network: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'], ports: [80], endPort: 90 }],
          },
        },
        undefined,
        { egressURL: 'http://egress:3128', egressPort: 3128 },
      ),
    ),
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: meta('networking.k8s.io/NetworkPolicy', BASE),
      spec: {
        podSelector: { matchLabels: { 'steadmesh.io/organization': 'acme', 'steadmesh.io/seat': 'lead_engineer' } },
        policyTypes: ['Ingress', 'Egress'],
        egress: [
          {
            to: [
              {
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'steadmesh-system' } },
                podSelector: { matchLabels: { 'steadmesh.io/component': 'platform' } },
              },
            ],
            ports: [{ protocol: 'TCP', port: 8080 }],
          },
          {
            to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
            ports: [
              { protocol: 'UDP', port: 53 },
              { protocol: 'TCP', port: 53 },
            ],
          },
          {
            to: [
              {
                namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'steadmesh-system' } },
                podSelector: { matchLabels: { 'steadmesh.io/component': 'egress' } },
              },
            ],
            ports: [{ protocol: 'TCP', port: 3128 }],
          },
          {
            to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
            ports: [{ protocol: 'TCP', port: 80, endPort: 90 }],
          },
        ],
      },
    },
  ),
);
contract('the StatefulSet is the contract’s, field by field', () => {
  const seat = resolved();
  const selector = { ...LABELS, 'steadmesh.io/workload': 'seat-runner' };
  const expected: V1StatefulSet = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: meta('apps/StatefulSet', BASE, {
      'config.kubernetes.io/depends-on': `networking.k8s.io/namespaces/team-a/NetworkPolicy/${BASE}`,
    }),
    spec: {
      replicas: 1,
      serviceName: '',
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'OnDelete' },
      revisionHistoryLimit: 3,
      selector: { matchLabels: selector },
      template: {
        metadata: {
          labels: selector,
          annotations: {
            'steadmesh.io/config-revision': seat.configRevision,
            'steadmesh.io/seat-id': 's-1',
            'sidecar.istio.io/inject': 'false',
            'linkerd.io/inject': 'disabled',
          },
        },
        spec: {
          serviceAccountName: BASE,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: 300,
          restartPolicy: 'Always',
          securityContext: {
            runAsNonRoot: true,
            runAsUser: 1000,
            runAsGroup: 1000,
            fsGroup: 1000,
            fsGroupChangePolicy: 'OnRootMismatch',
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: [
            {
              name: 'seat-runner',
              image: IMAGE,
              imagePullPolicy: 'IfNotPresent',
              command: ['/usr/local/bin/seat-runner'],
              ports: [{ name: 'health', containerPort: 8081, protocol: 'TCP' }],
              env: [
                { name: 'STEADMESH_PLATFORM_URL', value: 'http://steadmesh-platform.steadmesh-system.svc:8080' },
                { name: 'STEADMESH_TOKEN_FILE', value: '/var/run/steadmesh/token' },
                { name: 'STEADMESH_ORG_ID', value: 'o-1' },
                { name: 'STEADMESH_SEAT_ID', value: 's-1' },
                { name: 'STEADMESH_SEAT_KEY', value: 'lead_engineer' },
                { name: 'STEADMESH_CONFIG_REVISION', value: seat.configRevision },
                { name: 'STEADMESH_HARNESS', value: 'claude' },
                { name: 'STEADMESH_MANIFEST_DIR', value: '/etc/steadmesh/manifest' },
                { name: 'STEADMESH_EGRESS_URL', value: '' },
                { name: 'HOME', value: '/seat/home' },
                { name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
              ],
              resources: { limits: { cpu: '500m', memory: '1536Mi' } },
              volumeMounts: [
                { name: 'seat', mountPath: '/seat' },
                { name: 'manifest', mountPath: '/etc/steadmesh/manifest', readOnly: true },
                { name: 'tmp', mountPath: '/tmp' },
                { name: 'steadmesh-token', mountPath: '/var/run/steadmesh', readOnly: true },
              ],
              livenessProbe: {
                httpGet: { path: '/healthz', port: 8081 },
                timeoutSeconds: 5,
                periodSeconds: 10,
                failureThreshold: 6,
              },
              readinessProbe: {
                httpGet: { path: '/readyz', port: 8081 },
                timeoutSeconds: 5,
                periodSeconds: 5,
                failureThreshold: 3,
              },
              terminationMessagePolicy: 'FallbackToLogsOnError',
              securityContext: {
                runAsNonRoot: true,
                runAsUser: 1000,
                runAsGroup: 1000,
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                privileged: false,
                capabilities: { drop: ['ALL'] },
                seccompProfile: { type: 'RuntimeDefault' },
              },
            },
          ],
          volumes: [
            { name: 'seat', persistentVolumeClaim: { claimName: `ws-${BASE}` } },
            { name: 'manifest', configMap: { name: `${BASE}-manifest`, defaultMode: 0o444 } },
            { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
            {
              name: 'steadmesh-token',
              projected: {
                defaultMode: 0o440,
                sources: [
                  { serviceAccountToken: { audience: 'steadmesh-gateway', expirationSeconds: 3600, path: 'token' } },
                ],
              },
            },
          ],
        },
      },
    },
  };
  assert.equal(renderStatefulSet(seat), expected);
});
contract.run();
