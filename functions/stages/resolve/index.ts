// From Seats and TrustTiers to resolved seats: references followed, defaults applied, conflicts refused.
import { compare, type Finding, isError } from '../../finding';
import type { Declared, Located, Options, Outcome, ResolvedSeat, Seat, Trace } from '../../model';
import { checkUnique, identify } from './identity';
import { prunableNamespaces } from './namespaces';
import { widenedSeats } from './policies';
import { runtimesOf } from './runtimes';
import { resolveSeat } from './seat';
import { settleTiers } from './tiers';
import { claimsOf } from './workspace';

/**
 * All findings of all seats at once; a seat with an error is not among the value. Sorted by namespace and name, so that
 * the order of the input does not matter. `trace` is asked once per seat whether its decisions are of interest.
 */
export function resolveSeats(
  declared: Declared,
  options: Options,
  trace?: (seat: Located<Seat>) => Trace | undefined,
): Outcome<readonly ResolvedSeat[]> {
  const identities = declared.seats.map((seat) => identify(seat, options));
  const used = new Set(
    declared.seats.map(({ object }) => object.spec.tierRef?.name).filter((name) => name !== undefined),
  );
  const runtimes = runtimesOf(declared);
  const tiers = settleTiers(declared.tiers, used, runtimes);
  const context = {
    options,
    tiers: tiers.value,
    brokenTiers: declared.brokenTiers ?? new Set<string>(),
    runtimes,
    claims: claimsOf(identities, declared),
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
  findings.push(...prunableNamespaces(resolved, declared.related), ...widenedSeats(resolved, declared));
  return { value: resolved, findings };
}
