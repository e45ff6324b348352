// Repositories as Argo CD sends them to a plugin: a tar.gz of files, folders and links; also entries that no honest sender has.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** POSIX ustar's type flags. */
const TYPES = { file: '0', hardlink: '1', link: '2', device: '3', folder: '5', fifo: '6' } as const;
export interface Entry {
  /** At most 100 bytes, or 255 where a `/` divides them. */
  readonly path: string;
  readonly type?: keyof typeof TYPES;
  readonly content?: string | Uint8Array;
  /** Of a link. */
  readonly target?: string;
}

/** The folder's files, folders and links, as entries below `prefix`. */
export function entriesOf(folder: string, prefix = ''): Entry[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const path = join(prefix, name);
      const status = lstatSync(join(folder, name));
      if (status.isSymbolicLink()) return { path, type: 'link', target: readlinkSync(join(folder, name)) };
      return status.isDirectory() ? { path, type: 'folder' } : { path, content: readFileSync(join(folder, name)) };
    });
}

const BLOCK = 512;
const LONGEST_NAME = 100;

export const tgz = (entries: readonly Entry[]): Buffer =>
  gzipSync(Buffer.concat([...entries.flatMap(blocks), Buffer.alloc(2 * BLOCK)]));

function blocks({ path, type = 'file', content = '', target = '' }: Entry): Buffer[] {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(BLOCK);
  const put = (text: string, at: number): number => header.write(text, at);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  const cut = Buffer.byteLength(path) > LONGEST_NAME ? path.indexOf('/', path.length - LONGEST_NAME - 1) : -1;
  put(path.slice(cut + 1), 0);
  put(octal(type === 'folder' ? 0o755 : 0o644, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(bytes.length, 11), 124);
  put(octal(0, 11), 136);
  put('        ', 148); // the checksum counts as spaces
  put(TYPES[type], 156);
  put(target, 157);
  put('ustar\0', 257);
  put('00', 263);
  if (cut > 0) put(path.slice(0, cut), 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 6)}\0 `, 148);
  return [header, bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
}
