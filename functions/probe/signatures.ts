// Which sandbox a pod shows that it runs in, by the signatures of gVisor and Kata in signature-list.json.
import type { Sight } from '../model';
import data from './signature-list.json';

export type Sandbox = 'gvisor' | 'kata';

/** Exactly one of `file`, `present` and `mount`. Patterns are JavaScript's. */
interface Signature {
  readonly id: string;
  readonly sandbox: string;
  /** Field of a Sight, and what its text matches. */
  readonly file?: string;
  readonly matches?: string;
  /** Path that exists. */
  readonly present?: string;
  /** One line of the mount table matches all three. */
  readonly mount?: { readonly point: string; readonly type: string; readonly source: string };
}
const SIGNATURES: readonly Signature[] = data.signatures;

/** Kept in the evidence, so that a verdict says which list it was made with. */
export const SIGNATURES_VERSION: number = data.version;
/** Paths whose existence a Sight must report in `present`. */
export const SIGNATURE_PATHS: readonly string[] = SIGNATURES.flatMap(({ present }) => present ?? []);

/** Fewer prove nothing: one text can be the same by chance, or by an overmounted file. */
const ENOUGH = 2;

/** Ids of the signatures that a pod shows, by sandbox, in the order of the list. */
export function sandboxOf(sight: Sight): Readonly<Record<Sandbox, readonly string[]>> {
  const shown = SIGNATURES.filter((signature) => shows(sight, signature));
  const idsOf = (wanted: Sandbox): string[] => shown.filter(({ sandbox }) => sandbox === wanted).map(({ id }) => id);
  return { gvisor: idsOf('gvisor'), kata: idsOf('kata') };
}

/**
 * The one sandbox that the signatures show. Two of gVisor; or two of Kata and none of gVisor; else undefined, an unknown
 * kernel. It is half of a proof: the other half is that the kernel is not the node's.
 */
export function shownSandbox(sight: Sight): Sandbox | undefined {
  const { gvisor, kata } = sandboxOf(sight);
  if (gvisor.length >= ENOUGH && kata.length < ENOUGH) return 'gvisor';
  return kata.length >= ENOUGH && gvisor.length === 0 ? 'kata' : undefined;
}

function shows(sight: Sight, { file, matches, present, mount }: Signature): boolean {
  if (present !== undefined) return sight.present.includes(present);
  if (mount) {
    return sight.mounts.some(
      ([point, type, source]) =>
        new RegExp(mount.point).test(point) &&
        new RegExp(mount.type).test(type) &&
        new RegExp(mount.source).test(source),
    );
  }
  const text = file === 'version' ? sight.version : file === 'cmdline' ? sight.cmdline : undefined;
  // A file that is mounted over is whatever was mounted: it says nothing of the kernel.
  if (text === undefined || matches === undefined || isCovered(sight, `/proc/${file}`)) return false;
  return new RegExp(matches).test(text);
}

/** Whether something other than the kernel's own `/proc` lies on a path of it, so that what is read there proves nothing. */
export function isCovered({ mounts }: Sight, path: string): boolean {
  const over = mounts.filter(([point]) => path === point || path.startsWith(point === '/' ? '/' : `${point}/`));
  // The longest is the one that counts; the root is there too where `/proc` is not mounted.
  const nearest = over.reduce((best, mount) => (mount[0].length >= best[0].length ? mount : best), ['', '', '', false]);
  return nearest[1] !== 'proc';
}
