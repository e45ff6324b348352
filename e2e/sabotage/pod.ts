// Sabotage of the seat's pod, its sandbox, its account and its place.
import type { Manifest } from '../objects';
import { GVISOR } from '../seat-package';
import type { Row } from './row';
import { type Stage, seatIsReady } from './stage';

interface Template {
  readonly metadata: { readonly labels: Record<string, string>; readonly annotations?: Record<string, string> };
  readonly spec: Readonly<Record<string, unknown>> & { readonly runtimeClassName?: string };
}
const templateOf = ({ the }: Stage): Template => (the('StatefulSet').spec as { template: Template }).template;

/** Changes the live StatefulSet's template behind Git's back, and has the pod made anew of it. */
async function patchTemplate(stage: Stage, ...operations: readonly object[]): Promise<void> {
  const { cluster, the, namespace, pod } = stage;
  const before = await cluster.get('pod', pod, namespace);
  const patch = operations.map((operation) => ({ op: 'add', ...operation }));
  await cluster.patch('statefulset', the('StatefulSet').metadata.name, namespace, patch, 'json');
  await cluster.kubectl(['delete', 'pod', pod, '--namespace', namespace, '--grace-period=1']);
  await seatIsReady(cluster, namespace, pod, before?.metadata.uid);
}
const SPEC = '/spec/template/spec';
const CONTAINER = `${SPEC}/containers/0`;

/** What a mutating webhook does to every pod of the namespace, the probe's too; given as the fields to apply. */
async function mutatePods({ cluster, namespace }: Stage, fields: string): Promise<void> {
  const metadata = { name: namespace };
  const apiVersion = 'admissionregistration.k8s.io/v1beta1';
  const pods = { apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] };
  const own = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  await cluster.apply([
    {
      apiVersion,
      kind: 'MutatingAdmissionPolicy',
      metadata,
      spec: {
        matchConstraints: { resourceRules: [pods], namespaceSelector: own },
        failurePolicy: 'Fail',
        reinvocationPolicy: 'Never',
        mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: fields } }],
      },
    },
    { apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata, spec: { policyName: namespace } },
  ] as Manifest[]);
  // admission reads policies from a cache
  await new Promise((done) => setTimeout(done, 2000));
}
const stopMutating = async ({ cluster, namespace }: Stage): Promise<void> => {
  await cluster.delete('mutatingadmissionpolicybinding', namespace);
  await cluster.delete('mutatingadmissionpolicy', namespace);
};
const mutation = (path: string, value: string): string =>
  `[JSONPatch{op: "add", path: "/spec/${path}", value: ${value}}]`;

/** With the fence the API server refuses the probe's pods as the webhook made them; without it they tell what they see. */
const UNFENCED = { probe: { rbac: 'namespace' } };

const PLACE = 'seatplan.test/place';

export const POD: readonly Row[] = [
  {
    name: 'handler-repointed',
    what: "the RuntimeClass's handler re-pointed to runc",
    package: {
      tiers: { repointed: { ...GVISOR, runtimeClassName: 'repointed' } },
      seats: { a: { tierRef: { name: 'repointed' } } },
    },
    before: ({ cluster }) =>
      cluster.apply([
        {
          apiVersion: 'node.k8s.io/v1',
          kind: 'RuntimeClass',
          metadata: { name: 'repointed' },
          handler: 'runc',
        } as Manifest,
      ]),
    verdict: 'FAIL',
    findings: ['R1 WrongRuntime', 'R2 SharedKernel'],
  },
  {
    name: 'pod-adopted',
    what: 'a pre-made runc pod adopted by the gVisor StatefulSet',
    package: { tiers: { 'tier-gvisor': GVISOR }, seats: { a: { tierRef: { name: 'tier-gvisor' } } } },
    before: async (stage) => {
      const { cluster, namespace, objects, pod } = stage;
      const { metadata, spec } = templateOf(stage);
      const { runtimeClassName: _, ...rest } = spec;
      const needed = objects.filter(({ kind }) =>
        ['ServiceAccount', 'ConfigMap', 'PersistentVolumeClaim'].includes(kind),
      );
      await cluster.apply(needed.filter((object) => object.metadata.namespace === namespace));
      const labels = { ...metadata.labels, 'statefulset.kubernetes.io/pod-name': pod };
      await cluster.apply([
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { ...metadata, labels, name: pod, namespace },
          spec: rest,
        } as Manifest,
      ]);
    },
    verdict: 'FAIL',
    findings: ['A1 ForeignPod', 'A4 StaleRevision'],
  },
  {
    name: 'token-automounted',
    what: 'the live StatefulSet: API token mounted',
    sabotage: (stage) => patchTemplate(stage, { path: `${SPEC}/automountServiceAccountToken`, value: true }),
    verdict: 'FAIL',
    findings: ['A1 SpecDiffers'],
  },
  {
    name: 'root-writable',
    what: 'the live StatefulSet: root file system writable',
    sabotage: (stage) =>
      patchTemplate(stage, { path: `${CONTAINER}/securityContext/readOnlyRootFilesystem`, value: false }),
    verdict: 'FAIL',
    findings: ['A1 SpecDiffers'],
  },
  {
    name: 'capability-added',
    what: 'the live StatefulSet: a capability added',
    sabotage: (stage) =>
      patchTemplate(stage, { path: `${CONTAINER}/securityContext/capabilities/add`, value: ['NET_BIND_SERVICE'] }),
    verdict: 'FAIL',
    findings: ['A1 SpecDiffers'],
  },
  {
    name: 'webhook-token',
    what: 'a webhook mounts the API token into every pod',
    package: UNFENCED,
    before: (stage) => mutatePods(stage, mutation('automountServiceAccountToken', 'true')),
    restore: stopMutating,
    verdict: 'FAIL',
    findings: ['A1 SpecDiffers', 'I1 ApiTokenMounted'],
  },
  {
    name: 'webhook-root',
    what: "a webhook makes every pod's root file system writable",
    package: UNFENCED,
    before: (stage) => mutatePods(stage, mutation('containers/0/securityContext/readOnlyRootFilesystem', 'false')),
    restore: stopMutating,
    verdict: 'FAIL',
    findings: ['A1 SpecDiffers', 'F1 RootWritable'],
  },
  {
    name: 'webhook-capability',
    what: 'a webhook adds a capability to every pod',
    package: UNFENCED,
    before: (stage) =>
      mutatePods(stage, mutation('containers/0/securityContext/capabilities/add', '["NET_BIND_SERVICE"]')),
    restore: stopMutating,
    verdict: 'FAIL',
    findings: ['A1 SpecDiffers', 'P2 CapabilitiesHeld'],
  },
  {
    name: 'image-swapped',
    what: 'the live StatefulSet: another image',
    sabotage: (stage) => patchTemplate(stage, { path: `${CONTAINER}/image`, value: 'localhost/other-seat:1' }),
    node: true,
    verdict: 'FAIL',
    findings: ['A1 SpecDiffers', 'A2 WrongImage'],
  },
  {
    name: 'label-moved',
    what: 'the node loses the label after scheduling',
    package: {
      // no node takes the probe's pods either: it need not wait long
      probe: { timeout: '30s' },
      tiers: { placed: { ...GVISOR, allowedNodeLabels: { [PLACE]: 'here' } } },
      seats: { a: { tierRef: { name: 'placed' } } },
    },
    before: async ({ cluster }) =>
      void (await cluster.kubectl(['label', 'node', '--all', '--overwrite', `${PLACE}=here`])),
    sabotage: async ({ cluster }) =>
      void (await cluster.kubectl(['label', 'node', '--all', '--overwrite', `${PLACE}=there`])),
    verdict: 'FAIL',
    findings: ['J1 WrongNode'],
  },
  {
    name: 'account-rights',
    what: "the seat's ServiceAccount may read Secrets",
    sabotage: async ({ cluster, the, namespace }) => {
      const subjects = [{ kind: 'ServiceAccount', name: the('ServiceAccount').metadata.name, namespace }];
      const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'rights', namespace } };
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'rights' };
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list'] }];
      await cluster.apply([
        { ...rbac, kind: 'Role', rules } as Manifest,
        { ...rbac, kind: 'RoleBinding', roleRef, subjects } as Manifest,
      ]);
    },
    verdict: 'FAIL',
    findings: ['I3 AccountHasRights'],
  },
  {
    name: 'revision-stale',
    what: 'a new revision of an OnDelete StatefulSet that its pod does not run',
    sabotage: ({ cluster, the, namespace }) =>
      cluster.patch('statefulset', the('StatefulSet').metadata.name, namespace, {
        spec: { template: { metadata: { annotations: { 'steadmesh.io/restarted-at': '2026-12-01' } } } },
      }),
    verdict: 'FAIL',
    findings: ['A4 StaleRevision'],
  },
];
