// From items to objects. Start reading here: read → validate → resolve → render → write, each stage pure.
import { byImportance, type Finding, isError } from './finding';
import type { Expansion, Item, Located, Rendered, Seat, Trace } from './model';
import { probesOf } from './render/probe';
import { renderSeats } from './render/seats';
import { sharedOf } from './render/shared';
import { account, isOurs, type Wanted, wantedOf } from './stages/account';
import { configure } from './stages/configure';
import { position } from './stages/read/position';
import { resolveSeats } from './stages/resolve';
import { validate } from './stages/validate';

export type { Expansion } from './model';

export interface Input {
  readonly items: readonly Item[];
  /** Items of the platform level: options and TrustTiers. undefined: there is none, and the package's own word counts. */
  readonly platform?: readonly Item[] | undefined;
  /** The function config, where the caller names one; else the package's own ExpandSeats is looked for. */
  readonly config?: Item | undefined;
  /** What reading already found. */
  readonly findings?: readonly Finding[];
  readonly trace?: (seat: Located<Seat>) => Trace | undefined;
}

/** Never throws at users: every mistake is among the findings, all of a run at once. */
export function expand({ items, platform, config, findings: earlier = [], trace }: Input): Expansion {
  const settled = configure({ config, items, platform });
  const { options, attributed, inline, configs } = settled.value;
  const declared = validate([...items, ...inline, ...(platform ?? [])], platform !== undefined);
  const resolved = resolveSeats(declared.value, options, (seat) => {
    const tell = trace?.(seat);
    return tell && ((decision) => tell(attributed(decision)));
  });
  const probes = probesOf(resolved.value, options, resolved.tasks);
  const { tiers, pools, tasks } = resolved;
  const declaredNamespaces = new Set(declared.value.related.filter(isForeignNamespace).map(({ item }) => item.name));
  const shared = sharedOf({ seats: resolved.value, tasks, tiers, pools, declaredNamespaces, options });
  const whole = { seats: resolved.value, shared, tasks, probes: probes.value, layout: options.layout };
  const render = (): Iterable<Rendered> => renderSeats(whole);
  const accounts = account(items, () => refsOf(render()));
  const soFar = [earlier, settled.findings, declared.findings, resolved.findings, probes.findings].flat();
  // With an error some seats are not rendered, and their objects only look as if nobody wanted them.
  const findings = [...soFar, ...accounts.findings.filter(soFar.some(isError) ? isError : () => true)];
  const failed = findings.some(isError);
  return {
    options,
    declared: declared.value,
    seats: failed ? [] : resolved.value,
    kept: failed ? items : accounts.value.kept,
    inline,
    configs,
    predecessors: accounts.value.predecessors,
    findings: findings.map(position).sort(byImportance),
    render: failed ? () => [] : render,
  };
}

/** Not the one that an earlier run rendered. */
const isForeignNamespace = ({ item }: Located<unknown>): boolean =>
  item.kind === 'Namespace' && item.apiVersion === 'v1' && !isOurs(item);

function* refsOf(rendered: Iterable<Rendered>): Iterable<Wanted> {
  for (const one of rendered) yield wantedOf(one);
}
