// All task runs: each with its seat, in the same namespace and package, and none taken for another.
import { compare, type Finding, isError, report } from '../../finding';
import type { Declared, Located, Options, Outcome, ResolvedSeat, ResolvedTask, TaskRun } from '../../model';
import { nearest } from '../../nearest';
import { groupBy } from './grouping';
import type { Identity } from './identity';
import { resolveTask } from './task-run';
import type { Tiers } from './tiers';

/** What the seats of a run came to. */
export interface Seats {
  readonly identities: readonly Identity[];
  /** Those without an error. */
  readonly resolved: readonly ResolvedSeat[];
  readonly tiers: Tiers;
}

/** The workers to render, sorted by namespace and name. A finished run has none, and nothing more is asked of it. */
export function resolveTasks(declared: Declared, seats: Seats, options: Options): Outcome<readonly ResolvedTask[]> {
  const runs = (declared.tasks ?? []).map((task) => ({ task, namespace: task.item.namespace || options.namespace }));
  if (runs.length === 0) return { value: [], findings: [] };
  const findings: Finding[] = duplicates(runs);
  const resolved: ResolvedTask[] = [];
  const find = finderOf(declared, seats);
  for (const { task, namespace } of runs) {
    if (namespace === undefined) findings.push(namespaceMissing(task));
    if (namespace === undefined || task.object.spec.state === 'Finished') continue;
    const parent = find(task, namespace);
    findings.push(...parent.findings);
    if (!parent.value) continue;
    const outcome = resolveTask(task, parent.value, seats.tiers.get(parent.value.tier?.name ?? ''), options);
    findings.push(...outcome.findings);
    if (!outcome.findings.some(isError)) resolved.push(outcome.value);
  }
  resolved.sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
  return { value: resolved, findings: [...findings, ...collisions(resolved)] };
}

const namespaceMissing = ({ item }: Located<TaskRun>): Finding => {
  const message = 'a task run must have a namespace, that of its seat, or the option `namespace` gives one';
  return report('NAMESPACE_MISSING', item, 'metadata.namespace', message);
};

type Find = (task: Located<TaskRun>, namespace: string) => Outcome<ResolvedSeat | undefined>;

/** undefined without a finding: what is wrong with the seat is told there. */
function finderOf({ brokenSeats }: Declared, { identities, resolved }: Seats): Find {
  const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;
  const names = new Map(
    [...groupBy(identities, ({ namespace }) => namespace)].map(([namespace, members]) => [
      namespace,
      new Set(members.map(({ seat }) => seat.item.name)),
    ]),
  );
  const usable = new Map(resolved.map((seat) => [keyOf(seat.namespace, seat.seat.item.name), seat]));
  return ({ object, item }, namespace) => {
    const { name } = object.spec.seatRef;
    const known = names.get(namespace) ?? new Set<string>();
    if (!known.has(name)) {
      const findings = brokenSeats?.has(name) ? [] : [unknownSeat(item, name, namespace, known)];
      return { value: undefined, findings };
    }
    const seat = usable.get(keyOf(namespace, name));
    if (seat?.workload !== 'SandboxClaim') return { value: seat, findings: [] };
    const message =
      `seat "${name}" claims a sandbox from a warm pool, whose template decides what it may reach: nothing here shows ` +
      'what a worker would have to stay within; its seat must be a StatefulSet or a Sandbox';
    return { value: undefined, findings: [report('UNSUPPORTED_BY_WORKLOAD', item, 'spec.seatRef.name', message)] };
  };
}

function unknownSeat(
  item: Located<TaskRun>['item'],
  name: string,
  namespace: string,
  known: Iterable<string>,
): Finding {
  const proposed = nearest(name, known);
  const hint = proposed === undefined ? 'its seat must be declared beside it' : `did you mean "${proposed}"?`;
  const message = `no Seat "${name}" is declared in namespace "${namespace}" of this package; ${hint}`;
  const extras = proposed === undefined ? { value: name } : { value: name, proposed };
  return report('UNKNOWN_SEAT', item, 'spec.seatRef.name', message, extras);
}

const duplicates = (runs: readonly { task: Located<TaskRun>; namespace: string | undefined }[]): Finding[] =>
  [...groupBy(runs, ({ task, namespace = '' }) => `${namespace}/${task.item.name}`)].flatMap(([name, group]) =>
    group.length === 1
      ? []
      : group.map(({ task: { item } }) =>
          report('DUPLICATE_TASK_RUN', item, 'metadata.name', `${group.length} task runs are called "${name}"`),
        ),
  );

/** By its label a policy knows a worker; the hash in it has 32 bits, which can be forged. */
const collisions = (tasks: readonly ResolvedTask[]): Finding[] =>
  [...groupBy(tasks, ({ organization, label }) => `${organization}/${label}`)].flatMap(([name, group]) =>
    new Set(group.map(({ task: { item } }) => item.name)).size === 1
      ? []
      : group.map(({ task: { item } }) =>
          report(
            'NAME_COLLISION',
            item,
            'metadata.name',
            `${group.length} task runs have one label, "${name}"; rename one`,
          ),
        ),
  );
