// What the probe's agent reads of its pod, tried on trees that hold what pods hold.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentResult, Inspection, Sight } from '../functions/model';
import { look } from '../functions/probe/agent/sight';
import { packResult, unpackResult } from '../functions/probe/agent-result';

const NONCE = 'abcdef0123';
const TOKEN_FILE = '/var/run/steadmesh/token';

/** What is seen in a folder with these files; `left`: what lies there afterwards. */
function lookAt(
  files: Readonly<Record<string, string>>,
  inspection: Inspection = { imageFolders: [] },
): { readonly seen: Sight; readonly left: readonly string[] } {
  const root = mkdtempSync(join(tmpdir(), 'seatplan-sight-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      const isFolder = path.endsWith('/');
      mkdirSync(join(root, isFolder ? path : dirname(path)), { recursive: true });
      if (!isFolder) writeFileSync(join(root, path), text);
    }
    const seen = look(inspection, NONCE, root);
    return { seen, left: readdirSync(root, { recursive: true, encoding: 'utf8' }) };
  } finally {
    rmSync(root, { recursive: true });
  }
}

const sight = suite('sight');
sight('reads a tree as a pod has it', () => {
  const { seen, left } = lookAt(
    {
      '/proc/self/status': `Name:\tnode\nUid:\t1000\t1000\t1000\t1000\nCapBnd:\t0000000000000000\nSeccomp:\t2\nSeccomp_filters:\t1\nNoNewPrivs:\t1\n`,
      '/proc/sys/kernel/random/boot_id': '12345678-0000\n',
      '/proc/sentry-meminfo': '',
      '/etc/resolv.conf': 'search x\nnameserver 10.0.0.10\n# nameserver 1.1.1.1\nnameserver fd00::a\noptions ndots:5\n',
      '/run/containerd/containerd.sock': '',
      '/sys/fs/cgroup/memory.max': '268435456\n',
      '/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us': '50000\n',
      '/proc/keys': 'one',
      '/proc/timer_list': '',
      '/proc/sysrq-trigger': '',
      '/probe/': '',
    },
    { imageFolders: ['/probe', '/absent'] },
  );
  const { Uid, CapBnd, Seccomp, NoNewPrivs, ...others } = seen.status;
  assert.equal([Uid, CapBnd, Seccomp, NoNewPrivs], ['1000\t1000\t1000\t1000', '0000000000000000', '2', '1']);
  assert.equal(others, {});
  assert.is(seen.bootID, '12345678-0000');
  assert.not.ok('osrelease' in seen);
  assert.equal(seen.present, ['/proc/sentry-meminfo']);
  assert.equal(seen.nameservers, ['10.0.0.10', 'fd00::a']);
  assert.equal(seen.writes, { '/': 'created', '/probe': 'created', '/absent': 'ENOENT' });
  assert.not.ok(left.some((file) => file.includes(NONCE)));
  assert.is(seen.opens['/run/containerd/containerd.sock'], 'present');
  assert.not.ok('/dev/kvm' in seen.opens);
  assert.is(seen.opens['/proc/sysrq-trigger'], 'opened');
  assert.is(seen.opens['/dev/kmsg'], 'ENOENT');
  assert.equal(seen.sizes, { '/proc/kcore': -1, '/proc/keys': 1, '/proc/timer_list': 0, '/proc/sched_debug': -1 });
  assert.equal(seen.cgroup, { 'memory.max': '268435456', 'cpu,cpuacct/cpu.cfs_quota_us': '50000' });
  assert.not.ok(seen.apiToken);
});
sight('a mount is told as the kernel writes it, read-only if either it or its file system is', () => {
  const { seen } = lookAt({
    '/proc/self/mountinfo': [
      '1 0 0:1 / / ro,relatime - overlay overlay rw,lowerdir=ro',
      '2 1 0:2 / /tmp rw - tmpfs tmpfs rw,size=1k',
      '3 1 0:3 /a /with\\040blank rw shared:1 master:2 - ext4 /dev/sd\\040a ro,errors=remount-ro',
      '4 1 0:4 / /proc rw,errors=ro-now - proc proc rw',
      '',
    ].join('\n'),
  });
  assert.equal(seen.mounts, [
    ['/', 'overlay', 'overlay', true],
    ['/tmp', 'tmpfs', 'tmpfs', false],
    ['/with\\040blank', 'ext4', '/dev/sd\\040a', true],
    ['/proc', 'proc', 'proc', false],
  ]);
});
sight('the mount table is read to its end', () => {
  const lines = Array.from({ length: 5000 }, (_, n) => `${n} 1 0:2 / /mnt/${n} rw - tmpfs tmpfs rw`);
  assert.is(lookAt({ '/proc/self/mountinfo': lines.join('\n') }).seen.mounts.at(-1)?.[0], '/mnt/4999');
});
sight('a folder of the API server’s token is noticed, also an empty one', () => {
  assert.ok(lookAt({ '/var/run/secrets/kubernetes.io/serviceaccount/': '' }).seen.apiToken);
});

const CLAIMS = {
  ...{ aud: ['steadmesh-gateway'], iat: 100, exp: 3700, sub: 'system:serviceaccount:agents:sa' },
  'kubernetes.io': { pod: { uid: 'u' }, serviceaccount: { name: 'sa' } },
};
const tokenWith = (claims: unknown): string =>
  `header.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.signature`;
const tokenIn = (text: string): Sight =>
  lookAt({ [TOKEN_FILE]: text }, { tokenFile: TOKEN_FILE, imageFolders: [] }).seen;

sight('tells a token’s claims and its hash, and nothing of its text', () => {
  const token = tokenWith(CLAIMS);
  const seen = tokenIn(`${token}\n`);
  assert.equal(seen.token, {
    ...{ sha256: createHash('sha256').update(token).digest('hex'), audiences: ['steadmesh-gateway'] },
    ...{ issuedAt: 100, expiresAt: 3700, podUID: 'u', serviceAccount: 'sa' },
  });
  for (const part of token.split('.')) assert.not.ok(JSON.stringify(seen).includes(part), part);
});
const result = (seen: Sight): AgentResult => ({
  ...{ version: 1, role: 'seat', nonce: NONCE, podUID: 'u', startedAt: 1, endedAt: 2, end: 'done' },
  ...{ listening: [], attempts: {}, heard: [], seen },
});
const CLAIMED: Record<string, [claims: unknown, token: Partial<NonNullable<Sight['token']>>]> = {
  'one audience as a text': [{ ...CLAIMS, aud: 'a' }, { audiences: ['a'] }],
  'no audience': [{ ...CLAIMS, aud: undefined }, { audiences: [] }],
  'no end': [{ ...CLAIMS, exp: undefined }, { expiresAt: Number.MAX_SAFE_INTEGER }],
  'an end that is a text': [{ ...CLAIMS, exp: '3700' }, { expiresAt: Number.MAX_SAFE_INTEGER }],
  'no pod': [
    { ...CLAIMS, 'kubernetes.io': {} },
    { podUID: undefined, serviceAccount: undefined },
  ],
  nothing: [{}, { audiences: [], issuedAt: 0, podUID: undefined }],
};
for (const [sentence, [claims, expected]] of Object.entries(CLAIMED)) {
  sight(`a token with ${sentence} is told, and can be read again`, () => {
    const seen = unpackResult(packResult(result(tokenIn(tokenWith(claims)))))?.seen;
    for (const [key, value] of Object.entries(expected)) {
      assert.equal(seen?.token?.[key as keyof typeof expected], value, key);
    }
  });
}
const NO_TOKENS: Record<string, [text: string, problem: string]> = {
  'an empty file': ['', 'the token is no JWT'],
  'no JWT': ['secret-password', 'the token is no JWT'],
  'claims that are no JSON': [`a.${Buffer.from('secret-password').toString('base64url')}.c`, 'the token is no JWT'],
  'claims that are null': [tokenWith(null), 'ERROR'],
};
for (const [sentence, [text, problem]] of Object.entries(NO_TOKENS)) {
  sight(`${sentence} is a problem, which repeats nothing of it`, () => {
    const seen = tokenIn(text);
    assert.is(seen.token, undefined);
    assert.is(seen.tokenProblem, problem);
    assert.not.match(JSON.stringify(seen), 'secret');
  });
}
sight('says why there is no token', () => {
  assert.is(lookAt({}, { tokenFile: '/absent', imageFolders: [] }).seen.tokenProblem, 'ENOENT');
  assert.not.ok('tokenProblem' in lookAt({}).seen);
});
sight('looks at a real machine without a word', () => {
  assert.ok(unpackResult(packResult(result(look({ imageFolders: [] }, NONCE)))));
});
sight.run();
