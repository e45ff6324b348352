// What the pod shows of itself, read as the seat's user would read it. Nothing here throws, hangs, or changes anything.
import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import type { Inspection, Sight } from '../../model';
import * as paths from '../sight-paths';

const MOST_CHARACTERS = 1024;
const MOST_DEVICES = 8;

/** `root` is `/`, but in tests. */
export function look(inspection: Inspection, nonce: string, root = '/'): Sight {
  const at = (path: string): string => join(root, path);
  const optional = <K extends string>(key: K, path: string): Partial<Record<K, string>> => {
    const text = textOf(at(path));
    return text === undefined ? {} : ({ [key]: text } as Record<K, string>);
  };
  const files = [...paths.SOCKETS, ...paths.DEVICES].filter((path) => exists(at(path)));
  return {
    status: statusOf(textOf(at('/proc/self/status'), 8192) ?? ''),
    ...optional('bootID', '/proc/sys/kernel/random/boot_id'),
    ...optional('osrelease', '/proc/sys/kernel/osrelease'),
    ...optional('version', '/proc/version'),
    ...optional('cmdline', '/proc/cmdline'),
    present: paths.TELLING_PATHS.filter((path) => exists(at(path))),
    mounts: mountsOf(textOf(at('/proc/self/mountinfo'), Number.POSITIVE_INFINITY) ?? ''), // a part would hide the rest
    writes: Object.fromEntries(
      ['/', ...inspection.imageFolders].map((folder) => [folder, tryWrite(at(folder), nonce)]),
    ),
    opens: {
      ...Object.fromEntries(paths.KERNEL_FILES.map((path) => [path, tryOpen(at(path), constants.O_WRONLY)])),
      ...Object.fromEntries(paths.KERNEL_LOGS.map((path) => [path, tryOpen(at(path), constants.O_RDONLY)])),
      ...Object.fromEntries([...files, ...blockDevices(at('/dev'))].map((path) => [path, 'present'])),
    },
    sizes: Object.fromEntries(paths.MASKED_FILES.map((path) => [path, firstByte(at(path))])),
    cgroup: Object.fromEntries(
      paths.CGROUP_FILES.flatMap((file) => {
        const text = textOf(at(`${paths.CGROUP_ROOT}/${file}`));
        return text === undefined ? [] : [[file, text]];
      }),
    ),
    processors: availableParallelism(),
    nameservers: nameservers(root),
    addresses: addresses(),
    ...(inspection.tokenFile === undefined ? {} : tokenOf(at(inspection.tokenFile))),
    apiToken: exists(at(paths.API_TOKEN_FOLDER)),
  };
}

export const nameservers = (root = '/'): readonly string[] =>
  [...(textOf(join(root, '/etc/resolv.conf'), 8192) ?? '').matchAll(/^\s*nameserver\s+(\S+)/gm)].map(
    ([, address = '']) => address,
  );

/** Some sandboxes have no netlink to ask. */
function addresses(): readonly string[] {
  try {
    const all = Object.values(networkInterfaces()).flat();
    return all.flatMap((one) => (one && !one.internal ? [one.address] : []));
  } catch {
    return [];
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code ?? 'ERROR');

/** The first characters, trimmed; undefined where there is no such file or it is closed. */
function textOf(path: string, most = MOST_CHARACTERS): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim().slice(0, most);
  } catch {
    return undefined;
  }
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

const FIELDS = /^(?:Uid|Gid|Groups|Cap(?:Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp)$/;
const statusOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const)
      .filter(([field]) => FIELDS.test(field)),
  );

/** man 5 proc: the fields before the separator `-`, then type, source and options of the file system. */
function mountsOf(text: string): Sight['mounts'] {
  return text.split('\n').flatMap((line) => {
    const [before = '', after] = line.split(' - ');
    const [, , , , point, options = ''] = before.split(' ');
    const [type = '', source = '', ...own] = after?.split(' ') ?? [];
    if (point === undefined) return [];
    const readOnly = [options, own.join(' ')].some((one) => one.split(/[, ]/).includes('ro'));
    return [[point, type, source.slice(0, 64), readOnly] as const];
  });
}

/** `created` (and removed again), or why not. */
function tryWrite(folder: string, nonce: string): string {
  const file = join(folder, `.seatplan-${nonce}`);
  try {
    writeFileSync(file, '', { flag: 'wx' });
  } catch (error) {
    return codeOf(error);
  }
  try {
    unlinkSync(file);
  } catch {
    // it was created: that is what counts
  }
  return 'created';
}

/** Opens, and writes or reads nothing. Without O_NONBLOCK a log or a device would wait for data. */
function tryOpen(path: string, flags: number): string {
  try {
    closeSync(openSync(path, flags | constants.O_NONBLOCK));
    return 'opened';
  } catch (error) {
    return codeOf(error);
  }
}

/** Bytes that can be read, at most one; -1: it cannot be read. */
function firstByte(path: string): number {
  try {
    accessSync(path, constants.R_OK);
    const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return readSync(file, Buffer.alloc(1), 0, 1, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return -1;
  }
}

function blockDevices(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isBlockDevice())
      .slice(0, MOST_DEVICES)
      .map(({ name }) => `/dev/${name}`);
  } catch {
    return [];
  }
}

/**
 * Claims of a JWT, whose signature is the reader's matter; of the token itself only a hash leaves the pod. What says no end has
 * none, and JSON has no word for that.
 */
function tokenOf(file: string): Pick<Sight, 'token' | 'tokenProblem'> {
  try {
    const token = readFileSync(file, 'utf8').trim();
    const claims: Record<string, unknown> = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'),
    );
    const { aud, iat, exp } = claims;
    const bound = (claims['kubernetes.io'] ?? {}) as { pod?: { uid?: string }; serviceaccount?: { name?: string } };
    return {
      token: {
        sha256: createHash('sha256').update(token).digest('hex'),
        audiences: [aud ?? []].flat().map(String),
        issuedAt: typeof iat === 'number' ? iat : 0,
        expiresAt: typeof exp === 'number' ? exp : Number.MAX_SAFE_INTEGER,
        podUID: bound.pod?.uid,
        serviceAccount: bound.serviceaccount?.name,
      },
    };
  } catch (error) {
    return { tokenProblem: error instanceof SyntaxError ? 'the token is no JWT' : codeOf(error) };
  }
}
