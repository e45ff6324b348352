// What is wrong with a tier by itself, or with the RuntimeClass that it names: told once, however many seats use it.
import { fieldOf } from '../../field-path';
import { type Finding, report } from '../../finding';
import { isLabelKey, isLabelValue, LABEL_VALUE_RULE } from '../../kubernetes/label';
import type { Located, TrustTier } from '../../model';
import { OFFERED, type Runtime, type Runtimes } from './runtimes';
import { ttlProblem } from './session';
import type { Use } from './tiers';

const OBJECT_NAME = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

type Check = (tier: Located<TrustTier>, use: Use | undefined) => readonly (Finding | undefined)[];

const checkNames: Check = ({ object: { metadata, spec }, item }) => [
  isLabelValue(metadata.name)
    ? undefined
    : report('NAME_TOO_LONG', item, 'metadata.name', 'becomes a label value, which has at most 63 characters', {
        value: metadata.name,
      }),
  isLabelValue(spec.jurisdiction ?? '')
    ? undefined
    : report('INVALID_LABEL_VALUE', item, 'spec.jurisdiction', `becomes a label value: ${LABEL_VALUE_RULE}`, {
        value: spec.jurisdiction,
      }),
  OBJECT_NAME.test(spec.runtimeClassName)
    ? undefined
    : report('INVALID_VALUE', item, 'spec.runtimeClassName', 'must be the name of a RuntimeClass', {
        value: spec.runtimeClassName,
      }),
];

const checkNodeLabels: Check = ({ object: { spec }, item }) =>
  Object.entries(spec.allowedNodeLabels ?? {}).map(([key, value]) =>
    isLabelKey(key) && isLabelValue(String(value))
      ? undefined
      : report(
          'INVALID_LABEL_VALUE',
          item,
          fieldOf('spec.allowedNodeLabels', key),
          `must be a label of a node; its value: ${LABEL_VALUE_RULE}`,
          { value },
        ),
  );

const checkPromises: Check = ({ object: { spec }, item }) => [
  spec.jurisdiction && Object.keys(spec.allowedNodeLabels ?? {}).length === 0
    ? report(
        'JURISDICTION_NOT_SCHEDULED',
        item,
        'spec.jurisdiction',
        `nothing keeps pods in "${spec.jurisdiction}": \`allowedNodeLabels\` names no node`,
      )
    : undefined,
  spec.attestationRequired && spec.isolation !== 'confidential'
    ? report(
        'ATTESTATION_NEEDS_CONFIDENTIAL',
        item,
        'spec.attestationRequired',
        `needs isolation "confidential", but the tier's is "${spec.isolation}"`,
      )
    : undefined,
  spec.warmPoolSize !== undefined && !spec.sandboxTemplateName
    ? report('WARM_POOL_IGNORED', item, 'spec.warmPoolSize', 'has no effect without `sandboxTemplateName`')
    : undefined,
];

const checkSession: Check = ({ object: { spec }, item }, use) => {
  if (spec.maxSessionTTL === undefined) return [];
  const path = 'spec.maxSessionTTL';
  const problem = ttlProblem(spec.maxSessionTTL);
  if (problem) return [report('INVALID_DURATION', item, path, problem, { value: spec.maxSessionTTL })];
  if (!use?.isUnkept) return [];
  const message =
    'a StatefulSet has no deadline and a SandboxClaim ends at a time: pods are told it, nothing ends them';
  return [report('TTL_NOT_ENFORCED', item, path, message)];
};

const CHECKS: readonly Check[] = [checkNames, checkNodeLabels, checkPromises, checkSession];

/** `use`: undefined when no seat names the tier. */
export const checkTier = (tier: Located<TrustTier>, use: Use | undefined): Finding[] =>
  CHECKS.flatMap((check) => check(tier, use)).filter((finding) => finding !== undefined);

/** The tier against the RuntimeClass that it names, where the package has it; where not, only a cluster can tell. */
export function checkRuntime(tier: Located<TrustTier>, runtimes: Runtimes): Finding[] {
  const { runtimeClassName } = tier.object.spec;
  const known = runtimes.get(runtimeClassName);
  if (known) return known.flatMap((runtime) => compareRuntime(tier, runtime));
  const message = `RuntimeClass "${runtimeClassName}" is not in this package, so nothing here shows what it provides`;
  return [report('RUNTIME_NOT_IN_PACKAGE', tier.item, 'spec.runtimeClassName', message)];
}

function compareRuntime({ object: { spec }, item }: Located<TrustTier>, runtime: Runtime): Finding[] {
  const missing = OFFERED[spec.isolation]?.[0];
  const name = `RuntimeClass "${runtime.item.name}"`;
  const unprovided = missing !== undefined && !runtime.provides.has(missing);
  const demanded = new Map(Object.entries(spec.allowedNodeLabels ?? {}));
  const conflicts = runtime.nodeSelector.filter(([key, value]) => (demanded.get(key) ?? value) !== value);
  return [
    ...(unprovided
      ? [
          report(
            'RUNTIME_DOES_NOT_PROVIDE',
            item,
            'spec.isolation',
            `${name} with handler "${runtime.handler}" does not provide "${missing}"; ` +
              'a handler that does, or its annotation steadmesh.io/provides, must say so',
            { value: spec.isolation },
          ),
        ]
      : []),
    ...conflicts.map(([key, value]) =>
      report(
        'NODE_LABEL_CONFLICT',
        item,
        fieldOf('spec.allowedNodeLabels', key),
        `no node can match: ${name} selects "${value}"`,
        { value: demanded.get(key), proposed: value },
      ),
    ),
  ];
}
