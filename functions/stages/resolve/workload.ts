// What a seat is rendered as. Workloads of a later version are refused by name, never replaced by another.
import { type Finding, report } from '../../finding';
import type { Located, Seat, TrustTier } from '../../model';

type Workload = NonNullable<Seat['spec']['workload']>;

/** A tier with a sandbox template means its warm pool, unless the seat says otherwise. */
export const workloadOf = (seat: Seat, tier: TrustTier | undefined): Workload =>
  seat.spec.workload ?? (tier?.spec.sandboxTemplateName ? 'SandboxClaim' : 'StatefulSet');

export function checkWorkload({ object, item }: Located<Seat>, tier: TrustTier | undefined): Finding[] {
  const workload = workloadOf(object, tier);
  if (workload === 'StatefulSet') return [];
  const why = object.spec.workload ? '' : `, the default in tier "${tier?.metadata.name}",`;
  const message = `workload ${workload}${why} comes with a later version; \`workload: StatefulSet\` is available`;
  return [report('OPTION_NOT_AVAILABLE', item, 'spec.workload', message, { value: workload, proposed: 'StatefulSet' })];
}
