// Finds the objects of ours among the items and checks each alone: text, schema, CEL rules. Decides nothing between objects.
import { type Finding, report } from '../finding';
import { CONFIG_API, expectedVersion, ownType } from '../kinds';
import { canonicalJSON } from '../kubernetes/canonical-json';
import type { Declared, Item, Located, Outcome, Seat, TrustTier } from '../model';
import { decodeItem } from './read/decode-item';
import { checkResource } from './schema';

/** Foreign kinds that a rule of ours looks into. */
const RELATED = new Set(['NetworkPolicy', 'RuntimeClass', 'Namespace']);

/**
 * Tiers come from the platform level where it governs them, since whoever can commit a package must not define isolation.
 * Objects with an error are left out of the result, so that later stages tell only what is worth telling.
 */
export function validate(items: readonly Item[], governed: boolean): Outcome<Declared> {
  const findings: Finding[] = [];
  const tiers: Located<TrustTier>[] = [];
  const seats: Located<Seat>[] = [];
  const related: Located<object>[] = [];
  const rest: Item[] = [];
  const brokenTiers = new Set<string>();
  for (const item of items) {
    const expected = typeToCheck(item);
    if (!expected) {
      rest.push(item);
      if (RELATED.has(item.kind)) related.push({ object: asObject(decodeItem(item).value), item });
      continue;
    }
    const checked = checkOwn(item, expected);
    findings.push(...checked.findings);
    if (checked.value === undefined) {
      if (item.kind === 'TrustTier') brokenTiers.add(item.name);
    } else if (item.kind === 'Seat') seats.push({ object: checked.value as Seat, item });
    else if (item.kind === 'TrustTier') tiers.push({ object: checked.value as TrustTier, item });
  }
  const governing = chooseTiers(tiers, governed);
  findings.push(...governing.findings);
  return { value: { tiers: governing.value, seats, rest, related, brokenTiers }, findings };
}

/** Configs are judged where they are read. */
const typeToCheck = (item: Item): ReturnType<typeof ownType> =>
  expectedVersion(item) === CONFIG_API ? undefined : ownType(item);

const asObject = (value: unknown): object => (value !== null && typeof value === 'object' ? value : {});

/** undefined: the item has an error, or is no Seat or TrustTier. */
function checkOwn(item: Item, expected: { apiVersion: string; kind: string }): Outcome<unknown> {
  const refuse = (finding: Finding): Outcome<unknown> => ({ value: undefined, findings: [finding] });
  const wrong = (['apiVersion', 'kind'] as const).find((field) => item[field] !== expected[field]);
  if (wrong) {
    const message = `this version of seatplan reads ${expected.kind} only as ${expected.apiVersion} ${expected.kind}`;
    return refuse(
      report('UNSUPPORTED_VERSION', item, wrong, message, { value: item[wrong], proposed: expected[wrong] }),
    );
  }
  if (item.kind === 'TaskRun') {
    return refuse(
      report(
        'OPTION_NOT_AVAILABLE',
        item,
        'kind',
        'TaskRuns belong to a feature that this version does not have; take it out',
      ),
    );
  }
  if (item.kind !== 'Seat' && item.kind !== 'TrustTier') return { value: undefined, findings: [] };
  if (item.kind === 'Seat' && item.level === 'platform') {
    return refuse(
      report(
        'UNSUPPORTED_CONFIG',
        item,
        'kind',
        'the platform level holds options and TrustTiers; Seats belong into a package',
      ),
    );
  }
  const decoded = decodeItem(item);
  if (decoded.findings.length) return { value: undefined, findings: decoded.findings };
  const { problems, value } = checkResource(decoded.value, item.kind);
  const findings = problems.map(({ code, path, message, source, ...extras }) =>
    report(code, item, path, message, { source, ...extras }),
  );
  if (findings.length === 0) findings.push(...emptyTier(item, value));
  return { value: findings.length ? undefined : value, findings };
}

/** The CRD, as the reference has it, lets a tier be without a spec; a seat could not. */
const emptyTier = (item: Item, value: unknown): Finding[] =>
  item.kind === 'TrustTier' && (value as Partial<TrustTier>).spec === undefined
    ? [report('MISSING_FIELD', item, 'spec', 'a tier must say its `runtimeClassName` and `isolation`')]
    : [];

function chooseTiers(tiers: readonly Located<TrustTier>[], governed: boolean): Outcome<readonly Located<TrustTier>[]> {
  const platform = tiers.filter(({ item }) => item.level === 'platform');
  if (!governed && platform.length === 0) return { value: tiers, findings: [] };
  const byName = new Map(platform.map((tier) => [tier.object.metadata.name, tier]));
  const findings = tiers
    .filter(({ item }) => item.level === 'package')
    .flatMap(({ object, item }) => {
      const ruling = byName.get(object.metadata.name);
      if (!ruling)
        return [
          report('TIER_DIFFERS', item, '', 'the platform level has no such tier; a package cannot define its own'),
        ];
      if (sameSpec(ruling.object, object)) return [];
      return [
        report(
          'TIER_DIFFERS',
          item,
          'spec',
          "this tier is not the platform's tier of the same name; take it out or copy the platform's",
        ),
      ];
    });
  return { value: platform, findings };
}

/** A default that is spelt out changes nothing. */
const sameSpec = (a: TrustTier, b: TrustTier): boolean => specText(a) === specText(b);
const specText = ({ spec }: TrustTier): string => canonicalJSON({ egress: 'gateway-only', ...spec });
