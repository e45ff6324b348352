// A resolved seat for the tests of the renderers, and what most of its objects carry.
import * as assert from 'uvu/assert';
import type { Harness, Options, ResolvedSeat, SeatSpec, TrustTierSpec } from '../functions/model';
import { objectsOfSeat } from '../functions/render';
import { podTemplate } from '../functions/render/pod-template';
import type { Probe } from '../functions/render/probe';
import type { Whole } from '../functions/render/seats';
import { resolveSeats } from '../functions/stages/resolve';
import { optionsWith, seatWith, tierWith } from './seats';

export const IMAGE = `registry.example/agent@sha256:${'a'.repeat(64)}`;
export const HARNESS: Harness = { adapter: 'claude', image: IMAGE };
export const BASE = 'seat-lead-engineer-ff9b99fb';

export function resolved(
  spec: Partial<SeatSpec> = {},
  tier?: Partial<TrustTierSpec>,
  options: Partial<Options> = {},
): ResolvedSeat {
  const seat = seatWith(
    {
      harness: HARNESS,
      key: 'lead_engineer',
      organizationID: 'o-1',
      seatID: 's-1',
      resources: { limits: { cpu: 0.5, memory: '1.5Gi' } },
      ...(tier ? { tierRef: { name: 'tier-0' } } : {}),
      ...spec,
    },
    'lead',
    'team-a',
  );
  const declared = { tiers: tier ? [tierWith(tier)] : [], seats: [seat], rest: [], related: [] };
  const { value, findings } = resolveSeats(declared, optionsWith({ requireTier: false, ...options }));
  assert.equal(
    findings.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    [],
  );
  return value[0]!;
}
export const render = objectsOfSeat;
/** Seats as `renderSeats` takes them, with nothing that they share. */
export const wholeOf = (
  seats: readonly ResolvedSeat[],
  layout: Options['layout'] = 'flat',
  probes: readonly Probe[] = [],
): Whole => ({ seats, shared: [], tasks: [], probes, layout });
export const podOf = (seat: ResolvedSeat) => podTemplate(seat).spec!;
export const containerOf = (seat: ResolvedSeat) => podOf(seat).containers[0]!;
export const envOf = (seat: ResolvedSeat) =>
  Object.fromEntries(containerOf(seat).env!.map(({ name, value }) => [name, value]));

export const LABELS = {
  'steadmesh.io/organization': 'acme',
  'steadmesh.io/seat': 'lead_engineer',
  'steadmesh.io/component': 'seat',
};
