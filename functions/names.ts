// The names of a seat's objects: readable, within 63 characters, and different for different seats.
import { createHash } from 'node:crypto';

const LONGEST_READABLE_PART = 40;
const HASH_DIGITS = 8;

/**
 * Base name of every object of a seat: `seat-<key>-<hash>`. Organization and key go into the hash as written, since
 * `a_b` and `a-b` read alike. At most 49 bytes; an 8-digit hash can be forged, so a name alone proves nothing.
 */
export function baseName(organization: string, key: string): string {
  const readable = `seat-${key.toLowerCase().replaceAll('_', '-')}`;
  const cut = Buffer.byteLength(readable) > LONGEST_READABLE_PART ? shorten(readable) : readable;
  const hash = createHash('sha256').update(`${organization}/${key}`).digest('hex').slice(0, HASH_DIGITS);
  return `${cut}-${hash}`;
}

const shorten = (readable: string): string => readable.slice(0, LONGEST_READABLE_PART).replace(/-+$/, '');

/** Name of a tier's warm pool, as the MAQPNA operator has it. */
export const poolName = (tier: string): string => `maqpna-${tier}`;

/**
 * Name of a Sandbox or SandboxClaim. Their pods never follow an edit, so that a seat in another tier must be another object:
 * what the engine prunes is the pod in the earlier tier.
 */
export const tieredName = (base: string, tier: string | undefined): string =>
  tier === undefined ? base : `${base}-${tier}`;

export const claimName = (base: string): string => `ws-${base}`;
/** Whether a name is one that `claimName` gives. */
export const isClaimName = (name: string): boolean => /^ws-seat-.+-[0-9a-f]{8}$/.test(name);
export const manifestName = (base: string): string => `${base}-manifest`;
