// manifest.json: what the agent is told about its seat, or the task worker about its run. Field names in snake case, as the seat runner reads them.
import { compare } from '../../finding';
import type { ResolvedPod } from '../../model';
import type { Egress } from './egress';

/** What a task worker is told beside. */
export interface TaskContent {
  readonly run: string;
  readonly digest: string;
  readonly workspace: 'none' | 'readOnly';
}

/** Indented JSON, absent members left out. The config revision is a member, so it must be known before. */
export const manifestOf = (seat: ResolvedPod, egress: Egress, task?: TaskContent): string =>
  `${JSON.stringify({ ...contentOf(seat, egress), task }, null, 2)}\n`;

const contentOf = (seat: ResolvedPod, egress: Egress): object => {
  const { spec } = seat.seat.object;
  return {
    config_revision: seat.configRevision,
    organization: seat.organization,
    organization_id: seat.organizationID,
    seat: seat.key,
    seat_id: seat.seatID,
    namespace: seat.namespace,
    name: seat.name,
    tier: seat.tier,
    runtime_class_name: seat.runtimeClassName,
    platform_url: seat.platformURL,
    harness: {
      adapter: seat.adapter,
      image: seat.image,
      config: byKey(spec.harness.config),
      model: spec.harness.model && {
        connection: spec.harness.model.connection,
        name: spec.harness.model.name,
        provider_tools: seat.providerTools,
      },
    },
    resources: seat.resources,
    workspace: {
      path: '/seat',
      shared: seat.shared.map(({ mountPath, readOnly }) => ({ path: mountPath, read_only: readOnly })),
    },
    access: accessOf(seat, egress),
    tools: (spec.tools ?? []).map(({ resource, operations, targets }) => ({ resource, operations, targets })),
    attestation: { required: seat.token.attested, audience: seat.token.audience },
    session: { ttl: seat.sessionTTL, expires_at: seat.expiresAt },
    files: seat.files.map(({ path }) => path),
  };
};

/** The same map, keys sorted: kustomize sorts them before we see them, and the text must not depend on it. */
const byKey = <T>(map: Readonly<Record<string, T>> | undefined): Record<string, T> | undefined =>
  map && Object.fromEntries(Object.entries(map).sort(([a], [b]) => compare(a, b)));

function accessOf({ seat, egressURL }: ResolvedPod, { usesGateway, hosts, network }: Egress): object {
  const { access = {} } = seat.object.spec;
  return {
    gateway: usesGateway ? { url: egressURL } : undefined,
    egress: hosts,
    network: network.map(({ endPort, ...rule }) => ({ ...rule, end_port: endPort })),
    browser: access.browser && { session_connection: access.browser.sessionConnection },
    binaries: [...(access.binaries ?? [])].sort(),
    repositories: (access.repositories ?? []).map(
      ({ connection, host, repos, permissions, delivery = 'platform' }) => ({
        connection,
        host,
        repos,
        permissions: byKey(permissions),
        delivery,
      }),
    ),
  };
}
