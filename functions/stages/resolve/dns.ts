// The DNS rule of every seat's policy, from the `dns` options, and what is wrong with those options.
import type { Code } from '../../finding';
import type { Dns, EgressRule, Options } from '../../model';
import { type Cidr, formatCidr, parseCidr } from './cidr';
import { reachedMetadata } from './metadata-addresses';
import { isPort } from './ports';
import { WIDEST } from './reach';

const DNS_PORT = 53;
/** Where DNS pods listen; 5353 is that of OpenShift. */
const USUAL_PORTS: readonly number[] = [DNS_PORT, 5353];

/**
 * UDP and TCP to the cluster's DNS. `dnsNamespace` alone: any pod of that namespace, port 53. `dns` narrows it to pods,
 * moves it to other ports, or names addresses; addresses alone replace the namespace. undefined: nobody is left to ask.
 */
export function dnsRule({ dns = {}, dnsNamespace }: Pick<Options, 'dns' | 'dnsNamespace'>): EgressRule | undefined {
  const podLabels = dns.podLabels && Object.keys(dns.podLabels).length > 0 ? { podLabels: dns.podLabels } : {};
  const byNamespace = dns.namespace !== undefined || 'podLabels' in podLabels || !dns.cidrs?.length;
  const peers = [
    ...(byNamespace ? [{ namespace: dns.namespace ?? dnsNamespace, ...podLabels }] : []),
    ...cidrsOf(dns).map((cidr) => ({ cidr: formatCidr(cidr) })),
  ];
  const ports = portsOf(dns).flatMap((port) => [
    { protocol: 'UDP', port } as const,
    { protocol: 'TCP', port } as const,
  ]);
  return peers.length === 0 || ports.length === 0 ? undefined : { peers, ports };
}

const portsOf = ({ ports }: Dns): number[] => (ports?.length ? [...new Set(ports)].filter(isPort) : [DNS_PORT]);

const cidrsOf = ({ cidrs = [] }: Dns): Cidr[] =>
  cidrs.flatMap((text) => {
    const parsed = parseCidr(text);
    return 'problem' in parsed ? [] : [parsed.cidr];
  });

export interface DnsProblem {
  readonly code: Code;
  /** Below the `dns` option: `cidrs[0]`. */
  readonly path: string;
  readonly message: string;
  readonly value: unknown;
  readonly proposed?: string;
}

/** Problems of the `dns` options, for the stage that knows where they were written. A metadata address may answer DNS, and only DNS. */
export function dnsProblems(dns: Dns): DnsProblem[] {
  const ports = (dns.ports ?? []).flatMap((value, index): DnsProblem[] => {
    const path = `ports[${index}]`;
    if (!isPort(value)) return [{ code: 'INVALID_OPTION', path, message: 'a port is 1 to 65535', value }];
    if (USUAL_PORTS.includes(value)) return [];
    const message = `port ${value} is no usual port of DNS, and is opened to every seat in whatever tier`;
    return [{ code: 'OPTION_LOOSENS', path, message, value }];
  });
  const otherPort = portsOf(dns).find((port) => port !== DNS_PORT);
  const cidrs = (dns.cidrs ?? []).flatMap((text, index) => cidrProblems(text, `cidrs[${index}]`, otherPort));
  return [...ports, ...cidrs];
}

function cidrProblems(value: string, path: string, otherPort: number | undefined): DnsProblem[] {
  const parsed = parseCidr(value);
  if ('problem' in parsed) {
    const { problem, ...proposed } = parsed;
    return [{ code: 'INVALID_CIDR', path, message: `"${value}": ${problem}`, value, ...proposed }];
  }
  const { cidr, masked } = parsed;
  const text = formatCidr(cidr);
  const problems: DnsProblem[] = [];
  if (masked) {
    const message = `"${value}" has bits set beyond its prefix: it is used as ${text}`;
    problems.push({ code: 'CIDR_MASKED', path, message, value, proposed: text });
  }
  if (cidr.prefix < WIDEST[cidr.family]) {
    const message = `${text} is wider than /${WIDEST[cidr.family]}: name the addresses of the DNS servers`;
    problems.push({ code: 'CIDR_TOO_WIDE', path, message, value });
  }
  const [reached] = otherPort === undefined ? [] : reachedMetadata({ cidr, except: [] });
  if (reached) {
    const message = `${text} reaches ${reached.address} (${reached.service}) on port ${otherPort}: only port 53 is allowed there`;
    problems.push({ code: 'METADATA_REACHABLE', path, message, value });
  }
  return problems;
}
