// Seats that claim a sandbox: their pod is a template's, their policies are others', and the claim says which Sandbox they hold.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1NetworkPolicy, V1Pod } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { fnv1a } from '../functions/kubernetes/fnv1a';
import type { CheckResult, ClusterFacts, LiveSandbox, LiveSandboxClaim, Plan } from '../functions/model';
import { judgePolicies } from '../functions/probe/judge/policies';
import { judgeSeats } from '../functions/probe/judge/seats';
import { profileOf } from '../functions/probe/plan';
import { probePod } from '../functions/probe/pods';
import { groupsOf } from '../functions/probe/prober/groups';
import { missing, placed } from '../functions/probe/seat-report';
import { bound } from '../functions/probe/workload';
import { expandAll, objectsOf } from './expanded';
import { fixtures } from './fixtures';

const test = suite('claimed sandboxes');
const { folder } = fixtures().find(({ name }) => name === 'a-template-that-keeps-to-its-tier')!;
const read = (name: string) => parse(readFileSync(join(folder, name), 'utf8').split('\n---\n').pop()!);

interface Data {
  readonly data?: Readonly<Record<string, string>>;
}
/** The plan of the fixture; `without` its template nothing is known of the pod. */
function planOf(without?: 'template.yaml'): Plan {
  const files = ['tier.yaml', 'seat.yaml', 'template.yaml'].filter((name) => name !== without);
  const objects = objectsOf(expandAll(files.map(read)));
  const { data } = objects.find(({ metadata }) => metadata.name === 'probe-team-a-plan') as unknown as Data;
  return JSON.parse(data!['plan.json']!) as Plan;
}
const KNOWN = planOf();
const UNKNOWN = planOf('template.yaml');

const CLAIM = 'seat-engineer-4cc65c59-pooled';
const BOX = 'maqpna-pooled-x7k2p';
const HASH = fnv1a('coder');
const AT = Date.parse('2026-12-01T12:00:00Z');
const MANAGER = 'agent-sandbox-controller';
const IMAGE = 'ghcr.io/acme/agent@sha256:d4f0bc5a29de06b510f9aa428f1eedba926012b591fef7a518e776a7c9bd1824';
const policyOf = (name: string, spec: object): V1NetworkPolicy => ({ metadata: { name }, spec }) as V1NetworkPolicy;
const SELECTOR = { matchLabels: { 'agents.x-k8s.io/sandbox-template-ref-hash': HASH } };
const BOTH = { podSelector: SELECTOR, policyTypes: ['Ingress', 'Egress'] };
const { networkPolicy } = read('template.yaml').spec;
const MANAGED = policyOf('coder-network-policy', { ...BOTH, ...networkPolicy });
/** What the controller makes of a template without `networkPolicy` (extensions/controllers/sandboxtemplate_controller.go). */
const OPEN = policyOf('coder-network-policy', {
  ...BOTH,
  ingress: networkPolicy.ingress,
  egress: [{ to: [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8'] } }] }],
});

interface Live {
  readonly pod: V1Pod;
  readonly sandbox: LiveSandbox;
  readonly claim: LiveSandboxClaim;
}
/** As controller and API server make it of the template: owner and marks of the one, defaults of the other. */
function live(): Live {
  const template = structuredClone(KNOWN.profiles[0]!.template);
  const { metadata, spec } = structuredClone(template);
  const [container] = spec!.containers;
  const limits = container!.resources!.limits;
  const owners = (kind: string, name: string, uid: string) => [
    { apiVersion: 'v1', kind, name, uid, controller: true, blockOwnerDeletion: true },
  ];
  const pod = {
    metadata: {
      name: BOX,
      uid: 'pod-1',
      labels: { ...metadata!.labels, 'agents.x-k8s.io/sandbox-name-hash': fnv1a(BOX) },
      annotations: { ...metadata!.annotations, 'agents.x-k8s.io/propagated-labels': 'x' },
      creationTimestamp: '2026-12-01T00:00:00Z',
      ownerReferences: owners('Sandbox', BOX, 'box-1'),
      managedFields: [
        {
          manager: MANAGER,
          fieldsV1: {
            'f:metadata': { 'f:ownerReferences': { '.': {}, 'k:{"uid":"box-1"}': {} } },
            'f:spec': { 'f:containers': { 'k:{"name":"agent"}': { '.': {}, 'f:name': {} } } },
          },
        },
      ],
    },
    spec: {
      ...spec!,
      nodeName: 'node-1',
      serviceAccountName: 'default',
      serviceAccount: 'default',
      enableServiceLinks: true,
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      schedulerName: 'default-scheduler',
      terminationGracePeriodSeconds: 30,
      containers: [
        {
          ...container!,
          imagePullPolicy: 'IfNotPresent',
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          resources: { limits, requests: limits },
        },
      ],
    },
    status: {
      phase: 'Running',
      startTime: '2026-12-01T00:00:05Z',
      containerStatuses: [{ name: 'agent', imageID: IMAGE }],
    },
  } as unknown as V1Pod;
  return {
    pod,
    sandbox: {
      metadata: { name: BOX, uid: 'box-1', ownerReferences: owners('SandboxClaim', CLAIM, 'claim-1') },
      spec: { operatingMode: 'Running', podTemplate: template },
    },
    claim: {
      metadata: { name: CLAIM, uid: 'claim-1', creationTimestamp: new Date('2026-12-01T11:00:00Z') },
      status: { sandbox: { name: BOX } },
    },
  };
}
const NODE = { metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/region': 'eu-central-1' } } };

function factsWith(edit: (one: Live) => unknown = () => undefined, over: Partial<ClusterFacts> = {}): ClusterFacts {
  const one = live();
  edit(one);
  return {
    at: AT,
    policies: { value: [MANAGED] },
    pods: { value: [one.pod] },
    statefulSets: { value: [] },
    sandboxes: { value: [one.sandbox] },
    sandboxClaims: { value: [one.claim] },
    claims: { value: [] },
    nodes: { 'node-1': { value: NODE } },
    volumes: {},
    runtimeClasses: { gvisor: { value: { handler: 'runsc' } } },
    rights: { default: { value: [] } },
    ...over,
  };
}
const wordOf = ({ verdict, reason }: CheckResult): string => (reason ? `${verdict} ${reason}` : verdict);
function judged(facts: ClusterFacts, plan: Plan = KNOWN): Record<string, string> {
  const now = bound(plan, facts.sandboxClaims.value ?? []);
  return Object.fromEntries(
    [...judgeSeats(now, facts), ...judgePolicies(now, facts)].map((result) => [result.check, wordOf(result)]),
  );
}

const HEALTHY = {
  ...{ A1: 'PASS', A2: 'PASS', A4: 'SKIP NotDeclared', I3: 'PASS', J1: 'PASS' },
  ...{ S1: 'SKIP NotDeclared', T1: 'SKIP NotDeclared', U1: 'PASS' },
};

test('a claimed pod is found through its claim, and held against the template', () => {
  assert.equal(judged(factsWith()), HEALTHY);
});

const CASES: readonly [what: string, edit: (one: Live) => unknown, expected: Record<string, string>][] = [
  ['a pod of another runtime', ({ pod }) => (pod.spec!.runtimeClassName = 'runc'), { A1: 'FAIL SpecDiffers' }],
  [
    'a Sandbox of an earlier template',
    ({ sandbox }) => delete sandbox.spec!.podTemplate!.spec!.runtimeClassName,
    { A1: 'FAIL SpecDiffers' },
  ],
  [
    'the marks of another seat',
    ({ pod }) => (pod.metadata!.annotations!['steadmesh.io/seat-id'] = 'x'),
    { A1: 'FAIL SpecDiffers' },
  ],
  ['an API token', ({ pod }) => (pod.spec!.automountServiceAccountToken = true), { A1: 'FAIL SpecDiffers' }],
  [
    'another account',
    ({ pod }) => Object.assign(pod.spec!, { serviceAccountName: 'admin', serviceAccount: 'admin' }),
    { A1: 'FAIL SpecDiffers' },
  ],
  [
    'a claim of its own, as the template asks',
    ({ pod }) => pod.spec!.volumes!.push({ name: 'work', persistentVolumeClaim: { claimName: `work-${BOX}` } }),
    {},
  ],
  [
    'a claim of somebody',
    ({ pod }) => pod.spec!.volumes!.push({ name: 'work', persistentVolumeClaim: { claimName: 'other' } }),
    { A1: 'FAIL SpecDiffers' },
  ],
  ['a pod of nobody', ({ pod }) => delete pod.metadata!.ownerReferences, { A1: 'FAIL ForeignPod' }],
  [
    'a Sandbox that another claim holds',
    ({ sandbox }) => (sandbox.metadata!.ownerReferences![0]!.uid = 'claim-2'),
    { A1: 'FAIL ForeignPod' },
  ],
  ['a Sandbox of the pool', ({ sandbox }) => delete sandbox.metadata!.ownerReferences, { A1: 'FAIL ForeignPod' }],
  [
    'another image',
    ({ pod }) => (pod.status!.containerStatuses![0]!.imageID = `x@sha256:${'0'.repeat(64)}`),
    { A2: 'FAIL WrongImage' },
  ],
  [
    'labels that the policy no longer selects',
    ({ pod }) => delete pod.metadata!.labels!['agents.x-k8s.io/sandbox-template-ref-hash'],
    { A1: 'FAIL SpecDiffers', U1: 'FAIL PolicyMissing' },
  ],
];
for (const [what, edit, expected] of CASES)
  test(`live: ${what}`, () => assert.equal(judged(factsWith(edit)), { ...HEALTHY, ...expected }));

const open = 'INCONCLUSIVE SeatNotRunning';
test('a claim that waits, and one that is not there', () => {
  const waiting = judged(factsWith(({ claim }) => delete (claim as { status?: unknown }).status));
  assert.equal([waiting.A1, waiting.A2, waiting.J1, waiting.U1], [open, open, open, open]);
  const gone = judged(factsWith(undefined, { sandboxClaims: { value: [] } }));
  assert.equal([gone.A1, gone.A2, gone.J1, gone.U1], [open, open, open, open]);
});
test('claims that cannot be listed', () => {
  const obstacle = { reason: 'NotPermitted', message: 'no' } as const;
  assert.is(judged(factsWith(undefined, { sandboxClaims: { obstacle } })).A1, 'INCONCLUSIVE NotPermitted');
});

const POLICIES: readonly [what: string, policies: readonly V1NetworkPolicy[], expected: string][] = [
  ['none', [], 'FAIL PolicyMissing'],
  [
    'one that closes egress alone',
    [policyOf('x', { podSelector: SELECTOR, policyTypes: ['Egress'] })],
    'FAIL PolicyMissing',
  ],
  ['the open default of a template', [OPEN], 'FAIL PolicyWidens'],
  ['a tighter one', [policyOf('coder-network-policy', BOTH)], 'PASS'],
  [
    'one of the package, for an unmanaged template',
    [policyOf('pods-of-coder', { ...BOTH, egress: networkPolicy.egress })],
    'PASS',
  ],
  ['one that opens more beside it', [MANAGED, policyOf('x', { podSelector: {}, egress: [{}] })], 'FAIL PolicyWidens'],
  ['one that lets everybody in', [MANAGED, policyOf('x', { podSelector: {}, ingress: [{}] })], 'FAIL PolicyWidens'],
  [
    'one that is about other pods',
    [MANAGED, policyOf('x', { podSelector: { matchLabels: { a: 'b' } }, egress: [{}] })],
    'PASS',
  ],
];
for (const [what, policies, expected] of POLICIES)
  test(`policies: ${what}`, () => {
    for (const plan of [KNOWN, UNKNOWN])
      assert.is(judged(factsWith(undefined, { policies: { value: policies } }), plan).U1, expected);
  });

test('without the template nothing of the pod is a PASS, and no probe pod is made', () => {
  const facts = factsWith();
  const found = judged(facts, UNKNOWN);
  assert.equal([found.A1, found.A2, found.I3], Array(3).fill('INCONCLUSIVE TemplateUnknown'));
  const plan = bound(UNKNOWN, facts.sandboxClaims.value!);
  assert.equal(groupsOf(plan, facts.pods), []);
  const reasons = new Set(missing(placed(plan, [], facts), [], undefined).map(({ reason }) => reason));
  assert.equal([...reasons], ['TemplateUnknown']);
  assert.is(
    judged(
      factsWith(({ sandbox }) => delete sandbox.metadata!.ownerReferences),
      UNKNOWN,
    ).A1,
    'FAIL ForeignPod',
  );
});

test('a session begins when its sandbox is claimed, not when that was warmed', () => {
  const within = (sessionTTL: string): Plan => ({
    ...KNOWN,
    profiles: KNOWN.profiles.map((one) => ({ ...one, sessionTTL })),
  });
  assert.is(judged(factsWith(), within('2h')).T1, 'PASS');
  assert.is(judged(factsWith(), within('30m')).T1, 'FAIL SessionExpired');
});

test('a stopped seat has no claim', () => {
  const stopped = { ...KNOWN, seats: KNOWN.seats.map((seat) => ({ ...seat, running: false })) };
  const none = { pods: { value: [] }, sandboxes: { value: [] }, sandboxClaims: { value: [] } };
  assert.is(judged(factsWith(undefined, none), stopped).A4, 'PASS');
  assert.is(judged(factsWith(undefined, { pods: { value: [] } }), stopped).A4, 'FAIL StillRunning');
});

test('its probe pod is under the template’s policy, and nothing adopts it', () => {
  const plan = bound(KNOWN, [live().claim]);
  const [seat] = plan.seats;
  const profile = profileOf(plan, seat!);
  const task = { listen: { tcp: [8081], udp: [] }, seconds: 1 } as never;
  const labelsOf = (role: 'seat' | 'control') =>
    probePod(role, { plan, profile, seat: seat!, node: 'node-1', nonce: '0123456789', task }).metadata!.labels!;
  assert.is(labelsOf('seat')['agents.x-k8s.io/sandbox-template-ref-hash'], HASH);
  assert.is(labelsOf('seat')['agents.x-k8s.io/sandbox-name-hash'], undefined);
  assert.equal(Object.keys(labelsOf('control')), ['steadmesh.io/probe']);
  const { spec } = probePod('seat', { plan, profile, seat: seat!, node: 'node-1', nonce: '0123456789', task });
  assert.equal(
    spec!.volumes!.map(({ name, emptyDir, projected }) => [name, emptyDir ? 'empty' : projected ? 'token' : 'other']),
    [
      ['seat', 'empty'],
      ['token', 'token'],
    ],
  );
  assert.is(spec!.containers[0]!.securityContext!.runAsNonRoot, true);
});

test('names are hashed as agent-sandbox does', () => {
  assert.is(fnv1a('sandbox'), 'da1fd924');
  assert.is(fnv1a(''), '811c9dc5');
});

test.run();
