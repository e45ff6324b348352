// The kinds that seatplan reads as its own: group, version and plural words live here and nowhere else.
import type { ObjectRef } from './model';

export const SEAT_API = 'steadmesh.io/v1alpha1';
export const TIER_API = 'maqpna.com/v1alpha1';
export const CONFIG_API = 'seatplan.dev/v1alpha1';

const OURS: Readonly<Record<string, string>> = {
  Seat: SEAT_API,
  TaskRun: SEAT_API,
  TrustTier: TIER_API,
  ExpandSeats: CONFIG_API,
};

export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The apiVersion that a kind of ours must have; undefined for everything else. Any version of our groups counts as ours. */
export function expectedVersion({ apiVersion, kind }: Pick<ObjectRef, 'apiVersion' | 'kind'>): string | undefined {
  const expected = Object.hasOwn(OURS, kind) ? OURS[kind] : undefined;
  return expected !== undefined && groupOf(apiVersion) === groupOf(expected) ? expected : undefined;
}

/** A Seat, TaskRun or TrustTier: what a package declares, as opposed to what configures the run. */
export function isInput(object: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
  const version = expectedVersion(object);
  return version !== undefined && version !== CONFIG_API;
}
