// Which resources a seat's container gets: its own block as a whole, or else its tier's.
import { type Finding, report } from '../../finding';
import type { Located, Options, Outcome, ResolvedSeat, Seat } from '../../model';
import { type SettledResources, settleResources } from './resources';
import { lacksTier } from './tier-choice';
import type { SettledTier } from './tiers';

const NONE: SettledResources = { resources: { limits: {} }, unlimited: ['cpu', 'memory'] };

/** As Kubernetes reads it, an empty block sets nothing. Errors of the tier's own block are told at the tier. */
export function resolveResources(
  { object, item }: Located<Seat>,
  tier: SettledTier | undefined,
  options: Options,
): Outcome<ResolvedSeat['resources']> {
  const { spec } = object;
  const own = spec.resources?.limits || spec.resources?.requests ? spec.resources : undefined;
  const settled = own ? settleResources(own, item, 'spec.resources') : { value: tier?.resources ?? NONE, findings: [] };
  const { resources, unlimited } = settled.value;
  const isUndecided = !own && lacksTier(object, tier, options);
  const source = own ? 'its own block' : tier?.resources ? `tier "${tier.summary.name}"` : 'nothing';
  return {
    value: resources,
    findings: [
      ...settled.findings,
      ...(isUndecided ? [] : unlimited).map((name) =>
        report(
          'LIMITS_MISSING',
          item,
          `spec.resources.limits.${name}`,
          `there must be a limit above zero for CPU and memory; ${source} sets ${own || tier?.resources ? `none for ${name}` : 'any'}`,
        ),
      ),
      ...undefinedClaims(resources, spec.resourceClaims, item),
    ],
  };
}

function undefinedClaims(
  { claims = [] }: ResolvedSeat['resources'],
  defined: Seat['spec']['resourceClaims'],
  item: Located<Seat>['item'],
): Finding[] {
  const names = new Set((defined ?? []).map(({ name }) => name));
  return claims
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => {
      const message = `the tier's default resources use the claim "${name}"; the seat must define it`;
      return report('RESOURCE_CLAIM_UNDEFINED', item, 'spec.resourceClaims', message, { value: name });
    });
}
