// S1: the workspace claim is the seat's own, and nothing deletes it with the seat.
import type {
  V1PersistentVolumeClaim,
  V1StatefulSetPersistentVolumeClaimRetentionPolicy,
} from '@kubernetes/client-node';
import type { CheckResult } from '../../model';
import { claimsSandbox } from '../workload';
import { identityOf, type LiveSeat, type LiveWorkload, of } from './live-seat';

const SEAT_ID = 'steadmesh.io/seat-id';

/** What keeps a claim when it leaves Git: the annotations that are rendered on it. */
export const KEEPS: Readonly<Record<string, string>> = {
  'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
  'cli-utils.sigs.k8s.io/on-remove': 'keep',
  'client.lifecycle.config.k8s.io/deletion': 'detach',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
};

/** An adopted claim is kept by others: its marks are theirs, but no garbage collector may take it either. */
export function judgeClaim(live: LiveSeat): CheckResult {
  const say = of(live, 'S1');
  const { seat, facts, workload } = live;
  if (claimsSandbox(seat)) return say.skip('NotDeclared', 'a claimed sandbox has no workspace of the seat');
  if (facts.claims.obstacle) return say.open(facts.claims.obstacle);
  const claim = facts.claims.value.find(({ metadata }) => metadata?.name === seat.claim.name);
  if (!claim) return say.open({ reason: 'NotFound', message: `there is no claim ${seat.claim.name}` });
  const evidence = { claim: identityOf(claim) };
  const who = `claim ${seat.claim.name}`;
  const owners = (claim.metadata?.ownerReferences ?? []).map(({ kind, name }) => `${kind} ${name}`);
  if (owners.length > 0) {
    return say.fail('ClaimOwned', `${who} is deleted together with ${owners.join(', ')}`, { ...evidence, owners });
  }
  if (claim.metadata?.deletionTimestamp) {
    return say.fail(
      'ClaimPrunable',
      `${who} is being deleted; it goes when the last pod that mounts it ends`,
      evidence,
    );
  }
  const annotations = claim.metadata?.annotations ?? {};
  if (!seat.claim.adopted && annotations[SEAT_ID] !== seat.seatID) {
    const message = `${who} is marked for the seat ${annotations[SEAT_ID] ?? 'of nobody'}, not for ${seat.seatID}`;
    return say.fail('ClaimOfOtherSeat', message, { ...evidence, seatID: annotations[SEAT_ID] });
  }
  const lost = Object.entries(KEEPS).flatMap(([key, value]) => (annotations[key] === value ? [] : [key]));
  if (seat.claim.retain && !seat.claim.adopted && lost.length > 0) {
    const message = `${who} has lost what keeps it when it leaves Git: ${lost.join(', ')}`;
    return say.fail('ClaimPrunable', message, { ...evidence, annotations: lost });
  }
  if (workload.obstacle) return say.open(workload.obstacle);
  const policy = deletionPolicy(workload.value);
  if (policy) {
    const message = `the StatefulSet ${seat.name} deletes claims (persistentVolumeClaimRetentionPolicy)`;
    return say.fail('ClaimPrunable', message, { ...evidence, policy: { ...policy } });
  }
  const kept = seat.claim.adopted ? `${who} is adopted: who keeps it decides its marks` : `${who} is the seat's own`;
  return say.pass(`${kept}${volumeNote(live, claim)}`, {
    ...evidence,
    seatID: annotations[SEAT_ID],
    adopted: seat.claim.adopted,
  });
}

/** A Sandbox deletes the claims of its own templates alone, which A1 would see in its pod. */
function deletionPolicy(
  workload: LiveWorkload | undefined,
): V1StatefulSetPersistentVolumeClaimRetentionPolicy | undefined {
  const policy =
    workload?.kind === 'StatefulSet' ? workload.object.spec?.persistentVolumeClaimRetentionPolicy : undefined;
  return policy?.whenDeleted === 'Delete' || policy?.whenScaled === 'Delete' ? policy : undefined;
}

/** Dynamic provisioning makes it so; it acts only once somebody deletes the claim. */
function volumeNote({ facts }: LiveSeat, claim: V1PersistentVolumeClaim): string {
  const name = claim.spec?.volumeName;
  if (!name) return '; it has no volume yet';
  const volume = facts.volumes[name]?.value;
  return volume?.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? `; volume ${name} is erased when the claim is deleted (reclaim policy Delete)`
    : '';
}
