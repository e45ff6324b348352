// Tables of cases for the resolve stage: a sentence, what it is about, and every finding that it brings.
import type { KubernetesObject } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Declared, Harness, Item, Located, Options, Seat, SeatSpec, TrustTierSpec } from '../functions/model';
import { resolveSeats } from '../functions/stages/resolve';
import { optionsWith, seatWith, tierWith } from './seats';

export const HEX = 'a'.repeat(64);
export const IMAGE = `registry.example/agent@sha256:${HEX}`;
export const HARNESS: Harness = { adapter: 'claude', image: IMAGE };
export const LIMITS = { limits: { cpu: '1', memory: '1Gi' } };
/** A seat and a tier without a fault. */
export const SEAT: Partial<SeatSpec> = { harness: HARNESS, resources: LIMITS, tierRef: { name: 'tier-0' } };

export function object(
  kind: string,
  apiVersion: string,
  fields: object,
  annotations: Record<string, string> = {},
): Located<KubernetesObject> {
  const { metadata = {} } = fields as { metadata?: { name?: string; namespace?: string } };
  const item: Item = {
    ...seatWith().item,
    apiVersion,
    kind,
    name: metadata.name ?? '',
    namespace: metadata.namespace,
    annotations,
  };
  return { object: { apiVersion, kind, ...fields }, item };
}
export const runtimeClass = (
  handler: string,
  name = 'gvisor',
  provides?: string,
  nodeSelector?: Record<string, string>,
) =>
  object(
    'RuntimeClass',
    'node.k8s.io/v1',
    { metadata: { name }, handler, ...(nodeSelector ? { scheduling: { nodeSelector } } : {}) },
    provides === undefined ? {} : { 'steadmesh.io/provides': provides },
  );
export const RUNSC = runtimeClass('runsc');

export interface Case {
  readonly seat?: Partial<SeatSpec>;
  readonly tier?: Partial<TrustTierSpec>;
  readonly options?: Partial<Options>;
  readonly related?: Declared['related'];
  readonly declared?: Partial<Declared>;
  /** `CODE path` of every finding, sorted. */
  readonly findings: readonly string[];
}

export const resolve = ({ seat, tier, options, related = [RUNSC], declared }: Omit<Case, 'findings'>) =>
  resolveSeats(
    { tiers: [tierWith(tier)], seats: [seatWith({ ...SEAT, ...seat })], rest: [], related, ...declared },
    optionsWith(options),
  );
export const linesOf = (given: Omit<Case, 'findings'>): string[] =>
  resolve(given)
    .findings.map(({ code, path = '' }) => `${code} ${path}`.trim())
    .sort();

export function table(name: string, cases: Readonly<Record<string, Case>>): void {
  const run = suite(name);
  for (const [sentence, given] of Object.entries(cases))
    run(sentence, () => {
      assert.equal(linesOf(given), [...given.findings].sort());
      const failed = resolve(given).findings.some(({ severity }) => severity === 'error');
      if (!failed) assert.ok(resolve(given).value.length > 0);
    });
  run.run();
}

export const seats = (...list: Located<Seat>[]): Partial<Declared> => ({ seats: list });
export const noTier = (spec: Partial<SeatSpec> = {}): Partial<SeatSpec> => {
  const { tierRef: _, ...rest } = { ...SEAT, ...spec };
  return rest;
};
export const without = (
  spec: Partial<SeatSpec> = {},
  related: Declared['related'] = [RUNSC],
): Omit<Case, 'findings'> => ({
  declared: seats(seatWith(noTier(spec))),
  options: { requireTier: false },
  related,
});
