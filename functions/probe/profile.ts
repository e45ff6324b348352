// Profiles: which seats isolate alike, so that one probe pod stands for them, and what a seat's own manifest is.
import type { V1Container, V1NetworkPolicySpec, V1PodTemplateSpec, V1Volume } from '@kubernetes/client-node';
import { digestOf } from '../kubernetes/canonical-json';
import { policySelector } from '../labels';
import type { Plan, PlannedSeat, Profile, ResolvedSeat } from '../model';
import { manifestName } from '../names';
import { applied, differences, replaced, type Words } from './leaves';
import { claimsSandbox } from './workload';

/** Pod template and policy spec of one seat. */
export interface Manifest {
  readonly template: V1PodTemplateSpec;
  readonly policy: V1NetworkPolicySpec;
  readonly bounds?: V1NetworkPolicySpec;
}

/** Annotations of the pod that tell one seat from another, and nothing about how it is shut in. */
const CONFIG_REVISION = 'steadmesh.io/config-revision';
const SEAT_ID = 'steadmesh.io/seat-id';
const OWN_ANNOTATIONS = [CONFIG_REVISION, SEAT_ID, 'seatplan.dev/session-expires-at'];

/**
 * `sha256:` and hex over all that isolates a seat. Left out is what is known to name a seat or to be its program; what nobody
 * thought of stays in, and parts profiles.
 */
export const profileDigest = (seat: ResolvedSeat, { template, policy, bounds }: Manifest): string => {
  const { podSelector: _, ...rules } = policy;
  return digestOf({
    tier: seat.tier?.name,
    isolation: seat.tier?.isolation,
    sessionTTL: seat.sessionTTL,
    healthPort: seat.health.port,
    rules,
    annotations: Object.entries(template.metadata?.annotations ?? {}).filter(([key]) => !OWN_ANNOTATIONS.includes(key)),
    pod: isolationOf(template),
    bounds: bounds && { egress: bounds.egress },
  });
};

/** The pod without names, and without what only says how much of the node it asks for. */
function isolationOf({ spec }: V1PodTemplateSpec): unknown {
  const {
    serviceAccountName: _,
    priorityClassName: _priority,
    resourceClaims: _devices,
    containers = [],
    volumes = [],
    ...pod
  } = spec ?? {};
  return { ...pod, containers: containers.map(isolatedContainer), volumes: volumes.map(anonymousVolume) };
}

function isolatedContainer(container: V1Container): unknown {
  const { image: _, imagePullPolicy: _pull, command: _command, args: _args, env: _env, ...rest } = container;
  const { resources: _resources, livenessProbe: _liveness, readinessProbe: _readiness, ...isolation } = rest;
  return isolation;
}

function anonymousVolume({ persistentVolumeClaim, configMap, ...volume }: V1Volume): unknown {
  const { claimName: _, ...claim } = persistentVolumeClaim ?? {};
  const { name: _name, items: _items, ...map } = configMap ?? {};
  return {
    ...volume,
    ...(persistentVolumeClaim ? { persistentVolumeClaim: claim } : {}),
    ...(configMap ? { configMap: map } : {}),
  };
}

/** What of a seat its manifest repeats; a PlannedSeat has it. */
type Identity = Pick<PlannedSeat, 'name' | 'organization' | 'key' | 'seatID' | 'configRevision' | 'claim' | 'workload'>;

const idOf = (annotations: Readonly<Record<string, string>>, { seatID }: Identity): [string, string][] =>
  annotations[SEAT_ID] ? [[annotations[SEAT_ID], seatID]] : [];

/** From the words of the profile's template to the seat's. Where one word stands for two, the differences put it right. */
function wordsOf({ metadata, spec }: V1PodTemplateSpec, seat: Identity): Words {
  const annotations = metadata?.annotations ?? {};
  // what is the template's has none of the seat's names, and may have texts that read like them
  if (claimsSandbox(seat)) return new Map(idOf(annotations, seat));
  const labels = Object.entries(policySelector({ ...seat, tier: undefined }));
  const name = spec?.serviceAccountName;
  const claim = spec?.volumes?.find(({ persistentVolumeClaim }) => persistentVolumeClaim)?.persistentVolumeClaim;
  const words: readonly (readonly [from: string | undefined, to: string])[] = [
    ...labels.map(([label, to]) => [metadata?.labels?.[label], to] as const),
    ...idOf(annotations, seat),
    [annotations[CONFIG_REVISION], seat.configRevision],
    [claim?.claimName, seat.claim.name],
    [name, seat.name],
    [name && manifestName(name), manifestName(seat.name)],
  ];
  return new Map(words.flatMap(([from, to]) => (from ? [[from, to]] : [])));
}

/** What a seat's manifest has beyond its profile's (as a plan keeps it), names that follow from the seat itself left out. */
export function seatDifferences(
  base: Manifest,
  seat: Identity,
  own: Manifest,
): Pick<PlannedSeat, 'template' | 'policy'> {
  const words = wordsOf(base.template, seat);
  return {
    template: differences(base.template, own.template, words),
    policy: differences(base.policy, own.policy, words),
  };
}

/** Nothing says what the pods of its seats should be: the SandboxTemplate that makes them is not in the package. */
export const isUnknown = ({ bounds, template }: Profile): boolean =>
  bounds !== undefined && template.spec === undefined;

/** What a pod without a ServiceAccount of its own has (k8s.io/kubernetes plugin/pkg/admission/serviceaccount). */
export const DEFAULT_ACCOUNT = 'default';

/** Name of the seat's ServiceAccount; undefined: nothing says what its pod is. */
export function accountOf(profile: Profile, seat: PlannedSeat): string | undefined {
  if (!claimsSandbox(seat)) return seat.name;
  const { spec } = templateOf(profile, seat);
  return spec && (spec.serviceAccountName ?? DEFAULT_ACCOUNT);
}

/** The pod template of a seat, as rendered. */
export const templateOf = (profile: Profile, seat: PlannedSeat): V1PodTemplateSpec =>
  applied(replaced(profile.template, wordsOf(profile.template, seat)), seat.template) as V1PodTemplateSpec;

/** The policy spec of a seat, as rendered. */
export const policyOf = (profile: Profile, seat: PlannedSeat): V1NetworkPolicySpec =>
  applied(replaced(profile.policy, wordsOf(profile.template, seat)), seat.policy) as V1NetworkPolicySpec;

/** The profile of a planned seat. Throws an Error for a plan that lacks it: such a plan was not made by `planOf`. */
export function profileOf({ profiles }: Pick<Plan, 'profiles'>, { seat, profile }: PlannedSeat): Profile {
  const found = profiles.find(({ digest }) => digest === profile);
  if (!found) throw new Error(`the plan has no profile ${profile} of the seat "${seat}"`);
  return found;
}
