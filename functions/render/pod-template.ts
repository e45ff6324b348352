// The pod of a seat as its workload makes it.
import type { V1PodTemplateSpec } from '@kubernetes/client-node';
import { parseDuration } from '../kubernetes/duration';
import { podLabels } from '../labels';
import type { ResolvedSeat } from '../model';
import { CONFIG_REVISION, seatIDOf, UNMESHED } from './metadata';
import { podSpec } from './pod';

/** Without the tier's digest: an edit of a tier that does not touch the pod must not replace it. */
export const podTemplate = (seat: ResolvedSeat): V1PodTemplateSpec => ({
  metadata: {
    labels: podLabels(seat),
    annotations: {
      [CONFIG_REVISION]: seat.configRevision,
      ...seatIDOf(seat),
      ...UNMESHED,
      ...(seat.token.attested ? { 'seatplan.dev/attestation': 'required' } : {}),
      ...(seat.sessionTTL === undefined ? {} : { 'seatplan.dev/session-ttl': seat.sessionTTL }),
      ...(seat.expiresAt === undefined ? {} : { 'seatplan.dev/session-expires-at': seat.expiresAt }),
    },
  },
  spec: { ...podSpec(seat), ...deadlineOf(seat) },
});

/** The API server forbids a deadline in a StatefulSet's pods (k8s.io/kubernetes, pkg/apis/apps/validation). */
const deadlineOf = ({ workload, sessionTTL }: ResolvedSeat): { activeDeadlineSeconds?: number } => {
  const seconds = workload === 'Sandbox' && sessionTTL !== undefined ? wholeSeconds(sessionTTL) : undefined;
  return seconds === undefined ? {} : { activeDeadlineSeconds: seconds };
};

/** Rounded down, so that no session outlives its time, but at least one: none at all is no deadline. */
export function wholeSeconds(duration: string): number | undefined {
  const nanoseconds = parseDuration(duration);
  return nanoseconds === undefined ? undefined : Math.max(1, Number(nanoseconds / 1_000_000_000n));
}
