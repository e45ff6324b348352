// CIDR blocks: strict parsing, canonical text, order, and what one or several of them contain.
import {
  type Address,
  type AddressProblem,
  BITS,
  type Family,
  formatAddress,
  type Problem,
  parseAddress,
} from './address';

/** Always masked: the bits below the prefix are zero. */
export interface Cidr {
  readonly family: Family;
  readonly address: bigint;
  readonly prefix: number;
}
/** `masked`: the text had host bits set. */
export interface ParsedCidr {
  readonly cidr: Cidr;
  readonly masked: boolean;
}

/** Reads `address/prefix` as strictly as Go's netip.ParsePrefix; a zero prefix must stand at the zero address. */
export function parseCidr(text: string): ParsedCidr | Problem {
  const slash = text.lastIndexOf('/');
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  const prefixText = slash < 0 ? undefined : text.slice(slash + 1);
  if ('problem' in address) return withPrefix(address, prefixText);
  if (prefixText === undefined) {
    return {
      problem: 'a CIDR needs a prefix length',
      proposed: `${formatAddress(address)}/${BITS[address.family]}`,
    };
  }
  const prefix = parsePrefix(prefixText, address.family);
  if (typeof prefix !== 'number') return prefix;
  const cidr = mask(address, prefix);
  if (prefix === 0 && address.value !== 0n) {
    return { problem: `/0 is every address: write ${formatCidr(cidr)} if that is meant, else the right prefix` };
  }
  return { cidr, masked: cidr.address !== address.value };
}

/** The proposal for a bad address, with the prefix that it was written with, where the two fit together. */
function withPrefix({ problem, proposed, dropped = 0 }: AddressProblem, prefixText: string | undefined): Problem {
  if (proposed === undefined) return { problem };
  const family: Family = proposed.includes(':') ? 6 : 4;
  const prefix = prefixText === undefined ? BITS[family] : Number(prefixText) - dropped;
  const parsed = parseCidr(`${proposed}/${prefix}`);
  return 'cidr' in parsed ? { problem, proposed: formatCidr(parsed.cidr) } : { problem };
}

function parsePrefix(text: string, family: Family): number | Problem {
  const bits = BITS[family];
  if (/^0[0-9]+$/.test(text)) return { problem: 'leading zeros are not allowed in a prefix length' };
  if (!/^[0-9]{1,3}$/.test(text) || Number(text) > bits) {
    return { problem: `the prefix length of an IPv${family} CIDR is 0 to ${bits}` };
  }
  return Number(text);
}

const hostBits = ({ family, prefix }: Pick<Cidr, 'family' | 'prefix'>): bigint => BigInt(BITS[family] - prefix);

function mask({ family, value }: Address, prefix: number): Cidr {
  const bits = hostBits({ family, prefix });
  return { family, prefix, address: (value >> bits) << bits };
}

export const formatCidr = ({ family, address, prefix }: Cidr): string =>
  `${formatAddress({ family, value: address })}/${prefix}`;

/** By family, address, prefix: as numbers, so that 9.0.0.0 stands before 10.0.0.0. */
export const compareCidrs = (a: Cidr, b: Cidr): number =>
  a.family - b.family || (a.address < b.address ? -1 : a.address > b.address ? 1 : a.prefix - b.prefix);

/** Every address of `inner` is in `outer`. */
export const contains = (outer: Cidr, inner: Cidr): boolean =>
  outer.family === inner.family &&
  outer.prefix <= inner.prefix &&
  inner.address >> hostBits(outer) === outer.address >> hostBits(outer);

/** The addresses that two blocks share: the smaller of them, since blocks nest or are apart. */
export function intersection(a: Cidr, b: Cidr): Cidr | undefined {
  if (contains(a, b)) return b;
  return contains(b, a) ? a : undefined;
}

/** The block of one address. */
export const addressBlock = ({ family, value }: Address): Cidr => ({ family, address: value, prefix: BITS[family] });

const last = (cidr: Cidr): bigint => cidr.address + (1n << hostBits(cidr)) - 1n;

/** Every address of `inner` is in one or other of `blocks`: two halves cover the whole. */
export function covers(blocks: readonly Cidr[], inner: Cidr): boolean {
  const end = last(inner);
  let next = inner.address;
  for (const block of blocks.filter(({ family }) => family === inner.family).sort(compareCidrs)) {
    if (block.address > next) return false;
    if (last(block) >= next) next = last(block) + 1n;
    if (next > end) return true;
  }
  return false;
}

/** A block less the blocks cut out of it. */
export interface CutBlock {
  readonly cidr: Cidr;
  readonly except: readonly Cidr[];
}

/** Some address of `target` is in `block` and not cut out of it. */
export function reaches({ cidr, except }: CutBlock, target: Cidr): boolean {
  const shared = intersection(cidr, target);
  return shared !== undefined && !covers(except, shared);
}

/** Every address that `inner` leaves is one that `outer` leaves too. */
export const containsCut = (outer: CutBlock, inner: CutBlock): boolean =>
  contains(outer.cidr, inner.cidr) && outer.except.every((hole) => !reaches(inner, hole));
