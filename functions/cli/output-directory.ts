// `--output dir=PATH`: replaces a folder of rendered files as a whole. Whoever kills it leaves the old tree or the new one.
//
// PATH is a link to `.NAME.<digest>.<process>-<n>` beside it, switched by one rename. A folder that the user made (empty,
// or an output that was copied) stays a folder: two renames, and the next run completes what a kill left between them.
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { OutputFile } from '../stages/write/output-files';
import { digestOf, foreignFiles, holds, syncFolder, withMarker, writeTree } from './output-tree';
import { attempt, codeOf, Refusal, type Shell } from './shell';

interface Place {
  /** As the user wrote it. */
  readonly shown: string;
  readonly parent: string;
  readonly name: string;
  readonly path: string;
  readonly shell: Pick<Shell, 'processID' | 'isRunning'>;
}

/** What stands at PATH: nothing, a link of ours, or a folder. `version` is where its files are, when there are any. */
interface Present {
  readonly kind: 'absent' | 'link' | 'empty' | 'folder';
  readonly version?: string;
}

/** Makes PATH hold exactly these files. Refuses, and touches nothing, where something stands that is not ours. */
export function writeOutputDirectory(shown: string, files: Iterable<OutputFile>, shell: Place['shell']): void {
  const path = resolve(shown);
  const place: Place = { shown, path, parent: dirname(path), name: basename(path), shell };
  attempt(`cannot write ${shown}`, () => {
    mkdirSync(place.parent, { recursive: true });
    completeRenames(place);
    const present = inspect(place);
    const whole = withMarker(files);
    if (present.version && holds(present.version, whole)) return removeLeftovers(place, present.version);
    const staged = join(place.parent, freeName(place, digestOf(whole)));
    writeTree(staged, whole);
    syncFolder(place.parent);
    SWITCH[present.kind](place, staged);
    syncFolder(place.parent);
    if (present.kind === 'link' && present.version) rmSync(present.version, { recursive: true });
    return removeLeftovers(place, staged);
  });
}

function inspect(place: Place): Present {
  const status = statusOf(place.path);
  if (!status) return { kind: 'absent' };
  if (status.isSymbolicLink()) return inspectLink(place);
  if (!status.isDirectory()) throw new Refusal(`${place.shown} is a file; the output needs a folder of its own`);
  if (readdirSync(place.path).length === 0) return { kind: 'empty' };
  refuseForeign(place, place.path);
  return { kind: 'folder', version: place.path };
}

function inspectLink(place: Place): Present {
  const target = readlinkSync(place.path);
  if (makerOf(place, target) === undefined) {
    throw new Refusal(`${place.shown} is a link that seatplan did not make; name another path, or remove the link`);
  }
  const version = join(place.parent, target);
  if (!existsSync(version)) return { kind: 'link' };
  refuseForeign(place, version);
  return { kind: 'link', version };
}

function refuseForeign(place: Place, folder: string): void {
  const foreign = foreignFiles(folder);
  if (!foreign)
    throw new Refusal(`${place.shown} holds files that seatplan did not write; name an empty or new folder`);
  const [first] = foreign;
  if (first === undefined) return;
  throw new Refusal(
    `${place.shown} holds ${first}, which seatplan did not write and would remove; move it elsewhere first`,
  );
}

const SWITCH: Readonly<Record<Present['kind'], (place: Place, staged: string) => void>> = {
  absent: link,
  link,
  // A rename onto an empty folder replaces it in one step.
  empty: ({ path }, staged) => renameSync(staged, path),
  folder: (place, staged) => {
    renameSync(place.path, join(place.parent, oldName(place)));
    renameSync(staged, place.path);
  },
};

function link(place: Place, staged: string): void {
  const fresh = join(place.parent, `.${place.name}.link.${place.shell.processID}`);
  rmSync(fresh, { force: true });
  symlinkSync(basename(staged), fresh);
  renameSync(fresh, place.path);
}

const oldName = ({ name, shell }: Place): string => `.${name}.old.${shell.processID}`;

/** Puts the old folder back if a run was killed after it moved it away. */
function completeRenames(place: Place): void {
  if (statusOf(place.path)) return;
  const old = leftovers(place).find((name) => name.startsWith(`.${place.name}.old.`));
  if (old) renameSync(join(place.parent, old), place.path);
}

function freeName(place: Place, digest: string): string {
  const prefix = `.${place.name}.${digest}.${place.shell.processID}-`;
  let n = 0;
  while (statusOf(join(place.parent, `${prefix}${n}`))) n += 1;
  return `${prefix}${n}`;
}

function removeLeftovers(place: Place, current: string): void {
  const names = leftovers(place).filter((name) => name !== basename(current));
  for (const name of names) rmSync(join(place.parent, name), { recursive: true, force: true });
}

/** Names beside PATH that runs made which have ended. Those of a run that still works are its own business. */
function leftovers(place: Place): string[] {
  return readdirSync(place.parent).filter((name) => {
    const maker = makerOf(place, name);
    return maker !== undefined && (maker === place.shell.processID || !place.shell.isRunning(maker));
  });
}

/** The process that made a name of ours; undefined for every other name. */
function makerOf({ name }: Place, entry: string): number | undefined {
  if (!entry.startsWith(`.${name}.`)) return undefined;
  const match = /^(?:[0-9a-f]{16}|link|old)\.([0-9]{1,10})(?:-[0-9]+)?$/.exec(entry.slice(name.length + 2));
  return match ? Number(match[1]) : undefined;
}

function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
