// What this version provides with the options and objects at hand, by what, and for the rest why not and what to do.
import type { Kind } from '../../finding-kind';
import type { Declared, Isolation, Located, Options, TrustTier } from '../../model';
import { OPTIONS } from '../../options';
import { OFFERED, type Runtimes, runtimesOf } from './runtimes';

export interface Capability {
  readonly feature: string;
  readonly state: 'Provided' | Kind;
  /** By what it is provided; else what to do. */
  readonly note: string;
}

interface Facts {
  readonly options: Options;
  readonly tiers: readonly Located<TrustTier>[];
  readonly runtimes: Runtimes;
  /** Whether the input holds an object of another's. */
  readonly holds: (kind: string, name: string) => boolean;
}

type Answer = readonly [state: Capability['state'], note: string];
type Rule = (facts: Facts) => Answer;

const provided = (note: string): Answer => ['Provided', note];
const misconfigured = (note: string): Answer => ['Misconfigured', note];

/** In the order in which they are shown. */
export function capabilitiesOf(declared: Declared, options: Options): Capability[] {
  const { tiers, rest } = declared;
  const held = new Set(rest.map(({ kind, name }) => `${kind}/${name}`));
  const facts: Facts = {
    ...{ options, tiers, runtimes: runtimesOf(declared) },
    holds: (kind, name) => held.has(`${kind}/${name}`),
  };
  return Object.entries({ ...FEATURES, ...LATER }).map(([feature, rule]) => {
    const [state, note] = rule(facts);
    return { feature, state, note };
  });
}

const MOST_NAMED = 3;

function namesOf(tiers: readonly Located<TrustTier>[]): string {
  const names = [...new Set(tiers.map(({ item }) => item.name))].sort();
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.length === 1 ? 'tier' : 'tiers'} ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}

/** Provided if a tier does it. */
const byTier =
  (does: (spec: TrustTier['spec']) => unknown, todo: string): Rule =>
  ({ tiers }) => {
    const doing = tiers.filter(({ object }) => does(object.spec));
    return doing.length ? provided(namesOf(doing)) : misconfigured(todo);
  };

/** A tier promises it, and its RuntimeClass keeps it; what is not in the input nobody can judge here. */
const isolation =
  (wanted: Isolation): Rule =>
  ({ tiers, runtimes }) => {
    const promising = tiers.filter(({ object }) => OFFERED[object.spec.isolation]?.includes(wanted));
    const classOf = ({ object }: Located<TrustTier>) => runtimes.get(object.spec.runtimeClassName);
    const keeping = promising.filter((tier) => classOf(tier)?.every(({ provides }) => provides.has(wanted)));
    if (keeping.length) return provided(`${namesOf(keeping)}, by the handler of its RuntimeClass`);
    const unknown = promising.filter((tier) => !classOf(tier));
    if (unknown.length)
      return ['Unavailable', `${namesOf(unknown)}: its RuntimeClass is not in the input; the probe tells, or add it`];
    if (promising.length)
      return ['Unsupported', `${namesOf(promising)}: its RuntimeClass does not provide it; name another`];
    return misconfigured(`declare a TrustTier with \`isolation: ${wanted}\``);
  };

const throughGateway: Rule = ({ options }) =>
  options.egressURL ? provided('option egressURL') : misconfigured('set the option `egressURL`');

/** Where the input has the CRD of agent-sandbox; else only the cluster knows. */
const byController = ({ holds }: Facts, plural: string, note: string): Answer =>
  holds('CustomResourceDefinition', plural)
    ? provided(note)
    : ['Unavailable', `${note}; whether agent-sandbox is installed the cluster knows`];

const warmPool: Rule = (facts) => {
  const { tiers, options, holds } = facts;
  const claimed = tiers.filter(({ object }) => object.spec.sandboxTemplateName);
  if (claimed.length === 0) return misconfigured('name a SandboxTemplate in `sandboxTemplateName` of a tier');
  const missing = claimed.filter(({ object }) => !holds('SandboxTemplate', object.spec.sandboxTemplateName ?? ''));
  if (missing.length)
    return ['Unavailable', `${namesOf(missing)}: its SandboxTemplate is not in the input; the probe tells, or add it`];
  const pools = options.operatorPresent ? 'pools of the MAQPNA operator' : 'SandboxClaim and SandboxWarmPool';
  return byController(facts, 'sandboxclaims.extensions.agents.x-k8s.io', `${namesOf(claimed)}, by ${pools}`);
};

const jurisdiction: Rule = ({ tiers }) => {
  const told = tiers.filter(({ object }) => object.spec.jurisdiction);
  const kept = told.filter(({ object }) => Object.keys(object.spec.allowedNodeLabels ?? {}).length);
  if (kept.length) return provided(`${namesOf(kept)}, by required node affinity`);
  return misconfigured(
    told.length
      ? `${namesOf(told)}: nothing schedules by it; name nodes in \`allowedNodeLabels\``
      : 'name `jurisdiction` and `allowedNodeLabels` in a tier',
  );
};

const guards: Rule = ({ options: { admission } }) =>
  admission === 'Off'
    ? misconfigured('set the option `admission` to Deny, or to Audit first')
    : provided(`option admission: ${admission}, by ValidatingAdmissionPolicies`);

const FEATURES: Readonly<Record<string, Rule>> = {
  'isolation gvisor': isolation('gvisor'),
  'isolation microvm': isolation('microvm'),
  'isolation confidential': isolation('confidential'),
  attestation: byTier(
    (spec) => spec.attestationRequired && spec.isolation === 'confidential',
    'set `attestationRequired` in a tier with `isolation: confidential`',
  ),
  jurisdiction,
  'egress gateway-only': byTier(({ egress = 'gateway-only' }) => egress === 'gateway-only', 'declare a TrustTier'),
  'egress deny-all': byTier(({ egress }) => egress === 'deny-all', 'set `egress: deny-all` in a tier'),
  'egress to hosts': throughGateway,
  'egress of a browser': throughGateway,
  'egress to CIDRs': ({ options }) =>
    options.requireTier
      ? misconfigured('tiers never allow it; seats without a tier do, with the option `requireTier: false`')
      : provided('seats without a tier, by NetworkPolicy'),
  'provider tools': byTier((spec) => spec.allowedProviderTools?.length, 'list `allowedProviderTools` in a tier'),
  'workload StatefulSet': () => provided('apps/v1'),
  'workload Sandbox': (facts) => byController(facts, 'sandboxes.agents.x-k8s.io', '`workload: Sandbox`'),
  'workload SandboxClaim': warmPool,
  'task runs': () => provided('TaskRun, by a Pod with a policy of its own'),
  'session ttl of a StatefulSet': () => ['Unsupported', 'nothing ends its pod; use a Sandbox'],
  'session ttl of a Sandbox': () => provided('activeDeadlineSeconds'),
  'session ttl of a SandboxClaim': () => ['Unsupported', 'a claim ends at a time; set `session.expiresAt`'],
  'session ttl of a task run': () => provided('activeDeadlineSeconds'),
  'workspace retained': () => provided('PersistentVolumeClaim that no engine prunes'),
  'workspace adopted': () => provided('`workspace.adoptClaim`'),
  'workspace shared': () => provided('`workspace.shared`'),
  'guards of the API server': guards,
  'guards of namespaces': ({ options }) =>
    options.namespaceGuard
      ? provided('option namespaceGuard, by Namespace, NetworkPolicy and ResourceQuota')
      : misconfigured('set the option `namespaceGuard`, where the package does not bring its namespaces'),
  probe: ({ options }) =>
    options.probe.mode === 'job'
      ? provided('option probe.mode: job, by a Job per namespace')
      : misconfigured('set the option `probe.mode` to job'),
};

/** Options of features that are not built yet. */
const LATER: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries(OPTIONS)
    .filter(([, { later }]) => later)
    .map(([key]) => [`option ${key}`, () => ['Unsupported', 'comes with a later version'] as const]),
);
