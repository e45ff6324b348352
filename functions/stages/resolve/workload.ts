// What a seat is rendered as, and that nothing is asked of it which that workload cannot do.
import { type Finding, report } from '../../finding';
import type { Located, Seat, TrustTier, Workload } from '../../model';
import { tieredName } from '../../names';

/** A tier with a sandbox template means its warm pool, unless the seat says otherwise. */
export const workloadOf = (seat: Seat, tier: TrustTier | undefined): Workload =>
  seat.spec.workload ?? (tier?.spec.sandboxTemplateName ? 'SandboxClaim' : 'StatefulSet');

/** What a label value and a host name take: a Sandbox's name becomes both. */
const LONGEST_NAME = 63;

/** `base`: the base name of the seat's objects. */
export const workloadName = (workload: Workload, base: string, tier: string | undefined): string =>
  workload === 'StatefulSet' ? base : tieredName(base, tier);

export function checkWorkload(
  { object, item }: Located<Seat>,
  tier: TrustTier | undefined,
  { workload, workloadName: name }: { readonly workload: Workload; readonly workloadName: string },
): Finding[] {
  if (workload === 'StatefulSet') return [];
  const findings: Finding[] = [];
  if (workload === 'SandboxClaim' && tier && !tier.spec.sandboxTemplateName) {
    const message = `tier "${tier.metadata.name}" has no \`sandboxTemplateName\` to claim a sandbox from; it can be a StatefulSet or a Sandbox`;
    const extras = { value: workload, proposed: 'Sandbox' };
    findings.push(report('UNSUPPORTED_BY_WORKLOAD', item, 'spec.workload', message, extras));
  }
  if (workload === 'SandboxClaim' && !tier && !object.spec.tierRef) {
    const message = 'a SandboxClaim needs a tier, whose `sandboxTemplateName` makes its pod';
    findings.push(report('UNSUPPORTED_BY_WORKLOAD', item, 'spec.workload', message, { value: workload }));
  }
  if (name.length > LONGEST_NAME) {
    const message = `its ${workload} would be called "${name}": at most ${LONGEST_NAME} characters, from the key and the tier's name`;
    findings.push(report('NAME_TOO_LONG', item, 'spec.key', message, { value: name }));
  }
  if (object.spec.rollout === 'RollingUpdate') {
    const message = 'a Sandbox never replaces its pod by itself: only OnDelete is possible';
    const extras = { value: object.spec.rollout, proposed: 'OnDelete' };
    findings.push(report('UNSUPPORTED_BY_WORKLOAD', item, 'spec.rollout', message, extras));
  }
  return findings;
}
