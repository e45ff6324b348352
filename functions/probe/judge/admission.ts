// A1: the live pod and its StatefulSet are the declared ones, the one made the other, and nobody else passes for the seat.
import type { V1Pod, V1StatefulSet } from '@kubernetes/client-node';
import type { CheckResult, Evidence } from '../../model';
import { templateOf } from '../profile';
import { identityOf, type LiveSeat, of } from './live-seat';
import { managersOf, type PodDifference, podDifferences } from './pod-diff';

const MOST_NAMED = 5;

/**
 * FAIL also before the pod runs, where the StatefulSet itself is another. Owner, generateName and managers can be forged by
 * whoever may create pods here and takes the pains; the comparison of the spec cannot.
 */
export function judgeDeclared(live: LiveSeat): CheckResult {
  const say = of(live, 'A1');
  const { seat, statefulSet, strangers } = live;
  if (strangers.length > 0) {
    const names = strangers.map(({ metadata }) => metadata?.name ?? '').sort();
    const message = `${names.slice(0, MOST_NAMED).join(', ')} passes for the seat: its labels or its ServiceAccount on a pod that is not its own`;
    return say.fail('ForeignPod', message, { pods: names });
  }
  if (statefulSet.obstacle) return say.open(statefulSet.obstacle);
  const declared = templateOf(live.profile, seat);
  const runtimeClass = live.facts.runtimeClasses[declared.spec?.runtimeClassName ?? '']?.value;
  const serviceAccountName = declared.spec?.serviceAccountName;
  const set = statefulSet.value;
  const ofSet = set?.spec
    ? podDifferences(declared, set.spec.template, { pod: undefined, serviceAccountName, runtimeClass })
    : [];
  if (set && ofSet.length > 0) {
    const inTemplate = ofSet.map((one) => ({ ...one, steps: ['template', ...one.steps] }));
    return say.fail(
      'SpecDiffers',
      `the StatefulSet's template is not the declared one: ${told(ofSet, inTemplate, set)}`,
      {
        object: identityOf(set),
        differences: ofSet.map(shown),
      },
    );
  }
  if (live.pod.obstacle) return say.open(live.pod.obstacle);
  const pod = live.pod.value;
  if (!set) {
    return say.fail('ForeignPod', `pod ${seat.name}-0 runs, and there is no StatefulSet ${seat.name}`, {
      pod: identityOf(pod),
    });
  }
  const maker = creator(pod, set);
  if (maker.foreign)
    return say.fail('ForeignPod', maker.foreign, { pod: identityOf(pod), statefulSet: identityOf(set) });
  const around = { pod: pod.metadata?.name, serviceAccountName, runtimeClass };
  const differences = podDifferences(declared, pod, around);
  if (differences.length > 0) {
    return say.fail(
      'SpecDiffers',
      `pod ${seat.name}-0 is not the declared one: ${told(differences, differences, pod)}`,
      {
        pod: identityOf(pod),
        differences: differences.map(shown),
      },
    );
  }
  if (maker.unknown) return say.open({ reason: 'NotShown', message: maker.unknown });
  return say.pass('the live pod is the declared one, made by its StatefulSet', {
    pod: identityOf(pod),
    statefulSet: identityOf(set),
    createdBy: maker.manager,
  });
}

/**
 * The StatefulSet controller writes owner and generateName as it creates a pod (pkg/controller/controller_utils.go,
 * GetPodFromTemplate); one that it adopts gets the owner only, in a request of its own.
 */
function creator(pod: V1Pod, set: V1StatefulSet): { foreign?: string; unknown?: string; manager?: string } {
  const { name, uid } = set.metadata ?? {};
  const owner = pod.metadata?.ownerReferences?.find(({ controller }) => controller);
  const who = `pod ${pod.metadata?.name}`;
  if (!uid || owner?.uid !== uid) {
    return {
      foreign: `${who} is not controlled by the StatefulSet ${name} (${owner ? `${owner.kind} ${owner.name}` : 'no owner'})`,
    };
  }
  if (pod.metadata?.generateName !== `${name}-`)
    return { foreign: `${who} was adopted: its StatefulSet did not make it` };
  const { managedFields } = pod.metadata;
  if (!managedFields?.length) return { unknown: `${who} does not show who made it: it has no managedFields` };
  const ownerSetBy = managersOf(managedFields, {
    path: 'metadata.ownerReferences',
    kind: 'added',
    steps: ['metadata', 'ownerReferences', { element: { uid }, key: uid }],
  });
  const containers = pod.spec?.containers ?? [];
  const madeBy = containers.map((element) =>
    managersOf(managedFields, {
      path: 'containers[]',
      kind: 'added',
      steps: ['containers', { element, key: element.name }, 'image'],
    }),
  );
  const manager = ownerSetBy.find((one) => madeBy.every((makers) => makers.includes(one)));
  if (manager === undefined) {
    return {
      foreign: `${who} was made by ${madeBy.flat()[0] ?? 'somebody unknown'} and adopted by ${ownerSetBy[0] ?? 'somebody unknown'}`,
    };
  }
  return { manager };
}

/** The first few; `managed` are the same with their paths in the object that has the managedFields. */
function told(
  differences: readonly PodDifference[],
  managed: readonly PodDifference[],
  { metadata }: V1Pod | V1StatefulSet,
): string {
  const named = differences.slice(0, MOST_NAMED).map((one, index) => {
    const managers = one.kind === 'missing' ? [] : managersOf(metadata?.managedFields, managed[index]!);
    return `${one.path} ${one.kind}${managers.length ? `, set in a request of ${managers.join(' and ')}` : ''}`;
  });
  const more = differences.length - named.length;
  return `${named.join('; ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const shown = ({ path, kind }: PodDifference): Evidence => ({ path, kind });
