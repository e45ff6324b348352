// Output folders for tests: two trees, a way to write them, and what stands at a path.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOutputDirectory } from '../functions/cli/output-directory';
import { OUTPUT_MARKER } from '../functions/cli/output-tree';

export type Tree = Readonly<Record<string, string>>;
export const OLD: Tree = { 'seats/a.yaml': 'a: 1\n', 'seats/b.yaml': 'b: 1\n', 'gone.yaml': 'g: 1\n' };
export const NEW: Tree = { 'seats/a.yaml': 'a: 2\n', 'seats/b.yaml': 'b: 1\n', 'fresh/deep/c.yaml': 'c: 2\n' };

export const filesOf = (tree: Tree) => Object.entries(tree).map(([path, text]) => ({ path, text }));
export const alone = { processID: process.pid, isRunning: (id: number) => id === process.pid };
export const write = (path: string, tree: Tree, shell = alone): void =>
  writeOutputDirectory(path, filesOf(tree), shell);

/** What stands at a path: its files without the marker, or undefined. */
export function read(path: string): Tree | undefined {
  if (!existsSync(path)) return undefined;
  const names = readdirSync(path, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => !entry.isDirectory() && entry.name !== OUTPUT_MARKER);
  const pairs = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(pairs.map((file) => [file.slice(path.length + 1), readFileSync(file, 'utf8')]));
}
export const same = (a: Tree | undefined, b: Tree): boolean =>
  a !== undefined && JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());

export function inFolder(check: (root: string) => void): void {
  const root = mkdtempSync(join(tmpdir(), 'seatplan-dir-'));
  try {
    check(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}
