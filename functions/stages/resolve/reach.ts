// What the direct entries of a seat reach taken together: too much, a metadata service, or what another one excepted.
import { type Finding, report } from '../../finding';
import type { Located, Seat } from '../../model';
import { formatCidr, reaches } from './cidr';
import { reachedMetadata } from './metadata-addresses';
import type { DirectEntry } from './network';
import { overlap, rangesOf } from './ports';

/** Blocks with a shorter prefix than this are worth a second look (tier-wide: /8, and /16 for IPv6). */
export const WIDEST = { 4: 8, 6: 16 } as const;
const NAMED_AT_MOST = 3;

/** Findings about entries that are right each for itself. Policies only add: an `except` takes nothing from another rule. */
export const reachFindings = (seat: Located<Seat>, entries: readonly DirectEntry[]): Finding[] =>
  entries.flatMap((entry) => [
    ...tooWide(seat, entry),
    ...metadataReachable(seat, entry),
    ...reopenedExcepts(seat, entry, entries),
  ]);

function tooWide(seat: Located<Seat>, { path, cidr }: DirectEntry): Finding[] {
  const widest = WIDEST[cidr.family];
  if (cidr.prefix >= widest) return [];
  const message = `${formatCidr(cidr)} is wider than /${widest}: name the networks that the seat needs`;
  return [report('CIDR_TOO_WIDE', seat.item, `${path}.cidr`, message, { value: formatCidr(cidr) })];
}

function metadataReachable(seat: Located<Seat>, entry: DirectEntry): Finding[] {
  const reached = reachedMetadata(entry);
  if (reached.length === 0) return [];
  const named = reached.slice(0, NAMED_AT_MOST).map(({ address, service }) => `${address} (${service})`);
  const more = reached.length > named.length ? ` and ${reached.length - named.length} more` : '';
  const message = `${formatCidr(entry.cidr)} reaches ${named.join(', ')}${more}: narrow it or add them to except`;
  // Only a wider block can except them; a block that is one such address can only go.
  const proposed = reached.every(({ cidr }) => cidr.prefix > entry.cidr.prefix)
    ? { proposed: { except: [...entry.except, ...reached.map(({ cidr }) => cidr)].map(formatCidr) } }
    : {};
  const extras = { value: formatCidr(entry.cidr), ...proposed };
  return [report('METADATA_REACHABLE', seat.item, `${entry.path}.cidr`, message, extras)];
}

function reopenedExcepts(seat: Located<Seat>, entry: DirectEntry, entries: readonly DirectEntry[]): Finding[] {
  const others = entries.filter((other) => other !== entry && overlap(portsOf(other), portsOf(entry)));
  return entry.except.flatMap((hole, index) => {
    const opener = others.find((other) => reaches(other, hole));
    if (!opener) return [];
    const message = `except is no deny: ${opener.path} allows addresses of ${formatCidr(hole)} on the same ports`;
    const path = entry.exceptPaths[index] ?? entry.path;
    return [report('EXCEPT_REOPENED', seat.item, path, message, { value: formatCidr(hole) })];
  });
}

const portsOf = ({ protocol, ports, endPort }: DirectEntry) => rangesOf(protocol, ports, endPort);
