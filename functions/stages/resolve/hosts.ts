// Names of hosts that a seat reaches through the gateway: an exact name, or `*.suffix` for every name below it.
import { type Finding, report } from '../../finding';
import type { Located, Outcome, Seat } from '../../model';
import type { Problem } from './address';
import { isPort } from './ports';

export interface HostAccess {
  readonly host: string;
  readonly ports: readonly number[];
}

export const DEFAULT_HOST_PORTS: readonly number[] = [443, 80];

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST_NAME = 253;
/** As the WHATWG URL standard reads a host: a last label that is a number makes the whole an IPv4 address. */
const NUMERIC_LAST_LABEL = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/** Rules in the order in which they are asked; the first that a name breaks is its problem. */
const RULES: readonly (readonly [broken: (name: string) => boolean, problem: string])[] = [
  [(name) => name === '', 'a host must not be empty'],
  [(name) => /[/@\s]/.test(name), 'a host is a name alone: no scheme, path, user or space'],
  [
    (name) => name.includes(':') || NUMERIC_LAST_LABEL.test(name),
    'a host is a name: no port, and no IP address (use access.network)',
  ],
  [
    (name) => name.slice(name.startsWith('*.') ? 2 : 0).includes('*'),
    '"*" may only stand for the first label: "*.example.com"',
  ],
  [(name) => name.startsWith('.') || name.endsWith('.'), 'a host neither begins nor ends with a dot'],
  [(name) => name.startsWith('*.') && !name.slice(2).includes('.'), 'what follows "*." must itself hold a dot'],
  [(name) => name.length > LONGEST_NAME, `a host has at most ${LONGEST_NAME} characters`],
  [
    (name) =>
      !name
        .replace(/^\*\./, '')
        .split('.')
        .every((label) => LABEL.test(label)),
    'each part of a host is 1 to 63 letters, digits and "-", and neither begins nor ends with "-"',
  ],
];

/** Reads a host: lower case, one trailing dot removed. */
export function parseHost(text: string): { readonly host: string } | Problem {
  const host = text.toLowerCase().replace(/\.$/, '');
  const broken = RULES.find(([isBroken]) => isBroken(host));
  if (!broken) return { host };
  const proposed = proposal(host);
  return { problem: broken[1], ...(proposed === undefined ? {} : { proposed }) };
}

/** The host that a URL, a `host:port`, a `.suffix` or an international name may have meant. */
function proposal(text: string): string | undefined {
  const suffix = /^\*?(\.?)([^*]+)$/.exec(text);
  const isSuffix = suffix !== null && (text.startsWith('.') || text.startsWith('*'));
  const candidate = isSuffix ? `*.${suffix[2]}` : hostOfURL(text.includes('://') ? text : `http://${text}`);
  return candidate !== undefined && !RULES.some(([isBroken]) => isBroken(candidate)) ? candidate : undefined;
}

function hostOfURL(text: string): string | undefined {
  return URL.canParse(text) ? new URL(text).hostname : undefined;
}

/** The ports that an entry means. */
export const wishedPorts = ({ ports = [] }: { readonly ports?: readonly number[] }): readonly number[] =>
  ports.length ? ports : DEFAULT_HOST_PORTS;

/**
 * The hosts that a seat asks for, sorted, one entry a host with its ports sorted. A repository that is delivered into
 * the sandbox is cloned from there, so its host is asked for as well.
 */
export function resolveHosts(seat: Located<Seat>): Outcome<readonly HostAccess[]> {
  const findings: Finding[] = [];
  const portsOf = new Map<string, Set<number>>();
  for (const wish of hostWishes(seat.object)) {
    const parsed = parseHost(wish.host);
    const problem = wish.exact ? repositoryHostProblem(wish.host) : 'problem' in parsed ? parsed : undefined;
    if (problem) findings.push(invalidHost(seat, wish, problem));
    findings.push(...invalidPorts(seat, wish));
    if (problem || 'problem' in parsed) continue;
    const ports = portsOf.get(parsed.host) ?? new Set();
    for (const port of wish.ports.filter(isPort)) ports.add(port);
    portsOf.set(parsed.host, ports);
  }
  const value = [...portsOf]
    .map(([host, ports]) => ({ host, ports: [...ports].sort((a, b) => a - b) }))
    .sort((a, b) => (a.host < b.host ? -1 : 1));
  return { value, findings };
}

interface HostWish extends HostAccess {
  readonly path: string;
  /** A repository is on one host. */
  readonly exact: boolean;
}

const WILDCARD_REPOSITORY: Problem = { problem: 'a repository is on one host: "*." is not allowed here' };

/** What is wrong with the host of a repository; undefined when nothing is. */
export function repositoryHostProblem(text: string): Problem | undefined {
  const parsed = parseHost(text);
  if ('problem' in parsed) return parsed;
  return parsed.host.startsWith('*.') ? WILDCARD_REPOSITORY : undefined;
}

function hostWishes({ spec: { access = {} } }: Seat): HostWish[] {
  const egress = (access.egress ?? []).map(({ host, ports }, index) => ({
    host,
    ports: wishedPorts(ports ? { ports } : {}),
    path: `spec.access.egress[${index}]`,
    exact: false,
  }));
  const repositories = (access.repositories ?? []).flatMap(({ host, delivery }, index) =>
    delivery === 'sandbox'
      ? [{ host, ports: DEFAULT_HOST_PORTS, path: `spec.access.repositories[${index}]`, exact: true }]
      : [],
  );
  return [...egress, ...repositories];
}

function invalidHost(seat: Located<Seat>, { host, path }: HostWish, { problem, proposed }: Problem): Finding {
  const extras = { value: host, ...(proposed === undefined ? {} : { proposed }) };
  return report('INVALID_HOST', seat.item, `${path}.host`, `"${host}": ${problem}`, extras);
}

const invalidPorts = (seat: Located<Seat>, { ports, path }: HostWish): Finding[] =>
  ports.flatMap((port, index) =>
    isPort(port)
      ? []
      : [report('INVALID_VALUE', seat.item, `${path}.ports[${index}]`, 'a port is 1 to 65535', { value: port })],
  );
