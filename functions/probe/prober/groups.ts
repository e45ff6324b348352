// Which probe pods a run needs: one pair for each profile on each node where seats of it live.

import type { ClusterFacts, Plan, PlannedSeat, Profile } from '../../model';
import { isUnknown } from '../profile';
import { podNameOf } from '../workload';

export interface Group {
  readonly profile: Profile;
  /** The Seat whose labels S gets. */
  readonly seat: PlannedSeat;
  readonly node: string;
}

/**
 * By profile and node, each in its order; the seat is the first by name. Seats without a pod on a node are in none, nor are
 * those of whose pod nothing is known: no probe pod could be like it.
 */
export function groupsOf(plan: Plan, pods: ClusterFacts['pods']): Group[] {
  const nodes = new Map(pods.value?.map(({ metadata, spec }) => [metadata?.name, spec?.nodeName]));
  return plan.profiles
    .filter((profile) => !isUnknown(profile))
    .flatMap((profile) => {
      const first = new Map<string, PlannedSeat>();
      for (const seat of plan.seats) {
        const node = seat.running && seat.profile === profile.digest ? nodes.get(podNameOf(seat)) : undefined;
        if (node !== undefined && !first.has(node)) first.set(node, seat);
      }
      return [...first].sort(([a], [b]) => (a < b ? -1 : 1)).map(([node, seat]): Group => ({ profile, seat, node }));
    });
}
