// One seat: every part decided by its own file, put together here, and then digested.
import type { Finding } from '../../finding';
import type { Located, Options, Outcome, ResolvedSeat, Seat, Trace } from '../../model';
import { GATEWAY_AUDIENCE } from '../../options';
import { resolveClaimSeat } from './claim-seat';
import { resolveContainer } from './container';
import { resolveEgress } from './egress';
import { explain } from './explain';
import { checkSize, MANIFEST_FILE, resolveFiles } from './files';
import { checkNamespace, type Identity } from './identity';
import { manifestOf } from './manifest';
import { resolvePlacement } from './placement';
import { resolveProviderTools } from './provider-tools';
import { checkRepositories } from './repositories';
import { checkRequires } from './requires';
import { revisionOf } from './revision';
import type { Runtimes } from './runtimes';
import { resolveResources } from './seat-resources';
import { resolveSession } from './session';
import type { Templates } from './templates';
import { chooseTier, lacksTier } from './tier-choice';
import type { SettledTier, Tiers } from './tiers';
import { checkWorkload, workloadName, workloadOf } from './workload';
import { type Claims, resolveWorkspace } from './workspace';

/** What all seats of a run share. */
export interface Context {
  readonly options: Options;
  readonly tiers: Tiers;
  readonly brokenTiers: ReadonlySet<string>;
  readonly runtimes: Runtimes;
  readonly claims: Claims;
  readonly templates: Templates;
  readonly trace: ((seat: Located<Seat>) => Trace | undefined) | undefined;
}

/** As complete as the seat's errors allow: to be rendered only when there are none. */
export function resolveSeat(identity: Identity, context: Context): Outcome<ResolvedSeat> {
  const { seat } = identity;
  const { options, runtimes } = context;
  const { spec } = seat.object;
  const trace = context.trace?.(seat);
  const findings: Finding[] = checkNamespace(identity);
  const take = <T>(outcome: Outcome<T>): T => {
    if (outcome.findings.length) findings.push(...outcome.findings);
    return outcome.value;
  };

  const tier = take(chooseTier(seat, identity.namespace, context.tiers, context.brokenTiers, options));
  const kind = workloadOf(seat.object, tier?.object);
  const workload = { workload: kind, workloadName: workloadName(kind, identity.name, tier?.summary.name) };
  findings.push(...checkWorkload(seat, tier?.object, workload));
  if (!lacksTier(seat.object, tier, options)) findings.push(...checkRequires(seat, tier, runtimes));
  const session = take(resolveSession(seat, tier?.object, kind));
  const part = {
    ...identity,
    tier: tier?.summary,
    ...workload,
    replicas: spec.state === 'Stopped' ? (0 as const) : (1 as const),
    runtimeClassName: tier ? tier.object.spec.runtimeClassName : spec.sandbox?.runtimeClassName,
    token: tokenOf(tier, options),
    providerTools: take(resolveProviderTools(seat, tier?.object)),
    sessionTTL: session.ttl,
    expiresAt: session.expiresAt,
    layout: options.layout,
  };
  const resolved = take(
    kind === 'SandboxClaim'
      ? resolveClaimSeat(seat, part, tier, context, trace)
      : resolveOwnPod(identity, part, tier, context, trace),
  );
  if (trace) explain(resolved, tier, trace);
  return { value: resolved, findings };
}

/** What every seat has, whoever makes its pod. */
export type SeatPart = Identity &
  Pick<
    ResolvedSeat,
    | ('tier' | 'workload' | 'workloadName' | 'replicas' | 'runtimeClassName' | 'token' | 'providerTools')
    | ('sessionTTL' | 'expiresAt' | 'layout')
  >;

/** A seat whose pod is made of nothing but its own word, its tier's and the options'. */
function resolveOwnPod(
  identity: Identity,
  part: SeatPart,
  tier: SettledTier | undefined,
  { options, runtimes, claims }: Context,
  trace: Trace | undefined,
): Outcome<ResolvedSeat> {
  const { seat } = identity;
  const { spec } = seat.object;
  const findings: Finding[] = checkRepositories(seat);
  const take = <T>(outcome: Outcome<T>): T => {
    if (outcome.findings.length) findings.push(...outcome.findings);
    return outcome.value;
  };
  const egress = take(resolveEgress(seat, tier, options, trace));
  const placed = part.runtimeClassName === undefined ? [] : (runtimes.get(part.runtimeClassName) ?? []);
  const subject = {
    ...part,
    rollout: spec.rollout ?? 'OnDelete',
    imagePullPolicy: options.imagePullPolicy,
    imagePullSecrets: spec.imagePullSecrets ?? [],
    ...take(resolveContainer(seat, options)),
    resources: take(resolveResources(seat, tier, options)),
    resourceClaims: spec.resourceClaims ?? [],
    ...take(resolveWorkspace(identity, claims)),
    platformURL: options.platformURL,
    egressURL: egress.usesGateway ? options.egressURL : '',
    egress: egress.rules,
    ...take(resolvePlacement(seat, tier, placed, options)),
    files: take(resolveFiles(seat)),
  };
  const digested: ResolvedSeat = { ...subject, configRevision: revisionOf(subject, egress) };
  const manifest = { key: MANIFEST_FILE, path: MANIFEST_FILE, text: manifestOf(digested, egress) };
  const resolved = { ...digested, files: [manifest, ...digested.files] };
  findings.push(...checkSize(resolved.files, seat.item));
  return { value: resolved, findings };
}

/** Where attestation is demanded no gateway token is minted: the identity broker gives one after evidence. */
const tokenOf = (tier: SettledTier | undefined, { attestationAudience }: Options): ResolvedSeat['token'] =>
  tier?.object.spec.attestationRequired
    ? { audience: attestationAudience, attested: true }
    : { audience: GATEWAY_AUDIENCE, attested: false };
