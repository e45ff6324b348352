// A2: the live pod runs the declared image, by digest.
import type { V1Container, V1Pod } from '@kubernetes/client-node';
import { parseImageReference } from '../../kubernetes/image-reference';
import type { CheckResult } from '../../model';
import { templateOf } from '../profile';
import { identityOf, type LiveSeat, of, TEMPLATE_UNKNOWN } from './live-seat';

/** Kubelets write `repository@sha256:…`, some after `docker-pullable://`; without a repository it is an ID of the runtime's own. */
const DIGEST = /@(sha256:[0-9a-f]{64})$/;

/** The worst of its containers, one in a rendered pod: A1 refuses those that nobody declared. */
export function judgeImage(live: LiveSeat): CheckResult {
  const { spec } = templateOf(live.profile, live.seat);
  if (!spec) return of(live, 'A2').open(TEMPLATE_UNKNOWN);
  const results = [...(spec.initContainers ?? []), ...spec.containers].map((one) => judgeContainer(live, one));
  const worst = (['FAIL', 'INCONCLUSIVE', 'GAP'] as const).flatMap((verdict) =>
    results.filter((result) => result.verdict === verdict),
  )[0];
  return worst ?? results[0] ?? of(live, 'A2').open({ reason: 'NotShown', message: 'no container is declared' });
}

/** What there is to ask of one container: whose it is, and the pod that it is in. */
interface Asked extends Pick<LiveSeat, 'facts' | 'pod'> {
  readonly seat: Pick<LiveSeat['seat'], 'seat'>;
}

export function judgeContainer(live: Asked, { name, image }: V1Container): CheckResult {
  const say = of(live, 'A2');
  const declared = parseImageReference(image ?? '')?.digest;
  if (declared === undefined) {
    const message = `${image} names no digest: what a tag stands for can change`;
    return { check: 'A2', seat: live.seat.seat, verdict: 'GAP', reason: 'ImageByTag', message };
  }
  if (live.pod.obstacle) return say.open(live.pod.obstacle);
  const pod = live.pod.value;
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const imageID = statuses.find((one) => one.name === name)?.imageID ?? '';
  const evidence = { pod: identityOf(pod), container: name, imageID, declared };
  const seen = DIGEST.exec(imageID)?.[1];
  if (seen === declared || imageID === declared || isSameOnNode(live, pod, seen, declared)) {
    return say.pass('the live pod runs the declared image', evidence);
  }
  const asked = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].find(
    (one) => one.name === name,
  )?.image;
  if (imageID === '' || (seen === undefined && asked === image)) {
    return say.open({
      reason: 'NotShown',
      message: `the node does not tell the digest of the image: ${imageID || 'no imageID'}`,
    });
  }
  return say.fail('WrongImage', `runs ${imageID}, declared is ${declared}`, evidence);
}

/** An image can have several digests, e.g. of its index and of its manifest: the node lists them as names of one image. */
function isSameOnNode({ facts }: Asked, pod: V1Pod, seen: string | undefined, declared: string): boolean {
  const images = facts.nodes[pod.spec?.nodeName ?? '']?.value?.status?.images ?? [];
  const named = (names: readonly string[] | undefined, digest: string): boolean =>
    names?.some((name) => name.endsWith(`@${digest}`)) === true;
  return seen !== undefined && images.some(({ names }) => named(names, seen) && named(names, declared));
}
