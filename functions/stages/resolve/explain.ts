// Where each decided value of a seat came from, as a table: who could have set it, the strongest first.
import { compare } from '../../finding';
import type { Decision, ObjectMeta, ResolvedSeat, Seat, SeatSpec, Trace, TrustTierSpec } from '../../model';
import type { SettledTier } from './tiers';

interface Row {
  readonly field: string;
  readonly value: (resolved: ResolvedSeat) => unknown;
  readonly seat?: (spec: SeatSpec, metadata: ObjectMeta) => unknown;
  readonly tier?: (spec: TrustTierSpec) => unknown;
  /** Who decides when neither the seat nor the tier does. */
  readonly otherwise?: Decision['from'];
}

const ROWS: readonly Row[] = [
  { field: 'metadata.namespace', value: (r) => r.namespace, seat: (_, m) => m.namespace, otherwise: 'options' },
  { field: 'name', value: (r) => r.name },
  { field: 'spec.key', value: (r) => r.key, seat: (s) => s.key },
  { field: 'spec.organizationID', value: (r) => r.organizationID, seat: (s) => s.organizationID },
  { field: 'spec.seatID', value: (r) => r.seatID, seat: (s) => s.seatID },
  { field: 'spec.tierRef.name', value: (r) => r.tier?.name, seat: (s) => s.tierRef },
  { field: 'spec.state', value: (r) => (r.replicas ? 'Running' : 'Stopped'), seat: (s) => s.state },
  { field: 'spec.workload', value: (r) => r.workload, seat: (s) => s.workload },
  { field: 'spec.rollout', value: (r) => r.rollout, seat: (s) => s.rollout },
  {
    field: 'runtimeClassName',
    value: (r) => r.runtimeClassName,
    tier: (t) => t.runtimeClassName,
    seat: (s) => (s.tierRef ? undefined : s.sandbox?.runtimeClassName),
  },
  { field: 'isolation', value: (r) => r.tier?.isolation, tier: (t) => t.isolation },
  { field: 'jurisdiction', value: (r) => r.tier?.jurisdiction, tier: (t) => t.jurisdiction },
  { field: 'spec.harness.image', value: (r) => r.image, seat: (s) => s.harness.image },
  { field: 'imagePullPolicy', value: (r) => r.imagePullPolicy, otherwise: 'options' },
  { field: 'spec.harness.command', value: (r) => r.command, seat: (s) => s.harness.command },
  { field: 'spec.harness.health', value: (r) => r.health, seat: (s) => s.harness.health },
  {
    field: 'spec.harness.model.providerTools',
    value: (r) => r.providerTools,
    seat: (s) => s.harness.model?.providerTools,
  },
  { field: 'spec.resources', value: (r) => r.resources, seat: (s) => s.resources, tier: (t) => t.defaultResources },
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
    const value = row.value(resolved);
    if (value === undefined) continue;
    trace({ field: row.field, value, from: sourceOf(row, resolved.seat.object, tier) });
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
