// Finds the objects of ours among the items and checks each alone: text, schema, CEL rules. Decides nothing between objects.
import { type Finding, report } from '../finding';
import { CONFIG_API, expectedVersion, ownType } from '../kinds';
import { canonicalJSON } from '../kubernetes/canonical-json';
import type { Declared, Item, Located, Outcome, Seat, TaskRun, TrustTier } from '../model';
import { decodeItem } from './read/decode-item';
import { checkResource } from './schema';

/** Foreign kinds that a rule of ours looks into. */
const RELATED = new Set(['NetworkPolicy', 'RuntimeClass', 'Namespace', 'SandboxTemplate']);

/**
 * `governed`: there is a platform level. Tiers come from it alone then, even if it has none, since whoever can commit a
 * package must not define isolation.
 * Objects with an error are left out of the result, so that later stages tell only what is worth telling.
 */
export function validate(items: readonly Item[], governed: boolean): Outcome<Declared> {
  const found: Found = {
    ...{ findings: [], tiers: [], seats: [], tasks: [], related: [], rest: [] },
    ...{ broken: new Set<string>(), brokenSeats: new Set<string>() },
  };
  for (const item of items) {
    const expected = typeToCheck(item);
    if (expected) takeOwn(item, expected, found);
    else takeForeign(item, found);
  }
  const { seats, tasks, rest, related, broken, brokenSeats } = found;
  const tiers = governed ? refuseOwnTiers(found.tiers) : { value: found.tiers, findings: [] };
  const refused = tiers.findings.flatMap(({ item }) => (item ? [item.name] : []));
  return {
    value: {
      ...{ tiers: tiers.value, seats, tasks, rest, related, governed },
      ...{ brokenTiers: new Set([...broken, ...refused]), brokenSeats },
    },
    findings: [...found.findings, ...tiers.findings],
  };
}

interface Found {
  readonly findings: Finding[];
  readonly tiers: Located<TrustTier>[];
  readonly seats: Located<Seat>[];
  readonly tasks: Located<TaskRun>[];
  readonly related: Located<object>[];
  readonly rest: Item[];
  /** Names of tiers with errors of their own. */
  readonly broken: Set<string>;
  /** Names of Seats with errors of their own. */
  readonly brokenSeats: Set<string>;
}

function takeForeign(item: Item, { rest, related }: Found): void {
  rest.push(item);
  if (RELATED.has(item.kind)) related.push({ object: asObject(decodeItem(item).value), item });
}

function takeOwn(item: Item, expected: OwnType, { findings, tiers, seats, tasks, broken, brokenSeats }: Found): void {
  const checked = checkOwn(item, expected);
  findings.push(...checked.findings);
  if (checked.value === undefined) {
    if (expected.kind === 'TrustTier') broken.add(item.name);
    if (expected.kind === 'Seat') brokenSeats.add(item.name);
  } else if (item.kind === 'TaskRun') tasks.push({ object: checked.value as TaskRun, item });
  else if (item.kind === 'Seat') seats.push({ object: checked.value as Seat, item });
  else if (item.kind === 'TrustTier') tiers.push({ object: checked.value as TrustTier, item });
}

type OwnType = NonNullable<ReturnType<typeof ownType>>;

/** Configs are judged where they are read. */
const typeToCheck = (item: Item): OwnType | undefined =>
  expectedVersion(item) === CONFIG_API ? undefined : ownType(item);

const asObject = (value: unknown): object => (value !== null && typeof value === 'object' ? value : {});

/** undefined: the item has an error, or is a config. */
function checkOwn(item: Item, expected: OwnType): Outcome<unknown> {
  const refuse = (finding: Finding): Outcome<unknown> => ({ value: undefined, findings: [finding] });
  const wrong = (['apiVersion', 'kind'] as const).find((field) => item[field] !== expected[field]);
  if (wrong) {
    const message = `this version of seatplan reads ${expected.kind} only as ${expected.apiVersion} ${expected.kind}`;
    return refuse(
      report('UNSUPPORTED_VERSION', item, wrong, message, { value: item[wrong], proposed: expected[wrong] }),
    );
  }
  const { kind } = expected;
  if (kind !== 'Seat' && kind !== 'TaskRun' && kind !== 'TrustTier') return { value: undefined, findings: [] };
  if (kind !== 'TrustTier' && item.level === 'platform') {
    return refuse(
      report(
        'UNSUPPORTED_CONFIG',
        item,
        'kind',
        `the platform level holds options and TrustTiers; ${kind}s belong into a package`,
      ),
    );
  }
  const decoded = decodeItem(item);
  if (decoded.findings.length) return { value: undefined, findings: decoded.findings };
  const { problems, value } = checkResource(decoded.value, kind);
  const findings = problems.map(({ code, path, message, source, ...extras }) =>
    report(code, item, path, message, { source, ...extras }),
  );
  if (findings.length === 0 && item.name === '') {
    const message = 'must be set: a name that is generated is another one at every apply';
    findings.push(report('MISSING_FIELD', item, 'metadata.name', message));
  }
  if (findings.length === 0) findings.push(...emptyTier(item, value));
  return { value: findings.length ? undefined : value, findings };
}

/** The CRD, as the reference has it, lets a tier be without a spec; a seat could not. */
const emptyTier = (item: Item, value: unknown): Finding[] =>
  item.kind === 'TrustTier' && (value as Partial<TrustTier>).spec === undefined
    ? [report('MISSING_FIELD', item, 'spec', 'a tier must say its `runtimeClassName` and `isolation`')]
    : [];

/** The platform's tiers; a package may only repeat them. */
function refuseOwnTiers(tiers: readonly Located<TrustTier>[]): Outcome<readonly Located<TrustTier>[]> {
  const platform = tiers.filter(({ item }) => item.level === 'platform');
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
