// What makes a planned seat's pod, and what that pod is called.
import type { LiveSandboxClaim, Plan, PlannedSeat } from '../model';

type Named = Pick<PlannedSeat, 'name' | 'workload'>;

/** A plan leaves out what most seats have: a StatefulSet of the base name. */
export const workloadOf = ({ name, workload }: Named): { kind: string; name: string } =>
  workload ? { kind: workload.kind, name: workload.name } : { kind: 'StatefulSet', name };

/** agent-sandbox names a pod after its Sandbox, and one that is made for a claim after that; a StatefulSet's one pod has the number 0. */
export const podNameOf = (seat: Named): string =>
  seat.workload ? (sandboxOf(seat) ?? seat.workload.name) : `${seat.name}-0`;

/** Name of the seat's Sandbox; undefined: it has none, or its claim was given none yet. */
export const sandboxOf = ({ workload }: Pick<PlannedSeat, 'workload'>): string | undefined =>
  workload?.kind === 'SandboxClaim' ? workload.sandbox : workload?.name;

export const claimsSandbox = ({ workload }: Pick<PlannedSeat, 'workload'>): boolean =>
  workload?.kind === 'SandboxClaim';
/** Whether some seat of the plan has a Sandbox, claimed or its own. */
export const hasSandboxes = ({ seats }: Pick<Plan, 'seats'>): boolean => seats.some(({ workload }) => workload);
export const hasSandboxClaims = ({ seats }: Pick<Plan, 'seats'>): boolean => seats.some(claimsSandbox);

/** The plan with the Sandboxes that the claims of its seats hold now. */
export function bound(plan: Plan, claims: readonly LiveSandboxClaim[]): Plan {
  if (!hasSandboxClaims(plan)) return plan;
  const given = new Map(claims.map(({ metadata, status }) => [metadata?.name, status?.sandbox?.name || undefined]));
  const seats = plan.seats.map((seat): PlannedSeat => {
    if (seat.workload?.kind !== 'SandboxClaim') return seat;
    const { kind, name } = seat.workload;
    const sandbox = given.get(name);
    return { ...seat, workload: { kind, name, ...(sandbox === undefined ? {} : { sandbox }) } };
  });
  return { ...plan, seats };
}
