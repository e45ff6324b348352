// Every option of the function config as one table: where it stands, what it may be, which way it tightens.
import { parseDuration } from './kubernetes/duration';
import type { Decision, Gap, Item, Options, ProbeOptions } from './model';

export type OptionType =
  | 'boolean'
  | 'string'
  | 'integer'
  | 'port'
  | 'list'
  | 'ports'
  | 'map'
  | 'objects'
  | readonly string[];

/**
 * How a package may differ from the platform level: `same` not at all, `free` as it likes, `up` to a later entry of the
 * option's list of values or from false to true, `down` from true to false.
 */
export type Tightening = 'same' | 'free' | 'up' | 'down';

export interface OptionRule {
  readonly type: OptionType;
  /** undefined: there is none, or another option decides it. */
  readonly default: unknown;
  readonly package: Tightening;
  /** Settings that weaken a seat; each use without a platform level is a warning. */
  readonly loosens?: unknown;
  /** The feature comes with a later version: only the default may be written down until then. */
  readonly later?: true;
  /** The only level that may say it. */
  readonly level?: Item['level'];
}

/** The audience of the token that the platform's gateway accepts (steadmesh `runtime/kube`). */
export const GATEWAY_AUDIENCE = 'steadmesh-gateway';

const same = (type: OptionType, fallback: unknown): OptionRule => ({ type, default: fallback, package: 'same' });
const free = (type: OptionType, fallback?: unknown): OptionRule => ({ type, default: fallback, package: 'free' });
const loosening = (): OptionRule => ({ type: 'boolean', default: false, package: 'down', loosens: true });
const later = (type: OptionType, fallback?: unknown): OptionRule => ({
  type,
  default: fallback,
  package: 'free',
  later: true,
});

/** Defaults are those of the reference package (steadmesh `runtime/kube` Options) where it has the option. */
export const OPTIONS: Readonly<Record<string, OptionRule>> = {
  platformURL: same('string', undefined),
  controlPlaneNamespace: same('string', 'steadmesh-system'),
  platformPort: same('port', undefined),
  imagePullPolicy: { type: ['Never', 'IfNotPresent', 'Always'], default: 'IfNotPresent', package: 'up' },
  dnsNamespace: same('string', 'kube-system'),
  'dns.namespace': same('string', undefined),
  'dns.podLabels': same('map', undefined),
  'dns.ports': same('ports', undefined),
  'dns.cidrs': same('list', undefined),
  egressURL: same('string', ''),
  egressPort: same('port', undefined),
  requireTier: { type: 'boolean', default: true, package: 'up', loosens: false },
  allowImageTags: loosening(),
  allowSecretEnv: loosening(),
  platformFromDenyAll: loosening(),
  attestationAudience: same('string', 'maqpna-identity-broker'),
  namespace: free('string'),
  warmPoolNamespaces: same('list', []),
  operatorPresent: same('boolean', false),
  namespaceGuard: { type: 'boolean', default: false, package: 'up' },
  admission: { type: ['Off', 'Audit', 'Deny'], default: 'Off', package: 'up' },
  'output.layout': free(['flat', 'split'], 'flat'),
  'output.directory': free('string', 'generated'),
  'output.inputs': free(['keep', 'drop']),
  tierAccess: { type: 'objects', default: [], package: 'same', level: 'platform' },
  inputs: { type: 'objects', default: [], package: 'free', level: 'package' },
  probeImage: same('string', 'ghcr.io/seatplan/probe-seats:v0.1.0'),
  deniedURL: same('string', 'https://kubernetes.default.svc:443/livez'),
  fieldOwner: same('string', 'steadmesh-controller'),
  'probe.mode': { type: ['none', 'job'], default: 'job', package: 'up', loosens: 'none' },
  'probe.timeout': free('string', '3m'),
  'probe.settle': same('string', '20s'),
  'probe.validFor': same('string', '24h'),
  // the two that nobody can close with this version: gVisor and Kata filter no system calls, plugins act a moment late
  'probe.acceptGaps': same('list', ['SandboxBoundary', 'StartWindow']),
  'probe.epoch': free('string'),
  'probe.rbac': { type: ['namespace', 'cluster'], default: 'cluster', package: 'up', loosens: 'namespace' },
  'probe.canaries': same('list', []),
  'probe.dnsCanaryZone': same('string', undefined),
  'probe.failureTTL': later('string', '1m'),
  'probe.startGate': later('boolean', false),
  'probe.gate': later('boolean', false),
  keeper: later('boolean', false),
};

/** Option values as written, by dotted key. */
export type Settings = Readonly<Record<string, unknown>>;

/** The options of a run without any config, and what a front end shows as defaults. */
export const DEFAULTS: Settings = Object.fromEntries(
  Object.entries(OPTIONS)
    .filter(([, rule]) => rule.default !== undefined)
    .map(([key, rule]) => [key, rule.default]),
);

/** Which options decide a value that `explain` shows as theirs; with none of them written it is a default. */
const DECIDED_BY: Readonly<Record<string, readonly string[]>> = {
  'metadata.namespace': ['namespace'],
  imagePullPolicy: ['imagePullPolicy'],
  platformURL: ['platformURL', 'controlPlaneNamespace'],
  egressURL: ['egressURL'],
  'egress.posture': ['requireTier'],
  'egress.platform': ['platformFromDenyAll'],
  'egress.dns': ['dnsNamespace', 'dns.namespace', 'dns.podLabels', 'dns.ports', 'dns.cidrs'],
};

/** A decision that names the options although nobody wrote them is the default's. */
export const attributed = (decision: Decision, written: Settings): Decision =>
  decision.from !== 'options' || DECIDED_BY[decision.field]?.some((key) => written[key] !== undefined)
    ? decision
    : { ...decision, from: 'default' };

/** Typed options of checked settings (wherever a setting is missing its default counts) and the ports behind the URLs. */
export function toOptions(settings: Settings, ports: { platform: number; egress: number | undefined }): Options {
  const value = <T>(key: string): T => (settings[key] ?? OPTIONS[key]?.default) as T;
  const dns = Object.fromEntries(
    ['namespace', 'podLabels', 'ports', 'cidrs']
      .map((key) => [key, value(`dns.${key}`)])
      .filter(([, one]) => one !== undefined),
  );
  return {
    platformURL: platformURL(settings),
    controlPlaneNamespace: value('controlPlaneNamespace'),
    platformPort: ports.platform,
    imagePullPolicy: value('imagePullPolicy'),
    probeImage: value('probeImage'),
    deniedURL: value('deniedURL'),
    dnsNamespace: value('dnsNamespace'),
    dns: Object.keys(dns).length ? dns : undefined,
    fieldOwner: value('fieldOwner'),
    egressURL: value('egressURL'),
    egressPort: ports.egress,
    requireTier: value('requireTier'),
    allowImageTags: value('allowImageTags'),
    allowSecretEnv: value('allowSecretEnv'),
    platformFromDenyAll: value('platformFromDenyAll'),
    attestationAudience: value('attestationAudience'),
    namespace: value('namespace'),
    warmPoolNamespaces: value('warmPoolNamespaces'),
    operatorPresent: value('operatorPresent'),
    admission: value('admission'),
    namespaceGuard: value('namespaceGuard'),
    layout: value('output.layout'),
    directory: value('output.directory'),
    inputs: value('output.inputs'),
    tierAccess: value('tierAccess'),
    probe: probeOptions(value),
  };
}

/** Every gap that can be accepted; `docs/probe.md` tells what each is. */
export const GAPS: readonly Gap[] = [
  ...(['SandboxBoundary', 'StartWindow', 'DnsNamespaceWide', 'DnsExfil'] as const),
  ...(['LocalNodeOpen', 'NotAttested', 'ImageByTag'] as const),
];

/** Whole seconds of a duration; where it is no duration (a finding by then) the default's. */
const seconds = (text: string, key: string): number =>
  Number((parseDuration(text) ?? parseDuration(String(DEFAULTS[key])) ?? 0n) / 1_000_000_000n);

const probeOptions = (value: <T>(key: string) => T): ProbeOptions => ({
  mode: value('probe.mode'),
  timeoutSeconds: seconds(value('probe.timeout'), 'probe.timeout'),
  settleSeconds: seconds(value('probe.settle'), 'probe.settle'),
  validForSeconds: seconds(value('probe.validFor'), 'probe.validFor'),
  acceptGaps: value('probe.acceptGaps'),
  epoch: value('probe.epoch'),
  rbac: value('probe.rbac'),
  canaries: value('probe.canaries'),
  dnsCanaryZone: value('probe.dnsCanaryZone'),
});

/** The platform's address as seats see it; the reference package's default follows the control plane's namespace. */
export const platformURL = (settings: Settings): string =>
  String(
    settings.platformURL ??
      `http://steadmesh-platform.${settings.controlPlaneNamespace ?? DEFAULTS.controlPlaneNamespace}.svc:8080`,
  );
