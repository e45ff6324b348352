// Where each decided value of a seat came from, as a table: who could have set it, the strongest first.
import { compare } from '../../finding';
import type {
  Decision,
  ObjectMeta,
  ResolvedSeat,
  Resources,
  Seat,
  SeatSpec,
  Trace,
  TrustTier,
  TrustTierSpec,
} from '../../model';
import type { SettledTier } from './tiers';
import { workloadOf } from './workload';

interface Row {
  readonly field: string;
  /** undefined: nothing to tell. */
  readonly value: (resolved: ResolvedSeat, tier: TrustTier | undefined) => unknown;
  readonly seat?: (spec: SeatSpec, metadata: ObjectMeta) => unknown;
  readonly tier?: (spec: TrustTierSpec) => unknown;
  /** Who decides when neither the seat nor the tier does. */
  readonly otherwise?: Decision['from'];
  /** Why, or what of another's wish falls away. */
  readonly note?: (spec: SeatSpec, tier: TrustTierSpec | undefined) => string | undefined;
}

/** Empty lists are not worth a row. */
const filled = <T>(list: readonly T[]): readonly T[] | undefined => (list.length ? list : undefined);

const replacing = ({ claims = [] }: Resources): string =>
  `instead of all of the tier's${claims.length ? `, its claims ${claims.map(({ name }) => name).join(', ')} included` : ''}`;

const ROWS: readonly Row[] = [
  { field: 'metadata.namespace', value: (r) => r.namespace, seat: (_, m) => m.namespace, otherwise: 'options' },
  { field: 'name', value: (r) => r.name },
  { field: 'spec.organization', value: (r) => r.organization, seat: (s) => s.organization },
  { field: 'spec.key', value: (r) => r.key, seat: (s) => s.key },
  { field: 'spec.organizationID', value: (r) => r.organizationID, seat: (s) => s.organizationID },
  { field: 'spec.seatID', value: (r) => r.seatID, seat: (s) => s.seatID },
  { field: 'spec.tierRef.name', value: (r) => r.tier?.name, seat: (s) => s.tierRef },
  { field: 'spec.state', value: (r) => (r.replicas ? 'Running' : 'Stopped'), seat: (s) => s.state },
  { field: 'spec.workload', value: (r, tier) => workloadOf(r.seat.object, tier), seat: (s) => s.workload },
  { field: 'spec.rollout', value: (r) => r.rollout, seat: (s) => s.rollout },
  {
    field: 'runtimeClassName',
    value: (r) => r.runtimeClassName ?? null,
    tier: (t) => t.runtimeClassName,
    seat: (s) => (s.tierRef ? undefined : s.sandbox?.runtimeClassName),
    note: (s, t) => (t || s.sandbox?.runtimeClassName ? undefined : 'none is named: the default of the cluster'),
  },
  { field: 'isolation', value: (r) => r.tier?.isolation, tier: (t) => t.isolation },
  { field: 'jurisdiction', value: (r) => r.tier?.jurisdiction, tier: (t) => t.jurisdiction },
  {
    field: 'sandboxTemplateName',
    value: (r, tier) => (r.seat.object.spec.workload === 'StatefulSet' ? tier?.spec.sandboxTemplateName : undefined),
    tier: (t) => t.sandboxTemplateName,
    note: () => 'dropped: the seat asks for a StatefulSet of its own',
  },
  { field: 'spec.harness.adapter', value: (r) => r.adapter, seat: (s) => s.harness.adapter },
  { field: 'spec.harness.image', value: (r) => r.image, seat: (s) => s.harness.image },
  { field: 'imagePullPolicy', value: (r) => r.imagePullPolicy, otherwise: 'options' },
  { field: 'spec.harness.command', value: (r) => r.command, seat: (s) => s.harness.command },
  { field: 'spec.harness.args', value: (r) => filled(r.args), seat: (s) => s.harness.args },
  {
    field: 'spec.harness.env',
    value: (r) => filled(r.env.map(({ name }) => name)),
    seat: (s) => s.harness.env,
  },
  { field: 'spec.harness.health', value: (r) => r.health, seat: (s) => s.harness.health },
  {
    field: 'spec.harness.model.providerTools',
    value: (r) => r.providerTools,
    seat: (s) => s.harness.model?.providerTools,
  },
  {
    field: 'spec.resources',
    value: (r) => r.resources,
    seat: (s) => s.resources,
    tier: (t) => t.defaultResources,
    note: (s, t) => (s.resources && t?.defaultResources ? replacing(t.defaultResources) : undefined),
  },
  {
    field: 'spec.resourceClaims',
    value: (r) => filled(r.resourceClaims.map(({ name }) => name)),
    seat: (s) => s.resourceClaims,
  },
  { field: 'spec.workspace.size', value: (r) => r.claim.size, seat: (s) => s.workspace?.size },
  {
    field: 'spec.workspace.storageClassName',
    value: (r) => r.claim.storageClassName,
    seat: (s) => s.workspace?.storageClassName,
  },
  {
    field: 'spec.workspace.retention',
    value: (r) => (r.claim.retain ? 'Retain' : 'Delete'),
    seat: (s) => s.workspace?.retention,
  },
  { field: 'claim', value: (r) => r.claim.name, seat: (s) => s.workspace?.adoptClaim },
  { field: 'spec.workspace.shared', value: (r) => filled(r.shared), seat: (s) => s.workspace?.shared },
  { field: 'spec.imagePullSecrets', value: (r) => filled(r.imagePullSecrets), seat: (s) => s.imagePullSecrets },
  { field: 'platformURL', value: (r) => r.platformURL, otherwise: 'options' },
  { field: 'egressURL', value: (r) => r.egressURL, otherwise: 'options' },
  { field: 'token.audience', value: (r) => r.token.audience, tier: (t) => t.attestationRequired || undefined },
  {
    field: 'spec.session.ttl',
    value: (r) => r.sessionTTL,
    seat: (s) => s.session?.ttl,
    tier: (t) => t.maxSessionTTL,
  },
  { field: 'spec.session.expiresAt', value: (r) => r.expiresAt, seat: (s) => s.session?.expiresAt },
  { field: 'spec.scheduling.tolerations', value: (r) => r.tolerations, seat: (s) => s.scheduling?.tolerations },
  {
    field: 'spec.scheduling.priorityClassName',
    value: (r) => r.priorityClassName,
    seat: (s) => s.scheduling?.priorityClassName,
  },
  { field: 'configRevision', value: (r) => r.configRevision },
];

/** One decision for each row with a value, then the node labels one by one, since tier and seat both give some. */
export function explain(resolved: ResolvedSeat, tier: SettledTier | undefined, trace: Trace): void {
  const { spec } = resolved.seat.object;
  for (const row of ROWS) {
    const value = row.value(resolved, tier?.object);
    if (value === undefined) continue;
    const note = row.note?.(spec, tier?.object.spec);
    trace({
      field: row.field,
      value,
      from: sourceOf(row, resolved.seat.object, tier),
      ...(note === undefined ? {} : { note }),
    });
  }
  const demanded = tier?.object.spec.allowedNodeLabels ?? {};
  for (const [key, value] of [...resolved.nodeLabels].sort(([a], [b]) => compare(a, b)))
    trace({ field: `nodeLabels ${key}`, value, from: Object.hasOwn(demanded, key) ? 'tier' : 'seat' });
  const wanted = spec.harness.model?.providerTools ?? [];
  for (const tool of wanted.filter((one) => !resolved.providerTools?.includes(one)))
    trace({
      field: 'providerTools',
      value: tool,
      from: 'tier',
      note: "dropped: not among the tier's allowedProviderTools",
    });
}

function sourceOf(row: Row, { spec, metadata }: Seat, tier: SettledTier | undefined): Decision['from'] {
  if (row.seat?.(spec, metadata) !== undefined) return 'seat';
  if (tier && row.tier?.(tier.object.spec) !== undefined) return 'tier';
  return row.otherwise ?? 'default';
}
