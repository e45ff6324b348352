// IP addresses as numbers: strict parsing, and the spelling of RFC 5952 that Go's netip prints.

export type Family = 4 | 6;
export interface Address {
  readonly family: Family;
  readonly value: bigint;
}
export const BITS: Record<Family, number> = { 4: 32, 6: 128 };

/** What is wrong with a text, and what may have been meant where that is sure. */
export interface Problem {
  readonly problem: string;
  readonly proposed?: string;
}
export interface AddressProblem extends Problem {
  /** Bits in front that the proposed address has lost. */
  readonly dropped?: number;
}

/** The bits in front of the IPv4 address in an IPv4-mapped one (RFC 4291, 2.5.5.2), and how many they are. */
const IPV4_MAPPED = 0xffffn;
const MAPPED_BITS = 96;

/** Strict as Go's netip.ParseAddr: no leading zeros, no short forms, no zone; IPv4-mapped IPv6 is refused too. */
export function parseAddress(text: string): Address | AddressProblem {
  if (text.includes('%'))
    return { problem: 'a zone (%…) has no meaning in a policy', proposed: text.replace(/%.*$/, '') };
  if (!text.includes(':')) {
    const value = ipv4Value(text);
    return typeof value === 'bigint' ? { family: 4, value } : value;
  }
  const value = ipv6Value(text);
  if (typeof value !== 'bigint') return value;
  if (value >> 32n === IPV4_MAPPED) {
    return {
      problem: 'an IPv4-mapped IPv6 address is not allowed: write the IPv4 address',
      proposed: formatAddress({ family: 4, value: value & 0xffffffffn }),
      dropped: MAPPED_BITS,
    };
  }
  return { family: 6, value };
}

export const formatAddress = ({ family, value }: Address): string =>
  family === 4 ? fields(value, 4, 8).join('.') : formatIPv6(fields(value, 8, 16));

function ipv4Value(text: string): bigint | Problem {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => /^[0-9]{1,3}$/.test(octet))) {
    return { problem: 'an IPv4 address is four decimal numbers with dots between them' };
  }
  if (octets.some((octet) => octet.length > 1 && octet.startsWith('0'))) {
    return { problem: 'leading zeros are not allowed: some readers take them as octal' };
  }
  if (octets.some((octet) => Number(octet) > 255)) return { problem: 'each number of an IPv4 address is 0 to 255' };
  return octets.reduce((value, octet) => (value << 8n) | BigInt(octet), 0n);
}

const NOT_IPV6: Problem = {
  problem: 'an IPv6 address is eight groups of one to four hex digits, of which one run of zeros may be written "::"',
};

function ipv6Value(text: string): bigint | Problem {
  const halves = text.split('::');
  if (halves.length > 2) return NOT_IPV6;
  const groups: bigint[][] = [];
  for (const [index, half] of halves.entries()) {
    const read = half === '' && halves.length === 2 ? [] : ipv6Groups(half, index === halves.length - 1);
    if (!Array.isArray(read)) return read;
    groups.push(read);
  }
  const [head = [], tail = []] = groups;
  const missing = 8 - head.length - tail.length;
  // "::" stands for at least one group; without it all eight must be there.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return NOT_IPV6;
  const zeros = new Array<bigint>(missing).fill(0n);
  return [...head, ...zeros, ...tail].reduce((value, group) => (value << 16n) | group, 0n);
}

/** Groups between colons; the last one of an address may be an IPv4 address, which fills two. */
function ipv6Groups(text: string, isLast: boolean): bigint[] | Problem {
  const parts = text.split(':');
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    if (isLast && index === parts.length - 1 && part.includes('.')) {
      const value = ipv4Value(part);
      if (typeof value !== 'bigint') return value;
      groups.push(value >> 16n, value & 0xffffn);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      groups.push(BigInt(`0x${part}`));
    } else {
      return NOT_IPV6;
    }
  }
  return groups;
}

const fields = (value: bigint, count: number, bits: number): number[] =>
  Array.from({ length: count }, (_, index) =>
    Number((value >> BigInt(bits * (count - 1 - index))) & ((1n << BigInt(bits)) - 1n)),
  );

/** RFC 5952: lower case, no leading zeros, the first of the longest runs of two or more zero groups as "::". */
function formatIPv6(groups: readonly number[]): string {
  const run = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(':');
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let current = { start: 0, length: 0 };
  for (const [index, group] of groups.entries()) {
    current = group === 0 ? { start: current.start, length: current.length + 1 } : { start: index + 1, length: 0 };
    if (current.length > longest.length) longest = current;
  }
  return longest;
}
