// Which sandbox is recognised by what a pod of each known release shows, and what must not be taken for one.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sight } from '../functions/model';
import data from '../functions/probe/signature-list.json';
import { isCovered, SIGNATURE_PATHS, SIGNATURES_VERSION, sandboxOf, shownSandbox } from '../functions/probe/signatures';

const PROC = ['/proc', 'proc', 'proc', false] as const;

function sight(shown: Partial<Sight> = {}): Sight {
  return {
    status: {},
    present: [],
    mounts: [['/', 'overlay', 'overlay', true], PROC],
    writes: {},
    opens: {},
    sizes: {},
    cgroup: {},
    processors: 2,
    nameservers: [],
    addresses: [],
    apiToken: false,
    ...shown,
  };
}
const gvisor = (release: string): Partial<Sight> => ({
  version: `Linux version ${release} #1 SMP Sun Jan 10 15:06:54 PST 2016\n`,
});
const KATA_ROOT = 'root=/dev/pmem0p1 rootflags=dax,data=ordered,errors=remount-ro ro rootfstype=ext4';
const KATA_SYSTEMD =
  'systemd.unit=kata-containers.target systemd.mask=systemd-networkd.service systemd.mask=systemd-networkd.socket';
const SHARED = ['/', 'virtiofs', 'kataShared', false] as const;
const INTEL =
  'tsc=reliable no_timer_check rcupdate.rcu_expedited=1 i8042.direct=1 i8042.dumbkbd=1 i8042.nopnp=1 i8042.noaux=1 noreplace-smp reboot=k cryptomgr.notests net.ifnames=0 pci=lastbus=0';
const RUNC: Partial<Sight> = {
  version:
    'Linux version 6.1.0-28-cloud-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.119-1 (2024-11-22)',
  cmdline: 'BOOT_IMAGE=/boot/vmlinuz-6.1.0-28-cloud-amd64 root=PARTUUID=c9 ro console=tty0 console=ttyS0,115200',
};

const CASES: readonly (readonly [name: string, shown: Partial<Sight>, sandbox: 'gvisor' | 'kata' | undefined])[] = [
  ['runc on Debian', RUNC, undefined],
  ['nothing', {}, undefined],
  [
    'gVisor of 2026 (4.19.0-gvisor)',
    {
      ...gvisor('4.19.0-gvisor'),
      cmdline: 'BOOT_IMAGE=/vmlinuz-4.19.0-gvisor quiet\n',
      present: ['/proc/sentry-meminfo'],
    },
    'gvisor',
  ],
  [
    'gVisor of 2023 (4.4.0)',
    { ...gvisor('4.4.0'), cmdline: 'BOOT_IMAGE=/vmlinuz-4.4.0-gvisor quiet\n', present: ['/proc/sentry-meminfo'] },
    'gvisor',
  ],
  [
    'gVisor of 2021, no meminfo yet',
    { ...gvisor('4.4.0'), cmdline: 'BOOT_IMAGE=/vmlinuz-4.4.0-gvisor quiet' },
    'gvisor',
  ],
  ['gVisor of 2020, by its version only', { ...gvisor('4.4.0'), cmdline: '' }, undefined],
  ['gVisor with a marker', { ...gvisor('4.19.0-gvisor'), present: ['/proc/gvisor/kernel_is_gvisor'] }, 'gvisor'],
  [
    'Kata with QEMU, files shared',
    {
      cmdline: `${INTEL} ${KATA_ROOT} quiet panic=1 nr_cpus=4 selinux=0 ${KATA_SYSTEMD} scsi_mod.scan=none`,
      mounts: [SHARED, PROC],
    },
    'kata',
  ],
  [
    'Kata with QEMU on another architecture',
    { cmdline: `iommu.passthrough=0 ${KATA_ROOT} ${KATA_SYSTEMD}`, mounts: [['/', 'virtiofs', 'none', true], PROC] },
    'kata',
  ],
  [
    'Kata with QEMU, an initrd and block devices',
    { cmdline: `${INTEL} quiet panic=1 agent.log=debug`, mounts: [['/', 'ext4', '/dev/vdb', true], PROC] },
    'kata',
  ],
  [
    'Kata with Cloud Hypervisor',
    { cmdline: `${KATA_ROOT} panic=1 no_timer_check noreplace-smp ${KATA_SYSTEMD}`, mounts: [SHARED, PROC] },
    'kata',
  ],
  [
    'Kata with Firecracker',
    {
      cmdline: `${KATA_SYSTEMD} root=/dev/vda1 ro rootfstype=ext4 pci=off reboot=k panic=1 iommu=off net.ifnames=0 random.trust_cpu=on acpi=off 8250.nr_uarts=0 agent.log_vport=1025`,
      mounts: [['/', 'ext4', '/dev/vdb', true], PROC],
    },
    'kata',
  ],
  [
    'Kata with Dragonball',
    {
      cmdline:
        'reboot=k panic=1 systemd.unit=kata-containers.target systemd.mask=systemd-networkd.service root=/dev/vda1 rootflags=data=ordered,errors=remount-ro ro rootfstype=ext4 agent.container_pipe_size=1 console=ttyS1 agent.log_vport=1025 agent.passfd_listener_port=1027',
    },
    'kata',
  ],
  [
    'Firecracker that is not Kata',
    {
      version: 'Linux version 6.18.44-fc (builder@host) (gcc (GCC) 15.3.0) #1 SMP PREEMPT_DYNAMIC @0',
      cmdline: 'console=ttyS0 quiet reboot=k panic=1 pci=off nomodule',
    },
    undefined,
  ],
  ['a virtiofs root of somebody else', { ...RUNC, mounts: [['/', 'virtiofs', 'none', true], PROC] }, undefined],
  [
    'a version file that is mounted over',
    {
      ...gvisor('4.19.0-gvisor'),
      cmdline: 'BOOT_IMAGE=/vmlinuz-4.19.0-gvisor quiet',
      mounts: [PROC, ['/proc/version', 'ext4', '/dev/vda', true]],
    },
    undefined,
  ],
  [
    'Kata with a trait of gVisor',
    { cmdline: `${INTEL} ${KATA_SYSTEMD}`, present: ['/proc/sentry-meminfo'], mounts: [SHARED, PROC] },
    undefined,
  ],
];

const signatures = suite('signatures');

for (const [name, shown, sandbox] of CASES) {
  signatures(name, () => assert.is(shownSandbox(sight(shown)), sandbox));
}

signatures('ids are told by sandbox', () => {
  assert.equal(sandboxOf(sight({ ...gvisor('4.4.0'), mounts: [SHARED, PROC] })), {
    gvisor: ['gvisor-version'],
    kata: ['kata-shared-mount'],
  });
});

signatures('the list is sound', () => {
  const ids = data.signatures.map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
  assert.ok(Number.isInteger(SIGNATURES_VERSION));
  for (const entry of data.signatures as readonly Readonly<
    Partial<Record<'id' | 'sandbox' | 'file' | 'matches' | 'since' | 'source', string>>
  >[]) {
    const id = String(entry.id);
    assert.ok(['gvisor', 'kata'].includes(String(entry.sandbox)), id);
    assert.is(['file', 'present', 'mount'].filter((kind) => kind in entry).length, 1, id);
    assert.is('file' in entry, 'matches' in entry, id);
    assert.ok(entry.since && entry.source, id);
    assert.ok(new RegExp(entry.matches ?? ''));
  }
  assert.equal(SIGNATURE_PATHS, ['/proc/sentry-meminfo', '/proc/gvisor/kernel_is_gvisor']);
});

signatures('only the proc file system speaks for the kernel', () => {
  const masked = sight({ mounts: [PROC, ['/proc/sys', 'proc', 'proc', true], ['/proc/acpi', 'tmpfs', 'tmpfs', true]] });
  assert.not(isCovered(masked, '/proc/sys/kernel/random/boot_id'));
  assert.ok(isCovered(masked, '/proc/acpi/x'));
  assert.not(isCovered(masked, '/proc/acpix'));
  assert.ok(isCovered(sight({ mounts: [['/', 'overlay', 'overlay', true]] }), '/proc/version'));
  assert.ok(isCovered(sight({ mounts: [] }), '/proc/version'));
  const again = sight({ mounts: [PROC, ['/proc', 'tmpfs', 'tmpfs', true]] });
  assert.ok(isCovered(again, '/proc/version'), 'the last mount lies on top');
});

signatures.run();
