// Reads the resource files of a folder as kpt does: YAML and JSON below it, without what `.krmignore` files exclude.
import { type Dirent, existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { compare } from '../finding';
import type { SourceFile } from '../stages/read/files';
import { OUTPUT_MARKER } from './output-tree';
import { attempt, Refusal } from './shell';

/** A Kptfile is nothing to render; that it is there says that the package below it is complete. */
const RESOURCE_FILE = /^Kptfile$|\.(?:ya?ml|json)$/;
/** kustomize's own files often have no kind; kpt leaves them out too. */
const KUSTOMIZATION = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization']);
const IGNORE_FILE = '.krmignore';

/** Rules of one `.krmignore`; `folder` (`a/b/` or empty) is where it stands. */
interface Rules {
  readonly folder: string;
  readonly matcher: Ignore;
}

interface Walk {
  readonly root: string;
  readonly realRoot: string;
  /** Real paths of what was read, so that nothing is read twice through a link. */
  readonly seen: Set<string>;
  readonly links: { readonly path: string; readonly rules: readonly Rules[] }[];
  readonly paths: string[];
  readonly kustomizations: string[];
}

/** Both lists are sorted by path; paths are relative to the folder. */
export interface Folder {
  readonly folder: string;
  readonly files: readonly SourceFile[];
  /** kustomize's own files, which are no resources. */
  readonly kustomizations: readonly SourceFile[];
}

/** The resource files of `root`: a folder, or one file, whatever its name, as the only one of its folder. */
export function readResourceFiles(root: string): Folder {
  const isFolder = attempt(`cannot read ${root}`, () => statSync(root).isDirectory());
  if (!isFolder)
    return { folder: dirname(root), files: [{ path: basename(root), bytes: read(root) }], kustomizations: [] };
  const { paths, kustomizations } = listFiles(root);
  const withBytes = (path: string): SourceFile => ({ path, bytes: read(join(root, path)) });
  return { folder: root, files: paths.map(withBytes), kustomizations: kustomizations.map(withBytes) };
}

/** Links are followed last: an entry that stands in the folder itself keeps its own path. */
export function listFiles(root: string): Pick<Walk, 'paths' | 'kustomizations'> {
  const realRoot = attempt(`cannot read ${root}`, () => realpathSync(root));
  const walk: Walk = { root, realRoot, seen: new Set([realRoot]), links: [], paths: [], kustomizations: [] };
  visitFolder(walk, '', []);
  for (let link = walk.links.shift(); link; link = walk.links.shift()) follow(walk, link.path, link.rules);
  return { paths: walk.paths.sort(compare), kustomizations: walk.kustomizations.sort(compare) };
}

function visitFolder(walk: Walk, folder: string, outer: readonly Rules[]): void {
  const own = ignoreRules(walk.root, folder);
  const rules = own ? [own, ...outer] : outer;
  const entries = attempt(`cannot read ${join(walk.root, folder)}`, () =>
    readdirSync(join(walk.root, folder), { withFileTypes: true }),
  );
  for (const entry of entries.sort((a, b) => compare(a.name, b.name)))
    visit(walk, `${folder}${entry.name}`, entry, rules);
}

function visit(walk: Walk, path: string, entry: Dirent, rules: readonly Rules[]): void {
  if (entry.isSymbolicLink()) {
    walk.links.push({ path, rules });
  } else if (entry.isDirectory()) {
    enterFolder(walk, path, rules);
  } else if (entry.isFile() && isRead(entry.name) && !isIgnored(path, rules)) {
    walk.seen.add(join(walk.realRoot, path));
    listOf(walk, entry.name).push(path);
  }
}

/** Folders that a volume mount keeps its versions in (`..2024_…`), and our own outputs, are no part of a package. */
function enterFolder(walk: Walk, path: string, rules: readonly Rules[]): void {
  const name = basename(path);
  if (name === '.git' || name.startsWith('..') || isIgnored(`${path}/`, rules)) return;
  if (existsSync(join(walk.root, path, OUTPUT_MARKER))) return;
  const real = attempt(`cannot read ${join(walk.root, path)}`, () => realpathSync(join(walk.root, path)));
  if (walk.seen.has(real)) return;
  walk.seen.add(real);
  visitFolder(walk, `${path}/`, rules);
}

function follow(walk: Walk, path: string, rules: readonly Rules[]): void {
  const shown = join(walk.root, path);
  const name = basename(path);
  if (name.startsWith('..') || isIgnored(path, rules)) return;
  const couldBeFile = isRead(name);
  const target = resolveLink(shown, couldBeFile);
  if (!target) return;
  if (!couldBeFile && !target.isFolder) return;
  if (target.real !== walk.realRoot && !target.real.startsWith(walk.realRoot === sep ? sep : walk.realRoot + sep)) {
    throw new Refusal(
      `${shown} is a link that leaves ${walk.root}; list it in ${IGNORE_FILE}, or put its target into the folder`,
    );
  }
  if (target.isFolder) {
    enterFolder(walk, path, rules);
  } else if (!walk.seen.has(target.real)) {
    walk.seen.add(target.real);
    listOf(walk, name).push(path);
  }
}

/** Where a link leads; undefined for a broken link that is no resource file by its name, and for devices and pipes. */
function resolveLink(shown: string, couldBeFile: boolean): { real: string; isFolder: boolean } | undefined {
  try {
    const status = statSync(shown);
    return status.isFile() || status.isDirectory()
      ? { real: realpathSync(shown), isFolder: status.isDirectory() }
      : undefined;
  } catch (error) {
    if (couldBeFile) throw new Refusal(`cannot read ${shown}: ${(error as Error).message}`);
    return undefined;
  }
}

const isRead = (name: string): boolean => RESOURCE_FILE.test(name) || KUSTOMIZATION.has(name);
const listOf = (walk: Walk, name: string): string[] => (KUSTOMIZATION.has(name) ? walk.kustomizations : walk.paths);

function ignoreRules(root: string, folder: string): Rules | undefined {
  const path = join(root, folder, IGNORE_FILE);
  const status = attempt(`cannot read ${path}`, () => lstatSync(path, { throwIfNoEntry: false }));
  if (!status) return undefined;
  if (!status.isFile()) throw new Refusal(`${path} must be a file of its own, not a link, a folder or a device`);
  const text = new TextDecoder().decode(read(path));
  return { folder, matcher: ignore({ ignorecase: false }).add(text) };
}

/** As in git, the rules of the innermost folder that say anything decide. A folder's path ends with `/`. */
function isIgnored(path: string, rules: readonly Rules[]): boolean {
  for (const { folder, matcher } of rules) {
    const { ignored, unignored } = matcher.test(path.slice(folder.length));
    if (ignored || unignored) return ignored;
  }
  return false;
}

const read = (path: string): Uint8Array => attempt(`cannot read ${path}`, () => readFileSync(path));
