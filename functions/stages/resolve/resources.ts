// Resource requirements as the API server stores them, and what it would refuse of them.
import { fieldOf } from '../../field-path';
import { type Finding, report } from '../../finding';
import { isLabelKey } from '../../kubernetes/label';
import { isWhole, type ParsedQuantity, parseQuantity } from '../../kubernetes/quantity';
import type { Item, Outcome, Quantity, ResolvedSeat, Resources } from '../../model';

export interface SettledResources {
  readonly resources: ResolvedSeat['resources'];
  /** Of CPU and memory, those without a limit above zero: zero means "no limit" to the kernel. */
  readonly unlimited: readonly string[];
}

const MANDATORY_LIMITS = ['cpu', 'memory'] as const;
const STANDARD = /^(?:cpu|memory|ephemeral-storage|hugepages-.+)$/;
const BYTES = /^(?:memory|ephemeral-storage|hugepages-.+)$/;
const HUGE_PAGES = 'hugepages-';
/** A quota on a device is spelt so; no container can use it as a device. */
const QUOTA_PREFIX = 'requests.';

const isDevice = (name: string): boolean => name.includes('/') && !name.includes('kubernetes.io/');

/** Devices and huge pages cannot be overcommitted: the API demands equal requests and limits. */
const isReserved = (name: string): boolean => name.startsWith(HUGE_PAGES) || isDevice(name);

/**
 * Canonical quantities, keys sorted. Rules as in k8s.io/kubernetes/pkg/apis/core/validation
 * (ValidateContainerResourceRequirements), and whole bytes: `512m` of memory is half a byte.
 */
export function settleResources(block: Resources, item: Item, path: string): Outcome<SettledResources> {
  const findings: Finding[] = [];
  const limits = parseAll(block.limits, item, `${path}.limits`, findings);
  const requests = parseAll(block.requests, item, `${path}.requests`, findings);
  for (const [name, request] of requests) {
    const finding = compareToLimit(name, request, limits.get(name), item, fieldOf(`${path}.requests`, name));
    if (finding) findings.push(finding);
  }
  const resources = {
    ...(requests.size ? { requests: texts(requests) } : {}),
    limits: texts(limits),
    ...(block.claims?.length ? { claims: block.claims } : {}),
  };
  return {
    value: { resources, unlimited: MANDATORY_LIMITS.filter((name) => !isPositive(limits.get(name))) },
    findings,
  };
}

/** Told already as LIMITS_MISSING. */
const isMissing = (name: string, limit: ParsedQuantity): boolean =>
  (MANDATORY_LIMITS as readonly string[]).includes(name) && !isPositive(limit);

const isPositive = (quantity: ParsedQuantity | undefined): boolean => quantity !== undefined && quantity.value > 0n;

type Quantities = Map<string, ParsedQuantity>;

const texts = (quantities: Quantities): Record<string, string> =>
  Object.fromEntries([...quantities].map(([name, { canonical }]) => [name, canonical]));

function parseAll(
  block: Readonly<Record<string, Quantity>> | undefined,
  item: Item,
  path: string,
  findings: Finding[],
): Quantities {
  const parsed: Quantities = new Map();
  for (const name of Object.keys(block ?? {}).sort()) {
    const value = block?.[name];
    const quantity = value === undefined ? undefined : parseQuantity(value);
    const problem = quantity ? problemOf(name, quantity) : 'must be a quantity such as 500m, 2 or 1Gi';
    if (quantity) parsed.set(name, quantity);
    if (problem) findings.push(report('INVALID_QUANTITY', item, fieldOf(path, name), problem, { value }));
  }
  return parsed;
}

/** The first thing wrong with one quantity; a limit of zero or less on CPU or memory is LIMITS_MISSING's business. */
function problemOf(name: string, quantity: ParsedQuantity): string | undefined {
  if (!isResourceName(name))
    return 'resource names must be cpu, memory, ephemeral-storage, hugepages-<size> or <domain>/<device>';
  if (quantity.value < 0n) return 'must not be negative';
  if (BYTES.test(name) && !isWhole(quantity)) return 'must be whole bytes; "m" means thousandths, "Mi" mebibytes';
  if (name.startsWith(HUGE_PAGES) && quantity.value % pageSize(name)!.value !== 0n)
    return 'must be a whole number of pages of that size';
  return isReserved(name) && !isWhole(quantity) ? 'must be a whole number: devices cannot be shared' : undefined;
}

function isResourceName(name: string): boolean {
  if (name.startsWith(HUGE_PAGES)) return pageSize(name) !== undefined;
  if (STANDARD.test(name)) return true;
  return name.includes('/') && isLabelKey(name) && !(isDevice(name) && name.startsWith(QUOTA_PREFIX));
}

/** Of `hugepages-2Mi`; undefined where the name tells none. */
function pageSize(name: string): ParsedQuantity | undefined {
  const size = parseQuantity(name.slice(HUGE_PAGES.length));
  return size && size.value > 0n && isWhole(size) ? size : undefined;
}

function compareToLimit(
  name: string,
  request: ParsedQuantity,
  limit: ParsedQuantity | undefined,
  item: Item,
  path: string,
): Finding | undefined {
  if (limit && request.value > limit.value && !isMissing(name, limit)) {
    const message = `requests ${request.canonical} of ${name}; must be at most its limit, ${limit.canonical}`;
    return report('REQUESTS_EXCEED_LIMITS', item, path, message, {
      value: request.canonical,
      proposed: limit.canonical,
    });
  }
  if (!isReserved(name) || limit?.value === request.value) return undefined;
  const message = `the request of ${name} must have an equal limit: it cannot be overcommitted`;
  return report('INVALID_QUANTITY', item, path, message, { value: request.canonical, proposed: limit?.canonical });
}
