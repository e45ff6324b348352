// A1, A2, I3, T1 and U1 of task workers. Their results are the seat's: what its workers may do is done in its name.
import type { V1Pod } from '@kubernetes/client-node';
import { meets } from '../../kubernetes/label-selector';
import type {
  CheckID,
  CheckResult,
  ClusterFacts,
  Evidence,
  Looked,
  Plan,
  PlannedTask,
  PlannedTasks,
} from '../../model';
import { workerOf, workerPolicyOf } from '../tasks';
import { podNameOf } from '../workload';
import { judgeContainer } from './image';
import { hasEnded, identityOf } from './live-seat';
import { judgeOwn, type LivePolicy, readPolicies } from './own-policy';
import { podDifferences } from './pod-diff';

interface Worker {
  readonly plan: Plan;
  readonly tasks: PlannedTasks;
  readonly run: PlannedTask;
  readonly facts: ClusterFacts;
  /** undefined: there is none, and so nothing that could do more than it may. */
  readonly pod: V1Pod | undefined;
}

const MOST_NAMED = 5;
/** Beyond its time until the kubelet has ended it: the worker's grace, and a slow node. */
const SLACK_MS = 90_000;

/** Nothing for a plan without task runs. A worker that ended is still held against what was declared. */
export function judgeTasks(plan: Plan, facts: ClusterFacts): CheckResult[] {
  const { tasks } = plan;
  if (!tasks) return [];
  const pods = new Map(facts.pods.value?.map((pod) => [pod.metadata?.name, pod]));
  const policies = readPolicies(facts.policies.value ?? [], plan.namespace);
  return tasks.runs.flatMap((run) => {
    const worker = { plan, tasks, run, facts, pod: pods.get(run.name) };
    const say = of(run);
    if (facts.pods.obstacle) return (['A1', 'U1'] as const).map((check) => say(check, open(facts.pods)));
    return [judgeWorker(worker), judgePolicy(worker, policies), ...ofLive(worker)];
  });
}

/** About one run; the message begins with it. */
type Told<Result> = Result extends unknown ? Omit<Result, 'check' | 'seat' | 'target'> : never;
const of =
  ({ seat, task }: PlannedTask) =>
  (check: CheckID, result: Told<CheckResult>): CheckResult =>
    ({
      ...result,
      check,
      seat,
      target: `task run ${task}`,
      message: `task run ${task}: ${result.message}`,
    }) as CheckResult;

const open = ({ obstacle }: Looked<unknown>): Told<CheckResult> => ({
  verdict: 'INCONCLUSIVE',
  reason: obstacle?.reason ?? 'NotShown',
  message: obstacle?.message ?? '',
});
const fail = (reason: (CheckResult & { verdict: 'FAIL' })['reason'], message: string, evidence: Evidence) =>
  ({ verdict: 'FAIL', reason, message, evidence }) as const;

/** Nobody else's pod has its labels or its account, and its own is the declared one, which no controller made. */
function judgeWorker({ plan, tasks, run, facts, pod }: Worker): CheckResult {
  const say = of(run);
  const selector = Object.entries(workerPolicyOf(tasks, run).podSelector?.matchLabels ?? {});
  const strangers = (facts.pods.value ?? []).filter(
    (one) =>
      one.metadata?.name !== run.name &&
      !hasEnded(one) &&
      (one.spec?.serviceAccountName === run.name ||
        selector.every(([key, value]) => one.metadata?.labels?.[key] === value)),
  );
  if (strangers.length > 0) {
    const names = strangers.map(({ metadata }) => metadata?.name ?? '').sort();
    const message = `${names.slice(0, MOST_NAMED).join(', ')}: not its worker, but with its labels or its ServiceAccount`;
    return say('A1', fail('ForeignPod', message, { pods: names }));
  }
  if (!pod) return say('A1', { verdict: 'SKIP', reason: 'NothingThere', message: 'it has no worker' });
  const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller);
  const evidence = { pod: identityOf(pod) };
  if (owner) return say('A1', fail('ForeignPod', `${owner.kind} ${owner.name} controls pod ${run.name}`, evidence));
  const declared = workerOf(tasks, run);
  const { runtimeClassName, serviceAccountName } = declared.spec ?? {};
  const runtimeClass = runtimeClassName === undefined ? undefined : facts.runtimeClasses[runtimeClassName]?.value;
  const differences = podDifferences(declared, pod, { pod: run.name, serviceAccountName, runtimeClass });
  if (differences.length === 0)
    return say('A1', { verdict: 'PASS', message: 'the worker is the declared one', control: evidence });
  const told = differences.slice(0, MOST_NAMED).map(({ path, kind }) => `${path} ${kind}`);
  const message = `pod ${run.name} of ${plan.namespace} is not as declared: ${told.join(', ')}`;
  return say('A1', fail('SpecDiffers', message, { ...evidence, differences: differences.map(({ path }) => path) }));
}

/** Its own policy as a seat's, and no seat's selects it, nor its own a seat: then the one would have the other's access. */
function judgePolicy({ plan, tasks, run, facts, pod }: Worker, all: readonly LivePolicy[]): CheckResult {
  const say = of(run);
  if (facts.policies.obstacle) return say('U1', open(facts.policies));
  const labels = pod ? (pod.metadata?.labels ?? {}) : (workerOf(tasks, run).metadata?.labels ?? {});
  const seats = new Set(plan.seats.map(({ name }) => name));
  const seatsOwn = all.find(({ name, selector }) => seats.has(name) && meets(labels, selector));
  if (seatsOwn) {
    const message = `NetworkPolicy ${seatsOwn.name} of a seat selects its worker`;
    return say('U1', fail('PolicyWidens', message, { policy: seatsOwn.name }));
  }
  const own = all.find(({ name }) => name === run.name);
  const live = new Set(plan.seats.map(podNameOf));
  const opened = facts.pods.value?.find(
    ({ metadata }) => own && live.has(metadata?.name ?? '') && meets(metadata?.labels ?? {}, own.selector),
  );
  if (opened) {
    const message = `NetworkPolicy ${run.name} of its worker selects the seat's pod ${opened.metadata?.name}`;
    return say('U1', fail('PolicyWidens', message, { policy: run.name, pod: opened.metadata?.name }));
  }
  const declared = workerPolicyOf(tasks, run);
  const about = {
    name: run.name,
    declared,
    labels,
    isLive: pod !== undefined,
    uncertain: new Set<string>(),
    whose: 'the worker',
  };
  return say('U1', judgeOwn(about, all) as Told<CheckResult>);
}

/** What there is to say of a worker that runs, or of its account. */
function ofLive(worker: Worker): CheckResult[] {
  const { run, facts, pod, tasks } = worker;
  const say = of(run);
  const rights = Object.hasOwn(facts.rights, run.name) ? facts.rights[run.name] : undefined;
  const held = rights?.value ?? [];
  const account: Told<CheckResult> = !rights?.value
    ? open(
        rights ?? {
          obstacle: { reason: 'NotShown', message: `nobody asked what the ServiceAccount ${run.name} may do` },
        },
      )
    : held.length > 0
      ? fail('AccountHasRights', `the ServiceAccount ${run.name} may ${held.slice(0, MOST_NAMED).join(', ')}`, {
          rights: held,
        })
      : {
          verdict: 'PASS',
          message: 'the ServiceAccount may do nothing',
          control: { serviceAccount: run.name, answered: true },
        };
  const [container] = workerOf(tasks, run).spec?.containers ?? [];
  const image =
    pod && container && pod.status?.phase === 'Running'
      ? [say('A2', judgeContainer({ seat: run, facts, pod: { value: pod } }, container))]
      : [];
  return [say('I3', account), ...image, ...sessionOf(worker)];
}

/** The kubelet ends it at its deadline. */
function sessionOf({ run, facts, pod, tasks }: Worker): CheckResult[] {
  const seconds = workerOf(tasks, run).spec?.activeDeadlineSeconds;
  const startedAt = new Date(pod?.status?.startTime ?? Number.NaN).getTime();
  if (!pod || hasEnded(pod) || seconds === undefined || Number.isNaN(startedAt)) return [];
  const endsAt = startedAt + seconds * 1000;
  const evidence = { pod: identityOf(pod), endsAt: new Date(endsAt).toISOString() };
  const isOver = facts.at > endsAt + SLACK_MS;
  const result: Told<CheckResult> = isOver
    ? fail('SessionExpired', `its time ended at ${evidence.endsAt}, and its worker still runs`, evidence)
    : { verdict: 'PASS', message: `its worker ends at ${evidence.endsAt}`, control: evidence };
  return [of(run)('T1', result)];
}
