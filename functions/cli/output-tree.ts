// A folder of rendered files as a whole: write it so that it survives a crash, read it back, tell whose files it holds.
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { compare } from '../finding';
import type { OutputFile } from '../stages/write/output-files';
import { Refusal, writeWhole } from './shell';

/** Stands in every folder of ours: a first line for people, then the paths of all files, so that others are noticed. */
export const OUTPUT_MARKER = '.seatplan-output';
const MARKER_HEAD = '# Written by seatplan; every run replaces the whole folder. It holds:\n';

/** The folder itself, what is above it, absolute paths, and characters that no list of paths can hold. */
const OUTSIDE = /^\.{1,2}\/?$|^\.\.\/|^\/|[\0\n]/;

/** The files to write, with the marker, sorted by path. A path that would leave the folder is refused. */
export function withMarker(files: Iterable<OutputFile>): OutputFile[] {
  const byPath = new Map<string, string>();
  for (const { path, text } of files) {
    const clean = posix.normalize(path);
    if (OUTSIDE.test(clean) || clean === OUTPUT_MARKER) {
      throw new Refusal(
        `cannot write "${path}": the path of an object's file must be relative and stay in the package`,
      );
    }
    if (byPath.has(clean))
      throw new Refusal(`cannot write "${path}" twice: two files of the output have the same path`);
    byPath.set(clean, text);
  }
  const paths = [...byPath.keys()].sort(compare);
  const marker = { path: OUTPUT_MARKER, text: `${MARKER_HEAD}${paths.map((path) => `${path}\n`).join('')}` };
  return [marker, ...paths.map((path) => ({ path, text: byPath.get(path) ?? '' }))];
}

export function digestOf(files: readonly OutputFile[]): string {
  const hash = createHash('sha256');
  for (const { path, text } of files)
    hash.update(`${Buffer.byteLength(path)} ${Buffer.byteLength(text)}\n${path}${text}`);
  return hash.digest('hex').slice(0, 16);
}

/** Makes `folder`, which must not exist, and all in it, and waits until the disk has it. */
export function writeTree(folder: string, files: readonly OutputFile[]): void {
  mkdirSync(folder);
  const made = new Set([folder]);
  for (const { path, text } of files) {
    const target = join(folder, path);
    makeFolders(dirname(target), made);
    const descriptor = openSync(target, 'wx');
    try {
      writeWhole(descriptor, Buffer.from(text));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
  for (const one of made) syncFolder(one);
}

function makeFolders(folder: string, made: Set<string>): void {
  if (made.has(folder)) return;
  makeFolders(dirname(folder), made);
  mkdirSync(folder);
  made.add(folder);
}

/** A rename or a new entry is safe only when its folder is on disk. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether `folder` holds exactly these files. */
export function holds(folder: string, files: readonly OutputFile[]): boolean {
  const found = new Set(listTree(folder));
  return (
    found.size === files.length &&
    files.every(({ path, text }) => found.has(path) && readFileSync(join(folder, path), 'utf8') === text)
  );
}

/** Paths in a folder that we did not write; undefined when the whole folder is not ours. */
export function foreignFiles(folder: string): string[] | undefined {
  const found = listTree(folder);
  if (!found.includes(OUTPUT_MARKER)) return undefined;
  const own = new Set([OUTPUT_MARKER, ...readFileSync(join(folder, OUTPUT_MARKER), 'utf8').split('\n')]);
  return found.filter((path) => !own.has(path));
}

/** Everything in a folder that is no folder itself; empty folders count, with a `/` at their end. */
function listTree(folder: string, prefix = ''): string[] {
  return readdirSync(join(folder, prefix)).flatMap((name) => {
    const path = `${prefix}${name}`;
    if (!lstatSync(join(folder, path)).isDirectory()) return [path];
    const inner = listTree(folder, `${path}/`);
    return inner.length ? inner : [`${path}/`];
  });
}
