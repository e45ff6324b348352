// Task workers as the API server shows them: held against what was rendered, in the name of their seat, and recorded.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { V1NetworkPolicy, V1Pod, V1Role } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import type { CheckResult, ClusterFacts, Plan } from '../functions/model';
import { judgePolicies } from '../functions/probe/judge/policies';
import { judgeTasks } from '../functions/probe/judge/tasks';
import { runStatusOf } from '../functions/probe/prober/task-status';
import { workerOf, workerPolicyOf } from '../functions/probe/tasks';
import { expandAll, objectsOf } from './expanded';
import { fixtures } from './fixtures';

const test = suite('task workers');
const { folder } = fixtures().find(({ name }) => name === 'a-seat-has-task-runs')!;
const PACKAGE = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) => parseAllDocuments(readFileSync(join(folder, name), 'utf8')).map((one) => one.toJS() as object))
  .filter(Boolean);
const OBJECTS: readonly unknown[] = JSON.parse(JSON.stringify(objectsOf(expandAll(PACKAGE))));
const ofKind = <T>(kind: string): T[] => OBJECTS.filter((one) => (one as { kind: string }).kind === kind) as T[];

const planText = ofKind<{ data?: Record<string, string> }>('ConfigMap').flatMap(
  ({ data }) => data?.['plan.json'] ?? [],
)[0]!;
const PLAN = JSON.parse(planText) as Plan;
const TASKS = PLAN.tasks!;
const [RUN] = TASKS.runs;
const AT = Date.parse('2026-12-01T12:00:00Z');

/** As the API server has them: a request that is not made is the limit. */
const pods = (): V1Pod[] =>
  structuredClone(ofKind<V1Pod>('Pod')).map((pod) => ({
    ...pod,
    spec: {
      ...pod.spec!,
      nodeName: 'node-1',
      schedulerName: 'default-scheduler',
      containers: pod.spec!.containers.map((one) => {
        const { limits, requests } = one.resources!;
        return { ...one, resources: { ...one.resources, requests: { ...limits, ...requests } } };
      }),
    },
    status: {
      phase: 'Running',
      startTime: '2026-12-01T11:59:00Z' as unknown as Date,
      containerStatuses: pod.spec!.containers.map(({ name, image }) => ({ name, imageID: image })) as never,
    },
  }));
const seatPods = (): V1Pod[] =>
  PLAN.seats.map((seat) => ({
    metadata: {
      name: `${seat.name}-0`,
      labels: { 'steadmesh.io/organization': seat.organization, 'steadmesh.io/seat': seat.key },
    },
  }));

interface Live {
  readonly worker: V1Pod;
  readonly policy: V1NetworkPolicy;
  readonly pods: V1Pod[];
  readonly policies: V1NetworkPolicy[];
}
function factsWith(edit: (live: Live) => unknown = () => undefined, over: Partial<ClusterFacts> = {}): ClusterFacts {
  const live = {
    pods: [...pods(), ...seatPods()],
    policies: structuredClone(ofKind<V1NetworkPolicy>('NetworkPolicy')),
  };
  const named = <T extends V1Pod | V1NetworkPolicy>(all: readonly T[]): T =>
    all.find(({ metadata }) => metadata?.name === RUN!.name)!;
  edit({ ...live, worker: named(live.pods), policy: named(live.policies) });
  return {
    at: AT,
    policies: { value: live.policies },
    pods: { value: live.pods },
    rights: Object.fromEntries(TASKS.runs.map(({ name }) => [name, { value: [] }])),
    runtimeClasses: {},
    nodes: {},
    ...over,
  } as unknown as ClusterFacts;
}
const wordOf = ({ verdict, reason }: CheckResult): string => (reason ? `${verdict} ${reason}` : verdict);
const judged = (facts: ClusterFacts): Record<string, string> =>
  Object.fromEntries(
    judgeTasks(PLAN, facts)
      .filter(({ target }) => target === `task run ${RUN!.task}`)
      .map((result) => [result.check, wordOf(result)]),
  );
const HEALTHY = { A1: 'PASS', A2: 'PASS', I3: 'PASS', T1: 'PASS', U1: 'PASS' };

test('a plan keeps each worker as rendered', () => {
  assert.ok(TASKS.runs.length > 1, 'several runs');
  for (const run of TASKS.runs) {
    const pod = ofKind<V1Pod>('Pod').find(({ metadata }) => metadata?.name === run.name)!;
    assert.equal(workerOf(TASKS, run).spec, pod.spec);
    assert.equal(workerOf(TASKS, run).metadata?.labels, pod.metadata?.labels);
    const policy = ofKind<V1NetworkPolicy>('NetworkPolicy').find(({ metadata }) => metadata?.name === run.name)!;
    assert.equal(workerPolicyOf(TASKS, run), policy.spec);
  }
});

test('every worker of the package passes, in the name of its seat', () => {
  const results = judgeTasks(PLAN, factsWith());
  assert.equal(
    results
      .filter(({ verdict }) => verdict !== 'PASS' && verdict !== 'GAP')
      .map(({ check, message }) => [check, message]),
    [],
  );
  assert.equal([...new Set(results.map(({ seat }) => seat))], [...new Set(TASKS.runs.map(({ seat }) => seat))]);
  assert.equal(judged(factsWith()), HEALTHY);
});

const SEAT = PLAN.seats.find(({ seat }) => seat === RUN!.seat)!;
const CASES: readonly [what: string, edit: (live: Live) => unknown, expected: Record<string, string>][] = [
  ['another runtime', ({ worker }) => (worker.spec!.runtimeClassName = 'runc'), { A1: 'FAIL SpecDiffers' }],
  ['no deadline', ({ worker }) => delete worker.spec!.activeDeadlineSeconds, { A1: 'FAIL SpecDiffers' }],
  [
    'a pod that a controller has',
    ({ worker }) =>
      (worker.metadata!.ownerReferences = [{ apiVersion: 'v1', kind: 'Job', name: 'x', uid: 'u', controller: true }]),
    { A1: 'FAIL ForeignPod' },
  ],
  [
    'another pod with its account',
    ({ pods: all }) => all.push({ metadata: { name: 'x' }, spec: { serviceAccountName: RUN!.name, containers: [] } }),
    { A1: 'FAIL ForeignPod' },
  ],
  [
    'the label of its seat',
    ({ worker }) => Object.assign(worker.metadata!.labels!, { 'steadmesh.io/seat': SEAT.key }),
    { U1: 'FAIL PolicyWidens' },
  ],
  ['a policy that selects the seat too', ({ policy }) => (policy.spec!.podSelector = {}), { U1: 'FAIL PolicyWidens' }],
  ['a policy that opens more', ({ policy }) => policy.spec!.egress!.push({}), { U1: 'FAIL PolicyDiffers' }],
  ['no policy', ({ policies, policy }) => policies.splice(policies.indexOf(policy), 1), { U1: 'FAIL PolicyMissing' }],
  [
    'one of somebody that opens more',
    ({ policies }) => policies.push({ metadata: { name: 'x' }, spec: { podSelector: {}, egress: [{}] } }),
    { U1: 'FAIL PolicyWidens' },
  ],
  [
    'a worker that outlived its time',
    ({ worker }) => (worker.status!.startTime = '2026-11-01T00:00:00Z' as unknown as Date),
    { T1: 'FAIL SessionExpired' },
  ],
  [
    'another image on the node',
    ({ worker }) => (worker.status!.containerStatuses![0]!.imageID = `x@sha256:${'0'.repeat(64)}`),
    { A2: 'FAIL WrongImage' },
  ],
];
for (const [what, edit, expected] of CASES)
  test(`live: ${what}`, () => {
    const found = judged(factsWith(edit));
    for (const [check, word] of Object.entries(expected)) assert.is(found[check], word, check);
  });

test('an account with rights, and one that nobody could ask about', () => {
  assert.is(
    judged(factsWith(undefined, { rights: { [RUN!.name]: { value: ['get secrets'] } } })).I3,
    'FAIL AccountHasRights',
  );
  assert.is(judged(factsWith(undefined, { rights: {} })).I3, 'INCONCLUSIVE NotShown');
});

test('a worker that ended is still the declared one, and one that is gone reaches nothing', () => {
  const ended = judged(factsWith(({ worker }) => Object.assign(worker.status!, { phase: 'Succeeded' })));
  assert.equal([ended.A1, ended.U1, ended.T1], ['PASS', 'PASS', undefined]);
  const gone = judged(factsWith(({ pods: all, worker }) => all.splice(all.indexOf(worker), 1)));
  assert.equal([gone.A1, gone.U1], ['SKIP NothingThere', 'PASS']);
});

test('pods and policies that cannot be listed', () => {
  const obstacle = { reason: 'ApiUnavailable', message: 'x' } as const;
  assert.equal(judged(factsWith(undefined, { pods: { obstacle } })), {
    A1: 'INCONCLUSIVE ApiUnavailable',
    U1: 'INCONCLUSIVE ApiUnavailable',
  });
  assert.is(judged(factsWith(undefined, { policies: { obstacle } })).U1, 'INCONCLUSIVE ApiUnavailable');
});

test('no policy of a worker widens its seat', () => {
  const facts = factsWith();
  const results = judgePolicies(PLAN, facts);
  assert.equal([...new Set(results.map(wordOf))], ['PASS']);
});

test('how a worker ended is what is recorded of it', () => {
  const [pod] = pods();
  const done = {
    ...pod!,
    metadata: { ...pod!.metadata, uid: 'u-1' },
    status: {
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      startTime: '2026-12-01T11:00:00Z',
      containerStatuses: [
        { state: { terminated: { exitCode: 137, reason: 'Error', finishedAt: '2026-12-01T11:30:00Z' } } },
      ],
    },
  } as unknown as V1Pod;
  assert.equal(runStatusOf(RUN!, done), {
    worker: RUN!.name,
    uid: 'u-1',
    phase: 'Failed',
    startTime: '2026-12-01T11:00:00Z',
    completionTime: '2026-12-01T11:30:00Z',
    exitCode: 137,
    reason: 'DeadlineExceeded',
  });
  assert.equal(runStatusOf(RUN!, { status: { phase: 'Pending' } }), { worker: RUN!.name, phase: 'Pending' });
});

test('the prober may tell these runs, and no others', () => {
  const rules = ofKind<V1Role>('Role').flatMap(({ rules: all = [] }) => all);
  const [rule] = rules.filter(({ resources }) => resources?.includes('taskruns/status'));
  assert.equal(rule?.verbs, ['patch']);
  assert.equal([...rule!.resourceNames!].sort(), TASKS.runs.map(({ task }) => task).sort());
});

test.run();
