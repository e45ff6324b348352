// Where a seat's pod may run: node labels of tier and seat together, tolerations and priority within bounds.
import { fieldOf } from '../../field-path';
import { compare, type Finding, report } from '../../finding';
import { isLabelKey, isLabelValue, LABEL_VALUE_RULE } from '../../kubernetes/label';
import type { Located, Options, Outcome, ResolvedSeat, Seat } from '../../model';
import type { Runtime } from './runtimes';
import { lacksTier } from './tier-choice';
import type { SettledTier } from './tiers';

type Placement = Pick<ResolvedSeat, 'nodeLabels' | 'tolerations' | 'priorityClassName'>;

/**
 * `runtimes`: the RuntimeClasses that the seat will run under, whose own node selectors are added by the cluster.
 * Which nodes a tier names that is missing is not known, and no reason to refuse a toleration.
 */
export function resolvePlacement(
  { object, item }: Located<Seat>,
  tier: SettledTier | undefined,
  runtimes: readonly Runtime[],
  options: Options,
): Outcome<Placement> {
  const { spec } = object;
  const { tolerations = [], priorityClassName, nodeLabels = {} } = spec.scheduling ?? {};
  const required = tier?.object.spec.allowedNodeLabels ?? {};
  const findings: Finding[] = [];
  for (const [key, value] of Object.entries(nodeLabels)) {
    const path = fieldOf('spec.scheduling.nodeLabels', key);
    const other = contradiction(key, value, required, runtimes);
    if (!isLabelKey(key) || !isLabelValue(value))
      findings.push(
        report('INVALID_LABEL_VALUE', item, path, `must be a node's label; its value: ${LABEL_VALUE_RULE}`),
      );
    if (other) findings.push(report('NODE_LABEL_CONFLICT', item, path, `no node can match: ${other}`, { value }));
  }
  const mayTolerateAll = lacksTier(object, tier, options) || Object.keys(required).length > 0;
  for (const [index, { key }] of tolerations.entries()) {
    if (key || mayTolerateAll) continue;
    const message = 'tolerates every taint, and the tier names no nodes; name the taint by its `key`';
    findings.push(report('TOLERATION_TOO_WIDE', item, `spec.scheduling.tolerations[${index}]`, message));
  }
  if (priorityClassName?.startsWith('system-')) {
    const message = 'system priority classes are reserved for the cluster';
    findings.push(
      report('PRIORITY_RESERVED', item, 'spec.scheduling.priorityClassName', message, { value: priorityClassName }),
    );
  }
  const together = Object.entries({ ...nodeLabels, ...required }).sort(([a], [b]) => compare(a, b));
  return { value: { nodeLabels: together, tolerations, priorityClassName }, findings };
}

function contradiction(
  key: string,
  value: string,
  required: Readonly<Record<string, string>>,
  runtimes: readonly Runtime[],
): string | undefined {
  const ofTier = Object.hasOwn(required, key) ? required[key] : undefined;
  if (ofTier !== undefined && ofTier !== value) return `the tier demands "${ofTier}"`;
  const ofRuntime = runtimes
    .flatMap(({ nodeSelector }) => nodeSelector)
    .find(([name, other]) => name === key && other !== value);
  return ofRuntime && `the RuntimeClass selects "${ofRuntime[1]}"`;
}
