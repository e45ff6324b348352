// A1: the live pod and its workload are the declared ones, the one made the other, and nobody else passes for the seat.
import type { V1ObjectMeta, V1Pod, V1PodTemplateSpec } from '@kubernetes/client-node';
import type { CheckResult } from '../../model';
import { isUnknown, templateOf } from '../profile';
import { claimsSandbox } from '../workload';
import { identityOf, type LiveSeat, type LiveWorkload, of, TEMPLATE_UNKNOWN, workloadText } from './live-seat';
import { managersOf, type PodDifference, podDifferences, type Step } from './pod-diff';

const MOST_NAMED = 5;

/**
 * FAIL also before the pod runs, where the workload itself is another. Owner, generateName and managers can be forged by
 * whoever may create pods here and takes the pains; the comparison of the spec cannot.
 */
export function judgeDeclared(live: LiveSeat): CheckResult {
  const say = of(live, 'A1');
  const { workload, strangers } = live;
  if (strangers.length > 0) return foreign(live, strangers);
  if (workload.obstacle) return say.open(workload.obstacle);
  const found = workload.value;
  const isKnown = !isUnknown(live.profile);
  const template = found && isKnown ? templateIn(found) : undefined;
  const different = found && template && compared(live, found.object, template, undefined);
  if (different) return different;
  if (live.pod.obstacle) return say.open(live.pod.obstacle);
  const pod = live.pod.value;
  if (!found) {
    const message = `pod ${pod.metadata?.name} runs, and there is no ${workloadText(live)}`;
    return say.fail('ForeignPod', message, { pod: identityOf(pod) });
  }
  return judgeMade(live, pod, found, isKnown);
}

/** A pod beside its workload, which is as declared. */
function judgeMade(live: LiveSeat, pod: V1Pod, found: LiveWorkload, isKnown: boolean): CheckResult {
  const say = of(live, 'A1');
  const evidence = { pod: identityOf(pod), workload: identityOf(found.object) };
  const maker = makerOf(pod, found);
  const stranger = maker.foreign ?? (claimsSandbox(live.seat) ? notHeld(live, found) : undefined);
  if (stranger !== undefined) return say.fail('ForeignPod', stranger, evidence);
  if (!isKnown) return say.open(TEMPLATE_UNKNOWN);
  const result = compared(live, pod, pod, pod.metadata?.name);
  if (result) return result;
  if (maker.unknown) return say.open({ reason: 'NotShown', message: maker.unknown });
  return say.pass(`the live pod is the declared one, made by its ${found.kind}`, {
    ...evidence,
    createdBy: maker.manager,
  });
}

function foreign(live: LiveSeat, strangers: readonly V1Pod[]): CheckResult {
  const pods = strangers.map(({ metadata }) => metadata?.name ?? '').sort();
  const named = pods.slice(0, MOST_NAMED).join(', ');
  return of(live, 'A1').fail('ForeignPod', `${named}: not the seat's pod, but with its labels or its ServiceAccount`, {
    pods,
  });
}

const templateIn = ({ kind, object }: LiveWorkload): V1PodTemplateSpec | undefined =>
  kind === 'StatefulSet' ? object.spec?.template : object.spec?.podTemplate;

/** What a difference is looked for in: a pod or its workload. */
interface Looked {
  readonly metadata?: V1ObjectMeta;
}

/** Undefined: as declared. `name` is that of the pod; undefined: `object` is the workload. */
function compared(
  live: LiveSeat,
  object: Looked,
  template: Parameters<typeof podDifferences>[1],
  name: string | undefined,
): CheckResult | undefined {
  const say = of(live, 'A1');
  const declared = templateOf(live.profile, live.seat);
  const { runtimeClassName, serviceAccountName } = declared.spec ?? {};
  const looked = runtimeClassName === undefined ? undefined : live.facts.runtimeClasses[runtimeClassName];
  const differences = podDifferences(declared, template, {
    pod: name,
    serviceAccountName,
    runtimeClass: looked?.value,
    isOfTemplate: claimsSandbox(live.seat),
  });
  if (differences.length === 0) return undefined;
  // A RuntimeClass brings tolerations of its own: without a look at it these say nothing.
  if (name !== undefined && looked?.obstacle && differences.every(({ path }) => path.startsWith('tolerations['))) {
    return say.open(looked.obstacle);
  }
  const who =
    name === undefined
      ? `the template of ${live.seat.workload ? 'Sandbox' : 'StatefulSet'} ${object.metadata?.name}`
      : `pod ${name}`;
  const root: readonly Step[] = name === undefined ? ['spec', live.seat.workload ? 'podTemplate' : 'template'] : [];
  return say.fail('SpecDiffers', `${who} is not as declared: ${told(differences, root, object)}`, {
    object: identityOf(object),
    differences: differences.map(({ path, kind }) => ({ path, kind })),
  });
}

/** The first few, with who set them. */
function told(differences: readonly PodDifference[], root: readonly Step[], { metadata }: Looked): string {
  const named = differences.slice(0, MOST_NAMED).map(({ path, kind, steps }) => {
    const managers = kind === 'missing' ? [] : managersOf(metadata?.managedFields, [...root, ...steps]);
    return `${path} ${kind}${managers.length ? ` (in a request of ${managers.join(' and ')})` : ''}`;
  });
  const more = differences.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A Sandbox that the claim names, and that another one holds or nobody. */
function notHeld({ seat, sandboxClaim }: LiveSeat, { object }: LiveWorkload): string | undefined {
  const { name, ownerReferences } = object.metadata ?? {};
  const uid = sandboxClaim?.metadata?.uid;
  if (uid !== undefined && ownerReferences?.some((one) => one.controller && one.uid === uid)) return undefined;
  return `Sandbox ${name}: the SandboxClaim ${seat.workload?.name} does not control it`;
}

interface Maker {
  /** Why the workload did not make it. */
  readonly foreign?: string;
  readonly unknown?: string;
  readonly manager?: string;
}

/**
 * The StatefulSet controller writes owner and generateName as it creates a pod (pkg/controller/controller_utils.go,
 * GetPodFromTemplate); one that it adopts gets the owner only, in a request of its own. agent-sandbox's writes the owner as it
 * creates one (controllers/sandbox_controller.go), and adopts in a request of its own too.
 */
function makerOf({ metadata, spec }: V1Pod, { kind, object }: LiveWorkload): Maker {
  const { name, uid } = object.metadata ?? {};
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller);
  const who = `pod ${metadata?.name}`;
  if (!uid || owner?.uid !== uid) {
    const whose = owner ? `${owner.kind} ${owner.name} does` : 'nobody does';
    return { foreign: `${who}: the ${kind} ${name} does not control it, ${whose}` };
  }
  if (kind === 'StatefulSet' && metadata?.generateName !== `${name}-`) {
    return { foreign: `${who} was adopted: its StatefulSet did not make it` };
  }
  const { managedFields } = metadata ?? {};
  if (!managedFields?.length) return { unknown: `${who} does not show who made it: it has no managedFields` };
  const owned = managersOf(managedFields, ['metadata', 'ownerReferences', { element: { uid }, key: uid }]);
  // The name of a container never changes: who set it made the pod.
  const made = (spec?.containers ?? []).map((element) =>
    managersOf(managedFields, ['spec', 'containers', { element, key: element.name }, 'name']),
  );
  const manager = owned.find((one) => made.every((makers) => makers.includes(one)));
  if (manager !== undefined) return { manager };
  const [by = 'somebody unknown'] = made.flat();
  return { foreign: `${who} was made by ${by}, and ${owned[0] ?? 'somebody unknown'} adopted it` };
}
