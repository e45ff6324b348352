// Loads what a command works on: the package (a folder, a file, stdin), the platform level, and a config that is named.
import { join, relative } from 'node:path';
import { type Finding, isError } from '../finding';
import type { Item, Outcome } from '../model';
import type { Input } from '../pipeline';
import { readFiles, type SourceFile } from '../stages/read/files';
import { attempt, EXIT, Refusal, type Shell } from './shell';
import { type Folder, readResourceFiles } from './walk';

export interface Levels {
  readonly platform?: string;
  readonly config?: string;
}

export interface Loaded {
  readonly input: Input & { readonly findings: readonly Finding[] };
  /** The finding, or the origin of an item, with its file as the user would name it from where the command runs. */
  readonly shown: <T extends { readonly file?: string }>(one: T) => T;
  /** kustomize's own files in the package's folder, which are not read. Paths are relative to it. */
  readonly kustomizations: readonly SourceFile[];
}

const STDIN = '-';
/** Stands for stdin where a file is named that may have to be written. */
const STDIN_FILE = 'stdin.yaml';

/** `source` is a folder, a file or `-`. Inside, files are named relative to the package's folder; `shown` undoes that. */
export function load(source: string, levels: Levels, shell: Shell): Loaded {
  const main = source === STDIN ? readStdin(shell) : readResourceFiles(source);
  const names = new Map<string, string>();
  const read = ({ folder, files }: Folder, level: Item['level']): Outcome<readonly Item[]> =>
    readFiles(
      files.map(({ path, bytes }) => {
        const name = join(folder, path);
        const inside = relative(main.folder, name);
        names.set(inside, folder === STDIN ? STDIN : name);
        return { path: inside, bytes };
      }),
      level,
    );
  const items = read(main, 'package');
  const path = levels.platform ?? shell.environment.SEATPLAN_PLATFORM;
  const platform = path ? readPlatform(path, (folder) => read(folder, 'platform')) : NOTHING;
  const isKnown = new Set(names.keys());
  const config = levels.config === undefined ? undefined : read(readResourceFiles(levels.config), 'package');
  const unknown = config?.findings.filter(({ file = '' }) => !isKnown.has(file)) ?? [];
  return {
    input: {
      items: items.value,
      platform: path ? platform.value : undefined,
      config: config && onlyItem(levels.config ?? '', config),
      findings: [...items.findings, ...platform.findings, ...unknown],
    },
    shown: (one) => (one.file === undefined ? one : { ...one, file: names.get(one.file) ?? one.file }),
    kustomizations: main.kustomizations,
  };
}

const NOTHING: Outcome<readonly Item[]> = { value: [], findings: [] };

const readStdin = (shell: Shell): Folder => ({
  folder: STDIN,
  files: [{ path: STDIN_FILE, bytes: attempt('cannot read stdin', shell.readStdin) }],
  kustomizations: [],
});

/** The platform level at `path`. Refused when empty: a volume mounted without its content would lift every rule of it. */
export function readPlatform(
  path: string,
  read: (folder: Folder) => Outcome<readonly Item[]>,
): Outcome<readonly Item[]> {
  const outcome = read(readResourceFiles(path));
  if (outcome.value.length === 0 && !outcome.findings.some(isError))
    throw new Refusal(`the platform level ${path} holds no object; it must hold the platform's config or TrustTiers`);
  return outcome;
}

function onlyItem(path: string, { value, findings }: Outcome<readonly Item[]>): Item | undefined {
  const [first, ...others] = value;
  if (findings.some(isError) || (first && others.length === 0)) return first;
  throw new Refusal(`--config ${path} must hold one object, the function config; it holds ${value.length}`, EXIT.usage);
}
