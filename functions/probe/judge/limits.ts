// P11: whether the limits of the pod, as admitted, are those that the kernel keeps to.
import { parseQuantity } from '../../kubernetes/quantity';
import { CGROUP_V1, CGROUP_V2 } from '../sight-paths';
import type { Boundary } from './runtime';
import type { Judged, Seen } from './sight';

const NANO = 1_000_000_000n;
/** Version 2 for no limit. */
const NONE = 'max';
/** runc with systemd rounds a quota up to a whole percent of a CPU (opencontainers/cgroups systemd/common.go). */
const PERCENT = 10_000_000n;

interface Kept {
  readonly name: string;
  /** In nanos; undefined: the pod has none. */
  readonly declared: bigint | undefined;
  /** What the kernel may allow at most. */
  readonly most: bigint;
  /** In nanos; `none`: no limit; undefined: no file shows it. */
  readonly kept: bigint | 'none' | undefined;
}

/** Versions 1 and 2 of cgroups. A tighter limit than the pod's is one too. */
export function judgeLimits({ profile, container, sight: { cgroup } }: Seen, { sandbox, obstacle }: Boundary): Judged {
  const check = 'P11';
  const limits = container.resources?.limits ?? {};
  const memory = nanos(limits.memory);
  const cpu = nanos(limits.cpu);
  const kept: readonly Kept[] = [
    { name: 'memory', declared: memory, most: memory ?? 0n, kept: memoryOf(cgroup) },
    { name: 'cpu', declared: cpu, most: roundedUp(cpu ?? 0n), kept: cpuOf(cgroup) },
  ];
  const evidence = { limits, cgroup };
  const undeclared = kept.filter(({ declared }) => declared === undefined);
  if (undeclared.length) {
    const message = `the probe pod was admitted without a limit of ${undeclared.map(({ name }) => name).join(' and ')}`;
    return { check, verdict: 'FAIL', reason: 'LimitMissing', message, evidence };
  }
  const wider = kept.filter((one) => one.kept === 'none' || (one.kept !== undefined && one.kept > one.most));
  // A micro VM is as large as the node makes it, and what its guest's files show is not what the node limits.
  const guest = sandbox === 'kata' || (obstacle !== undefined && profile.isolation !== 'gvisor');
  if (wider.length && !guest) {
    const message = `the kernel does not keep to the limit of ${wider.map(({ name }) => name).join(' and ')}`;
    return { check, verdict: 'FAIL', reason: 'LimitMissing', message, evidence };
  }
  const unseen = [...wider, ...kept.filter((one) => one.kept === undefined)];
  if (unseen.length) {
    const message = `no cgroup file shows the limit of ${unseen.map(({ name }) => name).join(' and ')}`;
    return { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message, evidence };
  }
  return { check, verdict: 'PASS', message: 'the kernel keeps to the limits of memory and CPU', evidence };
}

const nanos = (quantity: string | undefined): bigint | undefined =>
  quantity === undefined ? undefined : parseQuantity(quantity)?.value;
const roundedUp = (cpu: bigint): bigint => ((cpu + PERCENT - 1n) / PERCENT) * PERCENT;

type Files = Readonly<Record<string, string>>;

/** The first that is there: version 2, then the mount points of version 1. */
const textOf = (files: Files, names: readonly string[]): string | undefined =>
  names.map((name) => files[name]?.trim()).find((text) => text !== undefined);
const whole = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^\d+$/.test(text) ? BigInt(text) : undefined;

/** Without a limit version 1 shows the largest whole number of pages, which is wider than any limit. */
function memoryOf(files: Files): Kept['kept'] {
  const text = textOf(files, [CGROUP_V2.memory, ...CGROUP_V1.memory]);
  if (text === NONE || text === '-1') return 'none';
  const bytes = whole(text);
  return bytes === undefined || bytes === 0n ? undefined : bytes * NANO;
}

function cpuOf(files: Files): Kept['kept'] {
  const [two, period] = textOf(files, [CGROUP_V2.cpu])?.split(/\s+/) ?? [
    textOf(files, CGROUP_V1.quota),
    textOf(files, CGROUP_V1.period),
  ];
  if (two === NONE || two === '-1') return 'none';
  const [quota, every] = [whole(two), whole(period)];
  return quota === undefined || !quota || !every ? undefined : (quota * NANO) / every;
}
