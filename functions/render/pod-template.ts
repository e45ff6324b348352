// The pod of a seat as its workload makes it.
import type { V1PodTemplateSpec } from '@kubernetes/client-node';
import { parseDuration } from '../kubernetes/duration';
import { podLabels } from '../labels';
import type { ResolvedPod, ResolvedSeat } from '../model';
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
      ...sessionOf(seat),
    },
  },
  spec: { ...podSpec(seat), ...deadlineOf(seat) },
});

/** How the agent gets its token, and how long it lives. */
export const sessionOf = ({ token, sessionTTL, expiresAt }: ResolvedPod): Readonly<Record<string, string>> => ({
  ...(token.attested ? { 'seatplan.dev/attestation': 'required' } : {}),
  ...(sessionTTL === undefined ? {} : { 'seatplan.dev/session-ttl': sessionTTL }),
  ...(expiresAt === undefined ? {} : { 'seatplan.dev/session-expires-at': expiresAt }),
});

/** The API server forbids a deadline in a StatefulSet's pods (k8s.io/kubernetes, pkg/apis/apps/validation). */
const deadlineOf = (seat: ResolvedSeat): { activeDeadlineSeconds?: number } =>
  seat.workload === 'Sandbox' ? deadline(seat) : {};

export function deadline({ sessionTTL }: Pick<ResolvedPod, 'sessionTTL'>): { activeDeadlineSeconds?: number } {
  const seconds = sessionTTL === undefined ? undefined : wholeSeconds(sessionTTL);
  return seconds === undefined ? {} : { activeDeadlineSeconds: seconds };
}

/** The most that the API server takes (k8s.io/kubernetes, pkg/apis/core/validation): 68 years. */
const LONGEST_DEADLINE = 2n ** 31n - 1n;

/** Rounded down, so that no session outlives its time, but at least one: none at all is no deadline. */
export function wholeSeconds(duration: string): number | undefined {
  const nanoseconds = parseDuration(duration);
  if (nanoseconds === undefined) return undefined;
  const seconds = nanoseconds / 1_000_000_000n;
  return Number(seconds < 1n ? 1n : seconds > LONGEST_DEADLINE ? LONGEST_DEADLINE : seconds);
}
