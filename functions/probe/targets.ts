// What S and C try to reach: literal addresses only, made of the plan and of what the prober found around the seat.
import type { CheckResult, Plan, PlannedTarget, Profile } from '../model';
import { probePodLabels } from './pods';
import { allows } from './policy-reach';
import * as lists from './target-lists';
import { denied, familyOf, type Planned, RESOLVER, type Skip, type Surroundings } from './target-lists';

export { familyOf, type Surroundings, WITNESS_PORT } from './target-lists';

export interface PlannedTargets {
  readonly targets: readonly PlannedTarget[];
  /** Of what is not tried: why. They belong to the group's results. */
  readonly skipped: readonly CheckResult[];
}

/** Ids of targets of N13 begin so. */
export const INGRESS_PREFIX = 'i';

/**
 * Targets of a profile on a node, ids `t0`, `t1`, … A denied target that the declared policy allows is none, but a SKIP
 * `DeclaredOpen`; what cannot be tried for want of an address is a SKIP or INCONCLUSIVE. Both may be empty.
 */
export function targetsOf(plan: Plan, profile: Profile, around: Surroundings): PlannedTargets {
  const skipped: CheckResult[] = [];
  const skip: Skip = (result) => void skipped.push({ ...result, profile: profile.digest } as CheckResult);
  const planned = [
    ...lists.platform(plan, profile, around, skip),
    ...lists.witness(plan, around, skip),
    ...lists.dns(profile, plan, skip),
    ...lists.canaries(plan, profile, around, skip),
    ...lists.api(around),
    ...lists.nodes(around, skip),
    ...lists.metadata(),
    ...lists.seats(around, skip),
  ];
  const isOpen = (target: Planned): boolean => isDeclaredOpen(target, plan, profile, around);
  const tried = planned.filter((target) => isUsable(target, around, skip)).filter(isFirst);
  for (const { check, label } of tried.filter(isOpen)) {
    const message = `${label} is what the seat's own rules allow`;
    skip({ check, verdict: 'SKIP', reason: 'DeclaredOpen', target: label, message });
  }
  const targets = tried.filter((target) => !isOpen(target)).map((target, index) => ({ id: `t${index}`, ...target }));
  return { targets, skipped };
}

/** A name would prove nothing: that it does not resolve is no block. Of a family that pods lack, only what somebody asked for is told. */
function isUsable({ address, check, label }: Planned, { families }: Surroundings, skip: Skip): boolean {
  if (address === RESOLVER) return true;
  const family = familyOf(address);
  if (family === undefined) {
    const message = `${label} is a name, not an address, so that it was not tried`;
    skip({ check, verdict: 'INCONCLUSIVE', reason: 'NotFound', target: label, message });
    return false;
  }
  if (families.includes(family)) return true;
  if (check === 'N7') {
    const message = `${label} was not tried: pods have no IPv${family} address`;
    skip({ check, verdict: 'SKIP', reason: 'SingleStack', target: label, message });
  }
  return false;
}

const isFirst = (target: Planned, index: number, all: readonly Planned[]): boolean =>
  all.findIndex(
    ({ check, kind, label }) => check === target.check && kind === target.kind && label === target.label,
  ) === index;

/**
 * The seat's own egress rules let it through. Other seats are never open: their own policies let nobody in. Behind the
 * API server's Service address are its endpoints, and many network plugins know only those.
 */
function isDeclaredOpen(
  target: Planned,
  { namespace }: Plan,
  { policy, template }: Profile,
  { api: { service, endpoints } }: Surroundings,
): boolean {
  if (target.expect === 'allow' || target.check === 'N6' || target.check === 'N14') return false;
  const pod = { namespace, labels: probePodLabels('witness', template.metadata?.labels ?? {}) };
  const protocol = target.kind === 'dns-udp' || target.kind === 'udp' ? 'UDP' : 'TCP';
  const behind = target.check === 'N10' && target.address === service.host ? endpoints : [];
  return [{ host: target.address, port: target.port }, ...behind].some(({ host, port }) =>
    allows(policy, { address: host, port, protocol, ...(target.witness ? { pod } : {}) }),
  );
}

/** S's targets and S's own listener: every address with every port, ids `i0`, `i1`, … */
export const controlTargets = (
  targets: readonly PlannedTarget[],
  seatAddresses: readonly string[],
  ports: readonly number[],
): readonly PlannedTarget[] => [
  ...targets,
  ...seatAddresses
    .flatMap((address) => ports.map((port) => ({ address, port })))
    .map(
      (to, index): PlannedTarget => ({
        id: `${INGRESS_PREFIX}${index}`,
        ...denied('N13', 'http', to, "the seat's own port"),
      }),
    ),
];
