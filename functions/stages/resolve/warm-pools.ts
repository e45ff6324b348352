// Where a tier's warm pools are and how large: one for each namespace that keeps sandboxes warm or has seats that claim one.
import { compare, type Finding, report } from '../../finding';
import { isDNSLabel } from '../../kubernetes/label';
import type { Item, Options, Outcome, ResolvedSeat } from '../../model';
import { poolName } from '../../names';
import { groupBy } from './grouping';
import type { SettledTier, Tiers } from './tiers';

/** A pool to render. */
export interface WarmPool {
  readonly tier: SettledTier;
  readonly namespace: string;
  /** 0: nothing is kept warm, and a claim starts a sandbox of its own. */
  readonly replicas: number;
  /** The item whose package it goes to. */
  readonly home: Item;
}

/** A pool's sandboxes are called `<pool>-` and five characters, of which agent-sandbox cuts the front at 58. */
const LONGEST_POOL = 57;

/**
 * Pools by tier and namespace. A tier that stands in the package brings those of all its namespaces; one of the platform level
 * only those of the package's own seats, since every package reads it. */
export function resolveWarmPools(
  seats: readonly ResolvedSeat[],
  tiers: Tiers,
  options: Options,
): Outcome<readonly WarmPool[]> {
  const claiming = groupBy(seats, ({ workload, tier }) => (workload === 'SandboxClaim' ? tier?.name : undefined));
  const used = [...tiers]
    .filter(([name, { object, item }]) => object.spec.sandboxTemplateName && (isOwn(item) || claiming.has(name)))
    .sort(([a], [b]) => compare(a, b));
  const outcomes = used.map(([name, tier]) => poolsOf(tier, claiming.get(name) ?? [], options));
  return {
    value: outcomes.flatMap(({ value }) => value),
    findings: outcomes.flatMap(({ findings }) => findings),
  };
}

const isOwn = ({ level }: Item): boolean => level === 'package';

function poolsOf(tier: SettledTier, claiming: readonly ResolvedSeat[], options: Options): Outcome<readonly WarmPool[]> {
  const warm = warmNamespaces(tier, options);
  const homes = new Map([
    ...claiming.map(({ namespace, seat }) => [namespace, seat.item] as const),
    ...(isOwn(tier.item) ? warm.map((namespace) => [namespace, tier.item] as const) : []),
  ]);
  const size = tier.object.spec.warmPoolSize ?? 0;
  return {
    value: [...homes]
      .sort(([a], [b]) => compare(a, b))
      .map(([namespace, home]) => ({ tier, namespace, replicas: warm.includes(namespace) ? size : 0, home })),
    findings: checkPools(tier, warm),
  };
}

/** The tier's own list, or where it is empty the options', which stand for the flag of the MAQPNA operator. */
const warmNamespaces = ({ object: { spec } }: SettledTier, options: Options): readonly string[] =>
  spec.warmPoolNamespaces?.length ? spec.warmPoolNamespaces : options.warmPoolNamespaces;

function checkPools({ object: { spec }, item }: SettledTier, warm: readonly string[]): Finding[] {
  const findings = (spec.warmPoolNamespaces ?? []).flatMap((namespace, index) =>
    isDNSLabel(namespace)
      ? []
      : [
          report('INVALID_VALUE', item, `spec.warmPoolNamespaces[${index}]`, 'must be the name of a Namespace', {
            value: namespace,
          }),
        ],
  );
  const name = poolName(item.name);
  if (name.length > LONGEST_POOL) {
    const message = `its warm pool would be called "${name}": at most ${LONGEST_POOL} characters`;
    findings.push(report('NAME_TOO_LONG', item, 'metadata.name', message, { value: item.name }));
  }
  if ((spec.warmPoolSize ?? 0) > 0 && warm.length === 0) {
    const message = 'no namespace keeps sandboxes warm: name some in `warmPoolNamespaces`, here or among the options';
    findings.push(report('WARM_POOL_NAMESPACE_UNKNOWN', item, 'spec.warmPoolSize', message));
  }
  return findings;
}
