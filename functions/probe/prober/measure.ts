// Measures the groups of a run with probe pods: one witness for all, and a pair of seat and control pod for each group.
import { randomBytes } from 'node:crypto';
import type { V1Pod } from '@kubernetes/client-node';
import type { AgentTask, CheckResult, ClusterFacts, GroupFacts, Looked, Obstacle, Plan } from '../../model';
import { IMAGE_FOLDER } from '../identity';
import { judgeNetwork } from '../judge/network';
import { GROUPS_AT_ONCE, listenerPort, MOST_SECONDS, probePod } from '../pods';
import { controlTargets, targetsOf, WITNESS_PORT } from '../targets';
import { atOnce } from './facts';
import type { Group } from './groups';
import { addressesOf, hasAddress, hasEnded, hasStarted, type ProbePods, resultOf } from './pods';
import { around, type Common } from './surroundings';

/** How long S measures once the network may be expected to have settled, in seconds; C a little longer, so that it sees S end. */
const MEASURE_SECONDS = 10;
const CONTROL_EXTRA_SECONDS = 3;
/** Each attempt, in ms: an ICMPv6 reject shows at the first retransmit only, after a second. */
const ATTEMPT_MS = 3000;
const DNS_PORT = 53;
const TOKEN_VOLUME_FILE = 'token';

export interface Measured {
  readonly groups: readonly GroupFacts[];
  /** Results that hold without any measuring, such as targets that the seat's own rules allow. */
  readonly results: readonly CheckResult[];
}

export interface Measuring {
  readonly plan: Plan;
  readonly facts: ClusterFacts;
  readonly common: Common;
  readonly pods: ProbePods;
  readonly say: (line: string) => void;
}

/** Never throws for what the cluster refuses: a group that could not be measured says why. */
export async function measure(groups: readonly Group[], run: Measuring): Promise<Measured> {
  const [first] = groups;
  if (!first) return { groups: [], results: [] };
  const witness = await startWitness(first, groups.length, run);
  const measured: GroupFacts[] = [];
  const results: CheckResult[] = [];
  await atOnce(groups, GROUPS_AT_ONCE, async (group) => {
    const first = await measureGroup(group, witness, run, 0);
    // what failed stays: another try must not turn it into a pass
    const hasFailed = judgeNetwork(run.plan, first.facts).some(({ verdict }) => verdict === 'FAIL');
    const lateBy = hasFailed ? 0 : latenessOf(first.facts, run.plan);
    if (lateBy > 0)
      run.say(`the control for seat ${group.seat.seat} came ${lateBy} s late: measuring once more, for longer`);
    const { facts, skipped } = lateBy > 0 ? await measureGroup(group, witness, run, lateBy) : first;
    measured.push(facts);
    results.push(...skipped);
  });
  if (witness.value) await run.pods.end(witness.value.metadata?.name ?? '');
  return { groups: measured.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)), results };
}

const keyOf = ({ profile, node }: GroupFacts): string => `${profile.digest} ${node}`;
const nonceOf = (): string => randomBytes(6).toString('hex');

/** By when a pod that is made now must run, in Unix ms: each has the timeout to itself, however long others took. */
const deadlineOf = ({ options }: Plan): number => Date.now() + options.timeoutSeconds * 1000;

/** How long the witness of so many groups may be needed, in seconds: each may be measured twice, and wait for its pods. */
const lifeOf = (groups: number, plan: Plan): number =>
  Math.ceil(groups / GROUPS_AT_ONCE) * 2 * (measuringSeconds(plan) + plan.options.timeoutSeconds);

/** Running, with an address, and listening as the kubelet sees it. */
async function startWitness({ profile, seat, node }: Group, groups: number, run: Measuring): Promise<Looked<V1Pod>> {
  const { plan, pods, say } = run;
  const nonce = nonceOf();
  const task: AgentTask = {
    role: 'witness',
    nonce,
    seconds: Math.min(MOST_SECONDS, lifeOf(groups, plan)),
    settleSeconds: 0,
    listen: { tcp: [...new Set([plan.platform.podPort, WITNESS_PORT, DNS_PORT])], udp: [DNS_PORT] },
    targets: [],
    attemptMs: ATTEMPT_MS,
  };
  say('starting the witness pod');
  const made = await pods.make(probePod('witness', { plan, profile, seat, node, nonce, task }));
  if (made.obstacle) return made;
  return pods.wait(made.value.metadata?.name ?? '', (pod) => hasAddress(pod) && hasStarted(pod), deadlineOf(plan));
}

const measuringSeconds = ({ options }: Plan, extra = 0): number => options.settleSeconds + MEASURE_SECONDS + extra;

/** C should see at least so much of the time in which S measures, in seconds. */
const OVERLAP_SECONDS = 6;

/**
 * By how many seconds C started too late to be a control, up to a minute; 0: early enough. On a busy node pods start
 * slowly.
 */
function latenessOf({ seatResult, controlResult, settleSeconds }: GroupFacts, { options }: Plan): number {
  const [seat, control] = [seatResult.value, controlResult.value];
  if (!seat || !control) return 0;
  const latest = seat.startedAt + (settleSeconds + MEASURE_SECONDS - OVERLAP_SECONDS) * 1000;
  return Math.min(60, options.timeoutSeconds, Math.max(0, Math.ceil((control.startedAt - latest) / 1000)));
}

async function measureGroup(
  group: Group,
  witness: Looked<V1Pod>,
  run: Measuring,
  extra: number,
): Promise<{ readonly facts: GroupFacts; readonly skipped: readonly CheckResult[] }> {
  const { plan, facts, common, pods, say } = run;
  const { profile, seat, node } = group;
  const deadline = deadlineOf(plan);
  const [nonce, controlNonce] = [nonceOf(), nonceOf()];
  const base = { profile, seat: seat.seat, node, nonce, controlNonce, settleSeconds: plan.options.settleSeconds };
  const nothing = (obstacle: Obstacle) => ({
    facts: {
      ...base,
      targets: [],
      pods: witness.value ? { witness: witness.value } : {},
      seatResult: { obstacle },
      controlResult: { obstacle },
    },
    skipped: [],
  });
  if (witness.obstacle) return nothing(witness.obstacle);
  const { targets, skipped } = targetsOf(plan, profile, around(plan, facts, common, group, witness.value));

  const port = listenerPort(profile);
  const seatTask: AgentTask = {
    ...{ role: 'seat', nonce, targets, attemptMs: ATTEMPT_MS, settleSeconds: plan.options.settleSeconds },
    seconds: measuringSeconds(plan, extra),
    listen: { tcp: [port], udp: [] },
    inspect: inspectionOf(group),
  };
  say(`measuring for seat ${seat.seat} on node ${node}`);
  const madeSeat = await pods.make(probePod('seat', { plan, profile, seat, node, nonce, task: seatTask }));
  if (madeSeat.obstacle) return nothing(madeSeat.obstacle);
  const seatName = madeSeat.value.metadata?.name ?? '';
  const seatUp = await pods.wait(seatName, (pod) => hasAddress(pod) && isUp(pod), deadline);

  const madeControl = await startControl(seatUp);
  const control = madeControl.obstacle
    ? madeControl
    : await pods.wait(madeControl.value.metadata?.name ?? '', isUp, deadline);
  const ends = Date.now() + (measuringSeconds(plan, extra) + CONTROL_EXTRA_SECONDS + 30) * 1000;
  const seatPod = seatUp.obstacle ? seatUp : await pods.wait(seatName, hasEnded, ends);
  const controlPod = control.obstacle ? control : await pods.wait(control.value.metadata?.name ?? '', hasEnded, ends);
  await Promise.all([pods.end(seatName), pods.end(madeControl.value?.metadata?.name ?? '')]);
  const made = {
    seat: seatPod.value ?? seatUp.value,
    control: controlPod.value ?? control.value ?? madeControl.value,
    witness: witness.value,
  };
  const measured: GroupFacts = {
    ...base,
    targets: control.value ? withIngress(seatUp) : targets,
    pods: Object.fromEntries(Object.entries(made).filter(([, pod]) => pod !== undefined)),
    seatResult: resultOf(seatPod, nonce),
    controlResult: resultOf(controlPod, controlNonce),
  };
  return { facts: measured, skipped: skipped.map((result) => ({ ...result, node })) };

  function withIngress(up: Looked<V1Pod>) {
    return controlTargets(targets, up.value ? addressesOf(up.value) : [], [port]);
  }

  /** As soon as S has an address: C must see most of S's time, and it ends after S. */
  async function startControl(up: Looked<V1Pod>): Promise<Looked<V1Pod>> {
    if (up.obstacle) return up;
    const [address = ''] = addressesOf(witness.value as V1Pod);
    const task: AgentTask = {
      ...{ role: 'control', nonce: controlNonce, attemptMs: ATTEMPT_MS, settleSeconds: plan.options.settleSeconds },
      seconds: measuringSeconds(plan, extra) + CONTROL_EXTRA_SECONDS,
      listen: { tcp: [port], udp: [] },
      targets: withIngress(up),
      // of this pair alone: with many groups the whole list would not fit C's message
      witness: { address, port: plan.platform.podPort, nonces: [nonce, controlNonce] },
    };
    return pods.make(probePod('control', { plan, profile, seat, node, nonce: controlNonce, task }));
  }
}

/** Its container runs, or ran. */
const isUp = ({ status }: V1Pod): boolean => {
  const state = status?.containerStatuses?.[0]?.state;
  return state?.running !== undefined || state?.terminated !== undefined;
};

/** Where the token of the seat is mounted, and which folders of the image anyone may write. */
function inspectionOf({ profile }: Group): NonNullable<AgentTask['inspect']> {
  const { volumes = [], containers = [] } = profile.template.spec ?? {};
  const token = volumes.find(({ projected }) => projected?.sources?.some((one) => one.serviceAccountToken));
  const folder = containers[0]?.volumeMounts?.find(({ name }) => name === token?.name)?.mountPath;
  const path = token?.projected?.sources?.find((one) => one.serviceAccountToken)?.serviceAccountToken?.path;
  return {
    imageFolders: [IMAGE_FOLDER],
    ...(folder === undefined ? {} : { tokenFile: `${folder}/${path ?? TOKEN_VOLUME_FILE}` }),
  };
}
