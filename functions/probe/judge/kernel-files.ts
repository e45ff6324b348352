// P7, P8, P9: whether files of the kernel are closed, and whether a device, a runtime's socket or the kernel's log lies open.
import type { CheckID, FailReason, Sight } from '../../model';
import { DEVICES, KERNEL_FILES, KERNEL_LOGS, MASKED_FILES, SOCKETS } from '../sight-paths';
import type { Boundary } from './runtime';
import type { Judged, Seen } from './sight';

/** How opening fails where nothing is to be had. What is not known is no evidence. */
const CLOSED = ['ENOENT', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EISDIR', 'ENXIO', 'ENODEV'];
/** Made up by gVisor for itself; it is none of the node's. */
const DEVICE_OF_GVISOR = '/dev/fuse';

export function judgeKernelFiles(seen: Seen, boundary: Boundary): Judged[] {
  return [judgeKernel(seen), judgeDevices(seen, boundary), judgeLog(seen, boundary)];
}

/** Runtimes hide a file by mounting `/dev/null` on it: that can be opened, and is empty. */
function judgeKernel({ sight }: Seen): Judged {
  const hidden = (path: string): boolean =>
    sight.mounts.some(([point, type]) => point === path && (type === 'tmpfs' || type === 'devtmpfs'));
  const open = [
    ...KERNEL_FILES.filter((path) => sight.opens[path] === 'opened' && !hidden(path)),
    ...MASKED_FILES.filter((path) => (sight.sizes[path] ?? 0) > 0),
  ];
  const unclear = [
    ...unclearIn(sight, KERNEL_FILES),
    ...MASKED_FILES.filter((path) => sight.sizes[path] === undefined),
  ];
  const opens = Object.fromEntries(KERNEL_FILES.map((path) => [path, sight.opens[path]]));
  return verdictOf('P7', 'KernelFileOpen', open, unclear, { opens, sizes: sight.sizes });
}

/** The agent tells only what is there; that it looked shows in the files that it always tells about. */
function judgeDevices({ sight }: Seen, { sandbox, obstacle }: Boundary): Judged {
  const check = 'P8';
  const present = Object.keys(sight.opens).filter((path) => sight.opens[path] === 'present');
  const evidence = { present, looked: [...SOCKETS, ...DEVICES] };
  const open = present.filter((path) => path !== DEVICE_OF_GVISOR || (sandbox !== 'gvisor' && !obstacle));
  if (open.length === 0 && obstacle && present.length) {
    const message = `${DEVICE_OF_GVISOR} is there, and the sandbox was not shown: ${obstacle.message}`;
    return { check, verdict: 'INCONCLUSIVE', reason: obstacle.reason, message, evidence };
  }
  const looked = [...KERNEL_FILES, ...KERNEL_LOGS].every((path) => sight.opens[path] !== undefined);
  return verdictOf(check, 'DevicePresent', open, looked ? [] : ['whether the agent looked'], evidence);
}

/** In a sandbox the log is that of its own kernel (gVisor makes one up): nothing of the node shows. */
function judgeLog({ sight }: Seen, { sandbox, obstacle }: Boundary): Judged {
  const check = 'P9';
  const open = KERNEL_LOGS.filter((path) => sight.opens[path] === 'opened');
  const opens = Object.fromEntries(KERNEL_LOGS.map((path) => [path, sight.opens[path]]));
  if (open.length && sandbox !== undefined) {
    const message = `the log is that of ${sandbox}, not the node's`;
    return { check, verdict: 'PASS', message, evidence: { opens, sandbox } };
  }
  if (open.length && obstacle) {
    const message = `a kernel log can be read, and the sandbox was not shown: ${obstacle.message}`;
    return { check, verdict: 'INCONCLUSIVE', reason: obstacle.reason, message, evidence: { opens } };
  }
  return verdictOf(check, 'KernelLogOpen', open, unclearIn(sight, KERNEL_LOGS), { opens });
}

/** Files that were not tried, or whose answer is none that is known. */
const unclearIn = ({ opens }: Sight, paths: readonly string[]): string[] =>
  paths.filter((path) => opens[path] !== 'opened' && !CLOSED.includes(opens[path] ?? ''));

function verdictOf(
  check: CheckID,
  reason: FailReason,
  open: readonly string[],
  unclear: readonly string[],
  evidence: Readonly<Record<string, unknown>>,
): Judged {
  if (open.length) return { check, verdict: 'FAIL', reason, message: `open in the pod: ${open.join(', ')}`, evidence };
  if (unclear.length) {
    const message = `not shown: ${unclear.join(', ')}`;
    return { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message, evidence };
  }
  return { check, verdict: 'PASS', message: 'nothing is open', evidence };
}
