// Builders for tests of plans: seats as they are resolved, and the plan that is made of them.
import * as assert from 'uvu/assert';
import type { Options, Plan, ProbeOptions, ResolvedSeat, SeatSpec, TrustTierSpec } from '../functions/model';
import { planOf } from '../functions/probe/plan';
import { renderNetworkPolicy } from '../functions/render/network-policy';
import { renderStatefulSet } from '../functions/render/stateful-set';
import { renderWorkspaceClaim } from '../functions/render/workspace-claim';
import { resolveSeats } from '../functions/stages/resolve';
import { HARNESS } from './rendered';
import { optionsWith, PROBE, seatWith, tierWith } from './seats';

const GATEWAY = { egressURL: 'http://egress.steadmesh-system.svc:3128', egressPort: 3128 };
export const withProbe = (probe: Partial<ProbeOptions> = {}, options: Partial<Options> = {}): Options => ({
  ...optionsWith({ requireTier: false, probeImage: 'probe', deniedURL: '', ...GATEWAY, ...options }),
  probe: { ...PROBE, ...probe },
});

export const rendered = (seat: ResolvedSeat) => ({
  template: renderStatefulSet(seat).spec!.template,
  policy: renderNetworkPolicy(seat).spec!,
  claim: renderWorkspaceClaim(seat),
});
export interface Wish {
  readonly name: string;
  readonly spec?: Partial<SeatSpec>;
}
export function seatsOf(wishes: readonly Wish[], tier: Partial<TrustTierSpec> | null = {}): readonly ResolvedSeat[] {
  const seats = wishes.map(({ name, spec }) =>
    seatWith(
      {
        harness: HARNESS,
        key: name,
        ...(tier ? { tierRef: { name: 'tier-0' } } : { resources: RESOURCES.defaultResources }),
        ...spec,
      },
      name,
    ),
  );
  const declared = { tiers: tier ? [tierWith({ ...RESOURCES, ...tier })] : [], seats, rest: [], related: [] };
  const { value, findings } = resolveSeats(declared, optionsWith({ requireTier: false, ...GATEWAY }));
  assert.equal(
    findings.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    [],
  );
  return value;
}
const RESOURCES = { defaultResources: { limits: { cpu: '1', memory: '1Gi' } } };
export const planFor = (wishes: readonly Wish[], tier?: Partial<TrustTierSpec> | null, options = withProbe()): Plan =>
  planOf('seats', seatsOf(wishes, tier), options, rendered);
