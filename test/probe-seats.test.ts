// Live seats as the API server shows them: what makes each check anything but a PASS.

import type { V1Pod } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckID, CheckResult, ClusterFacts, LiveSandbox, Plan } from '../functions/model';
import { judgeSeats } from '../functions/probe/judge/seats';
import { KEEPS } from '../functions/probe/judge/storage';
import { renderWorkspaceClaim } from '../functions/render/workspace-claim';
import { AT, factsWith, NAME, PROBE_IMAGE, planWith, profileWith, recorded, seatWith } from './recorded-seat';
import { resolved } from './rendered';

const test = suite('live seats');

const wordOf = ({ verdict, reason }: CheckResult): string => (reason ? `${verdict} ${reason}` : verdict);
const judged = (facts: ClusterFacts, plan: Plan = planWith()): Record<string, string> =>
  Object.fromEntries(judgeSeats(plan, facts).map((result) => [result.check, wordOf(result)]));
const resultOf = (check: CheckID, facts: ClusterFacts, plan: Plan = planWith()): CheckResult =>
  judgeSeats(plan, facts).find((result) => result.check === check)!;

const ALL_PASS = { A1: 'PASS', A2: 'PASS', A4: 'PASS', I3: 'PASS', J1: 'PASS', S1: 'PASS', T1: 'PASS' };

test('a healthy seat passes every check, each with its control', () => {
  assert.equal(judged(factsWith()), ALL_PASS);
  for (const result of judgeSeats(planWith(), factsWith())) {
    assert.is(result.seat, 'lead');
    assert.ok(Object.values(result.control ?? {}).some(Boolean), result.check);
  }
});

type Edit = NonNullable<Parameters<typeof factsWith>[0]>;
const OTHER = `sha256:${'0'.repeat(64)}`;
const OWNER = { apiVersion: 'v1', kind: 'Thing', name: 'x', uid: 'u' };

/** Somebody else made the pod, and the manager only became its owner. */
function adopt(pod: V1Pod, manager: string): void {
  const [maker] = pod.metadata!.managedFields!;
  const fields = maker!.fieldsV1 as { 'f:metadata': Record<string, unknown> };
  const { 'f:ownerReferences': owners, ...rest } = fields['f:metadata'];
  maker!.fieldsV1 = { ...fields, 'f:metadata': rest };
  maker!.manager = 'kubectl-create';
  pod.metadata!.managedFields!.push({ manager, fieldsV1: { 'f:metadata': { 'f:ownerReferences': owners } } });
}

/** Only these checks are another than PASS. */
const CASES: readonly [what: string, edit: Edit, expected: Partial<Record<CheckID, string>>][] = [
  ['token mounted', ({ pod }) => (pod.spec!.automountServiceAccountToken = true), { A1: 'FAIL SpecDiffers' }],
  ['runtime class gone', ({ pod }) => delete pod.spec!.runtimeClassName, { A1: 'FAIL SpecDiffers' }],
  [
    'weaker StatefulSet, pod still as declared',
    ({ statefulSet }) => delete statefulSet.spec!.template.spec!.runtimeClassName,
    { A1: 'FAIL SpecDiffers' },
  ],
  ['pod of nobody', ({ pod }) => delete pod.metadata!.ownerReferences, { A1: 'FAIL ForeignPod' }],
  [
    'pod of an earlier StatefulSet',
    ({ pod }) => (pod.metadata!.ownerReferences![0]!.uid = 'x'),
    { A1: 'FAIL ForeignPod' },
  ],
  ['adopted pod', ({ pod }) => delete pod.metadata!.generateName, { A1: 'FAIL ForeignPod' }],
  [
    'adopted pod with a forged generateName',
    ({ pod }) => adopt(pod, 'kube-controller-manager'),
    { A1: 'FAIL ForeignPod' },
  ],
  ['maker not shown', ({ pod }) => delete pod.metadata!.managedFields, { A1: 'INCONCLUSIVE NotShown' }],
  [
    'other image in the spec and on the node',
    ({ pod }) => {
      pod.spec!.containers[0]!.image = 'x:1';
      pod.status!.containerStatuses![0]!.imageID = `x@${OTHER}`;
    },
    { A1: 'FAIL SpecDiffers', A2: 'FAIL WrongImage' },
  ],
  [
    'other image in the spec, an ID of the runtime on the node',
    ({ pod }) => {
      pod.spec!.containers[0]!.image = 'x:1';
      pod.status!.containerStatuses![0]!.imageID = OTHER;
    },
    { A1: 'FAIL SpecDiffers', A2: 'FAIL WrongImage' },
  ],
  [
    'a mirror that has another image',
    ({ pod }) => (pod.status!.containerStatuses![0]!.imageID = `mirror/agent@${OTHER}`),
    { A2: 'FAIL WrongImage' },
  ],
  [
    'an ID of the runtime for the declared image',
    ({ pod }) => (pod.status!.containerStatuses![0]!.imageID = OTHER),
    { A2: 'INCONCLUSIVE NotShown' },
  ],
  ['no image ID yet', ({ pod }) => (pod.status!.containerStatuses![0]!.imageID = ''), { A2: 'INCONCLUSIVE NotShown' }],
  ['no container status yet', ({ pod }) => delete pod.status!.containerStatuses, { A2: 'INCONCLUSIVE NotShown' }],
  [
    'old revision',
    ({ statefulSet }) => (statefulSet.status!.updateRevision = `${NAME}-new`),
    { A4: 'FAIL StaleRevision' },
  ],
  [
    'pod without a revision',
    ({ pod }) => delete pod.metadata!.labels!['controller-revision-hash'],
    { A4: 'FAIL StaleRevision' },
  ],
  [
    'template not yet seen by the controller',
    ({ statefulSet }) => (statefulSet.metadata!.generation = 2),
    { A4: 'FAIL StaleRevision' },
  ],
  ['node label lost', ({ node }) => delete node.metadata!.labels!['kubernetes.io/os'], { J1: 'FAIL WrongNode' }],
  ['claim with an owner', ({ claim }) => (claim.metadata!.ownerReferences = [OWNER]), { S1: 'FAIL ClaimOwned' }],
  [
    'claim of another seat',
    ({ claim }) => (claim.metadata!.annotations!['steadmesh.io/seat-id'] = 's-2'),
    { S1: 'FAIL ClaimOfOtherSeat' },
  ],
  [
    'claim of no seat',
    ({ claim }) => delete claim.metadata!.annotations!['steadmesh.io/seat-id'],
    { S1: 'FAIL ClaimOfOtherSeat' },
  ],
  [
    'claim that Flux would prune',
    ({ claim }) => delete claim.metadata!.annotations!['kustomize.toolkit.fluxcd.io/prune'],
    { S1: 'FAIL ClaimPrunable' },
  ],
  [
    'claim on its way out',
    ({ claim }) => (claim.metadata!.deletionTimestamp = new Date(AT)),
    { S1: 'FAIL ClaimPrunable' },
  ],
  [
    'StatefulSet that deletes claims',
    ({ statefulSet }) => (statefulSet.spec!.persistentVolumeClaimRetentionPolicy = { whenScaled: 'Delete' }),
    { S1: 'FAIL ClaimPrunable' },
  ],
  ['claim gone', ({ claim }) => (claim.metadata!.name = 'x'), { S1: 'INCONCLUSIVE NotFound' }],
  ['old session', ({ pod }) => (pod.status!.startTime = new Date(AT - 8 * 3_600_000)), { T1: 'FAIL SessionExpired' }],
  ['session in its last second', ({ pod }) => (pod.status!.startTime = new Date(AT - 8 * 3_600_000 + 1000)), {}],
  [
    'start not told',
    ({ pod }) => {
      delete pod.status!.startTime;
      delete pod.metadata!.creationTimestamp;
    },
    { T1: 'INCONCLUSIVE NotShown' },
  ],
  [
    'pod pending',
    ({ pod }) => (pod.status!.phase = 'Pending'),
    Object.fromEntries(['A1', 'A2', 'A4', 'J1', 'T1'].map((check) => [check, 'INCONCLUSIVE SeatNotRunning'])),
  ],
  [
    'pod on its way out',
    ({ pod }) => (pod.metadata!.deletionTimestamp = new Date(AT)),
    Object.fromEntries(['A1', 'A2', 'A4', 'J1', 'T1'].map((check) => [check, 'INCONCLUSIVE SeatNotRunning'])),
  ],
];
for (const [what, edit, expected] of CASES) {
  test(what, () => assert.equal(judged(factsWith(edit)), { ...ALL_PASS, ...expected }));
}

test('a waiting pod says why', () => {
  const facts = factsWith(({ pod }) => {
    pod.status = {
      phase: 'Pending',
      containerStatuses: [
        { ...pod.status!.containerStatuses![0]!, state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } },
      ],
    };
  });
  assert.is(resultOf('A1', facts).message, `pod ${NAME}-0 is Pending: ErrImagePull: not found`);
  const unscheduled = factsWith(({ pod }) => {
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/1 nodes' };
    pod.status = { phase: 'Pending', conditions: [condition] };
  });
  assert.is(resultOf('A1', unscheduled).message, `pod ${NAME}-0 is Pending: Unschedulable: 0/1 nodes`);
});

test('a difference names field and manager', () => {
  const { message, evidence } = resultOf(
    'A1',
    factsWith(({ pod }) => {
      const image = { 'f:spec': { 'f:containers': { 'k:{"name":"seat-runner"}': { 'f:image': {} } } } };
      pod.metadata!.managedFields!.push({ manager: 'kubectl-patch', fieldsV1: image });
      const [maker] = pod.metadata!.managedFields as [{ fieldsV1: never }];
      delete maker.fieldsV1['f:spec']['f:containers']['k:{"name":"seat-runner"}']['f:image'];
      pod.spec!.containers[0]!.image = 'x:1';
    }),
  );
  assert.is(
    message,
    `pod ${NAME}-0 is not as declared: containers[seat-runner].image changed (in a request of kubectl-patch)`,
  );
  assert.equal(evidence?.differences, [{ path: 'containers[seat-runner].image', kind: 'changed' }]);
});

test('at most five differences are named', () => {
  const { message } = resultOf(
    'A1',
    factsWith(({ pod }) =>
      Object.assign(pod.spec!.containers[0]!.securityContext!, {
        capabilities: undefined,
        runAsUser: 0,
        runAsGroup: 0,
        privileged: true,
        runAsNonRoot: false,
        readOnlyRootFilesystem: false,
        allowPrivilegeEscalation: true,
      }),
    ),
  );
  assert.match(message, / and 2 more$/);
});

test('nobody else passes for a seat', () => {
  const stranger = (edit: Edit): ClusterFacts => {
    const facts = factsWith(edit);
    const { pod } = recorded();
    return { ...facts, pods: { value: [pod, ...facts.pods.value!] } };
  };
  const table: readonly [Edit, string][] = [
    [({ pod }) => (pod.metadata!.name = 'x'), 'FAIL ForeignPod'],
    [({ pod }) => Object.assign(pod.metadata!, { name: 'x', labels: {} }), 'FAIL ForeignPod'],
    [
      ({ pod }) => Object.assign(pod.metadata!, { name: 'x', labels: { 'steadmesh.io/probe': 'netpol' } }),
      'FAIL ForeignPod',
    ],
    [
      ({ pod }) => {
        Object.assign(pod.metadata!, { name: 'x', labels: { 'steadmesh.io/probe': 'netpol' } });
        pod.spec!.containers[0]!.image = PROBE_IMAGE;
      },
      'PASS',
    ],
    [
      ({ pod }) => {
        pod.metadata!.name = 'x';
        pod.status!.phase = 'Succeeded';
      },
      'PASS',
    ],
  ];
  for (const [edit, expected] of table) assert.is(judged(stranger(edit)).A1, expected);
});

test('what cannot be looked up is not a PASS', () => {
  const obstacle = { reason: 'NotPermitted', message: 'forbidden' } as const;
  const open = 'INCONCLUSIVE NotPermitted';
  const table: readonly [Partial<ClusterFacts>, readonly CheckID[], string][] = [
    [{ pods: { obstacle } }, ['A1', 'A2', 'A4', 'J1', 'T1'], open],
    [{ statefulSets: { obstacle } }, ['A1', 'A4', 'S1'], open],
    [{ claims: { obstacle } }, ['S1'], open],
    [{ nodes: { 'node-1': { obstacle } } }, ['J1'], open],
    [{ nodes: {} }, ['J1'], 'INCONCLUSIVE NotShown'],
    [{ rights: { [NAME]: { obstacle } } }, ['I3'], open],
    [{ rights: {} }, ['I3'], 'INCONCLUSIVE NotShown'],
    [{ rights: { [NAME]: { value: ['get secrets'] } } }, ['I3'], 'FAIL AccountHasRights'],
    [{ runtimeClasses: { 'gvisor-plus': { obstacle } } }, ['A1'], open],
    [{ statefulSets: { value: [] } }, ['A1'], 'FAIL ForeignPod'],
  ];
  for (const [over, checks, expected] of table) {
    const found = judged(factsWith(undefined, over));
    for (const check of checks) assert.is(found[check], expected, `${Object.keys(over)} ${check}`);
  }
});

test('images have several digests, and the node knows them', () => {
  const index = `sha256:${'c'.repeat(64)}`;
  const facts = factsWith(({ pod, node }) => {
    const declared = recorded().declared.spec!.containers[0]!.image!;
    node.status!.images = [{ names: [declared, `registry.example/agent@${index}`], sizeBytes: 1 }];
    pod.status!.containerStatuses![0]!.imageID = `registry.example/agent@${index}`;
  });
  assert.is(judged(facts).A2, 'PASS');
  facts.nodes['node-1']!.value!.status!.images = [];
  assert.is(judged(facts).A2, 'FAIL WrongImage');
});

test('a tag is a gap, whatever runs', () => {
  const { declared } = recorded();
  declared.spec!.containers[0]!.image = 'registry.example/agent:1';
  const plan = planWith({ profiles: [profileWith({ template: declared })] });
  assert.is(judged(factsWith(), plan).A2, 'GAP ImageByTag');
});

test('what is not declared is skipped', () => {
  const { declared } = recorded();
  const profile = profileWith({ nodeLabels: [], sessionTTL: undefined, template: declared });
  const found = judged(factsWith(), planWith({ profiles: [profile] }));
  assert.equal([found.J1, found.T1], ['SKIP NotDeclared', 'SKIP NotDeclared']);
});

test('a session ends at the time that the seat names', () => {
  const plan = (at: number): Plan =>
    planWith({
      seats: [
        seatWith({
          template: [[['metadata', 'annotations', 'seatplan.dev/session-expires-at'], new Date(at).toISOString()]],
        }),
      ],
    });
  assert.is(judged(factsWith(), plan(AT)).T1, 'FAIL SessionExpired');
  assert.is(judged(factsWith(), plan(AT + 1000)).T1, 'PASS');
});

test('an adopted claim has marks of its own, but no owner', () => {
  const plan = planWith({ seats: [seatWith({ claim: { name: `ws-${NAME}`, adopted: true, retain: true } })] });
  const bare = ({ claim }: ReturnType<typeof recorded>) => (claim.metadata!.annotations = {});
  assert.is(judged(factsWith(bare), plan).S1, 'PASS');
  assert.is(
    judged(
      factsWith(({ claim }) => (claim.metadata!.ownerReferences = [OWNER])),
      plan,
    ).S1,
    'FAIL ClaimOwned',
  );
});

test('a claim that is not retained needs no marks but the seat', () => {
  const plan = planWith({ seats: [seatWith({ claim: { name: `ws-${NAME}`, adopted: false, retain: false } })] });
  const edit: Edit = ({ claim }) => (claim.metadata!.annotations = { 'steadmesh.io/seat-id': 's-1' });
  assert.is(judged(factsWith(edit), plan).S1, 'PASS');
});

test('the marks that keep a claim are those that are rendered', () => {
  const rendered = renderWorkspaceClaim(resolved())!.metadata!.annotations!;
  for (const [key, value] of Object.entries(KEEPS)) assert.is(rendered[key], value);
  const others = /^(?:steadmesh\.io|seatplan\.dev)\/|^kustomize\.toolkit\.fluxcd\.io\/substitute$/;
  assert.equal(
    Object.keys(rendered)
      .filter((key) => !others.test(key))
      .sort(),
    Object.keys(KEEPS).sort(),
  );
});

test('a volume that goes with its claim is told, and no more', () => {
  const { message, verdict } = resultOf('S1', factsWith());
  assert.is(verdict, 'PASS');
  assert.match(message, /volume team-a-pv is erased when the claim is deleted/);
});

const STOPPED = planWith({ seats: [seatWith({ running: false })] });
const withReplicas =
  (replicas: number): Edit =>
  ({ statefulSet }) =>
    (statefulSet.spec!.replicas = replicas);

test('a stopped seat has no pod, and none to come', () => {
  const skipped = Object.fromEntries(['A1', 'A2', 'J1', 'T1'].map((check) => [check, 'SKIP Stopped']));
  const rest = { ...skipped, S1: 'PASS', I3: 'PASS' };
  assert.equal(judged(factsWith(withReplicas(0), { pods: { value: [] } }), STOPPED), { ...rest, A4: 'PASS' });
  assert.is(
    judged(factsWith(withReplicas(0), { pods: { value: [] }, statefulSets: { value: [] } }), STOPPED).A4,
    'PASS',
  );
  const table: readonly [ClusterFacts, string][] = [
    [factsWith(withReplicas(0)), 'FAIL StillRunning'],
    [factsWith(withReplicas(1), { pods: { value: [] } }), 'FAIL StillRunning'],
    [factsWith(({ pod }) => (pod.metadata!.name = 'x')), 'FAIL StillRunning'],
    [factsWith(({ pod }) => (pod.metadata!.labels = {})), 'FAIL StillRunning'],
    [factsWith(({ pod }) => (pod.metadata!.deletionTimestamp = new Date(AT))), 'INCONCLUSIVE Timeout'],
    [
      factsWith(undefined, { pods: { obstacle: { reason: 'ApiUnavailable', message: 'x' } } }),
      'INCONCLUSIVE ApiUnavailable',
    ],
  ];
  for (const [facts, expected] of table) assert.is(judged(facts, STOPPED).A4, expected);
  assert.is(judged(factsWith(undefined, { rights: {} }), STOPPED).I3, 'SKIP Stopped');
});

// The same seat as a Sandbox: its controller names the pod after it, and says its owner as it makes the pod.
const BOX = `${NAME}-tier-0`;
const SANDBOXED = planWith({ seats: [seatWith({ workload: { kind: 'Sandbox', name: BOX } })] });
const sandboxed = (edit: (pod: V1Pod, sandbox: LiveSandbox) => unknown = () => undefined): ClusterFacts => {
  const { pod, declared } = recorded();
  const sandbox: LiveSandbox = {
    metadata: { name: BOX, uid: 'box-1' },
    spec: { operatingMode: 'Running', podTemplate: declared },
  };
  const { generateName: _, ...metadata } = pod.metadata!;
  const text = JSON.stringify({ ...pod, metadata })
    .replaceAll(pod.metadata!.ownerReferences![0]!.uid, 'box-1')
    .replaceAll(`"${NAME}-0"`, `"${BOX}"`)
    .replaceAll('kube-controller-manager', 'sandbox-controller');
  const live = JSON.parse(text) as V1Pod;
  edit(live, sandbox);
  return factsWith(undefined, {
    pods: { value: [live] },
    statefulSets: { value: [] },
    sandboxes: { value: [sandbox] },
  });
};
const REVISION = 'STEADMESH_CONFIG_REVISION';

test('a seat in a Sandbox passes every check, by its own controller', () => {
  assert.equal(judged(sandboxed(), SANDBOXED), ALL_PASS);
});
for (const [what, edit, expected] of [
  [
    'a template that is weaker',
    (_, box) => delete box.spec!.podTemplate!.spec!.runtimeClassName,
    { A1: 'FAIL SpecDiffers' },
  ],
  ['another owner', (pod) => (pod.metadata!.ownerReferences![0]!.uid = 'x'), { A1: 'FAIL ForeignPod' }],
  ['a pod that it adopted', (pod) => adopt(pod, 'sandbox-controller'), { A1: 'FAIL ForeignPod' }],
  [
    'a pod of an old configuration, whatever its annotation says',
    (pod) => (pod.spec!.containers[0]!.env!.find(({ name }) => name === REVISION)!.value = OTHER),
    { A1: 'FAIL SpecDiffers', A4: 'FAIL StaleRevision' },
  ],
  ['a pod by another name', (pod) => (pod.metadata!.name = `${NAME}-0`), { A1: 'FAIL ForeignPod' }],
] as readonly [string, Parameters<typeof sandboxed>[0], Partial<Record<CheckID, string>>][]) {
  test(`a Sandbox with ${what}`, () => {
    const found = judged(sandboxed(edit), SANDBOXED);
    for (const [check, word] of Object.entries(expected)) assert.is(found[check], word, check);
  });
}
test('a Sandbox that is gone, or cannot be listed', () => {
  assert.is(judged({ ...sandboxed(), sandboxes: { value: [] } }, SANDBOXED).A1, 'FAIL ForeignPod');
  const obstacle = { reason: 'NotFound', message: 'no' } as const;
  assert.is(judged({ ...sandboxed(), sandboxes: { obstacle } }, SANDBOXED).A4, 'INCONCLUSIVE NotFound');
});
test('a stopped Sandbox is suspended, and has no pod', () => {
  const stopped = planWith({ seats: SANDBOXED.seats.map((seat) => ({ ...seat, running: false })) });
  const mode = (operatingMode: string): ClusterFacts => ({
    ...sandboxed((_, box) => Object.assign(box.spec!, { operatingMode })),
    pods: { value: [] },
  });
  assert.is(judged(mode('Suspended'), stopped).A4, 'PASS');
  assert.is(judged(mode('Running'), stopped).A4, 'FAIL StillRunning');
  assert.is(judged(sandboxed(), stopped).A4, 'FAIL StillRunning');
});

test.run();
