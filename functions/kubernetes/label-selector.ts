// Label selectors as Kubernetes reads them (k8s.io/apimachinery LabelSelector), from objects that nothing validated.

export interface Requirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values: readonly string[];
}
type Labels = Readonly<Record<string, string>>;

const OPERATORS: Readonly<
  Record<Requirement['operator'], (value: string | undefined, values: readonly string[]) => boolean>
> = {
  In: (value, values) => value !== undefined && values.includes(value),
  NotIn: (value, values) => value === undefined || !values.includes(value),
  Exists: (value) => value !== undefined,
  DoesNotExist: (value) => value === undefined,
};

/**
 * What a selector asks for; empty for one that selects everything. What the API server would refuse is left out, so
 * that a broken selector selects more and never less.
 */
export function requirementsOf(selector: unknown): Requirement[] {
  const { matchLabels, matchExpressions } = recordOf(selector);
  const labels = Object.entries(recordOf(matchLabels)).map(
    ([key, value]): Requirement => ({ key, operator: 'In', values: [String(value)] }),
  );
  return [...labels, ...listOf(matchExpressions).flatMap(requirementOf)];
}

function requirementOf(expression: unknown): Requirement[] {
  const { key, operator, values } = recordOf(expression);
  if (typeof key !== 'string' || typeof operator !== 'string' || !Object.hasOwn(OPERATORS, operator)) return [];
  return [{ key, operator: operator as Requirement['operator'], values: listOf(values).map(String) }];
}

/** Whether labels meet all requirements. Keys in `uncertain` may have any value or none, and meet every requirement. */
export const meets = (
  labels: Labels,
  requirements: readonly Requirement[],
  uncertain: ReadonlySet<string> = new Set(),
): boolean =>
  requirements.every(
    ({ key, operator, values }) =>
      uncertain.has(key) || OPERATORS[operator](Object.hasOwn(labels, key) ? labels[key] : undefined, values),
  );

/** Everything that meets the requirements has this label: one of them asks for just this value. */
export const pins = (requirements: readonly Requirement[], key: string, value: string): boolean =>
  requirements.some(
    (one) => one.key === key && one.operator === 'In' && one.values.length > 0 && one.values.every((v) => v === value),
  );

export const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
