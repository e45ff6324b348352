// Settles the options of a run from the platform level, the package's function config and the defaults.
import { type Finding, report } from '../../finding';
import { CONFIG_API, expectedVersion } from '../../kinds';
import type { Decision, Item, Options, Outcome } from '../../model';
import { attributed, DEFAULTS, OPTIONS, platformURL, type Settings, toOptions } from '../../options';
import { decodeItem } from '../read/decode-item';
import { itemOfInline } from '../read/items';
import { listAt } from '../read/lists';
import { dnsProblems } from '../resolve/dns';
import { gatewayEndpoint, platformEndpoint } from '../resolve/urls';
import { type Level, pathOf, refuseLoosening, warnOfLoosening } from './levels';
import { readSettings } from './settings';

export interface Configured {
  readonly options: Options;
  /** Tells what a config wrote from what only has its default, for `explain`. */
  readonly attributed: (decision: Decision) => Decision;
  /** Seats and TrustTiers that stand in the config itself. */
  readonly inline: readonly Item[];
  /** Every config object of the package: none of them is for a cluster. */
  readonly configs: readonly Item[];
}

export interface ConfigSources {
  /** The function config that the caller named; without one, the package's own ExpandSeats counts. */
  readonly config: Item | undefined;
  readonly items: readonly Item[];
  /** undefined: there is no platform level. An empty one rules all the same, by the defaults. */
  readonly platform: readonly Item[] | undefined;
}

const isConfig = (item: Item): boolean => expectedVersion(item) === CONFIG_API;

/** Never throws; where a setting is refused, its default stands in so that later stages can go on finding. */
export function configure({ config, items, platform }: ConfigSources): Outcome<Configured> {
  const found = items.filter(isConfig);
  const named = config && !isEmptyConfigMap(config) ? config : undefined;
  const above = readOne((platform ?? []).filter(isConfig));
  const below = named ? readConfig(named) : readOne(found);
  const governed = platform !== undefined;
  const tightened = governed ? refuseLoosening(above.value, below.value) : warnOfLoosening(below.value);
  const findings = [
    ...(platform ?? []).filter(isMisplacedConfig).map(misplacedConfig),
    ...above.findings,
    ...below.findings,
    ...tightened.findings,
  ];
  const settings = { ...above.value.settings, ...tightened.value };
  const written = { ...above.value.written, ...below.value.written };
  const options = toOptions(settings, endpoints(settings, written, findings));
  findings.push(...dnsFindings(options, written));
  return {
    value: {
      options,
      attributed: (decision) => attributed(decision, settings),
      inline: withoutCopies(below.value.inline, named, items),
      configs: [...found, ...(named ? [named] : [])],
    },
    findings,
  };
}

/** A kustomize generator that is itself a Seat gets a copy of it as its only item. */
function withoutCopies(inline: readonly Item[], config: Item | undefined, items: readonly Item[]): readonly Item[] {
  const isCopied = config !== undefined && inline.includes(config) && items.some((item) => sameObject(item, config));
  return isCopied ? [] : inline;
}
const sameObject = (a: Item, b: Item): boolean =>
  a.apiVersion === b.apiVersion && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;

const NO_LEVEL: Level = { settings: {}, written: {}, inline: [] };

/** kpt sends a ConfigMap without data where it has no config to give. */
function isEmptyConfigMap(item: Item): boolean {
  if (item.kind !== 'ConfigMap') return false;
  const { data } = (decodeItem(item).value ?? {}) as { data?: object | null };
  return !data || Object.keys(data).length === 0;
}

function readOne(configs: readonly Item[]): Outcome<Level> {
  const [first, ...others] = configs;
  if (!first) return { value: NO_LEVEL, findings: [] };
  const findings = others.map((item) =>
    report(
      'DUPLICATE_CONFIG',
      item,
      '',
      `there is another function config, "${first.name}" in ${first.origin.file ?? 'the input'}; name one with --config or keep one`,
    ),
  );
  const read = readConfig(first);
  return { value: read.value, findings: [...read.findings, ...findings] };
}

function readConfig(item: Item): Outcome<Level> {
  const isList = /^(?:Seat|TrustTier|)List$/.test(item.kind);
  if (isList) return { value: { ...NO_LEVEL, inline: inlineItems(item, ['items']) }, findings: [] };
  const expected = expectedVersion(item);
  if (expected && expected !== CONFIG_API) return { value: { ...NO_LEVEL, inline: [item] }, findings: [] };
  if (item.kind !== 'ConfigMap' && item.apiVersion !== CONFIG_API) {
    const message = `a function config must be ${CONFIG_API} ExpandSeats, a v1 ConfigMap, or Seats and TrustTiers`;
    const what = expected ? 'UNSUPPORTED_VERSION' : 'UNSUPPORTED_CONFIG';
    return {
      value: NO_LEVEL,
      findings: [report(what, item, expected ? 'apiVersion' : '', message, { value: item.apiVersion })],
    };
  }
  const { value: object, findings } = decodeItem(item);
  if (findings.length) return { value: NO_LEVEL, findings };
  const read = readSettings(item, object);
  const written = Object.fromEntries(Object.keys(read.value).map((key) => [key, item]));
  const inline = read.value.inputs ? inlineItems(item, ['spec', 'inputs']) : [];
  return { value: { settings: read.value, written, inline }, findings: read.findings };
}

/** Options of the platform in a ConfigMap, which only the caller of a function can hand over as a config. */
function isMisplacedConfig(item: Item): boolean {
  if (item.kind !== 'ConfigMap') return false;
  const { data } = (decodeItem(item).value ?? {}) as { data?: object | null };
  return Object.keys(data ?? {}).some((key) => Object.hasOwn(OPTIONS, key));
}
const misplacedConfig = (item: Item): Finding =>
  report('UNSUPPORTED_CONFIG', item, 'kind', `options of the platform level must stand in a ${CONFIG_API} ExpandSeats`);

const inlineItems = (item: Item, path: readonly string[]): readonly Item[] =>
  (listAt(item.text, path, item.origin)?.slices ?? []).map((slice) => itemOfInline(slice, item));

function dnsFindings({ dns }: Options, written: Readonly<Record<string, Item>>): Finding[] {
  return (dns ? dnsProblems(dns) : []).map(({ code, path, message, value, proposed }) => {
    const key = `dns.${/^\w+/.exec(path)?.[0] ?? ''}`;
    const item = written[key];
    const field = item?.kind === 'ConfigMap' ? pathOf(item, key) : `spec.dns.${path}`;
    return report(code, item, field, message, { value, ...(proposed === undefined ? {} : { proposed }) });
  });
}

/** Ports behind the two URLs as the pods see them; a URL that a policy cannot express is a finding. */
function endpoints(
  settings: Settings,
  written: Readonly<Record<string, Item>>,
  findings: Finding[],
): { platform: number; egress: number | undefined } {
  const namespace = String(settings.controlPlaneNamespace ?? DEFAULTS.controlPlaneNamespace);
  const platform = platformEndpoint(platformURL(settings), settings.platformPort as number | undefined, namespace);
  const egress = gatewayEndpoint(
    String(settings.egressURL ?? ''),
    settings.egressPort as number | undefined,
    namespace,
  );
  for (const [key, { problem }] of [
    ['platformURL', platform],
    ['egressURL', egress],
  ] as const) {
    const item = written[key] ?? written.controlPlaneNamespace;
    if (problem)
      findings.push(
        report(problem.code, item, item ? pathOf(item, key) : '', problem.message, { value: settings[key] }),
      );
  }
  return { platform: platform.value ?? 8080, egress: egress.value };
}
