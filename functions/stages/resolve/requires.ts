// What a seat insists on, against what its tier (or, without one, its RuntimeClass in the package) offers.
import { type Finding, report } from '../../finding';
import type { Located, Seat } from '../../model';
import { OFFERED, type Runtimes } from './runtimes';
import type { SettledTier } from './tiers';

/** Every required feature must be offered. Nothing known counts as nothing offered. */
export function checkRequires(seat: Located<Seat>, tier: SettledTier | undefined, runtimes: Runtimes): Finding[] {
  const { requires } = seat.object.spec;
  if (!requires) return [];
  return [
    ...checkIsolation(seat, tier, runtimes),
    ...checkJurisdiction(seat, tier),
    ...(requires.attestation && !tier?.object.spec.attestationRequired
      ? [
          report(
            'ATTESTATION_NOT_PROVIDED',
            seat.item,
            'spec.requires.attestation',
            `${nameOf(tier)} requires no attestation`,
          ),
        ]
      : []),
  ];
}

const nameOf = (tier: SettledTier | undefined): string =>
  tier ? `tier "${tier.summary.name}"` : 'a seat without a tier';

function checkIsolation({ object: { spec }, item }: Located<Seat>, tier: SettledTier | undefined, runtimes: Runtimes) {
  const runtimeClass = spec.sandbox?.runtimeClassName;
  const known = runtimeClass === undefined ? [] : (runtimes.get(runtimeClass) ?? []);
  const offers = (feature: string): boolean =>
    tier
      ? (OFFERED[tier.summary.isolation] as readonly string[] | undefined)?.includes(feature) === true
      : known.length > 0 && known.every(({ provides }) => provides.has(feature));
  const source = tier ? nameOf(tier) : runtimeClass ? `RuntimeClass "${runtimeClass}"` : 'the default runtime';
  return (spec.requires?.isolation ?? []).flatMap((feature, index) =>
    offers(feature)
      ? []
      : [
          report(
            'ISOLATION_NOT_PROVIDED',
            item,
            `spec.requires.isolation[${index}]`,
            `${source} is not known to provide "${feature}"; a seat never runs in less than it requires`,
            { value: feature },
          ),
        ],
  );
}

function checkJurisdiction({ object: { spec }, item }: Located<Seat>, tier: SettledTier | undefined): Finding[] {
  const wanted = spec.requires?.jurisdiction;
  const offered = tier?.summary.jurisdiction;
  if (wanted === undefined || wanted === offered) return [];
  const place = offered === undefined ? 'guarantees none' : `guarantees "${offered}"`;
  return [
    report('JURISDICTION_MISMATCH', item, 'spec.requires.jurisdiction', `${nameOf(tier)} ${place}`, {
      value: wanted,
      proposed: offered,
    }),
  ];
}
