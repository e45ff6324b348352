// The sandbox templates of the package, and what a tier demands of the one that makes the pods of its seats.
import type { KubernetesObject, V1PodTemplateSpec } from '@kubernetes/client-node';
import { type Finding, report } from '../../finding';
import { SANDBOX_EXTENSIONS_API } from '../../kinds';
import { listOf, recordOf } from '../../kubernetes/label-selector';
import type { Declared, Item, Located, Options, SandboxTemplate } from '../../model';
import { groupOf } from '../../owner';
import { egressOfTier } from './egress';
import { groupBy } from './grouping';
import type { PoolPod } from './policies';
import { checkTemplateNetwork } from './template-network';
import { checkTemplatePod } from './template-pod';
import type { SettledTier } from './tiers';
import type { WarmPool } from './warm-pools';

const GROUP = groupOf(SANDBOX_EXTENSIONS_API);

/** Something about a template that is weaker than its tier: where in the template, and what is demanded. */
export type Weakness = readonly [path: string, message: string];

/** By `<namespace>/<name>`; those without a namespace get one later, and count everywhere. */
export type Templates = ReadonlyMap<string, readonly Located<KubernetesObject>[]>;

export const templatesOf = ({ related }: Pick<Declared, 'related'>): Templates =>
  groupBy(
    related.filter(({ item }) => isTemplate(item)),
    ({ item }) => `${item.namespace ?? ''}/${item.name}`,
  );

const isTemplate = ({ kind, apiVersion }: Item): boolean => kind === 'SandboxTemplate' && groupOf(apiVersion) === GROUP;

const named = (templates: Templates, namespace: string, name: string): readonly Located<KubernetesObject>[] => [
  ...(templates.get(`${namespace}/${name}`) ?? []),
  ...(templates.get(`/${name}`) ?? []),
];

/** What the package says of a seat's template; undefined where it is not in the package. */
export function templateOf(
  tier: SettledTier | undefined,
  namespace: string,
  templates: Templates,
): SandboxTemplate | undefined {
  const name = tier?.object.spec.sandboxTemplateName;
  const [found] = name ? named(templates, namespace, name) : [];
  if (!name || !found) return undefined;
  const { podTemplate, networkPolicyManagement, networkPolicy, volumeClaimTemplates } = recordOf(
    (found.object as { spec?: unknown }).spec,
  );
  const isManaged = (networkPolicyManagement ?? 'Managed') === 'Managed' && networkPolicy;
  return {
    name,
    podTemplate: recordOf(podTemplate) as V1PodTemplateSpec,
    networkPolicy: isManaged ? (recordOf(networkPolicy) as SandboxTemplate['networkPolicy']) : undefined,
    volumeClaims: listOf(volumeClaimTemplates).map((one) => String(recordOf(recordOf(one).metadata).name)),
  };
}

/** Pods of pools whose template is here to be read, and what their tier lets them reach. */
export const poolPods = (pools: readonly WarmPool[], templates: Templates, options: Options): PoolPod[] =>
  pools.flatMap(({ tier, namespace }) => {
    const template = templateOf(tier, namespace, templates);
    if (!template) return [];
    const labels = recordOf(recordOf(template.podTemplate.metadata).labels) as Readonly<Record<string, string>>;
    return [{ namespace, title: template.name, isTiered: true, egress: egressOfTier(tier, options), labels }];
  });

/** One finding for each thing that is weaker, in the template's own text; an info for a template that is not here to be read. */
export function checkTemplates(
  pools: readonly WarmPool[],
  templates: Templates,
  { related }: Pick<Declared, 'related'>,
  options: Options,
): Finding[] {
  return pools.flatMap(({ tier, namespace }) => {
    const name = tier.object.spec.sandboxTemplateName ?? '';
    const found = named(templates, namespace, name);
    if (found.length === 0) {
      const message = `SandboxTemplate "${name}" of namespace "${namespace}" is not in this package, so nothing here shows what its pods may do`;
      return [report('TEMPLATE_NOT_FOUND', tier.item, 'spec.sandboxTemplateName', message, { value: name })];
    }
    return found.flatMap((template) =>
      weaknesses(template, tier, namespace, related, options).map(([path, message]) =>
        report('TEMPLATE_WEAKER_THAN_TIER', template.item, path, `tier "${tier.summary.name}" ${message}`),
      ),
    );
  });
}

function weaknesses(
  { object, item }: Located<KubernetesObject>,
  tier: SettledTier,
  namespace: string,
  related: Declared['related'],
  options: Options,
): readonly Weakness[] {
  if (item.apiVersion !== SANDBOX_EXTENSIONS_API)
    return [['apiVersion', `reads templates as ${SANDBOX_EXTENSIONS_API} alone`]];
  const spec = recordOf((object as { spec?: unknown }).spec);
  return [
    ...checkTemplateNetwork(spec, tier, namespace, related, options),
    ...checkInjection(spec),
    ...checkTemplatePod(recordOf(spec.podTemplate), tier, options),
  ];
}

/** What a claim may add to its pod: nothing, or the pod is no longer the one that was looked at. */
const checkInjection = (spec: Readonly<Record<string, unknown>>): Weakness[] =>
  ['envVarsInjectionPolicy', 'volumeClaimTemplatesPolicy']
    .filter((field) => (spec[field] ?? 'Disallowed') !== 'Disallowed')
    .map((field) => [`spec.${field}`, 'needs it to be Disallowed: what a claim adds nobody looked at']);
