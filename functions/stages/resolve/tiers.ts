// The tiers that seats can name: one of each name, checked once, with what all its seats share.
import { type Finding, report } from '../../finding';
import { digestOf } from '../../kubernetes/canonical-json';
import type { Located, Outcome, ResolvedSeat, TrustTier } from '../../model';
import { groupBy } from './grouping';
import { type SettledResources, settleResources } from './resources';
import type { Runtimes } from './runtimes';
import { checkRuntime, checkTier } from './tier-checks';

export interface SettledTier extends Located<TrustTier> {
  readonly summary: NonNullable<ResolvedSeat['tier']>;
  /** The resources of every seat that sets none. */
  readonly resources: SettledResources | undefined;
}
export type Tiers = ReadonlyMap<string, SettledTier>;

/** What the seats of a run want of a tier. */
export interface Use {
  /** The workload of one of them ends no session after the tier's `maxSessionTTL`. */
  readonly isUnkept: boolean;
}

/**
 * `used` holds the names that seats ask for: a platform's other tiers concern nobody here and are not checked.
 * Of two tiers with one name the first stands, so that the seats in it can be checked all the same.
 */
export function settleTiers(
  declared: readonly Located<TrustTier>[],
  used: ReadonlyMap<string, Use>,
  runtimes: Runtimes,
): Outcome<Tiers> {
  const findings: Finding[] = [];
  const byName = new Map<string, SettledTier>();
  for (const [name, tiers] of groupBy(declared, ({ item }) => item.name)) {
    const tier = tiers[0]!;
    const settled = settle(tier);
    byName.set(name, settled.value);
    if (tiers.length > 1) findings.push(...tiers.map(duplicate));
    const inPackage = tier.item.level === 'package';
    if (inPackage || used.has(name)) findings.push(...checkTier(tier, used.get(name)), ...settled.findings);
    if (used.has(name) || (inPackage && runtimes.has(tier.object.spec.runtimeClassName)))
      findings.push(...checkRuntime(tier, runtimes));
  }
  return { value: byName, findings };
}

const duplicate = ({ item }: Located<TrustTier>): Finding =>
  report('DUPLICATE_TIER', item, 'metadata.name', `tier "${item.name}" is declared more than once`);

function settle({ object, item }: Located<TrustTier>): Outcome<SettledTier> {
  const { spec } = object;
  const resources = spec.defaultResources && settleResources(spec.defaultResources, item, 'spec.defaultResources');
  const summary = {
    name: item.name,
    isolation: spec.isolation,
    jurisdiction: spec.jurisdiction || undefined,
    // A tier that spells its default out is the same tier.
    digest: digestOf({ ...spec, egress: spec.egress ?? 'gateway-only' }),
  };
  return { value: { object, item, summary, resources: resources?.value }, findings: resources?.findings ?? [] };
}
