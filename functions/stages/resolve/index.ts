// From Seats, TaskRuns and TrustTiers to what is rendered: references followed, defaults applied, conflicts refused.
import { compare, type Finding, isError } from '../../finding';
import type { Declared, Located, Options, Outcome, ResolvedSeat, ResolvedTask, Seat, Trace } from '../../model';
import { checkUnique, identify } from './identity';
import { prunableNamespaces } from './namespaces';
import { widenedSeats } from './policies';
import { runtimesOf } from './runtimes';
import { resolveSeat } from './seat';
import { keepsTTL } from './session';
import { resolveTasks } from './task-runs';
import { checkTemplates, poolPods, templatesOf } from './templates';
import { settleTiers, type Tiers, type Use } from './tiers';
import { resolveWarmPools, type WarmPool } from './warm-pools';
import { workloadOf } from './workload';
import { claimsOf } from './workspace';

/** The seats, and the tiers that they and the package's shared objects are made from. */
export interface Resolution extends Outcome<readonly ResolvedSeat[]> {
  readonly tiers: Tiers;
  readonly pools: readonly WarmPool[];
  readonly tasks: readonly ResolvedTask[];
}

/**
 * All findings of all seats at once; a seat with an error is not among the value. Sorted by namespace and name, so that
 * the order of the input does not matter. `trace` is asked once per seat whether its decisions are of interest.
 */
export function resolveSeats(
  declared: Declared,
  options: Options,
  trace?: (seat: Located<Seat>) => Trace | undefined,
): Resolution {
  const identities = declared.seats.map((seat) => identify(seat, options));
  const runtimes = runtimesOf(declared);
  const templates = templatesOf(declared);
  const tiers = settleTiers(declared.tiers, usesOf(declared), runtimes);
  const context = {
    options,
    tiers: tiers.value,
    brokenTiers: declared.brokenTiers ?? new Set<string>(),
    runtimes,
    claims: claimsOf(identities, declared),
    templates,
    trace,
  };
  const findings: Finding[] = [...tiers.findings, ...checkUnique(identities)];
  const resolved: ResolvedSeat[] = [];
  for (const identity of identities) {
    const outcome = resolveSeat(identity, context);
    if (!outcome.findings.some(isError)) resolved.push(outcome.value);
    if (outcome.findings.length) findings.push(...outcome.findings);
  }
  resolved.sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
  const tasks = resolveTasks(declared, { identities, resolved, tiers: tiers.value }, options);
  findings.push(...tasks.findings, ...prunableNamespaces(resolved, declared.related));
  const pools = resolveWarmPools(resolved, tiers.value, options);
  findings.push(
    ...pools.findings,
    ...checkTemplates(pools.value, templates, declared, options),
    ...widenedSeats(resolved, tasks.value, poolPods(pools.value, templates, options), declared),
  );
  return { value: resolved, findings, tiers: tiers.value, pools: pools.value, tasks: tasks.value };
}

/** By tier name, the wishes of all its seats together. */
function usesOf({ seats, tiers }: Declared): ReadonlyMap<string, Use> {
  const byName = new Map(tiers.map(({ object, item }) => [item.name, object]));
  const uses = new Map<string, Use>();
  for (const { object } of seats) {
    const name = object.spec.tierRef?.name;
    if (name === undefined) continue;
    // a ttl of the seat's own is told there
    const isUnkept = object.spec.session?.ttl === undefined && !keepsTTL(workloadOf(object, byName.get(name)));
    uses.set(name, { isUnkept: isUnkept || uses.get(name)?.isUnkept === true });
  }
  return uses;
}
