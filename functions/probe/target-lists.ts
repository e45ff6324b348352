// The lists that a probe's targets are made of, each with why it may be empty.
import { PLATFORM_PODS } from '../labels';
import type { CheckID, CheckResult, Endpoint, Plan, PlannedTarget, Profile } from '../model';
import { parseAddress } from '../stages/resolve/address';
import { METADATA_ADDRESSES } from '../stages/resolve/metadata-addresses';
import { NONCE } from './identity';
import { allows, reachesDns } from './policy-reach';

/** What only the cluster knows; addresses are literal, IPv6 without brackets. */
export interface Surroundings {
  readonly witness: { readonly addresses: readonly string[] };
  /** Of the platform's Service, as the prober resolves it. */
  readonly platform: readonly string[];
  /** Of the plan's denied URL; empty where there is none or its name does not resolve. */
  readonly denied: readonly string[];
  readonly api: { readonly service: Endpoint; readonly endpoints: readonly Endpoint[] };
  /** Of the node of S. */
  readonly hostIPs: readonly string[];
  readonly otherNodes: readonly string[];
  /** Live pods of seats, S left out. */
  readonly seats: readonly {
    readonly seat: string;
    readonly address: string;
    readonly port: number;
    readonly ready: boolean;
  }[];
  readonly families: readonly ('4' | '6')[];
}

/** Beside the platform's port and 53 what the witness listens on. */
export const WITNESS_PORT = 8443;

const DNS_PORT = 53;
/** kubelet, kube-proxy's metrics and its health, node exporter. */
const NODE_PORTS = [10250, 10255, 10256, 9100] as const;
/** Where GKE's metadata server really listens: policies see its address, not 169.254.169.254. */
const GKE_METADATA = {
  address: '169.254.169.252',
  port: 988,
  service: 'Google Cloud (GKE) workload metadata',
} as const;
const OTHER_NODES_AT_MOST = 2;
const SEATS_AT_MOST = 5;

export type Planned = Omit<PlannedTarget, 'id'>;

/** '4' or '6'; undefined for what is no literal address. */
export function familyOf(text: string): '4' | '6' | undefined {
  const address = parseAddress(text);
  return 'problem' in address ? undefined : address.family === 4 ? '4' : '6';
}

export const RESOLVER = 'resolver';
export type Skip = (result: Pick<CheckResult, 'check' | 'verdict' | 'reason' | 'target' | 'message'>) => void;
interface To {
  readonly address: string;
  readonly port: number;
}

const shown = ({ address, port }: To): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
export const denied = (check: CheckID, kind: Planned['kind'], to: To, what: string): Planned => ({
  check,
  kind,
  ...to,
  expect: 'deny',
  required: true,
  label: `${what} ${shown(to)}`,
});

export function platform(
  { platform: { host, port, path, podPort }, controlPlaneNamespace }: Plan,
  { policy }: Profile,
  around: Surroundings,
  skip: Skip,
): Planned[] {
  const pod = { namespace: controlPlaneNamespace, labels: PLATFORM_PODS };
  if (!allows(policy, { pod, protocol: 'TCP', port: podPort })) {
    skip({ check: 'N1', verdict: 'SKIP', reason: 'NotDeclared', message: 'the policy does not open the platform' });
    return [];
  }
  if (around.platform.length === 0) {
    const message = `the platform's name ${host} does not resolve, so that nothing was tried there`;
    skip({ check: 'N1', verdict: 'INCONCLUSIVE', reason: 'NotFound', message });
  }
  return around.platform.map((address) => ({
    ...denied('N1', 'http', { address, port }, 'platform'),
    expect: 'allow',
    host,
    path,
  }));
}

export function witness(
  { platform: { podPort } }: Plan,
  { witness: { addresses } }: Surroundings,
  skip: Skip,
): Planned[] {
  if (addresses.length === 0) {
    for (const check of ['N3', 'N5'] as const) {
      skip({ check, verdict: 'INCONCLUSIVE', reason: 'NotFound', message: 'there was no witness pod to try to reach' });
    }
  }
  const name = `${NONCE}.probe.invalid.`;
  return addresses
    .flatMap((address): Planned[] => [
      ...[podPort, WITNESS_PORT].map((port) => denied('N3', 'http', { address, port }, 'witness pod')),
      { ...denied('N5', 'dns-udp', { address, port: DNS_PORT }, 'witness pod, UDP'), name },
      { ...denied('N5', 'dns-tcp', { address, port: DNS_PORT }, 'witness pod, TCP'), name },
    ])
    .map((target) => ({ ...target, witness: true }));
}

export function dns({ policy }: Profile, { options: { dnsCanaryZone } }: Plan, skip: Skip): Planned[] {
  const ask = (check: CheckID, kind: 'dns-udp' | 'dns-tcp', name: string, label: string): Planned => ({
    ...{ check, kind, address: RESOLVER, port: DNS_PORT, name, label },
    expect: check === 'N4' ? 'allow' : 'deny',
    required: check === 'N4',
  });
  // A name that no cache knows: NXDOMAIN is an answer too.
  const name = `${NONCE}.default.svc.cluster.local.`;
  const found = [
    ...(reachesDns(policy, 'UDP') ? [ask('N4', 'dns-udp', name, 'cluster DNS, UDP')] : []),
    ...(reachesDns(policy, 'TCP') ? [ask('N4', 'dns-tcp', name, 'cluster DNS, TCP')] : []),
  ];
  if (found.length === 0) {
    skip({ check: 'N4', verdict: 'SKIP', reason: 'NotDeclared', message: 'the policy does not open DNS' });
  }
  if (dnsCanaryZone === undefined) {
    const message = 'no probe.dnsCanaryZone is configured, so that tunnelling by DNS was not tried';
    skip({ check: 'N6', verdict: 'SKIP', reason: 'NoCanary', message });
    return found;
  }
  const zone = dnsCanaryZone.replace(/^\.+|\.+$/g, '');
  return [...found, ask('N6', 'dns-udp', `${NONCE}.${zone}.`, `DNS zone ${zone}`)];
}

/** The operator's canaries, and the denied URL where that is not the API server (N10 tries that). */
export function canaries(
  { options, denied: url }: Plan,
  { checks }: Profile,
  around: Surroundings,
  skip: Skip,
): Planned[] {
  if (!checks.includes('N7')) {
    const message = 'no probe.canaries are configured, so that a direct way out was not tried';
    skip({ check: 'N7', verdict: 'SKIP', reason: 'NoCanary', message });
    return [];
  }
  const untried = (target: string, why: string): readonly [] => {
    skip({ check: 'N7', verdict: 'INCONCLUSIVE', reason: 'NotFound', target, message: `${why}: it was not tried` });
    return [];
  };
  const servers = [around.api.service, ...around.api.endpoints].map(({ host, port }) => shown({ address: host, port }));
  const others = url ? around.denied.map((address) => ({ address, port: url.port })) : [];
  if (url && others.length === 0) untried(url.host, `the name ${url.host} of deniedURL does not resolve`);
  return [
    ...options.canaries.flatMap((text) => {
      const to = endpointOf(text);
      return to ? [denied('N7', 'tcp', to, 'canary')] : untried(text, `the canary "${text}" is not address:port`);
    }),
    ...others.filter((to) => !servers.includes(shown(to))).map((to) => denied('N7', 'tcp', to, 'denied URL')),
  ];
}

/** `address:port`, `[address]:port`; undefined for anything else. */
function endpointOf(text: string): To | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  return address !== undefined && familyOf(address) ? { address, port: Number(port) } : undefined;
}

export const api = ({ api: { service, endpoints } }: Surroundings): Planned[] =>
  [
    { ...service, what: 'API server' },
    ...endpoints.map((endpoint) => ({ ...endpoint, what: 'API server endpoint' })),
  ].map(({ host, port, what }) => denied('N10', 'tcp', { address: host, port }, what));

export function nodes({ hostIPs, otherNodes }: Surroundings, skip: Skip): Planned[] {
  if (hostIPs.length === 0) {
    const message = "the address of the pod's node is not known, so that it was not tried";
    skip({ check: 'N11', verdict: 'INCONCLUSIVE', reason: 'NotShown', message });
  }
  const at = (address: string, what: string): Planned[] =>
    NODE_PORTS.map((port) => ({ ...denied('N11', 'tcp', { address, port }, what), required: false }));
  return [
    ...hostIPs.flatMap((address) => at(address, 'own node')).map((one) => ({ ...one, gap: 'LocalNodeOpen' as const })),
    ...otherNodes.slice(0, OTHER_NODES_AT_MOST).flatMap((address) => at(address, 'other node')),
  ];
}

/** Link-local IPv6 addresses need a zone, which is no literal address; they are left out. */
export const metadata = (): Planned[] =>
  [...METADATA_ADDRESSES.map((one) => ({ ...one, port: 80 })), GKE_METADATA]
    .filter(({ address }) => !address.startsWith('fe80:'))
    .map(({ address, port, service }) => ({ ...denied('N12', 'tcp', { address, port }, service), required: false }));

/** No more than a connection: a real seat gets no data. */
export function seats({ seats: found }: Surroundings, skip: Skip): Planned[] {
  if (found.length === 0) {
    skip({ check: 'N14', verdict: 'SKIP', reason: 'NothingThere', message: 'no other seat runs' });
  }
  const readyFirst = [...found.filter(({ ready }) => ready), ...found.filter(({ ready }) => !ready)];
  return readyFirst.slice(0, SEATS_AT_MOST).map(({ seat, ready, ...to }) => ({
    ...denied('N14', 'tcp', to, `seat ${seat}`),
    seat,
    required: ready,
    ...(ready ? { alive: 'the kubelet finds it ready' } : {}),
  }));
}
