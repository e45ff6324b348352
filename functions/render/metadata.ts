// Metadata that rendered objects share: names, labels, the owner annotation, and what GitOps engines need to be told.
import type { V1ObjectMeta } from '@kubernetes/client-node';
import { SEAT_API } from '../kinds';
import { seatLabels, taskLabels } from '../labels';
import type { ResolvedPod, ResolvedSeat, ResolvedTask } from '../model';
import { OWNER_ANNOTATION, ownerOf } from '../owner';

type Annotations = Readonly<Record<string, string>>;

export const CONFIG_REVISION = 'steadmesh.io/config-revision';
const SEAT_ID = 'steadmesh.io/seat-id';
const TIER_DIGEST = 'seatplan.dev/tier-digest';

/** Flux fails on `${X}` in any text, and replaces what it knows: nothing of a seat is a template. */
export const UNSUBSTITUTED: Annotations = { 'kustomize.toolkit.fluxcd.io/substitute': 'disabled' };

/** A mesh's sidecar would answer for targets that the policy blocks, and needs rights that a seat has not. */
export const UNMESHED: Annotations = { 'linkerd.io/inject': 'disabled', 'sidecar.istio.io/inject': 'false' };

/** Keeps an object when it leaves Git: Argo CD, Flux, and kpt with other users of cli-utils. */
export const RETAINED: Annotations = {
  'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
  'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
  'cli-utils.sigs.k8s.io/on-remove': 'keep',
  'client.lifecycle.config.k8s.io/deletion': 'detach',
  'kustomize.toolkit.fluxcd.io/prune': 'disabled',
};

/**
 * A claim that waits for its first consumer is Pending, which Argo CD calls Progressing, and a stopped seat has no consumer:
 * without this its Application would be Progressing for ever (argo-cd, common/common.go).
 */
export const UNWATCHED: Annotations = { 'argocd.argoproj.io/ignore-healthcheck': 'true' };

/**
 * Has kpt and other users of cli-utils apply an object after another, and delete it before: they put StatefulSets before
 * NetworkPolicies otherwise, and all at once (cli-utils, pkg/ordering and pkg/object/dependson).
 */
export const after = (
  group: string,
  { namespace, kind, name }: { readonly namespace: string; readonly kind: string; readonly name: string },
): Annotations => ({ 'config.kubernetes.io/depends-on': `${group}/namespaces/${namespace}/${kind}/${name}` });

/** A workload after the policy of its pod. */
export const afterPolicy = ({ namespace, name }: ResolvedPod): Annotations =>
  after('networking.k8s.io', { namespace, kind: 'NetworkPolicy', name });

/** Of a seat's workload, whatever makes its pod. */
export const workloadMetadata = (seat: ResolvedSeat, type: { apiVersion: string; kind: string }): V1ObjectMeta =>
  metadataOf(seat, { ...type, name: seat.workloadName }, { ...afterPolicy(seat), ...adoptedFrom(seat) });

/** Of a seat that took a claim over which it does not render. */
const adoptedFrom = ({ claim }: ResolvedSeat): Annotations =>
  claim.adopted ? { 'steadmesh.io/adopted-from': claim.name } : {};

/** Of the identity annotations on ServiceAccount and claim. */
export const identityOf = ({ organizationID, seatID }: ResolvedSeat): Annotations => ({
  'steadmesh.io/organization-id': organizationID,
  [SEAT_ID]: seatID,
});

export const seatIDOf = ({ seatID }: ResolvedSeat): Annotations => ({ [SEAT_ID]: seatID });

/** What names a rendered object. */
export interface RenderedName {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** undefined: cluster-scoped. */
  readonly namespace?: string | undefined;
}
type RenderedKind = Omit<RenderedName, 'namespace'>;

/** Of every rendered object: what it is called, whose it is, and that it is no template. `more` follows the owner. */
export const ownedMetadata = (
  owner: Parameters<typeof ownerOf>[0],
  object: RenderedName,
  labels: Record<string, string>,
  annotations: Annotations = {},
  more: Annotations = {},
): V1ObjectMeta => ({
  name: object.name,
  ...(object.namespace === undefined ? {} : { namespace: object.namespace }),
  labels,
  annotations: { ...annotations, ...UNSUBSTITUTED, [OWNER_ANNOTATION]: ownerOf(owner, object), ...more },
});

export const tierDigest = (tier: ResolvedPod['tier']): Annotations => (tier ? { [TIER_DIGEST]: tier.digest } : {});

/** No ownerReferences: no uid is known in Git. Owner and tier digest stand on every object. */
export const metadataOf = (seat: ResolvedSeat, object: RenderedKind, annotations: Annotations = {}): V1ObjectMeta =>
  metadataBy({ kind: 'Seat', name: seat.seat.item.name }, seat, seatLabels(seat), object, annotations);

/** Of an object of a task run, likewise. */
export const taskMetadata = (task: ResolvedTask, object: RenderedKind, annotations: Annotations = {}): V1ObjectMeta =>
  metadataBy({ kind: 'TaskRun', name: task.task.item.name }, task, taskLabels(task), object, annotations);

const metadataBy = (
  { kind, name }: { readonly kind: string; readonly name: string },
  { namespace, tier }: ResolvedPod,
  labels: Record<string, string>,
  object: RenderedKind,
  annotations: Annotations,
): V1ObjectMeta =>
  ownedMetadata(
    { apiVersion: SEAT_API, kind, namespace, name },
    { ...object, namespace },
    labels,
    annotations,
    tierDigest(tier),
  );
