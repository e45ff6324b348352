// Whether a live policy says what was declared, whatever the API server wrote out or left out.
import type { V1NetworkPolicyPort, V1NetworkPolicySpec } from '@kubernetes/client-node';
import { fieldOf } from '../../field-path';
import { differences, type Path } from '../leaves';

/** Path of the first field that is another, `spec.egress[0].ports[1].port`; undefined: none is. */
export function policyDifference(
  declared: V1NetworkPolicySpec,
  live: V1NetworkPolicySpec | undefined,
): string | undefined {
  const [difference] = differences(normal(declared), normal(live));
  return difference && pathOf(difference[0]);
}

const pathOf = (path: Path): string =>
  path.reduce<string>((text, step) => (typeof step === 'number' ? `${text}[${step}]` : fieldOf(text, step)), 'spec');

/** As the API server has it: defaults in place, and empty lists, which it leaves out, as none. An empty selector stays: it selects all. */
function normal(spec: V1NetworkPolicySpec | undefined): unknown {
  const { podSelector, ingress = [], egress = [] } = spec ?? {};
  const policyTypes = spec?.policyTypes?.length ? spec.policyTypes : ['Ingress', ...(egress.length ? ['Egress'] : [])];
  const rules = { ingress: ingress.map(withProtocol), egress: egress.map(withProtocol) };
  return withoutEmpty({ podSelector, policyTypes, ...rules });
}

const withProtocol = <Rule extends { ports?: V1NetworkPolicyPort[] }>(rule: Rule): unknown =>
  rule.ports ? { ...rule, ports: rule.ports.map((port) => ({ protocol: 'TCP', ...port })) } : rule;

/** Lists and `matchLabels` without anything in them, members that are undefined or null. Elements of lists stay. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (typeof value !== 'object' || value === null) return value;
  const isEmpty = (key: string, one: unknown): boolean =>
    one === undefined ||
    one === null ||
    (Array.isArray(one) && one.length === 0) ||
    (key === 'matchLabels' && Object.keys(one as object).length === 0);
  const kept = Object.entries(value).filter(([key, one]) => !isEmpty(key, one));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutEmpty(one)]));
}
