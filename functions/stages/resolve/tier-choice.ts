// Which tier a seat runs in, and whether it may. A seat without the tier that it names is refused, never run in less.
import { type Finding, report } from '../../finding';
import type { Located, Options, Outcome, Seat } from '../../model';
import { nearest } from '../../nearest';
import type { SettledTier, Tiers } from './tiers';

/** undefined with an error: the tier is missing; undefined without: the options let the seat do without. */
export function chooseTier(
  seat: Located<Seat>,
  namespace: string,
  tiers: Tiers,
  brokenTiers: ReadonlySet<string>,
  options: Options,
): Outcome<SettledTier | undefined> {
  const { spec } = seat.object;
  const name = spec.tierRef?.name;
  const access = checkAccess(seat, namespace, options);
  if (name === undefined) {
    if (!options.requireTier) return { value: undefined, findings: access };
    const message = 'a seat must name its tier, unless the option `requireTier` is false';
    return { value: undefined, findings: [...access, report('TIER_REQUIRED', seat.item, 'spec.tierRef', message)] };
  }
  const tier = tiers.get(name);
  return { value: tier, findings: tier || brokenTiers.has(name) ? access : [unknownTier(seat, name, tiers)] };
}

/**
 * Whether a seat lacks the tier that it must have: an error that is told elsewhere. Until it is mended nothing that the
 * tier would decide is judged, and nothing is allowed in its place.
 */
export const lacksTier = (seat: Seat, tier: object | undefined, { requireTier }: Options): boolean =>
  tier === undefined && (requireTier || seat.spec.tierRef !== undefined);

function unknownTier({ item }: Located<Seat>, name: string, tiers: Tiers): Finding {
  const proposed = nearest(name, tiers.keys());
  const hint = proposed === undefined ? 'declare it, or name one that is declared' : `did you mean "${proposed}"?`;
  return report('UNKNOWN_TIER', item, 'spec.tierRef.name', `no TrustTier "${name}" is declared; ${hint}`, {
    value: name,
    ...(proposed === undefined ? {} : { proposed }),
  });
}

/** An absent list of an entry admits anything; an empty one nothing. */
const admits = (list: readonly string[] | undefined, name: string | undefined): boolean =>
  list === undefined || (name !== undefined && list.includes(name));

/**
 * The id of an organization is what its platform knows it by, so that an entry must list it beside the key where the seat
 * sets one: a key that is admitted must not speak for another organization.
 */
function checkAccess({ object: { spec }, item }: Located<Seat>, namespace: string, { tierAccess }: Options): Finding[] {
  const { organization, organizationID = organization } = spec;
  const name = spec.tierRef?.name;
  const entries = tierAccess.filter(
    (entry) =>
      admits(entry.namespaces, namespace) && admits(entry.organizations, organization) && admits(entry.tiers, name),
  );
  if (tierAccess.length === 0 || entries.some((entry) => admits(entry.organizations, organizationID))) return [];
  if (entries.length > 0) {
    const path = 'spec.organizationID';
    const message = `the platform's \`tierAccess\` admits organization "${organization}", but not with the id "${organizationID}"; an entry must list both`;
    return [report('TIER_NOT_ALLOWED', item, path, message, { value: organizationID })];
  }
  const path = name === undefined ? 'spec.tierRef' : 'spec.tierRef.name';
  const message =
    `the platform's \`tierAccess\` does not admit organization "${organization}" in namespace "${namespace}" ` +
    (name === undefined ? 'without a tier' : `to tier "${name}"`);
  return [report('TIER_NOT_ALLOWED', item, path, message, { value: name })];
}
