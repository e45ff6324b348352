// A Seat's status as kstatus, Flux and kubectl read it: after runs of every kind, while one is on, and from one to the next.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Area, Report, SeatReport, Summary } from '../functions/model';
import { CONDITIONS } from '../functions/probe/checks';
import { probingStatus, type SeatStatus, statusOf, transitionsOf } from '../functions/probe/conditions';
import { worstOf } from '../functions/probe/roll-up';

const test = suite('conditions');

const NOW = Date.parse('2026-12-01T12:00:00Z');
const LATER = NOW + 60_000;

const summaryOf = (word: string): Summary => {
  const [verdict = '', reason = ''] = word.split(' ');
  return { verdict: verdict as Summary['verdict'], reason, message: `${reason} it is` };
};
const GOOD = 'PASS Enforced';
const WORDS = [GOOD, 'GAP EnforcedWithGaps', 'GAP StartWindow', 'INCONCLUSIVE Timeout', 'FAIL Reached'] as const;
const STATUS: Readonly<Record<string, string>> = {
  [GOOD]: 'True',
  'GAP EnforcedWithGaps': 'True',
  'GAP StartWindow': 'Unknown',
  'INCONCLUSIVE Timeout': 'Unknown',
  'FAIL Reached': 'False',
};

const seatOf = (areas: Partial<Record<Area, string>>, over: Partial<SeatReport> = {}): SeatReport => {
  const summaries = Object.fromEntries(Object.entries(areas).map(([area, word]) => [area, summaryOf(word)]));
  return {
    seat: 'lead',
    name: 'seat-lead-1',
    tier: 'tier-0',
    profile: 'sha256:p',
    node: 'n1',
    provenBy: 'lead',
    running: true,
    configRevision: 'sha256:c',
    ...worstOf(Object.values(summaries)),
    areas: summaries,
    passed: 5,
    failed: 1,
    inconclusive: 2,
    gaps: ['StartWindow'],
    ...over,
  };
};
const REPORT = {
  digest: 'd1',
  endedAt: '2026-12-01T11:59:59Z',
  validUntil: '2026-12-02T11:59:59Z',
} as Report;
const after = (areas: Partial<Record<Area, string>>, status?: SeatStatus, now = NOW, generation = 3): SeatStatus =>
  statusOf(REPORT, seatOf(areas), { generation, status }, now);
const condition = ({ conditions }: SeatStatus, type: string) => conditions?.find((one) => one.type === type);
const words = (status: SeatStatus): Record<string, string> =>
  Object.fromEntries((status.conditions ?? []).map((one) => [one.type, `${one.status} ${one.reason}`]));

/** As cli-utils reads a kind that it does not know (pkg/kstatus/status/generic.go, core.go). */
function kstatus(generation: number, { observedGeneration, conditions = [] }: SeatStatus): string {
  if (observedGeneration !== undefined && observedGeneration !== generation) return 'InProgress';
  for (const { type, status } of conditions) {
    if (type === 'Reconciling' && status === 'True') return 'InProgress';
    if (type === 'Stalled' && status === 'True') return 'Failed';
  }
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready && ready.status !== 'True' ? 'InProgress' : 'Current';
}
const READ: Readonly<Record<string, string>> = { True: 'Current', False: 'Failed', Unknown: 'InProgress' };

/** What no status of ours may be. */
function assertSound(status: SeatStatus): void {
  const is = (type: string): boolean => condition(status, type)?.status === 'True';
  assert.not.ok(is('Reconciling') && is('Stalled'), 'kstatus would take the first');
  assert.not.ok(is('Ready') && (is('Stalled') || is('Reconciling')), 'Ready contradicts');
  const conditions = status.conditions ?? [];
  assert.is(new Set(conditions.map(({ type }) => type)).size, conditions.length, 'one of each type');
  for (const type of ['Ready', 'Reconciling', 'Stalled']) assert.ok(condition(status, type), type);
  for (const { reason, message, lastTransitionTime } of conditions) {
    assert.match(reason, /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
    assert.ok(Buffer.byteLength(message) <= 1024);
    assert.match(lastTransitionTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  }
  // The same whatever the order of the list.
  const turned = { ...status, conditions: [...conditions].reverse() };
  assert.is(kstatus(3, turned), kstatus(3, status));
}

for (const word of WORDS) {
  test(`${word}: ${STATUS[word]}, and ${READ[STATUS[word]!]} for kstatus`, () => {
    const status = after({ network: word, admission: GOOD });
    assert.is(condition(status, 'SandboxEnforced')?.status, STATUS[word]);
    assert.is(condition(status, 'Ready')?.status, STATUS[word]);
    assert.is(condition(status, 'NetworkEnforced')?.status, STATUS[word]);
    assert.is(condition(status, 'AdmittedAsDeclared')?.status, 'True');
    assert.is(kstatus(3, status), READ[STATUS[word]!]);
    assert.is(kstatus(4, status), 'InProgress');
    assertSound(status);
  });
}

test('from any status to any other: sound, and kstatus says what the last run found', () => {
  for (const first of WORDS) {
    for (const next of WORDS) {
      const before = after({ network: first });
      const probing = probingStatus({ generation: 3, status: before }, LATER);
      assertSound(probing);
      assert.is(kstatus(3, probing), 'InProgress');
      const status = after({ runtime: next }, probing, LATER);
      assertSound(status);
      assert.is(kstatus(3, status), READ[STATUS[next]!]);
    }
  }
});

test('a condition is as bad as the worst of its areas, and absent where nothing was declared', () => {
  assert.equal(words(after({ runtime: GOOD, process: 'FAIL Reached', filesystem: 'INCONCLUSIVE Timeout' })), {
    RuntimeEnforced: 'False Reached',
    SandboxEnforced: 'False Reached',
    Ready: 'False Reached',
    Reconciling: 'False ProbeEnded',
    Stalled: 'True Reached',
  });
});

test('every area has a condition', () => {
  const areas = Object.values(CONDITIONS).flat();
  assert.is(new Set(areas).size, 9);
  for (const area of areas) assert.is(after({ [area]: GOOD }).conditions?.length, 5, area);
});

test('the whole status', () => {
  const { conditions, ...rest } = after({ network: GOOD });
  assert.equal(rest, {
    observedGeneration: 3,
    configRevision: 'sha256:c',
    workload: { kind: 'StatefulSet', name: 'seat-lead-1' },
    lastProbe: {
      digest: 'd1',
      time: '2026-12-01T11:59:59Z',
      verdict: 'PASS',
      passed: 5,
      failed: 1,
      inconclusive: 2,
      gaps: ['StartWindow'],
      validUntil: '2026-12-02T11:59:59Z',
    },
  });
  assert.equal(conditions?.[0], {
    type: 'NetworkEnforced',
    status: 'True',
    reason: 'Enforced',
    message: 'Enforced it is',
    lastTransitionTime: '2026-12-01T12:00:00Z',
    observedGeneration: 3,
  });
});

test('the time of a transition is that of the status, not of the reason', () => {
  const times = (word: string): (string | undefined)[] => {
    const status = after({ network: word }, after({ network: 'GAP StartWindow' }), LATER);
    return ['NetworkEnforced', 'Ready', 'Stalled'].map((type) => condition(status, type)?.lastTransitionTime);
  };
  const [then, now] = ['2026-12-01T12:00:00Z', '2026-12-01T12:01:00Z'];
  assert.equal(times('INCONCLUSIVE Timeout'), [then, then, then]);
  assert.equal(times(GOOD), [now, now, then]);
  assert.equal(times('FAIL Reached'), [now, now, now]);
});

test('while a probe runs, what was found stays', () => {
  const before = after({ network: 'FAIL Reached', runtime: GOOD });
  const foreign = { ...condition(before, 'Ready')!, type: 'example.com/Other' };
  const probing = probingStatus(
    { generation: 4, status: { ...before, conditions: [...before.conditions!, foreign] } },
    LATER,
  );
  assert.equal(words(probing), {
    NetworkEnforced: 'False Reached',
    RuntimeEnforced: 'True Enforced',
    SandboxEnforced: 'False Reached',
    Ready: 'Unknown Probing',
    Reconciling: 'True Probing',
    Stalled: 'False Probing',
  });
  assert.equal(condition(probing, 'NetworkEnforced'), condition(before, 'NetworkEnforced'));
  assert.is(probing.observedGeneration, 4);
  assert.equal([probing.lastProbe, probing.workload], [before.lastProbe, before.workload]);
  assertSound(probingStatus({ generation: 3 }, NOW));
});

const told = (previous: SeatStatus | undefined, next: SeatStatus): string[] =>
  transitionsOf(previous, next).map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

test('events tell transitions and nothing else', () => {
  const good = after({ network: GOOD, runtime: GOOD });
  const bad = after({ network: 'FAIL Reached', runtime: GOOD });
  assert.equal(told(undefined, good), ['Normal Enforced: SandboxEnforced is True: Enforced it is']);
  assert.equal(told(good, good), []);
  assert.equal(told(good, probingStatus({ generation: 3, status: good }, LATER)), []);
  const turned = [
    'Warning Reached: NetworkEnforced is False: Reached it is',
    'Warning Reached: SandboxEnforced is False: Reached it is',
  ];
  assert.equal(told(undefined, bad), turned);
  assert.equal(told(good, bad), turned);
  assert.equal(told(probingStatus({ generation: 3, status: good }, LATER), bad), turned);
  assert.equal(
    told(after({ network: 'INCONCLUSIVE Timeout' }), after({ network: 'INCONCLUSIVE Interrupted' })).length,
    2,
  );
  assert.equal(
    told(bad, good).map((one) => one.split(' ')[0]),
    ['Normal', 'Normal'],
  );
});

test('messages are cut at a character and cannot command a terminal', () => {
  for (const text of ['x'.repeat(2000), '☃'.repeat(500), '😀'.repeat(300), `${'x'.repeat(1022)}☃☃`]) {
    const seat = seatOf({ network: GOOD }, { verdict: 'FAIL', reason: 'Reached', message: text });
    const status = statusOf(REPORT, seat, { generation: 3 }, NOW);
    assertSound(status);
    assert.not.match(condition(status, 'Ready')!.message, /\uFFFD/);
    assert.match(condition(status, 'Ready')!.message, /…$/);
    for (const { message } of transitionsOf(undefined, status)) assert.ok(Buffer.byteLength(message) <= 1024);
  }
  const seat = seatOf({ network: GOOD }, { message: '\u001b[31m' });
  assert.is(condition(statusOf(REPORT, seat, { generation: 3 }, NOW), 'Ready')?.message, '\\x1b[31m');
});

test.run();
