// Loads what a command works on: the package (a folder, a file, stdin), the platform level, and a config that is named.
import { join, relative } from 'node:path';
import { type Finding, isError } from '../finding';
import type { Item, Outcome } from '../model';
import type { Input } from '../pipeline';
import { readFiles } from '../stages/read/files';
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
}

const STDIN = '-';

/** `source` is a folder, a file or `-`. Inside, files are named relative to the package's folder; `shown` undoes that. */
export function load(source: string, levels: Levels, shell: Shell): Loaded {
  const main = source === STDIN ? readStdin(shell) : readResourceFiles(source);
  const names = new Map<string, string>();
  const readItems = ({ folder, files }: Folder, level: Item['level']): Outcome<readonly Item[]> => {
    const relativeFiles = files.map(({ path, bytes }) => ({
      path: path === STDIN ? path : relative(main.folder, join(folder, path)),
      bytes,
    }));
    for (const [n, { path }] of relativeFiles.entries()) names.set(path, join(folder, files[n]?.path ?? ''));
    return readFiles(relativeFiles, level);
  };
  const items = readItems(main, 'package');
  const path = levels.platform ?? shell.environment.SEATPLAN_PLATFORM;
  const platform = path ? readItems(readResourceFiles(path), 'platform') : undefined;
  if (path && platform) refuseEmpty(path, platform);
  const config = levels.config === undefined ? undefined : readItems(readResourceFiles(levels.config), 'package');
  return {
    input: {
      items: items.value,
      platform: platform?.value ?? [],
      config: config && onlyItem(levels.config ?? '', config),
      findings: [items, platform, config].flatMap((one) => one?.findings ?? []),
    },
    shown: (one) => (one.file === undefined ? one : { ...one, file: names.get(one.file) ?? one.file }),
  };
}

const readStdin = (shell: Shell): Folder => ({
  folder: '',
  files: [{ path: STDIN, bytes: attempt('cannot read stdin', shell.readStdin) }],
});

/** Without this, a volume that was mounted empty would silently lift every rule of the platform. */
function refuseEmpty(path: string, { value, findings }: Outcome<readonly Item[]>): void {
  if (value.length === 0 && !findings.some(isError))
    throw new Refusal(`the platform level ${path} holds no object; it must hold the platform's config or TrustTiers`);
}

function onlyItem(path: string, { value, findings }: Outcome<readonly Item[]>): Item | undefined {
  const [first, ...others] = value;
  if (findings.some(isError)) return first;
  if (!first || others.length)
    throw new Refusal(
      `--config ${path} must hold one object, the function config; it holds ${value.length}`,
      EXIT.usage,
    );
  return first;
}
