// One function config object to option settings: shape, names and types. A misspelt option is an error, not a default.
import { type Finding, report } from '../../finding';
import type { Item, Outcome } from '../../model';
import { nearest } from '../../nearest';
import { DEFAULTS, OPTIONS, type OptionRule, type OptionType, type Settings } from '../../options';
import { FORMATS } from './formats';

/** An option as it was written: where, and as what. */
interface Written {
  readonly key: string;
  readonly path: string;
  readonly value: unknown;
}

const GROUPS = new Set(
  Object.keys(OPTIONS).flatMap((key) => (key.includes('.') ? [key.slice(0, key.indexOf('.'))] : [])),
);
const isMap = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Settings of an ExpandSeats (under `spec`) or a ConfigMap (under `data`, flat dotted keys, everything text). */
export function readSettings(item: Item, object: unknown): Outcome<Settings> {
  const body = isMap(object) ? object : {};
  const findings: Finding[] = unknownFields(item, body);
  const written = item.kind === 'ConfigMap' ? fromData(item, body.data, findings) : fromSpec(item, body.spec, findings);
  const settings: Record<string, unknown> = {};
  for (const one of written) {
    const finding = judge(item, one);
    if (finding) findings.push(finding);
    else settings[one.key] = one.value;
  }
  return { value: settings, findings };
}

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ['apiVersion', 'kind', 'metadata', 'data', 'immutable'],
  ExpandSeats: ['apiVersion', 'kind', 'metadata', 'spec'],
};

function unknownFields(item: Item, body: Record<string, unknown>): Finding[] {
  const allowed = FIELDS[item.kind] ?? [];
  return Object.keys(body)
    .filter((key) => !allowed.includes(key))
    .map((key) => {
      const proposed = nearest(key, allowed);
      return report(
        'UNKNOWN_FIELD',
        item,
        key,
        `a function config has no field "${key}"; options stand under \`${allowed.at(3)}\``,
        {
          ...(proposed ? { proposed } : {}),
        },
      );
    });
}

function fromSpec(item: Item, spec: unknown, findings: Finding[]): Written[] {
  if (spec === undefined || spec === null) return [];
  if (!isMap(spec)) {
    findings.push(report('INVALID_OPTION', item, 'spec', 'options must be a map', { value: spec }));
    return [];
  }
  return Object.entries(spec).flatMap(([key, value]): Written[] => {
    if (!GROUPS.has(key)) return [{ key, path: `spec.${key}`, value }];
    if (isMap(value)) {
      return Object.entries(value).map(([name, one]) => ({
        key: `${key}.${name}`,
        path: `spec.${key}.${name}`,
        value: one,
      }));
    }
    findings.push(report('INVALID_OPTION', item, `spec.${key}`, `\`${key}\` must be a map of options`, { value }));
    return [];
  });
}

function fromData(item: Item, data: unknown, findings: Finding[]): Written[] {
  if (data === undefined || data === null) return [];
  if (!isMap(data)) {
    findings.push(report('INVALID_OPTION', item, 'data', '`data` must be a map of strings', { value: data }));
    return [];
  }
  return Object.entries(data).flatMap(([key, text]): Written[] => {
    const path = `data["${key}"]`;
    if (typeof text !== 'string') {
      findings.push(
        report('INVALID_OPTION', item, path, 'values of a ConfigMap are strings: quote it', {
          value: text,
          proposed: String(text),
        }),
      );
      return [];
    }
    return [{ key, path, value: fromText(OPTIONS[key]?.type, text) }];
  });
}

/** A ConfigMap's text as the option's type reads it; text that it does not read stays text, and is refused as such. */
const fromText = (type: OptionType | undefined, text: string): unknown =>
  typeof type === 'string' ? (READERS[type]?.(text) ?? text) : text;

const parts = (text: string): string[] => text.split(',').map((part) => part.trim());
const integer = (text: string): unknown => (/^[0-9]{1,9}$/.test(text) ? Number(text) : text);

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const READERS: Partial<Record<OptionType & string, (text: string) => unknown>> = {
  boolean: (text) => BOOLEANS.get(text),
  integer,
  port: integer,
  list: (text) => (text === '' ? [] : parts(text)),
  ports: (text) => parts(text).map(integer),
  map: (text) => {
    const pairs = parts(text).map((part) => part.split('='));
    return pairs.every((pair) => pair.length === 2) ? Object.fromEntries(pairs) : undefined;
  },
};

const PLACES: Readonly<Record<Item['level'], string>> = {
  platform: "is the platform's: give it with --platform or SEATPLAN_PLATFORM",
  package: "is a package's: the platform level holds TrustTiers as objects beside its options",
};

function judge(item: Item, { key, path, value }: Written): Finding | undefined {
  const rule = Object.hasOwn(OPTIONS, key) ? OPTIONS[key] : undefined;
  if (!rule) {
    const proposed = nearest(key, Object.keys(OPTIONS));
    const hint = proposed ? `did you mean \`${proposed}\`?` : `options are ${Object.keys(OPTIONS).join(', ')}`;
    return report('UNKNOWN_OPTION', item, path, `there is no option "${key}"; ${hint}`, proposed ? { proposed } : {});
  }
  const problem = typeProblem(rule, value) ?? FORMATS[key]?.(value);
  if (problem) return report('INVALID_OPTION', item, path, `\`${key}\` ${problem}`, { value });
  const isDefault = JSON.stringify(value) === JSON.stringify(DEFAULTS[key]);
  if (rule.level && item.level !== rule.level && !isDefault) {
    return report('OPTION_NOT_ALLOWED', item, path, `\`${key}\` ${PLACES[rule.level]}`, { value });
  }
  if (rule.later && !isDefault) {
    const only =
      DEFAULTS[key] === undefined ? 'leave it out' : `until then only ${JSON.stringify(DEFAULTS[key])} can be given`;
    return report(
      'OPTION_NOT_AVAILABLE',
      item,
      path,
      `\`${key}\` belongs to a feature that this version does not have; ${only}`,
      { value },
    );
  }
  return undefined;
}

const isPort = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65535;
const isText = (value: unknown): boolean => typeof value === 'string';

const TYPES: Readonly<Record<Exclude<OptionType, readonly string[]>, readonly [(value: unknown) => boolean, string]>> =
  {
    boolean: [(value) => typeof value === 'boolean', 'must be true or false'],
    string: [isText, 'must be a string'],
    integer: [Number.isSafeInteger, 'must be a whole number'],
    port: [isPort, 'must be a port from 1 to 65535'],
    list: [(value) => Array.isArray(value) && value.every(isText), 'must be a list of strings'],
    ports: [
      (value) => Array.isArray(value) && value.length > 0 && value.every(isPort),
      'must be a list of ports from 1 to 65535',
    ],
    map: [(value) => isMap(value) && Object.values(value).every(isText), 'must be a map of strings'],
    objects: [
      (value) => Array.isArray(value) && value.every(isMap),
      'must be a list of objects, which needs a config of kind ExpandSeats',
    ],
  };

function typeProblem({ type }: OptionRule, value: unknown): string | undefined {
  if (typeof type !== 'string') return type.includes(value as string) ? undefined : `must be one of ${type.join(', ')}`;
  const [holds, message] = TYPES[type];
  return holds(value) ? undefined : message;
}
