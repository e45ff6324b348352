// What a run found about each seat: results of its own, and those of the probe pods that stand for it on its node.

import type {
  Area,
  CheckID,
  CheckResult,
  ClusterFacts,
  GroupFacts,
  Obstacle,
  Plan,
  PlannedSeat,
  Profile,
  SeatReport,
  Summary,
} from '../model';
import { CHECKS } from './checks';
import { TEMPLATE_UNKNOWN } from './judge/live-seat';
import { isUnknown } from './profile';
import { countsOf, summarise } from './roll-up';
import { podNameOf } from './workload';

/** Checks whose evidence comes from probe pods: all of these areas, but what the API server tells about one seat. */
const POD_AREAS: readonly Area[] = ['network', 'runtime', 'process', 'filesystem', 'identity'];
const OF_THE_SEAT: readonly CheckID[] = ['U1', 'I3'];
/** For every seat, also one that declares nothing: so that no seat is judged by an empty set. */
const ALWAYS: CheckID = 'A4';

const needsPods = (check: CheckID): boolean => POD_AREAS.includes(CHECKS[check].area) && !OF_THE_SEAT.includes(check);

/** A seat with what applies to it. */
interface Placed {
  readonly seat: PlannedSeat;
  readonly profile: Profile | undefined;
  /** Node of its live pod. */
  readonly node: string | undefined;
  readonly group: GroupFacts | undefined;
}

/** Where seats run and which probe pods stand for them. */
export function placed(plan: Plan, groups: readonly GroupFacts[], facts: ClusterFacts | undefined): readonly Placed[] {
  const nodes = new Map(facts?.pods.value?.map(({ metadata, spec }) => [metadata?.name, spec?.nodeName]));
  return plan.seats.map((seat) => {
    const node = seat.running ? nodes.get(podNameOf(seat)) : undefined;
    return {
      seat,
      profile: plan.profiles.find(({ digest }) => digest === seat.profile),
      node,
      group: seat.running
        ? groups.find((group) => group.profile.digest === seat.profile && group.node === node)
        : undefined,
    };
  });
}

const placeKey = (profile: string | undefined, node: string | undefined): string => `${profile ?? ''}\0${node ?? ''}`;

/** Results by what they are about, so that a seat's are found without reading all. No probe pod stands for a stopped seat. */
export function applying(results: readonly CheckResult[]): (one: Placed) => readonly CheckResult[] {
  const bySeat = Map.groupBy(
    results.filter(({ seat }) => seat !== undefined),
    ({ seat }) => seat,
  );
  const shared = results.filter(({ seat }) => seat === undefined);
  const general = shared.filter(({ profile, node }) => profile === undefined && node === undefined);
  const byPlace = Map.groupBy(
    shared.filter(({ profile, node }) => profile !== undefined || node !== undefined),
    ({ profile, node }) => placeKey(profile, node),
  );
  return ({ seat, node }) => [
    ...(bySeat.get(seat.seat) ?? []),
    ...((seat.running && byPlace.get(placeKey(seat.profile, node))) || []),
    ...general,
  ];
}

/**
 * An INCONCLUSIVE for each check that a seat asks for and that has no result: fail closed. One for all seats of a
 * profile on a node where probe pods would have told, else one per seat. A seat that is stopped asks for A4 alone.
 */
export function missing(
  places: readonly Placed[],
  results: readonly CheckResult[],
  obstacle: Obstacle | undefined,
): CheckResult[] {
  const of = applying(results);
  const found = new Map<string, CheckResult>();
  for (const one of places) {
    const seen = new Set(of(one).map(({ check }) => check));
    const asked = one.seat.running ? [...(one.profile?.checks ?? []), ALWAYS] : [ALWAYS];
    for (const check of asked.filter((id) => !seen.has(id))) {
      const shared = needsPods(check);
      const about = shared ? { profile: one.seat.profile, node: one.node } : { seat: one.seat.seat };
      found.set(JSON.stringify([check, about]), {
        check,
        verdict: 'INCONCLUSIVE',
        ...about,
        ...(obstacle ?? unprobed(one, shared)),
      });
    }
  }
  return [...found.values()];
}

function unprobed({ node, group, profile }: Placed, shared: boolean): Obstacle {
  if (profile && isUnknown(profile)) return TEMPLATE_UNKNOWN;
  if (!shared || group) return { reason: 'NothingChecked', message: 'no result came of this check' };
  const where = node === undefined ? 'the seat has no pod on a node' : `node ${node} was not probed`;
  return { reason: 'NodeNotProbed', message: `${where}, so nothing was tried` };
}

/** `results` in the order in which they should decide; those of `missing` among them. */
export function seatReports(plan: Plan, places: readonly Placed[], results: readonly CheckResult[]): SeatReport[] {
  const of = applying(results);
  const { acceptGaps } = plan.options;
  return places.map((one) => {
    const mine = of(one);
    return {
      seat: one.seat.seat,
      name: one.seat.name,
      tier: one.profile?.tier,
      profile: one.seat.profile,
      node: one.node,
      provenBy: one.group?.seat,
      running: one.seat.running,
      ...(one.seat.workload ? { workload: { kind: one.seat.workload.kind, name: one.seat.workload.name } } : {}),
      configRevision: one.seat.configRevision,
      ...summarise(mine, acceptGaps),
      areas: areasOf(mine, (part) => summarise(part, acceptGaps)),
      ...countsOf(mine),
    };
  });
}

/** Only areas in which something was declared and tried. */
function areasOf(
  results: readonly CheckResult[],
  summary: (part: readonly CheckResult[]) => Summary,
): Partial<Record<Area, Summary>> {
  const counted = results.filter(({ verdict }) => verdict !== 'SKIP');
  return Object.fromEntries(
    [...Map.groupBy(counted, ({ check }) => CHECKS[check].area)].map(([area, part]) => [area, summary(part)]),
  );
}
