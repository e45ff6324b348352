// What an agent looks at in its pod, path by path: said once, for who looks and for who judges.
import { SIGNATURE_PATHS } from './signatures';

/** Files of the kernel that nobody in a pod may open for writing. */
export const KERNEL_FILES = [
  '/proc/sysrq-trigger',
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/kernel/modprobe',
  '/sys/kernel/uevent_helper',
] as const;
/** Files that a runtime masks: they cannot be read, or there is nothing in them. */
export const MASKED_FILES = ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/proc/sched_debug'] as const;
/** Sockets of container runtimes. */
export const SOCKETS = [
  '/var/run/docker.sock',
  '/run/docker.sock',
  '/run/containerd/containerd.sock',
  '/run/crio/crio.sock',
  '/var/run/cri-dockerd.sock',
] as const;
/** Devices of the node; block devices are looked for by their type. */
export const DEVICES = ['/dev/kvm', '/dev/mem', '/dev/kmem', '/dev/port', '/dev/fuse', '/dev/vhost-net'] as const;
/** The kernel log. */
export const KERNEL_LOGS = ['/dev/kmsg', '/proc/kmsg'] as const;

export const CGROUP_V2 = { memory: 'memory.max', cpu: 'cpu.max' } as const;
/** Controllers have several mount points (`cpu`, `cpu,cpuacct`, `cpuacct,cpu`). */
export const CGROUP_V1 = {
  memory: ['memory/memory.limit_in_bytes'],
  quota: ['cpu/cpu.cfs_quota_us', 'cpu,cpuacct/cpu.cfs_quota_us', 'cpuacct,cpu/cpu.cfs_quota_us'],
  period: ['cpu/cpu.cfs_period_us', 'cpu,cpuacct/cpu.cfs_period_us', 'cpuacct,cpu/cpu.cfs_period_us'],
} as const;
export const CGROUP_FILES: readonly string[] = [...Object.values(CGROUP_V2), ...Object.values(CGROUP_V1).flat()];
export const CGROUP_ROOT = '/sys/fs/cgroup';

/** Where the kubelet puts a token of the API server. */
export const API_TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Whose existence says something of the sandbox. */
export const TELLING_PATHS: readonly string[] = SIGNATURE_PATHS;
