// What a seat may reach: its own wishes, capped by its tier. A tier only ever removes.
import { type Finding, report } from '../../finding';
import { GATEWAY_PODS, PLATFORM_PODS } from '../../labels';
import type { EgressRule, Located, Options, Outcome, Seat, Trace, TrustTier } from '../../model';
import { dnsRule } from './dns';
import { type HostAccess, resolveHosts } from './hosts';
import { type NetworkRule, resolveNetwork } from './network';
import { lacksTier } from './tier-choice';

export interface Egress {
  /** Rules of the seat's policy, in its order. */
  readonly rules: readonly EgressRule[];
  readonly usesGateway: boolean;
  /** What the gateway lets through; sorted. */
  readonly hosts: readonly HostAccess[];
  readonly network: readonly NetworkRule[];
}

interface Posture {
  /** CIDR rules are allowed. */
  readonly direct: boolean;
  readonly gateway: boolean;
  /** Platform and DNS without being asked for. */
  readonly platform: boolean;
  /** What the posture allows, in words. */
  readonly allows: string;
}

const DENY_ALL: Posture = { direct: false, gateway: false, platform: false, allows: 'allows no egress at all' };
const POSTURES: Readonly<Record<NonNullable<TrustTier['spec']['egress']>, Posture>> = {
  'gateway-only': { direct: false, gateway: true, platform: true, allows: 'allows egress only through the gateway' },
  'deny-all': DENY_ALL,
};
const WITHOUT_TIER: Posture = { direct: true, gateway: true, platform: true, allows: 'allows all egress' };

/** Fails closed: the default need not have been applied, and a posture that we do not know denies all. */
function postureOf(seat: Seat, tier: Located<TrustTier> | undefined, options: Options): Posture {
  if (!tier) return lacksTier(seat, tier, options) ? POSTURES['gateway-only'] : WITHOUT_TIER;
  return postureNamed(tier.object.spec.egress);
}

const postureNamed = (name: string = 'gateway-only'): Posture =>
  Object.hasOwn(POSTURES, name) ? POSTURES[name as keyof typeof POSTURES] : DENY_ALL;

/**
 * Egress of one seat: platform, DNS, gateway, then its CIDRs sorted. `deny-all` leaves no rule, unless the options
 * re-open platform and DNS; `gateway-only` refuses CIDRs. A wish that is refused is an error and leaves no rule.
 */
export function resolveEgress(
  seat: Located<Seat>,
  tier: Located<TrustTier> | undefined,
  options: Options,
  trace?: Trace,
): Outcome<Egress> {
  const posture = postureOf(seat.object, tier, options);
  const findings: Finding[] = tier ? notAllowed(seat, tier, posture) : [];
  const hosts = posture.gateway ? resolveHosts(seat) : NOTHING;
  const network = posture.direct ? resolveNetwork(seat) : NOTHING;
  const usesGateway = posture.gateway && gatewayPaths(seat.object).length > 0;
  if (usesGateway && !options.egressURL) findings.push(...gatewayNotConfigured(seat));
  findings.push(...hosts.findings, ...network.findings);

  const reachesPlatform = posture.platform || options.platformFromDenyAll;
  if (!reachesPlatform) findings.push(platformUnreachable(seat, tier));
  const dns = reachesPlatform ? dnsRule(options) : undefined;
  const rules = [
    ...(reachesPlatform ? [platformRule(options), dns] : []),
    ...(usesGateway ? [gatewayRule(options)] : []),
    ...network.value.map(networkRule),
  ].filter((rule) => rule !== undefined);

  const value = { rules, usesGateway, hosts: hosts.value, network: network.value };
  if (trace) tell(value, posture, tier, reachesPlatform, dns, trace);
  return { value, findings };
}

/** What a tier lets pods reach that ask for nothing themselves: those of a shared template. */
export function egressOfTier(tier: Located<TrustTier>, options: Options): readonly EgressRule[] {
  const posture = postureNamed(tier.object.spec.egress);
  const reachesPlatform = posture.platform || options.platformFromDenyAll;
  return [
    ...(reachesPlatform ? [platformRule(options), dnsRule(options)] : []),
    ...(posture.gateway ? [gatewayRule(options)] : []),
  ].filter((rule) => rule !== undefined);
}

/** For `explain`: what is open, and whose word that is. */
function tell(
  { usesGateway, hosts, network }: Egress,
  posture: Posture,
  tier: Located<TrustTier> | undefined,
  platform: boolean,
  dns: EgressRule | undefined,
  trace: Trace,
): void {
  const from = tier ? 'tier' : 'options';
  const name = tier ? (tier.object.spec.egress ?? 'gateway-only') : 'none';
  trace({ field: 'egress.posture', value: name, from, note: posture.allows });
  trace({ field: 'egress.platform', value: platform, from: posture.platform || !platform ? from : 'options' });
  if (dns) trace({ field: 'egress.dns', value: dns, from: 'options' });
  trace({ field: 'egress.gateway', value: usesGateway, from: posture.gateway ? 'seat' : from });
  trace({ field: 'egress.hosts', value: hosts, from: 'seat' });
  trace({ field: 'egress.network', value: network, from: 'seat' });
}

const NOTHING: Outcome<readonly never[]> = { value: [], findings: [] };

/** Where the seat asks for something that only the gateway can give. */
function gatewayPaths({ spec: { access = {} } }: Seat): string[] {
  return [
    ...(access.egress ?? []).map((_, index) => `spec.access.egress[${index}]`),
    ...(access.browser ? ['spec.access.browser'] : []),
    ...(access.repositories ?? []).flatMap(({ delivery }, index) =>
      delivery === 'sandbox' ? [`spec.access.repositories[${index}]`] : [],
    ),
  ];
}

const directPaths = ({ spec: { access = {} } }: Seat): string[] =>
  (access.network ?? []).map((_, index) => `spec.access.network[${index}]`);

function notAllowed(seat: Located<Seat>, tier: Located<TrustTier>, posture: Posture): Finding[] {
  const paths = [
    ...(posture.gateway ? [] : gatewayPaths(seat.object)),
    ...(posture.direct ? [] : directPaths(seat.object)),
  ];
  const message = `tier "${tier.object.metadata.name}" ${posture.allows}`;
  return paths.map((path) => report('EGRESS_NOT_ALLOWED', seat.item, path, message));
}

const gatewayNotConfigured = (seat: Located<Seat>): Finding[] =>
  gatewayPaths(seat.object).map((path) =>
    report('EGRESS_GATEWAY_NOT_CONFIGURED', seat.item, path, 'this needs the egress gateway: set the option egressURL'),
  );

function platformUnreachable(seat: Located<Seat>, tier: Located<TrustTier> | undefined): Finding {
  const message =
    `tier "${tier?.object.metadata.name ?? ''}" ${DENY_ALL.allows}, so the seat cannot reach its platform either; ` +
    'the option platformFromDenyAll re-opens platform and DNS';
  return report('PLATFORM_UNREACHABLE', seat.item, 'spec.tierRef.name', message);
}

const platformRule = ({ controlPlaneNamespace, platformPort }: Options): EgressRule => ({
  peers: [{ namespace: controlPlaneNamespace, podLabels: PLATFORM_PODS }],
  ports: [{ protocol: 'TCP', port: platformPort }],
});

/** undefined without a gateway or a port: a rule without a port would open them all. */
const gatewayRule = ({ controlPlaneNamespace, egressURL, egressPort }: Options): EgressRule | undefined =>
  egressURL && egressPort !== undefined
    ? {
        peers: [{ namespace: controlPlaneNamespace, podLabels: GATEWAY_PODS }],
        ports: [{ protocol: 'TCP', port: egressPort }],
      }
    : undefined;

const networkRule = ({ cidr, except, protocol, ports, endPort }: NetworkRule): EgressRule => ({
  peers: [{ cidr, ...(except.length ? { except } : {}) }],
  ports: ports.length
    ? ports.map((port) => ({ protocol, port, ...(endPort === undefined ? {} : { endPort }) }))
    : [{ protocol }],
});
