// A resolved seat for the tests of the renderers, and what most of its objects carry.
import type { KubernetesObject } from '@kubernetes/client-node';
import * as assert from 'uvu/assert';
import type { Harness, Options, ResolvedSeat, SeatSpec, TrustTierSpec } from '../functions/model';
import { RENDERERS } from '../functions/render';
import { renderStatefulSet } from '../functions/render/stateful-set';
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
export const render = (seat: ResolvedSeat): KubernetesObject[] =>
  RENDERERS.map((renderer) => renderer.render(seat)).filter((object) => object !== undefined);
export const podOf = (seat: ResolvedSeat) => renderStatefulSet(seat).spec!.template.spec!;
export const containerOf = (seat: ResolvedSeat) => podOf(seat).containers[0]!;
export const envOf = (seat: ResolvedSeat) =>
  Object.fromEntries(containerOf(seat).env!.map(({ name, value }) => [name, value]));

export const LABELS = {
  'steadmesh.io/organization': 'acme',
  'steadmesh.io/seat': 'lead_engineer',
  'steadmesh.io/component': 'seat',
};
