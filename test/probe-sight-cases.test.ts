// What a probe pod shows, judged: recorded pods with one thing wrong each.
import type { V1Pod } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Sight } from '../functions/model';
import { type Change, GVISOR, judged, notes, RUNC, type Runtime, scene } from './sight-scene';

const sight = suite('sight, case by case');

const status =
  (fields: Record<string, string | undefined>): Change =>
  ({ sight: seen }) => {
    const all = { ...seen.status, ...fields };
    seen.status = Object.fromEntries(
      Object.entries(all).flatMap(([key, text]) => (text === undefined ? [] : [[key, text]])),
    );
  };
const opens =
  (fields: Record<string, string>): Change =>
  ({ sight: seen }) => {
    seen.opens = { ...seen.opens, ...fields };
  };
const mounted =
  (...more: Sight['mounts'][number][]): Change =>
  ({ sight: seen }) => {
    seen.mounts = [...seen.mounts, ...more];
  };
const remounted =
  (point: string, readOnly: boolean): Change =>
  ({ sight: seen }) => {
    seen.mounts = seen.mounts.map((mount) => (mount[0] === point ? [mount[0], mount[1], mount[2], readOnly] : mount));
  };
const cgroup =
  (files: Record<string, string>): Change =>
  ({ sight: seen }) => {
    seen.cgroup = files;
  };
const token =
  (fields: Partial<NonNullable<Sight['token']>>): Change =>
  ({ sight: seen }) => {
    seen.token = { ...seen.token!, ...fields };
  };
const volume =
  (...volumes: NonNullable<NonNullable<V1Pod['spec']>['volumes']>): Change =>
  ({ pod }) => {
    pod.spec!.volumes!.push(...volumes);
  };
const boot =
  (id: string | undefined): Change =>
  (built) => {
    if (id === undefined) delete built.sight.bootID;
    else built.sight.bootID = id;
  };
const noNode: Change = (built) => {
  built.node = { obstacle: { reason: 'NotPermitted', message: 'nodes is forbidden' } };
};

/** What differs from the recording, and what the checks say of it beyond the recording's own notes. */
const CASES: readonly (readonly [name: string, runtime: Runtime, change: Change, expected: Record<string, string>])[] =
  [
    // runtime
    [
      'the node cannot be read',
      'gvisor',
      noNode,
      {
        R1: 'INCONCLUSIVE NotPermitted',
        R2: 'INCONCLUSIVE NotPermitted',
        P4: 'INCONCLUSIVE NotPermitted',
        P8: 'INCONCLUSIVE NotPermitted',
      },
    ],
    [
      'the node was not looked up',
      'gvisor',
      (built) => {
        built.node = undefined;
      },
      {
        R1: 'INCONCLUSIVE NotFound',
        R2: 'INCONCLUSIVE NotFound',
        P4: 'INCONCLUSIVE NotFound',
        P8: 'INCONCLUSIVE NotFound',
      },
    ],
    [
      'another node was looked up',
      'gvisor',
      ({ pod }) => {
        pod.spec!.nodeName = 'other';
      },
      {
        R1: 'INCONCLUSIVE NotShown',
        R2: 'INCONCLUSIVE NotShown',
        P4: 'INCONCLUSIVE NotShown',
        P8: 'INCONCLUSIVE NotShown',
      },
    ],
    [
      'no boot id, as in older gVisor',
      'gvisor',
      boot(undefined),
      {
        R1: 'INCONCLUSIVE NotShown',
        R2: 'INCONCLUSIVE NotShown',
        P4: 'INCONCLUSIVE NotShown',
        P8: 'INCONCLUSIVE NotShown',
      },
    ],
    [
      'a boot id that is none',
      'gvisor',
      boot('none'),
      {
        R1: 'INCONCLUSIVE NotShown',
        R2: 'INCONCLUSIVE NotShown',
        P4: 'INCONCLUSIVE NotShown',
        P8: 'INCONCLUSIVE NotShown',
      },
    ],
    [
      'a boot id that is mounted over',
      'gvisor',
      mounted(['/proc/sys/kernel/random/boot_id', 'tmpfs', 'tmpfs', true]),
      {
        R1: 'INCONCLUSIVE NotShown',
        R2: 'INCONCLUSIVE NotShown',
        P4: 'INCONCLUSIVE NotShown',
        P8: 'INCONCLUSIVE NotShown',
      },
    ],
    [
      "the node's boot id in capitals",
      'gvisor',
      (built) => {
        built.sight.bootID = built.node!.value!.status!.nodeInfo!.bootID.toUpperCase();
      },
      {
        R1: 'FAIL WrongRuntime',
        R2: 'FAIL SharedKernel',
        P4: 'FAIL SeccompOff',
        P8: 'FAIL DevicePresent',
      },
    ],
    [
      'a kernel of its own that is unknown',
      'gvisor',
      (built) => {
        built.sight.version = 'Linux version 6';
        built.sight.cmdline = '';
      },
      {
        R1: 'INCONCLUSIVE UnknownSandbox',
        P4: 'INCONCLUSIVE UnknownSandbox',
        P8: 'INCONCLUSIVE UnknownSandbox',
      },
    ],
    // process
    ['another user', 'runc', status({ Uid: '1000\t0\t1000\t1000' }), { P1: 'FAIL WrongUser' }],
    ['another group', 'runc', status({ Gid: '1000 1000 1000 0' }), { P1: 'FAIL WrongUser' }],
    ['a supplemental group', 'runc', status({ Groups: '1000 27' }), { P1: 'FAIL WrongUser' }],
    ['no supplemental group', 'runc', status({ Groups: '' }), {}],
    ['no user shown', 'runc', status({ Uid: undefined }), { P1: 'INCONCLUSIVE NotShown' }],
    ['a bounding set', 'runc', status({ CapBnd: '0000000000000400' }), { P2: 'FAIL CapabilitiesHeld' }],
    ['an ambient capability', 'runc', status({ CapAmb: '0000000000003000' }), { P2: 'FAIL CapabilitiesHeld' }],
    ['no bounding set shown', 'runc', status({ CapBnd: undefined }), { P2: 'INCONCLUSIVE NotShown' }],
    ['a set that is no number', 'runc', status({ CapEff: 'none' }), { P2: 'INCONCLUSIVE NotShown' }],
    ['privileges can grow', 'runc', status({ NoNewPrivs: '0' }), { P3: 'FAIL PrivilegesCanGrow' }],
    ['no line about privileges', 'gvisor', status({ NoNewPrivs: undefined }), { P3: 'INCONCLUSIVE NotShown' }],
    ['no filter on the kernel of the node', 'runc', status({ Seccomp: '0' }), { P4: 'FAIL SeccompOff' }],
    ['no line about filters', 'runc', status({ Seccomp: undefined }), { P4: 'INCONCLUSIVE NotShown' }],
    ['a filter inside gVisor', 'gvisor', status({ Seccomp: '2' }), { P4: 'PASS undefined' }],
    // kernel files
    [
      'core_pattern can be written',
      'runc',
      opens({ '/proc/sys/kernel/core_pattern': 'opened' }),
      { P7: 'FAIL KernelFileOpen' },
    ],
    [
      'a kernel file is hidden by /dev/null',
      'runc',
      (built) => {
        opens({ '/proc/sysrq-trigger': 'opened' })(built);
        mounted(['/proc/sysrq-trigger', 'tmpfs', 'tmpfs', false])(built);
      },
      {},
    ],
    [
      'kcore can be read',
      'runc',
      ({ sight: seen }) => {
        seen.sizes = { ...seen.sizes, '/proc/kcore': 1 };
      },
      { P7: 'FAIL KernelFileOpen' },
    ],
    [
      'an error that is not understood',
      'runc',
      opens({ '/proc/sysrq-trigger': 'EIO' }),
      { P7: 'INCONCLUSIVE NotShown' },
    ],
    [
      'nothing was tried',
      'runc',
      ({ sight: seen }) => {
        seen.opens = {};
      },
      {
        P7: 'INCONCLUSIVE NotShown',
        P8: 'INCONCLUSIVE NotShown',
        P9: 'INCONCLUSIVE NotShown',
      },
    ],
    [
      'masked files were not tried',
      'runc',
      ({ sight: seen }) => {
        seen.sizes = {};
      },
      { P7: 'INCONCLUSIVE NotShown' },
    ],
    [
      'a socket of the runtime',
      'gvisor',
      opens({ '/run/containerd/containerd.sock': 'present' }),
      { P8: 'FAIL DevicePresent' },
    ],
    ['a disk', 'runc', opens({ '/dev/vda': 'present' }), { P8: 'FAIL DevicePresent' }],
    ['fuse of the node', 'runc', opens({ '/dev/fuse': 'present' }), { P8: 'FAIL DevicePresent' }],
    ['kmsg of the node', 'runc', opens({ '/dev/kmsg': 'opened' }), { P9: 'FAIL KernelLogOpen' }],
    ['kmsg of gVisor', 'gvisor', opens({ '/dev/kmsg': 'opened' }), {}],
    // limits
    ['limits of cgroup v2', 'runc', cgroup({ 'memory.max': '268435456', 'cpu.max': '25000 100000' }), {}],
    ['a limit in whole pages', 'runc', cgroup({ 'memory.max': '268369920', 'cpu.max': '25000 100000' }), {}],
    [
      'no memory limit',
      'runc',
      cgroup({ 'memory.max': 'max', 'cpu.max': '25000 100000' }),
      { P11: 'FAIL LimitMissing' },
    ],
    [
      'no memory limit in v1',
      'runc',
      ({ sight: seen }) => {
        seen.cgroup = { ...seen.cgroup, 'memory/memory.limit_in_bytes': '9223372036854771712' };
      },
      { P11: 'FAIL LimitMissing' },
    ],
    [
      'no CPU limit',
      'runc',
      cgroup({ 'memory.max': '268435456', 'cpu.max': 'max 100000' }),
      { P11: 'FAIL LimitMissing' },
    ],
    [
      'no CPU limit in v1',
      'runc',
      ({ sight: seen }) => {
        seen.cgroup = { ...seen.cgroup, 'cpu/cpu.cfs_quota_us': '-1' };
      },
      { P11: 'FAIL LimitMissing' },
    ],
    [
      'twice the CPU',
      'gvisor',
      ({ sight: seen }) => {
        seen.cgroup = { ...seen.cgroup, 'cpu/cpu.cfs_quota_us': '50000' };
      },
      { P11: 'FAIL LimitMissing' },
    ],
    ['no cgroup file', 'runc', cgroup({}), { P11: 'INCONCLUSIVE NotShown' }],
    ['no CPU file', 'runc', cgroup({ 'memory.max': '268435456' }), { P11: 'INCONCLUSIVE NotShown' }],
    [
      'a pod admitted without limits',
      'runc',
      ({ pod }) => {
        delete pod.spec!.containers[0]!.resources!.limits;
      },
      { P11: 'FAIL LimitMissing' },
    ],
    // files
    [
      'a file in the image folder',
      'runc',
      ({ sight: seen }) => {
        seen.writes = { '/': 'EACCES', '/probe': 'created' };
      },
      { F1: 'FAIL RootWritable' },
    ],
    [
      'only permissions kept a file out',
      'runc',
      (built) => {
        built.sight.writes = { '/': 'EACCES', '/probe': 'EACCES' };
        remounted('/', false)(built);
      },
      { F1: 'FAIL RootWritable' },
    ],
    [
      'permissions looked at first',
      'gvisor',
      ({ sight: seen }) => {
        seen.writes = { '/': 'EACCES', '/probe': 'EACCES' };
      },
      {},
    ],
    [
      'no folder of the image',
      'gvisor',
      ({ sight: seen }) => {
        seen.writes = { '/': 'EACCES', '/probe': 'ENOENT' };
      },
      { F1: 'INCONCLUSIVE NotShown' },
    ],
    [
      'another file system on the folder',
      'gvisor',
      mounted(['/probe', 'tmpfs', 'none', true]),
      { F1: 'INCONCLUSIVE NotShown', F2: 'FAIL MountUndeclared' },
    ],
    ['a folder of the host', 'runc', mounted(['/host', 'ext4', '/dev/vda', true]), { F2: 'FAIL MountUndeclared' }],
    [
      'a host file system below /proc',
      'runc',
      mounted(['/proc/meminfo', 'fuse.lxcfs', 'lxcfs', false]),
      { F2: 'FAIL MountUndeclared' },
    ],
    ['the host at /dev/shm', 'runc', mounted(['/dev/shm', 'ext4', '/dev/vda', false]), { F2: 'FAIL MountUndeclared' }],
    ['a writable token', 'runc', remounted('/var/run/steadmesh', false), { F2: 'FAIL MountWritable' }],
    ['a writable manifest', 'gvisor', remounted('/etc/steadmesh/manifest', false), { F2: 'FAIL MountWritable' }],
    [
      'a token below /run',
      'runc',
      ({ sight: seen }) => {
        seen.mounts = seen.mounts.map(([point, ...rest]) => [point.replace('/var/run/', '/run/'), ...rest]);
      },
      {},
    ],
    [
      'no mount of the manifest',
      'runc',
      ({ sight: seen }) => {
        seen.mounts = seen.mounts.filter(([point]) => point !== '/etc/steadmesh/manifest');
      },
      { F2: 'INCONCLUSIVE NotShown' },
    ],
    ['devices one by one, as Kata binds them', 'runc', mounted(['/dev/null', 'devtmpfs', 'devtmpfs', false]), {}],
    // identity
    [
      'a token for the API',
      'runc',
      (built) => {
        built.sight.apiToken = true;
        mounted(['/var/run/secrets/kubernetes.io/serviceaccount', 'tmpfs', 'tmpfs', true])(built);
      },
      { I1: 'FAIL ApiTokenMounted' },
    ],
    [
      'an admitted volume of that kind',
      'gvisor',
      volume({ name: 'kube-api-access-x2x7q', projected: {} }),
      { I1: 'FAIL ApiTokenMounted' },
    ],
    [
      'an admitted token without an audience',
      'gvisor',
      volume({ name: 'more', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } }),
      { I1: 'FAIL ApiTokenMounted' },
    ],
    ['two audiences', 'runc', token({ audiences: ['steadmesh-gateway', 'kubernetes'] }), { I2: 'FAIL WrongAudience' }],
    ['another audience', 'runc', token({ audiences: ['kubernetes'] }), { I2: 'FAIL WrongAudience' }],
    ['no audience', 'runc', token({ audiences: [] }), { I2: 'FAIL WrongAudience' }],
    [
      'a token for a day',
      'runc',
      ({ sight: seen }) => {
        seen.token = { ...seen.token!, expiresAt: seen.token!.issuedAt + 86_400 };
      },
      { I2: 'FAIL TokenTooLong' },
    ],
    [
      'an hour and seven seconds',
      'runc',
      ({ sight: seen }) => {
        seen.token = { ...seen.token!, expiresAt: seen.token!.issuedAt + 3607 };
      },
      {},
    ],
    ['a token without an end', 'runc', token({ expiresAt: Number.NaN }), { I2: 'FAIL TokenTooLong' }],
    ['a token of another pod', 'runc', token({ podUID: 'other' }), { I2: 'FAIL TokenOfOtherPod' }],
    ['a token of no pod', 'runc', token({ podUID: undefined }), { I2: 'FAIL TokenOfOtherPod' }],
    ['a token of another account', 'runc', token({ serviceAccount: 'default' }), { I2: 'FAIL TokenOfOtherPod' }],
    [
      'another account in pod and token',
      'runc',
      (built) => {
        built.pod.spec!.serviceAccountName = 'default';
        token({ serviceAccount: 'default' })(built);
      },
      { I2: 'FAIL TokenOfOtherPod' },
    ],
    [
      'a token that cannot be read',
      'runc',
      ({ sight: seen }) => {
        delete seen.token;
        seen.tokenProblem = 'EACCES';
      },
      { I2: 'INCONCLUSIVE NotShown' },
    ],
  ];

for (const [name, runtime, change, expected] of CASES) {
  sight(name, () => {
    const built = scene(runtime, runtime === 'gvisor' ? 'gvisor' : undefined);
    change(built);
    const results = judged(built);
    const base = runtime === 'gvisor' ? GVISOR : RUNC;
    const all: Record<string, string> = { ...base, ...expected };
    for (const [check, note] of Object.entries(all)) if (note.startsWith('PASS')) delete all[check];
    assert.equal(notes(results), all);
  });
}

sight.run();
