// The kinds that seatplan reads as its own: group, version and plural words live here and nowhere else.
import type { ObjectRef } from './model';
import { groupOf } from './owner';

export const SEAT_API = 'steadmesh.io/v1alpha1';
export const TIER_API = 'maqpna.com/v1alpha1';
/** Of kubernetes-sigs/agent-sandbox: its Sandboxes, and what makes them. */
export const SANDBOX_API = 'agents.x-k8s.io/v1beta1';
export const SANDBOX_EXTENSIONS_API = 'extensions.agents.x-k8s.io/v1beta1';
export const CONFIG_API = 'seatplan.dev/v1alpha1';

const OURS: Readonly<Record<string, string>> = {
  Seat: SEAT_API,
  TaskRun: SEAT_API,
  TrustTier: TIER_API,
  ExpandSeats: CONFIG_API,
};
const SPELLING = new Map(Object.keys(OURS).map((kind) => [kind.toLowerCase(), kind]));

/** How a kind of ours must be written; undefined for everything else. Any version of our groups, and any case, counts as ours. */
export function ownType({
  apiVersion,
  kind,
}: Pick<ObjectRef, 'apiVersion' | 'kind'>): { apiVersion: string; kind: string } | undefined {
  const spelling = SPELLING.get(kind.toLowerCase());
  const expected = spelling && OURS[spelling];
  return spelling && expected && groupOf(apiVersion) === groupOf(expected)
    ? { apiVersion: expected, kind: spelling }
    : undefined;
}

/** The apiVersion of `ownType`. */
export const expectedVersion = (object: Pick<ObjectRef, 'apiVersion' | 'kind'>): string | undefined =>
  ownType(object)?.apiVersion;

/** A Seat, TaskRun or TrustTier: what a package declares, as opposed to what configures the run. */
export function isInput(object: Pick<ObjectRef, 'apiVersion' | 'kind'>): boolean {
  const version = expectedVersion(object);
  return version !== undefined && version !== CONFIG_API;
}
