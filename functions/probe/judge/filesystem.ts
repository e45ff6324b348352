// F1, F2: whether the root takes no file, and whether nothing is mounted but what was declared, read-only where declared.
import type { Sight } from '../../model';
import { IMAGE_FOLDER } from '../identity';
import { API_TOKEN_FOLDER } from '../sight-paths';
import type { Judged, Seen } from './sight';

type Mount = Sight['mounts'][number];

/** Bound into every container by the kubelet or by the runtime for it; their file systems are the node's. */
const KUBELETS = ['/etc/hosts', '/etc/hostname', '/etc/resolv.conf', '/dev/termination-log', '/run/.containerenv'];

/** Kernel file systems where runtimes mount them, with what hides files of them: a path, and the types allowed there. */
const RUNTIMES: readonly (readonly [path: RegExp, types: readonly string[]])[] = [
  [/^\/proc$/, ['proc']],
  [/^\/proc\//, ['proc', 'tmpfs', 'devtmpfs']],
  [/^\/sys$/, ['sysfs']],
  [/^\/sys\/fs\/cgroup(?:\/|$)/, ['cgroup', 'cgroup2', 'tmpfs']],
  [/^\/sys\/(?:firmware|devices)(?:\/|$)/, ['tmpfs']],
  [/^\/dev$/, ['tmpfs', 'devtmpfs', 'dev']],
  [/^\/dev\/pts$/, ['devpts']],
  [/^\/dev\/mqueue$/, ['mqueue']],
  [/^\/dev\/shm$/, ['tmpfs']],
  // Micro VMs and rootless runtimes bind single devices: those that every container has.
  [/^\/dev\/(?:null|zero|full|tty|random|urandom|console)$/, ['devtmpfs', 'devpts', 'tmpfs']],
];

export function judgeFilesystem(seen: Seen): Judged[] {
  return [judgeRoot(seen), judgeMounts(seen)];
}

/** The last mount on a point lies on top. */
const mountAt = ({ mounts }: Sight, path: string): Mount | undefined => mounts.findLast(([point]) => point === path);

/**
 * A read-only file system answers EROFS. On Linux a user may not write to `/` anyway (EACCES), so that a folder of the image
 * which anyone may write decides; gVisor looks at permissions first and so says EACCES for a read-only `/`.
 */
function judgeRoot({ declared, sight }: Seen): Judged {
  const check = 'F1';
  if (declared.securityContext?.readOnlyRootFilesystem !== true) {
    return { check, verdict: 'SKIP', reason: 'NotDeclared', message: 'the root file system is declared writable' };
  }
  const root = mountAt(sight, '/');
  const folders = Object.keys(sight.writes).filter((path) => path === '/' || !mountAt(sight, path));
  const writes = Object.fromEntries(folders.map((path) => [path, sight.writes[path]]));
  const evidence = { writes, root };
  const fail = (message: string): Judged => ({ check, verdict: 'FAIL', reason: 'RootWritable', message, evidence });
  const created = folders.find((path) => writes[path] === 'created');
  if (created !== undefined) return fail(`a file could be made in ${created}`);
  if (folders.some((path) => writes[path] === 'EROFS')) {
    return { check, verdict: 'PASS', message: 'the root file system takes no file', evidence };
  }
  const open = writes[IMAGE_FOLDER];
  if (open === 'EACCES' || open === 'EPERM') {
    if (root?.[3]) return { check, verdict: 'PASS', message: 'the root file system is mounted read-only', evidence };
    if (root) return fail('the root file system is mounted writable; only permissions kept a file out');
  }
  const message = 'no attempt shows whether the root file system is read-only';
  return { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message, evidence };
}

/**
 * `/var/run` is a link to `/run` in most images, and mounts are listed by the folder that it leads to. Blanks are listed as
 * octal numbers (man 5 proc_pid_mountinfo).
 */
const plainPath = (path: string): string =>
  path
    .replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
    .replace(/\/+$/, '')
    .replace(/^\/var\/run\//, '/run/') || '/';

function judgeMounts({ declared, container, pod, sight }: Seen): Judged {
  const check = 'F2';
  const points = new Map(declared.volumeMounts?.map((mount) => [plainPath(mount.mountPath), mount]));
  // I1 judges a token for the API.
  const known = [API_TOKEN_FOLDER, ...KUBELETS, container.terminationMessagePath ?? ''].map(plainPath);
  const undeclared = sight.mounts.filter(([point, type]) => {
    const path = plainPath(point);
    return path !== '/' && !points.has(path) && !known.includes(path) && !isRuntimes(path, type);
  });
  if (undeclared.length) {
    const asked = new Set(pod.spec?.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(pathOf)));
    const what = undeclared.map(([point, type]) => {
      const added = asked.has(plainPath(point)) ? ', added on admission' : '';
      return `${point} (${type}${added})`;
    });
    const message = `mounted, and not declared: ${what.join(', ')}`;
    return { check, verdict: 'FAIL', reason: 'MountUndeclared', message, evidence: { undeclared } };
  }
  const onTop = new Map(sight.mounts.map((mount) => [plainPath(mount[0]), mount]));
  const readOnly = [...points].filter(([, mount]) => mount.readOnly).map(([path]) => path);
  const writable = readOnly.filter((path) => onTop.get(path)?.[3] === false);
  const evidence = { mounts: sight.mounts.length, readOnly };
  if (writable.length) {
    const message = `declared read-only, and mounted writable: ${writable.join(', ')}`;
    return { check, verdict: 'FAIL', reason: 'MountWritable', message, evidence };
  }
  const missing = [...points.keys()].filter((path) => !onTop.has(path));
  if (missing.length) {
    const message = `the mount table does not show ${missing.join(', ')}`;
    return { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message, evidence };
  }
  return { check, verdict: 'PASS', message: 'only declared mounts, read-only where declared', evidence };
}

const pathOf = ({ mountPath }: { readonly mountPath: string }): string => plainPath(mountPath);
const isRuntimes = (point: string, type: string): boolean =>
  RUNTIMES.some(([path, types]) => path.test(point) && types.includes(type));
