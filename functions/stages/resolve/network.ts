// Direct access of one seat: its `access.network` entries as canonical, sorted rules, and what is wrong with them.
import { type Finding, report } from '../../finding';
import type { Located, NetworkAccess, Outcome, Seat } from '../../model';
import { type Cidr, compareCidrs, contains, formatCidr, parseCidr } from './cidr';
import { comparePorts, isPort, PROTOCOLS, type Protocol } from './ports';
import { reachFindings } from './reach';

export interface NetworkRule {
  readonly cidr: string;
  readonly except: readonly string[];
  readonly protocol: Protocol;
  /** Sorted; empty: every port. */
  readonly ports: readonly number[];
  /** The end of a range that begins at the only port. */
  readonly endPort?: number;
}

/** An entry that could be read, and where it stands in the seat. */
export interface DirectEntry {
  readonly path: string;
  readonly cidr: Cidr;
  readonly except: readonly Cidr[];
  /** Where each block of `except` stands. */
  readonly exceptPaths: readonly string[];
  readonly protocol: Protocol;
  readonly ports: readonly number[];
  readonly endPort: number | undefined;
}

/**
 * The direct rules of a seat, sorted as numbers (family, address, prefix, then the rest); wholly equal entries are one.
 * Entries with an error are left out: what cannot be read is never widened to something that can.
 */
export function resolveNetwork(seat: Located<Seat>): Outcome<readonly NetworkRule[]> {
  const { value: entries, findings } = directEntries(seat);
  const all = [...findings, ...reachFindings(seat, entries)];
  return { value: mergeEqual([...entries].sort(compareEntries)).map(ruleOf), findings: all };
}

/** The entries that can be read, in their order. */
export function directEntries(seat: Located<Seat>): Outcome<readonly DirectEntry[]> {
  const read = (seat.object.spec.access?.network ?? []).map((access, index) =>
    readEntry(seat, access, `spec.access.network[${index}]`),
  );
  return { value: read.flatMap(({ value }) => value ?? []), findings: read.flatMap(({ findings }) => findings) };
}

function readEntry(seat: Located<Seat>, access: NetworkAccess, path: string): Outcome<DirectEntry | undefined> {
  const block = readCidr(seat, access.cidr, `${path}.cidr`);
  const findings = [...block.findings, ...portFindings(seat, access, path)];
  const protocol = protocolOf(access.protocol);
  if (!protocol) {
    const message = `protocol is ${PROTOCOLS.join(', ')}, in upper or lower case`;
    findings.push(report('INVALID_VALUE', seat.item, `${path}.protocol`, message, { value: access.protocol }));
  }
  const holes = (access.except ?? []).map((text, index) =>
    readExcept(seat, text, `${path}.except[${index}]`, block.value),
  );
  findings.push(...holes.flatMap((hole) => hole.findings));
  const except = holes.flatMap((hole) => hole.value ?? []).sort((a, b) => compareCidrs(a.cidr, b.cidr));
  if (!block.value || !protocol || findings.some(({ severity }) => severity === 'error')) {
    return { value: undefined, findings };
  }
  const value: DirectEntry = {
    path,
    cidr: block.value,
    except: except.map(({ cidr }) => cidr),
    exceptPaths: except.map((hole) => hole.path),
    protocol,
    ports: [...new Set(access.ports ?? [])].sort((a, b) => a - b),
    endPort: access.endPort,
  };
  return { value, findings };
}

/** A CIDR in a field: read strictly, masked with a warning. */
function readCidr(seat: Located<Seat>, text: string, path: string): Outcome<Cidr | undefined> {
  const parsed = parseCidr(text);
  if ('problem' in parsed) {
    const { problem, proposed } = parsed;
    const extras = { value: text, ...(proposed === undefined ? {} : { proposed }) };
    return { value: undefined, findings: [report('INVALID_CIDR', seat.item, path, `"${text}": ${problem}`, extras)] };
  }
  const proposed = formatCidr(parsed.cidr);
  const message = `"${text}" has bits set beyond its prefix: it is used as ${proposed}`;
  return {
    value: parsed.cidr,
    findings: parsed.masked ? [report('CIDR_MASKED', seat.item, path, message, { value: text, proposed })] : [],
  };
}

function readExcept(
  seat: Located<Seat>,
  text: string,
  path: string,
  block: Cidr | undefined,
): Outcome<{ cidr: Cidr; path: string } | undefined> {
  const { value: hole, findings } = readCidr(seat, text, path);
  if (!hole || !block) return { value: undefined, findings };
  if (contains(block, hole) && hole.prefix > block.prefix) return { value: { cidr: hole, path }, findings };
  const message = `"${text}" must lie within ${formatCidr(block)} and be smaller than it`;
  return {
    value: undefined,
    findings: [...findings, report('INVALID_EXCEPT', seat.item, path, message, { value: text })],
  };
}

/** The CRD says all this too; here it keeps a rule that nothing validated from meaning more than it says. */
function portFindings(seat: Located<Seat>, { ports = [], endPort }: NetworkAccess, path: string): Finding[] {
  const findings = ports.flatMap((port, index) =>
    isPort(port)
      ? []
      : [report('INVALID_VALUE', seat.item, `${path}.ports[${index}]`, 'a port is 1 to 65535', { value: port })],
  );
  if (endPort === undefined) return findings;
  const [first] = ports;
  if (ports.length === 1 && isPort(endPort) && endPort >= first!) return findings;
  const message = 'endPort needs exactly one port, and is that port up to 65535';
  return [...findings, report('INVALID_VALUE', seat.item, `${path}.endPort`, message, { value: endPort })];
}

const protocolOf = (text: string | undefined): Protocol | undefined =>
  PROTOCOLS.find((protocol) => protocol === (text === undefined ? 'TCP' : String(text).toUpperCase()));

const compareEntries = (a: DirectEntry, b: DirectEntry): number =>
  compareCidrs(a.cidr, b.cidr) ||
  PROTOCOLS.indexOf(a.protocol) - PROTOCOLS.indexOf(b.protocol) ||
  comparePorts(a.ports, b.ports) ||
  (a.endPort ?? 0) - (b.endPort ?? 0) ||
  compareExcepts(a.except, b.except);

function compareExcepts(a: readonly Cidr[], b: readonly Cidr[]): number {
  const different = a.findIndex((hole, index) => !b[index] || compareCidrs(hole, b[index]) !== 0);
  if (different < 0) return a.length - b.length;
  return b[different] ? compareCidrs(a[different]!, b[different]) : 1;
}

const mergeEqual = (sorted: readonly DirectEntry[]): DirectEntry[] =>
  sorted.filter((entry, index) => index === 0 || compareEntries(sorted[index - 1]!, entry) !== 0);

const ruleOf = ({ cidr, except, protocol, ports, endPort }: DirectEntry): NetworkRule => ({
  cidr: formatCidr(cidr),
  except: [...new Set(except.map(formatCidr))],
  protocol,
  ports,
  ...(endPort === undefined ? {} : { endPort }),
});
