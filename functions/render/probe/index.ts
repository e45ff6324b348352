// The probe of each namespace that holds seats: a Job in the control plane, its plan, its rights, and the fence around it.
import { createHash } from 'node:crypto';
import type { KubernetesObject } from '@kubernetes/client-node';
import { type Finding, report } from '../../finding';
import { canonicalJSON } from '../../kubernetes/canonical-json';
import type { Options, Outcome, Plan, Rendered, ResolvedSeat, ResolvedTask } from '../../model';
import { planOf, type RenderedSeat } from '../../probe/plan';
import { plannedTasks } from '../../probe/tasks';
import { groupBy } from '../../stages/resolve/grouping';
import { objectsOfSeat } from '../index';
import { fileIn } from '../layout';
import { renderNetworkPolicy } from '../network-policy';
import { podTemplate } from '../pod-template';
import { renderWorkspaceClaim } from '../workspace-claim';
import { renderClusterRights, renderRights, renderServiceAccount } from './accounts';
import { renderClaimed } from './claimed';
import { renderFence } from './fence';
import { renderJob } from './job';
import { renderPlan, renderPriorityClass, renderReport } from './state';
import { renderedTask } from './worker';

/** The probe of one namespace, decided; `seats` are sorted, and never none. */
export interface Probe {
  readonly plan: Plan;
  /** The plan as it stands in its ConfigMap. */
  readonly text: string;
  readonly seats: readonly ResolvedSeat[];
  readonly epoch: string | undefined;
}

/** What etcd takes of one object is 1.5 MiB, and a ConfigMap's data may be 1 MiB (k8s.io/api/core/v1, MaxSecretSize). */
const LARGEST_PLAN = 1_000_000;

/** One probe for each namespace; none with `probe.mode: none`. A plan that no ConfigMap can hold is a finding. */
export function probesOf(
  seats: readonly ResolvedSeat[],
  options: Options,
  tasks: readonly ResolvedTask[] = [],
): Outcome<readonly Probe[]> {
  if (options.probe.mode === 'none') return { value: [], findings: [] };
  const findings: Finding[] = [];
  const workers = groupBy(tasks, ({ namespace }) => namespace);
  const probes = [...groupBy(seats, ({ namespace }) => namespace)].map(([namespace, members]): Probe => {
    const own = planOf(namespace, members, options, (seat) =>
      seat.workload === 'SandboxClaim' ? renderClaimed(seat) : renderOwn(seat),
    );
    const planned = plannedTasks(workers.get(namespace) ?? [], renderedTask);
    const plan = planned ? { ...own, tasks: planned } : own;
    const text = canonicalJSON(plan);
    const size = Buffer.byteLength(text);
    if (size > LARGEST_PLAN) findings.push(tooLarge(members, namespace, size));
    return { plan, text, seats: members, epoch: options.probe.epoch };
  });
  return { value: probes, findings };
}

/** A seat that has a pod of its own. */
const renderOwn = (seat: ResolvedSeat): RenderedSeat => ({
  template: podTemplate(seat),
  policy: renderNetworkPolicy(seat).spec!,
  claim: renderWorkspaceClaim(seat),
});

const tooLarge = ([first, ...others]: readonly ResolvedSeat[], namespace: string, size: number): Finding =>
  report(
    'PLAN_TOO_LARGE',
    first?.seat.item,
    '',
    `the probe's plan for the ${others.length + 1} seats of namespace ${namespace} has ${size} bytes, and a ConfigMap takes ` +
      `${LARGEST_PLAN}: spread the seats over namespaces, or set \`probe.mode: none\``,
  );

/** Made while it is read. Rights and fence come before the Job that needs them. */
export function* renderProbes(probes: readonly Probe[], layout: Options['layout']): Iterable<Omit<Rendered, 'index'>> {
  for (const probe of probes) {
    const file = fileIn('probe', probe.plan.prober, layout);
    const home = probe.seats[0]?.seat.item;
    for (const object of objectsOf(probe)) yield { object, file, home };
  }
}

function* objectsOf(probe: Probe): Iterable<KubernetesObject> {
  const { plan, text } = probe;
  const isClusterWide = plan.options.rbac === 'cluster';
  yield renderServiceAccount(plan);
  yield renderPlan(plan, text);
  yield renderReport(plan);
  if (isClusterWide) {
    yield renderPriorityClass(plan);
    yield* renderClusterRights(plan);
  }
  yield* renderRights(plan);
  if (isClusterWide) yield* renderFence(plan);
  yield renderJob(plan, (template) => digestOf(probe, template));
}

/** Hex over all that the verdict depends on: a change of any of it makes a new Job, and nothing else does. */
function digestOf({ text, seats, epoch }: Probe, template: unknown): string {
  const hash = createHash('sha256');
  const add = (value: unknown): unknown => hash.update(`${canonicalJSON(value)}\n`);
  hash.update(`${text}\n`);
  add({ template, epoch });
  for (const seat of seats) {
    add({ spec: seat.seat.object.spec, tier: seat.tier?.digest });
    for (const object of objectsOfSeat(seat)) add(object);
  }
  return hash.digest('hex');
}
