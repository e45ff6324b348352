// The config revision: a digest of what needs a restart when it changes. What is listed here is a contract with every
// running seat: an addition must be absent (undefined) where it is not used, or all seats restart on an upgrade.
import { digestOf } from '../../kubernetes/canonical-json';
import type { ResolvedSeat } from '../../model';
import type { Egress } from './egress';

type Subject = Omit<ResolvedSeat, 'configRevision'>;

/**
 * Hosts apply live at the gateway, and so do grants that the platform delivers: of hosts only "the gateway is used"
 * counts. Sizes, replicas and retention change nothing that the agent reads. Of the tier its effects count, not its text.
 */
export function revisionOf(subject: Subject, egress: Egress): string {
  const { harness, access = {}, tools } = subject.seat.object.spec;
  return digestOf({
    organization: subject.organization,
    organizationID: subject.organizationID,
    key: subject.key,
    seatID: subject.seatID,
    tier: subject.tier && {
      name: subject.tier.name,
      isolation: subject.tier.isolation,
      jurisdiction: subject.tier.jurisdiction,
    },
    runtimeClassName: subject.runtimeClassName,
    image: subject.image,
    imagePullSecrets: filled(subject.imagePullSecrets),
    command: subject.command,
    args: filled(subject.args),
    env: filled(subject.env),
    adapter: subject.adapter,
    config: harness.config,
    model: harness.model && { connection: harness.model.connection, name: harness.model.name },
    providerTools: subject.providerTools,
    health: subject.health,
    resources: subject.resources,
    resourceClaims: filled(subject.resourceClaims),
    claim: subject.claim.name,
    shared: filled(subject.shared),
    platformURL: subject.platformURL,
    usesGateway: egress.usesGateway,
    egressURL: subject.egressURL,
    network: filled(egress.network),
    browser: access.browser,
    binaries: filled([...(access.binaries ?? [])].sort()),
    repositories: filled((access.repositories ?? []).filter(({ delivery }) => delivery === 'sandbox')),
    tools: filled(tools ?? []),
    token: subject.token,
    sessionTTL: subject.sessionTTL,
    expiresAt: subject.expiresAt,
    nodeLabels: filled(subject.nodeLabels),
    tolerations: filled(subject.tolerations),
    priorityClassName: subject.priorityClassName,
    files: subject.files.map(({ path, text }) => [path, text]),
  });
}

/** An empty list is no list: whether a seat writes `tools: []` or nothing is no reason for a restart. */
const filled = <T>(list: readonly T[]): readonly T[] | undefined => (list.length ? list : undefined);
