// The owner annotation: which object of ours a rendered object came from, and which object it was written for.

export const OWNER_ANNOTATION = 'seatplan.dev/owner';

/** Group, kind, namespace (absent for cluster-scoped kinds) and name. The core group is written `core`. */
export interface Identity {
  readonly group: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** `owner` is the Seat (or TrustTier); `object` the rendered object itself, so that a copy under another name is not ours. */
export interface Ownership {
  readonly owner: Identity;
  readonly object: Identity;
}

/** `apps` of `apps/v1`, `core` of `v1`. */
export const groupOf = (apiVersion: string): string => {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? 'core' : apiVersion.slice(0, slash);
};

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** Value of the owner annotation: `<group>/<Kind>/<namespace>/<name> <group>/<Kind>/<name>`. */
export const ownerOf = (owner: Reference, object: Omit<Reference, 'namespace'>): string =>
  `${groupOf(owner.apiVersion)}/${owner.kind}/${owner.namespace === undefined ? '' : `${owner.namespace}/`}${owner.name} ` +
  `${groupOf(object.apiVersion)}/${object.kind}/${object.name}`;

const identity = (text: string): Identity | undefined => {
  const parts = text.split('/');
  if (parts.some((part) => part === '')) return undefined;
  const [group, kind, third, fourth] = parts;
  if (parts.length === 3) return { group: group!, kind: kind!, name: third! };
  return parts.length === 4 ? { group: group!, kind: kind!, namespace: third!, name: fourth! } : undefined;
};

/** The reverse of `ownerOf`; undefined for a value that we cannot have written. */
export function parseOwner(value: string): Ownership | undefined {
  const words = value.split(' ');
  if (words.length !== 2) return undefined;
  const owner = identity(words[0]!);
  const object = identity(words[1]!);
  return owner && object && object.namespace === undefined ? { owner, object } : undefined;
}
