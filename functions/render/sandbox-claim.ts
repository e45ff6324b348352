// A seat's claim on a sandbox of its tier's warm pool. It says who the seat is; what its pod is, the template says.
import type { KubernetesObject } from '@kubernetes/client-node';
import { SANDBOX_EXTENSIONS_API } from '../kinds';
import type { ResolvedSeat } from '../model';
import { poolName } from '../names';
import { identityOf, metadataOf } from './metadata';

const apiVersion = SANDBOX_EXTENSIONS_API;
const kind = 'SandboxClaim';

/** The only domain that agent-sandbox lets claims put labels of on pods, unless its operator lists others. */
const USERS = 'sandbox.users.io';

export interface SandboxClaim extends KubernetesObject {
  readonly spec: {
    readonly warmPoolRef: { readonly name: string };
    /** Only where the session has an end in time: agent-sandbox knows no other. */
    readonly lifecycle?: { readonly shutdownTime: string; readonly shutdownPolicy: 'Retain' };
    readonly additionalPodMetadata: {
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    };
  };
}

/**
 * undefined: a stopped seat has no sandbox. Variables or volumes of its own would mean a cold start, and templates refuse
 * them. `Retain` keeps the claim only, its sandbox ends either way: with `Delete` engines would make the claim again.
 */
export const renderSandboxClaim = (seat: ResolvedSeat): SandboxClaim | undefined =>
  seat.replicas === 0 || seat.tier === undefined
    ? undefined
    : {
        apiVersion,
        kind,
        metadata: metadataOf(seat, { apiVersion, kind, name: seat.workloadName }),
        spec: {
          warmPoolRef: { name: poolName(seat.tier.name) },
          ...(seat.expiresAt === undefined
            ? {}
            : { lifecycle: { shutdownTime: seat.expiresAt, shutdownPolicy: 'Retain' as const } }),
          additionalPodMetadata: {
            labels: {
              [`${USERS}/organization`]: seat.organization,
              [`${USERS}/seat`]: seat.key,
              [`${USERS}/tier`]: seat.tier.name,
            },
            annotations: annotationsOf(seat),
          },
        },
      };

/** What the agent may read of its seat: the pod was there before the seat was known, so that no variable can say it. */
function annotationsOf(seat: ResolvedSeat): Record<string, string> {
  const { instructions } = seat.seat.object.spec;
  return {
    ...identityOf(seat),
    'seatplan.dev/harness': seat.adapter,
    ...(seat.providerTools === undefined ? {} : { 'seatplan.dev/provider-tools': seat.providerTools.join(',') }),
    ...(instructions === undefined ? {} : { 'seatplan.dev/instructions': instructions }),
    ...(seat.token.attested ? { 'seatplan.dev/attestation': 'required' } : {}),
    ...(seat.sessionTTL === undefined ? {} : { 'seatplan.dev/session-ttl': seat.sessionTTL }),
    ...(seat.expiresAt === undefined ? {} : { 'seatplan.dev/session-expires-at': seat.expiresAt }),
  };
}
