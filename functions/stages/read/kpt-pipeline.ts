// What the Kptfiles of a package ask kpt to run, for a front end that stands in for kpt: it runs our functions, and nothing else.
import { posix } from 'node:path';
import { type Finding, report } from '../../finding';
import { parseImageReference } from '../../kubernetes/image-reference';
import type { Item, Outcome } from '../../model';
import { decodeItem } from './decode-item';
import { itemOfFile } from './items';

/** Our functions, by the last part of an image's name or the file name that `exec` ends with. */
const OURS = new Set(['expand-seats', 'validate-seats']);
const LISTS = new Set(['mutators', 'validators']);
/** Of a function in a Kptfile (kpt.dev/v1): what a function of ours may have beside its config. */
const PLAIN = new Set(['image', 'exec', 'name', 'configPath', 'configMap']);

interface Step {
  /** In the Kptfile: `pipeline.mutators[0]`. */
  readonly path: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * The function config that the package's own Kptfile names; undefined: none. What cannot be run here is an error:
 * a function of others, one of ours on a part of the package, or in a subpackage with a pipeline of its own. `version` is
 * that of this program.
 */
export function kptPipeline(items: readonly Item[], version: string): Outcome<Item | undefined> {
  const findings: Finding[] = [];
  let config: Item | undefined;
  for (const kptfile of items.filter(({ kind }) => kind === 'Kptfile')) {
    const decoded = decodeItem(kptfile);
    findings.push(...decoded.findings);
    const { value: steps, findings: misread } = stepsOf(kptfile, decoded.value);
    findings.push(...misread);
    if (steps.length === 0) continue;
    if (kptfile.origin.file !== 'Kptfile') {
      findings.push(
        notHere(kptfile, 'pipeline', 'this subpackage has a pipeline of its own: give it its own application'),
      );
      continue;
    }
    const refused = steps.flatMap((step) => refusal(kptfile, step));
    findings.push(...refused);
    if (refused.length > 0) continue;
    findings.push(...steps.flatMap((step) => otherVersion(kptfile, step, version)));
    const found = configOf(kptfile, steps, items);
    findings.push(...found.findings);
    config = found.value;
  }
  return { value: config, findings };
}

function stepsOf(kptfile: Item, value: unknown): Outcome<readonly Step[]> {
  const { pipeline } = record(value);
  const steps: Step[] = [];
  const findings: Finding[] = [];
  const lists = pipeline == null || isRecord(pipeline) ? Object.entries(record(pipeline)) : [['', pipeline] as const];
  for (const [name, list] of lists) {
    const path = name ? `pipeline.${name}` : 'pipeline';
    if (list == null) continue;
    if (LISTS.has(name) && Array.isArray(list))
      steps.push(...list.map((fields: unknown, n) => ({ path: `${path}[${n}]`, fields: record(fields) })));
    else findings.push(notHere(kptfile, path, `only lists of ${[...LISTS].join(' and ')} are understood here`));
  }
  return { value: steps, findings };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const record = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {});

function refusal(kptfile: Item, { path, fields }: Step): Finding[] {
  const name = String(fields.image ?? fields.exec ?? '');
  if (!OURS.has(functionOf(fields))) {
    const message = `the function "${name}" is not available here, only ${[...OURS].join(' and ')} are; render in CI, or take it out`;
    return [notHere(kptfile, path, message)];
  }
  return Object.keys(fields)
    .filter((field) => !PLAIN.has(field))
    .map((field) =>
      notHere(kptfile, `${path}.${field}`, 'seats are rendered from the whole package here; take this out'),
    );
}

function functionOf({ image, exec }: Step['fields']): string {
  const words = String(exec ?? '')
    .trim()
    .split(/\s+/);
  const text = typeof image === 'string' ? parseImageReference(image)?.repository : words.pop();
  return posix.basename(text ?? '').replace(/\.[cm]?js$/, '');
}

/** What runs here is this version, whatever the Kptfile asks for: objects may differ from those that kpt makes. */
function otherVersion(kptfile: Item, { path, fields }: Step, version: string): Finding[] {
  const { tag } = (typeof fields.image === 'string' && parseImageReference(fields.image)) || {};
  if (tag === undefined || tag === `v${version}`) return [];
  const message = `the Kptfile asks for version ${tag}, and what renders here is v${version}`;
  return [report('FUNCTION_NOT_AVAILABLE', kptfile, `${path}.image`, message, { severity: 'warning', value: tag })];
}

/** All steps must have the same config: it is read once. */
function configOf(kptfile: Item, steps: readonly Step[], items: readonly Item[]): Outcome<Item | undefined> {
  const [first, ...others] = steps.map(({ path, fields }) => ({ path, ...pick(fields) }));
  if (!first) return { value: undefined, findings: [] };
  const other = others.find((one) => JSON.stringify(pick(one)) !== JSON.stringify(pick(first)));
  if (other) {
    const message = 'expand-seats and validate-seats must have the same config here';
    return { value: undefined, findings: [notHere(kptfile, other.path, message)] };
  }
  if (first.configMap !== undefined) return { value: inlineConfig(kptfile, first.configMap), findings: [] };
  if (first.configPath === undefined) return { value: undefined, findings: [] };
  const file = posix.normalize(String(first.configPath));
  const [value, ...more] = items.filter(({ origin }) => origin.file === file);
  if (value && more.length === 0) return { value, findings: [] };
  const message = `"${file}" must be a file of this package that holds one object`;
  const extras = { value: first.configPath };
  return {
    value: undefined,
    findings: [report('UNSUPPORTED_CONFIG', kptfile, `${first.path}.configPath`, message, extras)],
  };
}

const pick = ({
  configPath,
  configMap,
}: {
  readonly [field: string]: unknown;
}): { configPath: unknown; configMap: unknown } => ({
  configPath,
  configMap,
});

/** As kpt makes it of `configMap` (kpt, internal/fnruntime). */
function inlineConfig({ origin }: Item, data: unknown): Item {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'function-input' }, data };
  const slice = { text: JSON.stringify(object), line: 0, column: 1 };
  return itemOfFile(slice, origin.file ?? '', origin.index ?? 0, 'package');
}

const notHere = (kptfile: Item, path: string, message: string): Finding =>
  report('FUNCTION_NOT_AVAILABLE', kptfile, path, message);
