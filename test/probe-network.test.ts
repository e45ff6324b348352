// What a group's probe pods told, judged: each fault on the healthy cluster changes the results that it should, and no others.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentResult, GroupFacts, Looked, Stretch } from '../functions/model';
import { judgeNetwork, startWindowOf } from '../functions/probe/judge/network';
import * as scene from './network-scene';

const { CONTROL_NONCE, groupWith, linesOf, NONCE, START, TARGETS } = scene;
const HEALTHY = [
  ...['N1 PASS', 'N3 PASS', 'N5 PASS', 'N10 PASS', 'N4 PASS', 'N14 PASS', 'N13 PASS'],
  ...['N15 SKIP SingleStack', 'N18 PASS'],
];
const judged = (group: GroupFacts, blocker?: string) => judgeNetwork(scene.planWith(), group, blocker);
/** Lines that the healthy cluster has not. */
const news = (group: GroupFacts, blocker?: string): string[] =>
  linesOf(judged(group, blocker)).filter((line) => !HEALTHY.includes(line));

const network = suite('network of a group');
network('a healthy cluster passes, and every PASS has its control', () => {
  const results = judged(groupWith());
  assert.equal(linesOf(results), HEALTHY);
  for (const one of results.filter(({ verdict }) => verdict === 'PASS')) {
    assert.ok(Object.keys(one.control ?? {}).length > 0, one.check);
    assert.is(one.node, 'node-1');
  }
});
network('the evidence has what each of the three legs rests on', () => {
  const [, n3] = judged(groupWith());
  assert.equal(n3?.evidence, { attempts: [['timeout', START + 20_000, START + 29_700, 3]], nonce: NONCE });
  assert.equal(n3?.control, {
    control: [['echo', START + 4_020, START + 36_900, 110]],
    controlNonce: CONTROL_NONCE,
    witnessHeardSeat: false,
    reachedWhatItMay: true,
  });
  assert.is(n3?.message, 'witness is blocked: timeout (3 attempts); the control got echo');
});

const open = (word: string, first = 15, last = 29_900): readonly Stretch[] => [[word, first, last, 110]];
const gone: Looked<AgentResult> = { obstacle: { reason: 'QuotaDenied', message: 'exceeded quota' } };
const BEFORE: readonly Stretch[] = [
  ['connected', 15, 4_200, 17],
  ['timeout', 7_300, 29_700, 8],
];
const alternating = (count: number, from: number, step: number): readonly Stretch[] =>
  Array.from({ length: count }, (_, index) => {
    const at = from + index * step;
    return [index % 2 ? 'timeout' : 'ECONNREFUSED', at, at, 1] as const;
  });
const dead: readonly Stretch[] = [['timeout', 3_010, 32_700, 9]];
const CASES: Record<string, readonly [group: GroupFacts, expected: readonly string[]]> = {
  'nothing is enforced': [
    groupWith({
      seat: { t1: open('echo'), t2: open('answer:REFUSED'), t3: open('connected'), t5: open('connected') },
      control: { t5: open('connected'), i0: open('echo', 20, 32_000) },
      controlResult: { witnessHeard: [...scene.heardSeat(`${NONCE}ee`), { nonce: `${NONCE}ee`, port: 'udp/53' }] },
      seatResult: { heard: [{ nonce: `${CONTROL_NONCE}ee`, port: 'tcp/8081', from: '', at: START + 25_000 }] },
    }),
    [
      ...['N3 FAIL Reached', 'N5 FAIL Reached', 'N10 FAIL Reached', 'N14 FAIL Reached', 'N13 FAIL Reached'],
      ...['N13 FAIL Reached', 'N18 GAP StartWindow'],
    ],
  ],
  'ingress is open': [groupWith({ control: { i0: open('echo', 20, 32_000) } }), ['N13 FAIL Reached']],
  'C is heard by S, and gets no answer': [
    groupWith({ seatResult: { heard: [{ nonce: `${CONTROL_NONCE}ee`, port: 'tcp/8081', from: '', at: START }] } }),
    ['N13 FAIL Reached'],
  ],
  'C was heard before S had to have settled': [
    groupWith({ seatResult: { heard: [{ nonce: CONTROL_NONCE, port: 'tcp/8081', from: '', at: START + 19_999 }] } }),
    [],
  ],
  'C was heard after that, though young itself': [
    groupWith({ seatResult: { heard: [{ nonce: CONTROL_NONCE, port: 'tcp/8081', from: '', at: START + 20_000 }] } }),
    ['N13 FAIL Reached'],
  ],
  'nobody shows that S listened': [
    groupWith({ seatResult: { silent: { count: 9, first: START, last: START + 19_999, from: [] } } }),
    ['N13 INCONCLUSIVE NoControl'],
  ],
  'a live seat lets a stranger in': [groupWith({ control: { t5: open('connected') } }), ['N13 FAIL Reached']],
  'only replies are stopped': [
    groupWith({ controlResult: { witnessHeard: scene.heardSeat(`${NONCE}ee`) } }),
    ['N3 FAIL RequestGotOut'],
  ],
  'open at first': [groupWith({ seat: { t3: BEFORE } }), ['N18 GAP StartWindow']],
  'requests got out at first': [
    groupWith({ controlResult: { witnessHeard: scene.heardSeat(NONCE) } }),
    ['N18 GAP StartWindow'],
  ],
  'the denied target is dead': [groupWith({ control: { t3: dead } }), ['N10 INCONCLUSIVE TargetDead']],
  'the platform is down': [groupWith({ seat: { t0: dead }, control: { t0: dead } }), ['N1 INCONCLUSIVE TargetDead']],
  'S has no network': [
    groupWith({ seat: { t0: dead, 't4/10.96.0.10': dead } }),
    [
      ...['N1 FAIL OverBlocked', 'N3 INCONCLUSIVE NoNetworkAtAll', 'N5 INCONCLUSIVE NoNetworkAtAll'],
      ...['N10 INCONCLUSIVE NoNetworkAtAll', 'N4 FAIL DnsPathNotSelected', 'N14 INCONCLUSIVE NoNetworkAtAll'],
      'N18 INCONCLUSIVE NoControl',
    ],
  ],
  'C has no network': [
    groupWith({ control: Object.fromEntries(Object.keys(scene.CONTROL_ATTEMPTS).map((id) => [id, dead])) }),
    [
      ...['N3 INCONCLUSIVE TargetDead', 'N5 INCONCLUSIVE TargetDead', 'N10 INCONCLUSIVE TargetDead'],
      ...['N14 INCONCLUSIVE NoControl', 'N13 INCONCLUSIVE NoControl', 'N18 INCONCLUSIVE NoControl'],
    ],
  ],
  'W cannot be asked': [
    groupWith({ controlResult: { witnessHeard: undefined as never } }),
    ['N3 INCONCLUSIVE NoControl', 'N5 INCONCLUSIVE NoControl', 'N18 INCONCLUSIVE NotShown'],
  ],
  'W does not tell of C, whom it answered': [
    groupWith({ controlResult: { witnessHeard: scene.WITNESS_HEARD.filter(({ port }) => port !== 'tcp/8080') } }),
    ['N3 INCONCLUSIVE NoControl', 'N5 INCONCLUSIVE NoControl', 'N18 INCONCLUSIVE NotShown'],
  ],
  'W tells of S, and not of C, whom it answered': [
    groupWith({ controlResult: { witnessHeard: [{ nonce: `${NONCE}ee`, port: 'tcp/8080' }] } }),
    ['N3 FAIL RequestGotOut', 'N5 INCONCLUSIVE NoControl', 'N18 INCONCLUSIVE NotShown'],
  ],
  'S is behind a proxy': [
    groupWith({ seat: { t1: open('connected'), t3: open('connected') } }),
    ['N3 INCONCLUSIVE InterceptedByProxy', 'N10 INCONCLUSIVE InterceptedByProxy', 'N18 GAP StartWindow'],
  ],
  'the quota has no room for C': [
    groupWith({}, { controlResult: gone, targets: TARGETS.filter(({ id }) => id !== 'i0') }),
    [
      ...['N1', 'N3', 'N5', 'N10', 'N4', 'N14', 'N13'].map((check) => `${check} INCONCLUSIVE QuotaDenied`),
      'N18 INCONCLUSIVE NoControl',
    ],
  ],
  'the quota has no room for C, and nothing is enforced': [
    groupWith({ seat: { t3: open('connected') } }, { controlResult: gone }),
    [
      ...['N1', 'N3', 'N5'].map((check) => `${check} INCONCLUSIVE QuotaDenied`),
      'N10 FAIL Reached',
      ...['N4', 'N14', 'N13'].map((check) => `${check} INCONCLUSIVE QuotaDenied`),
      'N18 GAP StartWindow',
    ],
  ],
  'the quota has no room for S': [
    groupWith({}, { seatResult: gone, targets: [] }),
    ['N1', 'N3', 'N4', 'N5', 'N10', 'N11', 'N12', 'N13', 'N14', 'N15', 'N18'].map(
      (check) => `${check} INCONCLUSIVE QuotaDenied`,
    ),
  ],
  'S was ended before it measured': [
    groupWith({ seatResult: { endedAt: START + 19_000, end: 'terminated' } }),
    [
      ...['N1', 'N3', 'N5', 'N10', 'N4', 'N14'].map((check) => `${check} INCONCLUSIVE NoResult`),
      'N13 INCONCLUSIVE ControlLate',
      'N18 INCONCLUSIVE NoControl',
    ],
  ],
  'the resolver was not found': [
    groupWith({ seat: { 't4/10.96.0.10': undefined as never } }),
    ['N4 INCONCLUSIVE NoResult'],
  ],
  'attempts in the measuring part were not kept': [
    groupWith({ seat: { t3: [['timeout', 24_000, 29_700, 2]] } }),
    ['N10 INCONCLUSIVE NotShown'],
  ],
  'attempts between the fourth and the last twelve stretches were not kept': [
    groupWith({ seat: { t3: [...alternating(4, 3_000, 250), ...alternating(12, 22_500, 600)] } }),
    ['N10 INCONCLUSIVE NotShown'],
  ],
  'so many stretches that none was dropped': [
    groupWith({ seat: { t3: [...alternating(4, 3_000, 250), ...alternating(11, 22_500, 650)] } }),
    [],
  ],
  'attempts before the measuring part were not kept': [
    groupWith({ seat: { t3: [...alternating(4, 3_000, 250), ...alternating(12, 19_500, 850)] } }),
    ['N18 INCONCLUSIVE NotShown'],
  ],
};
for (const [sentence, [group, expected]] of Object.entries(CASES)) {
  network(sentence, () => assert.equal(news(group), expected));
}
network('a policy that selects the control is named where the control is blocked', () => {
  assert.equal(news(groupWith({ control: { t3: dead } }), 'default-deny'), ['N10 INCONCLUSIVE ControlBlocked']);
});
network('a live seat that lets a stranger in fails by itself', () => {
  const found = judged(groupWith({ control: { t5: open('connected') } })).find(({ seat }) => seat !== undefined);
  assert.equal([found?.seat, found?.check, found?.profile], ['b', 'N13', undefined]);
});
network('a stranger whose connections a proxy takes shows nothing', () => {
  const control = { t1: open('connected'), t2: open('connected'), t3: open('connected'), t5: open('connected') };
  const lines = news(groupWith({ control, controlResult: { witnessHeard: [] } }));
  assert.not.ok(lines.some((line) => line.includes('FAIL')));
  assert.ok(lines.includes('N10 INCONCLUSIVE InterceptedByProxy'));
});
network('what became of the control is in the message', () => {
  const [, n3] = judged(groupWith({}, { controlResult: gone }));
  assert.is(n3?.message, 'witness has no control: exceeded quota');
});
network.run();

const shut = suite('a seat that may reach nothing');
const DENY_ALL = {
  profile: scene.profileWith({ policy: scene.policyWith() }),
  targets: TARGETS.filter(({ expect }) => expect === 'deny'),
};
shut('is proven by the kubelet, which reaches it', () => {
  assert.equal(news(groupWith({}, DENY_ALL)), []);
});
shut('is not proven where the kubelet does not reach it while it measures', () => {
  const silent = { count: 9, first: START, last: START + 19_999, from: [] };
  const lines = news(groupWith({ seatResult: { silent } }, DENY_ALL));
  assert.ok(lines.includes('N3 INCONCLUSIVE NoNetworkAtAll'));
  assert.not.ok(
    linesOf(judged(groupWith({ seatResult: { silent } }, DENY_ALL))).some((line) => line.endsWith(' PASS')),
  );
});
shut.run();

const start = suite('start window');
const windowOf = (told: scene.Told): number | undefined => startWindowOf(groupWith(told));
start('ends with the last connection before settling', () => assert.is(windowOf({ seat: { t3: BEFORE } }), 4_200));
start('is never longer than settling', () => assert.is(windowOf({ seat: { t3: open('connected') } }), 20_000));
start('is 0 where nothing was open', () => assert.is(windowOf({}), 0));
start('does not begin after settling', () => {
  const late: readonly Stretch[] = [
    ['timeout', 3_010, 19_000, 6],
    ['connected', 20_100, 29_000, 9],
  ];
  assert.is(windowOf({ seat: { t3: late } }), 0);
});
start('lasts as long as settling where only the witness noticed', () => {
  assert.is(windowOf({ controlResult: { witnessHeard: scene.heardSeat(NONCE) } }), 20_000);
});
start('leaves out what is open for good', () => {
  const targets = TARGETS.map((one) => (one.id === 't3' ? { ...one, gap: 'LocalNodeOpen' as const } : one));
  assert.is(startWindowOf(groupWith({ seat: { t3: open('connected') } }, { targets })), 0);
});
start('is not known without S', () => assert.is(startWindowOf(groupWith({}, { seatResult: gone })), undefined));
start('is proven by C in its first seconds, or by a witness that is older than S', () => {
  const late = { startedAt: START + 21_000 };
  assert.equal(news(groupWith({ controlResult: late })), ['N18 INCONCLUSIVE ControlLate']);
  const witness = (at: number) => ({
    status: { containerStatuses: [{ state: { running: { startedAt: new Date(at) } } }] },
  });
  const withWitness = (at: number): GroupFacts => {
    const group = groupWith({ controlResult: late });
    return { ...group, pods: { ...group.pods, witness: witness(at) as never } };
  };
  assert.equal(news(withWitness(START)), []);
  assert.equal(news(withWitness(START + 1)), ['N18 INCONCLUSIVE ControlLate']);
});
start.run();

const dns = suite('DNS');
dns('a rule for a whole namespace is a gap beside the verdict on the witness', () => {
  const profile = scene.profileWith({ policy: scene.policyWith(scene.PLATFORM_RULE, scene.WIDE_DNS_RULE) });
  assert.equal(news(groupWith({}, { profile })), ['N5 GAP DnsNamespaceWide']);
});
const zone = {
  id: 't9',
  check: 'N6',
  kind: 'dns-udp',
  address: 'resolver',
  port: 53,
  expect: 'deny',
  required: false,
  label: 'zone',
} as const;
const tunnel = (seat: string, control: string): string[] =>
  news(
    groupWith(
      { seat: { 't9/10.96.0.10': open(seat, 3_000) }, control: { 't9/10.96.0.10': open(control) } },
      { targets: [...TARGETS, zone] },
    ),
  );
for (const [seat, control, expected] of [
  ['answer:NOERROR', 'answer:NOERROR', 'N6 GAP DnsExfil'],
  ['answer:NOERROR', 'timeout', 'N6 GAP DnsExfil'],
  ['answer:NXDOMAIN', 'answer:NXDOMAIN', 'N6 INCONCLUSIVE NoControl'],
  ['answer:NXDOMAIN', 'answer:NOERROR', 'N6 INCONCLUSIVE NoControl'],
  ['answer:REFUSED', 'answer:NOERROR', 'N6 PASS'],
  ['timeout', 'answer:NOERROR', 'N6 PASS'],
  ['timeout', 'timeout', 'N6 INCONCLUSIVE NoControl'],
] as const) {
  dns(`zone: ${seat} for S, ${control} for C: ${expected}`, () => assert.equal(tunnel(seat, control), [expected]));
}
dns.run();

const dual = suite('two address families');
const SIX = {
  id: 't8',
  check: 'N3',
  kind: 'http',
  address: 'fd00::9',
  port: 8080,
  expect: 'deny',
  required: true,
  label: 'witness 6',
  witness: true,
} as const;
const bothFamilies = (seat: readonly Stretch[], control: readonly Stretch[]): string[] =>
  linesOf(
    judged(
      groupWith(
        { seat: { t8: seat }, control: { t8: control } },
        { targets: [...TARGETS, SIX], pods: { seat: scene.podWith({}, '10.244.0.5', 'fd00::5') } },
      ),
    ),
  ).filter((line) => line.startsWith('N15'));
dual('pass where each was blocked', () =>
  assert.equal(
    bothFamilies(
      dead.map(([, ...rest]) => ['timeout', ...rest]),
      open('echo'),
    ),
    ['N15 PASS'],
  ),
);
dual('fail where one is open', () => assert.equal(bothFamilies(open('echo'), open('echo')), ['N15 FAIL Reached']));
dual('are open where one proves nothing', () => assert.equal(bothFamilies(dead, dead), ['N15 INCONCLUSIVE NoControl']));
dual('are not known without the pod', () => {
  assert.ok(linesOf(judged(groupWith({}, { pods: {} }))).includes('N15 INCONCLUSIVE NotShown'));
});
dual.run();
