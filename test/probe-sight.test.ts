// What a probe pod shows, judged: two recorded pods under each isolation, and results that are not the pod's own.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckID, Isolation, Sight } from '../functions/model';
import { SIGHT_CHECKS } from '../functions/probe/judge/sight';
import { type Change, GVISOR, IMAGE, judged, notes, RUNC, scene } from './sight-scene';

const sight = suite('sight');

sight('a recorded gVisor pod', () => {
  assert.equal(notes(judged(scene('gvisor', 'gvisor'))), GVISOR);
});
sight('a recorded runc pod of a seat without a tier', () => {
  assert.equal(notes(judged(scene('runc', undefined))), RUNC);
});
sight('a runc pod in place of a sandbox', () => {
  for (const isolation of ['gvisor', 'microvm', 'confidential'] as const) {
    assert.equal(notes(judged(scene('runc', isolation))), { R1: 'FAIL WrongRuntime', R2: 'FAIL SharedKernel' });
  }
});
sight('gVisor in place of a micro VM: its own kernel, but no boundary that was asked for', () => {
  assert.equal(notes(judged(scene('gvisor', 'microvm'))), {
    R1: 'FAIL WrongRuntime',
    P4: 'FAIL SeccompOff',
    P8: 'FAIL DevicePresent',
  });
});
sight('gVisor that nobody declared is a boundary too', () => {
  assert.equal(notes(judged(scene('gvisor', undefined))), { ...RUNC, ...GVISOR });
});

const kata: Change = ({ sight: seen }) => {
  seen.version = 'Linux version 6.12.47 (@4bcec8f4443d) #1 SMP Fri Nov 14 15:34:06 UTC 2025';
  seen.cmdline = 'reboot=k panic=1 systemd.unit=kata-containers.target agent.log_vport=1025';
  seen.bootID = '01234567-89ab-cdef-0123-456789abcdef';
  seen.present = [];
  seen.status = { ...seen.status, Seccomp: '0' };
};
sight('Kata', () => {
  const one = (isolation: Isolation): Record<string, string> => {
    const built = scene('runc', isolation);
    kata(built);
    return notes(judged(built));
  };
  assert.equal(one('microvm'), GVISOR);
  assert.equal(one('confidential'), { ...GVISOR, R1: 'GAP NotAttested' });
  assert.equal(one('gvisor'), { R1: 'FAIL WrongRuntime', P4: 'FAIL SeccompOff' });
});

sight('what a guest shows of limits is not what the node keeps to', () => {
  const built = scene('runc', 'microvm');
  kata(built);
  built.sight.cgroup = { 'memory.max': 'max', 'cpu.max': 'max 100000' };
  assert.equal(notes(judged(built)), { ...GVISOR, P11: 'INCONCLUSIVE NotShown' });
});

const DISTRUSTED: readonly (readonly [name: string, change: Change])[] = [
  ['the uid of another pod', (built) => Object.assign(built.result, { podUID: 'other' })],
  [
    'no uid on either side',
    (built) => {
      Object.assign(built.result, { podUID: '' });
      delete built.pod.metadata!.uid;
    },
  ],
  ['the nonce of another run', (built) => Object.assign(built.result, { nonce: 'ffffffff' })],
  ['the role of the control', (built) => Object.assign(built.result, { role: 'control' })],
  ['another version', (built) => Object.assign(built.result, { version: 2 })],
  [
    'another image',
    (built) => {
      built.pod.status!.containerStatuses![0]!.imageID = IMAGE.replace('bb', 'cc');
    },
  ],
  [
    'no image known',
    (built) => {
      built.pod.status!.containerStatuses = [];
    },
  ],
  [
    'no pod',
    (built) => {
      built.group = { ...built.group, pods: {} };
    },
  ],
  [
    'nothing seen',
    (built) => {
      delete (built.result as { seen?: Sight }).seen;
    },
  ],
];
for (const [name, change] of DISTRUSTED) {
  sight(`no result counts: ${name}`, () => {
    const built = scene('gvisor', 'gvisor');
    change(built);
    const all = Object.fromEntries(SIGHT_CHECKS.map((check) => [check, 'INCONCLUSIVE NoResult']));
    assert.equal(notes(judged(built)), all);
  });
}

sight('an obstacle speaks for every check', () => {
  const built = scene('gvisor', 'gvisor');
  built.group = { ...built.group, seatResult: { obstacle: { reason: 'QuotaDenied', message: 'exceeded quota' } } };
  const results = judged(built);
  assert.is(results.length, SIGHT_CHECKS.length);
  assert.ok(results.every(({ verdict, reason }) => verdict === 'INCONCLUSIVE' && reason === 'QuotaDenied'));
  assert.ok(results.every(({ message }) => message === 'exceeded quota'));
});

sight('one image has several digests where its node says so', () => {
  const built = scene('gvisor', 'gvisor');
  const other = IMAGE.replace('bb', 'cc');
  built.pod.status!.containerStatuses![0]!.imageID = other;
  built.node!.value!.status!.images = [{ names: [IMAGE, other] }];
  assert.equal(notes(judged(built)), GVISOR);
});

sight('an image by tag is compared as admitted', () => {
  const built = scene('gvisor', 'gvisor');
  built.plan = { ...built.plan, image: 'localhost/probe:1' };
  assert.is(judged(built)[0]!.reason, 'NoResult');
  built.pod.spec!.containers[0]!.image = 'localhost/probe:1';
  assert.equal(notes(judged(built)), GVISOR);
});

sight('only checks of the profile, and every PASS with its control', () => {
  const built = scene('gvisor', 'gvisor');
  const checks: CheckID[] = ['P1', 'N1', 'R1', 'A1'];
  built.group = { ...built.group, profile: { ...built.group.profile, checks } };
  const results = judged(built);
  assert.equal(
    results.map(({ check }) => check),
    ['R1', 'P1'],
  );
  for (const { control, profile, node } of results) {
    assert.equal(control, {
      pod: built.pod.metadata!.name,
      podUID: built.result.podUID,
      nonce: built.result.nonce,
      image: IMAGE,
    });
    assert.is(profile, built.group.profile.digest);
    assert.is(node, 'testcluster');
  }
});

sight('a mount that a webhook added is said to be so', () => {
  const built = scene('runc', undefined);
  built.pod.spec!.containers[0]!.volumeMounts!.push({ name: 'ca', mountPath: '/etc/ca' });
  built.sight.mounts = [...built.sight.mounts, ['/etc/ca', 'ext4', '/dev/vda', true]];
  const found = judged(built).find(({ check }) => check === 'F2');
  assert.match(found!.message, /\/etc\/ca \(ext4, added on admission\)/);
});

sight.run();
