// The packages in fixtures/: what is expected of each, and a copy of one as a user has it on disk.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { readResourceFiles } from '../functions/cli/walk';
import type { Finding } from '../functions/finding';
import type { Item, Outcome } from '../functions/model';
import type { Input } from '../functions/pipeline';
import { readFiles } from '../functions/stages/read/files';

const FIXTURES = resolve(__dirname, '../fixtures');

/** A line of `.expected/findings.txt`; `-` where a finding has no such part. */
export interface ExpectedFinding {
  readonly severity: string;
  readonly code: string;
  readonly source: string;
  /** `Kind/namespace/name`, without the namespace of cluster-scoped kinds. */
  readonly resource: string;
  readonly path: string;
  /** `file:line:column`, as the command line has it. */
  readonly place: string;
}

export interface Fixture {
  readonly name: string;
  readonly folder: string;
  readonly findings: readonly ExpectedFinding[];
  /** The rendered objects as a YAML stream, empty for none; undefined: the package is refused. */
  readonly objects: string | undefined;
  /** It has a Kptfile; the other cases are read by the command line only, since kpt cannot read them whole. */
  readonly isPackage: boolean;
  /** The platform level of the case, which kpt has no way to give to a container. */
  readonly platform: string | undefined;
}

const HIDDEN = ['.expected', '.platform'];
const textAt = (path: string): string | undefined => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

/** All cases, in order of their names. */
export const fixtures = (): Fixture[] =>
  readdirSync(FIXTURES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => {
      const folder = join(FIXTURES, name);
      const platform = join(folder, '.platform');
      return {
        name,
        folder,
        findings: (textAt(join(folder, '.expected/findings.txt')) ?? '').split('\n').filter(Boolean).map(readLine),
        objects: textAt(join(folder, '.expected/objects.yaml')),
        isPackage: existsSync(join(folder, 'Kptfile.fixture')),
        platform: existsSync(platform) ? platform : undefined,
      };
    });

/** The reverse of `lineOf`. */
export function readLine(line: string): ExpectedFinding {
  const [severity = '', code = '', source = '', resource = '', path = '', place = ''] = line.split(' ');
  return { severity, code, source, resource, path, place };
}

/** Spaces and control characters would end a word or a line. */
const word = (text: string | undefined): string =>
  text ? text.replace(/[\s\p{C}%]/gu, (character) => encodeURIComponent(character)) : '-';

/** A finding as a line of `findings.txt`. */
export function lineOf({ severity, code, source, resource, path, file, line, column }: Finding): string {
  const { kind, namespace, name } = resource ?? {};
  const place = [file, line, column].filter((part) => part !== undefined).join(':');
  const subject = resource && [kind, ...(namespace ? [namespace] : []), name].join('/');
  return [severity, code, source, word(subject), word(path), word(place)].join(' ');
}

/** Gives a copy of the fixture as a package to `use`, and removes it afterwards. */
export function withCopy<T>({ name, folder }: Pick<Fixture, 'name' | 'folder'>, use: (copy: string) => T): T {
  const parent = mkdtempSync(join(tmpdir(), 'seatplan-fixture-'));
  const copy = join(parent, name);
  try {
    cpSync(folder, copy, { recursive: true, filter: (source) => !HIDDEN.includes(basename(source)) });
    for (const path of readdirSync(copy, { recursive: true, encoding: 'utf8' })) {
      // kpt renders every folder with a Kptfile, so a fixture keeps its own under another name.
      if (basename(path) === 'Kptfile.fixture') renameSync(join(copy, path), join(copy, path.replace('.fixture', '')));
    }
    return use(copy);
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/** What the Kptfile gives its first function: the path of a file in the package, or data of a ConfigMap. */
export function functionConfig(copy: string): { readonly path: string } | { readonly data: object } | undefined {
  const { pipeline } = parse(textAt(join(copy, 'Kptfile')) ?? '') ?? {};
  const { configPath, configMap } = pipeline?.mutators?.[0] ?? {};
  return configPath ? { path: configPath } : configMap ? { data: configMap } : undefined;
}

/** The ConfigMap that kpt makes of `configMap` in a Kptfile. */
export const inputConfigMap = (data: object): string =>
  `${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'function-input' }, data }, null, 2)}\n`;

/** The items of a fixture's platform level; undefined: it has none. */
export function platformOf({ platform }: Pick<Fixture, 'platform'>): Outcome<readonly Item[]> | undefined {
  if (platform === undefined) return undefined;
  const files = readResourceFiles(platform).files.map(({ path, bytes }) => ({ path: `.platform/${path}`, bytes }));
  return readFiles(files, 'platform');
}

/** What `seatplan render` makes of a copied fixture, its Kptfile's config given as `--config`. */
export function inputOf(copy: string, fixture: Pick<Fixture, 'platform'>): Input {
  const items = readFiles(readResourceFiles(copy).files, 'package');
  const platform = platformOf(fixture);
  const named = functionConfig(copy);
  const config =
    named && 'data' in named
      ? readFiles([{ path: 'function-input.json', bytes: Buffer.from(inputConfigMap(named.data)) }], 'package').value[0]
      : items.value.find(({ origin }) => origin.file === named?.path);
  return {
    items: items.value,
    platform: platform?.value,
    config,
    findings: [...items.findings, ...(platform?.findings ?? [])],
  };
}
