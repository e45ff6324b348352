// The report of a run: what applies to which seat, what has no result, exit codes, messages, and runs that are kept.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckID, CheckResult, GroupFacts, Plan, Report, RunRecord } from '../functions/model';
import { terminationMessage } from '../functions/probe/message';
import { exitCodeOf, type Run, recordsOf, reportOf } from '../functions/probe/report';
import { AT, factsWith, NAME, planWith, profileWith, recorded, seatWith } from './recorded-seat';

const test = suite('report');

const CHECKS: readonly CheckID[] = ['N1', 'N3', 'R1', 'U1', 'I3', 'A4'];
const PROFILE = profileWith({ checks: CHECKS });
const second = seatWith({ seat: 'second', key: 'second', name: 'seat-second-0' });

const planOf = (over: Partial<Plan> = {}): Plan =>
  planWith({ profiles: [PROFILE], seats: [seatWith(), second], ...over });
const accepting = (...acceptGaps: Plan['options']['acceptGaps'][number][]): Plan =>
  planOf({ options: { ...planOf().options, acceptGaps } });

const group = (node: string | undefined = 'node-1'): GroupFacts => ({
  profile: PROFILE,
  seat: 'lead',
  node,
  nonce: 'abc',
  controlNonce: 'def',
  targets: [],
  pods: { seat: { metadata: { name: 's', uid: 'u' } }, control: {} },
  seatResult: { obstacle: { reason: 'NoResult', message: '' } },
  controlResult: { obstacle: { reason: 'NoResult', message: '' } },
  settleSeconds: 20,
});

/** Both seats on nodes of their own. */
const facts = (nodes: readonly [string | undefined, string | undefined] = ['node-1', 'node-1']) => {
  const pods = [NAME, second.name].flatMap((name, index) => {
    const { pod } = recorded();
    pod.metadata!.name = `${name}-0`;
    pod.spec!.nodeName = nodes[index]!;
    return nodes[index] === undefined ? [] : [pod];
  });
  return factsWith(undefined, { pods: { value: pods } });
};

const pass = (check: CheckID, about: Partial<CheckResult>): CheckResult =>
  ({ check, verdict: 'PASS', message: 'fine', control: { seen: 1 }, ...about }) as CheckResult;
const other = (word: string, check: CheckID, about: Partial<CheckResult>): CheckResult => {
  const [verdict, reason] = word.split(' ');
  return { check, verdict, reason, message: `${reason} happened`, ...about } as CheckResult;
};
const HERE = { profile: PROFILE.digest, node: 'node-1' };
const ofGroup = (...checks: CheckID[]): CheckResult[] => checks.map((check) => pass(check, HERE));
const ofSeats = (...checks: CheckID[]): CheckResult[] =>
  ['lead', 'second'].flatMap((seat) => checks.map((check) => pass(check, { seat })));
const ALL = [...ofGroup('N1', 'N3', 'R1'), ...ofSeats('U1', 'I3', 'A4')];
const without = (check: CheckID): CheckResult[] => ALL.filter((one) => one.check !== check);

const report = (over: Partial<Run> = {}): Report => {
  const groups = over.groups ?? [group()];
  return reportOf({
    plan: planOf(),
    digest: 'd1',
    run: 'r1',
    startedAt: AT,
    endedAt: AT + 61_500,
    results: ALL,
    groups,
    facts: facts(),
    startWindows: new Map(groups.map((one) => [one, 120])),
    ...over,
  });
};
const wordsOf = ({ verdict, reason, seats }: Report): string[] => [
  `${verdict} ${reason}`,
  ...seats.map((seat) => `${seat.seat} ${seat.verdict} ${seat.reason}`),
];

test('everything passed', () => {
  const one = report();
  assert.equal(wordsOf(one), ['PASS Enforced', 'lead PASS Enforced', 'second PASS Enforced']);
  assert.is(one.message, 'PASS: 2 seats enforced');
  assert.is(exitCodeOf(one), 0);
  assert.equal(
    [one.startedAt, one.endedAt, one.validUntil],
    ['2026-12-01T01:47:39Z', '2026-12-01T01:48:40Z', '2026-12-01T02:48:40Z'],
  );
  assert.equal([one.passed, one.failed, one.inconclusive], [9, 0, 0]);
  assert.equal([one.seats[1]!.passed, one.seats[1]!.provenBy, one.seats[1]!.node], [6, 'lead', 'node-1']);
  assert.equal(Object.keys(one.seats[0]!.areas).sort(), ['admission', 'identity', 'network', 'runtime']);
  assert.equal(one.groups, [
    {
      profile: PROFILE.digest,
      node: 'node-1',
      seat: 'lead',
      nonce: 'abc',
      pods: { seat: { name: 's', uid: 'u' } },
      startWindowMs: 120,
    },
  ]);
});

test('the order of results changes no byte', () => {
  const results = [...ALL].reverse();
  assert.is(JSON.stringify(report({ results })), JSON.stringify(report()));
});

test('a check without a result is not a PASS', () => {
  for (const check of CHECKS) {
    const one = report({ results: without(check) });
    assert.is(`${one.verdict} ${one.reason}`, 'INCONCLUSIVE NothingChecked', check);
    assert.ok(one.seats.every(({ verdict }) => verdict === 'INCONCLUSIVE'));
    assert.is(exitCodeOf(one), 2);
    const shared = ['N1', 'N3', 'R1'].includes(check);
    assert.is(one.inconclusive, shared ? 1 : 2, check);
  }
});

test('nothing at all is not a PASS', () => {
  assert.is(exitCodeOf(report({ results: [], groups: [], facts: undefined })), 2);
  assert.is(exitCodeOf(report({ results: [], plan: planOf({ seats: [] }) })), 2);
  const undemanding = planOf({ profiles: [profileWith({ checks: [] })] });
  assert.is(exitCodeOf(report({ results: ofSeats('I3'), plan: undemanding })), 2);
  const skipped = ['lead', 'second'].map((seat) => other('SKIP NotDeclared', 'A4', { seat }));
  const one = report({
    results: [...skipped, ...ofGroup('N1')],
    plan: planOf({ profiles: [profileWith({ checks: [] })] }),
    groups: [],
    facts: facts([undefined, undefined]),
  });
  assert.equal(wordsOf(one)[1], 'lead INCONCLUSIVE NothingChecked');
  assert.is(exitCodeOf(one), 2);
});

test('a seat on another node is not proven by the probe of this one', () => {
  const one = report({ facts: facts(['node-1', 'node-2']) });
  assert.equal(wordsOf(one), ['INCONCLUSIVE NodeNotProbed', 'lead PASS Enforced', 'second INCONCLUSIVE NodeNotProbed']);
  assert.equal(
    one.seats.map(({ provenBy }) => provenBy),
    ['lead', undefined],
  );
  assert.is(one.seats[1]!.areas.admission?.verdict, 'PASS');
  assert.is(one.seats[1]!.areas.network?.reason, 'NodeNotProbed');
  const pending = report({ facts: facts(['node-1', undefined]) });
  assert.is(wordsOf(pending)[2], 'second INCONCLUSIVE NodeNotProbed');
});

test('a FAIL of a group is one of all its seats, a FAIL of a seat is its own', () => {
  const shared = report({ results: [...without('N3'), other('FAIL Reached', 'N3', HERE)] });
  assert.equal(wordsOf(shared), ['FAIL Reached', 'lead FAIL Reached', 'second FAIL Reached']);
  assert.is(shared.message, 'FAIL: 2 of 2 seats: N3: Reached happened');
  const own = report({ results: [...ALL, other('FAIL PolicyWidens', 'U1', { seat: 'second' })] });
  assert.equal(wordsOf(own), ['FAIL PolicyWidens', 'lead PASS Enforced', 'second FAIL PolicyWidens']);
  assert.is(own.message, 'FAIL: seat second: U1: PolicyWidens happened');
  assert.is(exitCodeOf(own), 10);
  const nobodys = report({ results: [...ALL, other('FAIL Reached', 'N3', { ...HERE, node: 'node-9' })] });
  assert.is(exitCodeOf(nobodys), 10);
});

test('gaps', () => {
  const results = [...without('N3'), other('GAP StartWindow', 'N3', HERE)];
  const open = report({ results });
  assert.equal(wordsOf(open)[0], 'GAP StartWindow');
  assert.is(exitCodeOf(open), 2);
  assert.is(open.message, 'GAP: 2 of 2 seats: N3: StartWindow happened');
  const accepted = report({ results, plan: accepting('StartWindow') });
  assert.equal(wordsOf(accepted)[0], 'GAP EnforcedWithGaps');
  assert.is(accepted.message, 'PASS: 2 seats enforced, accepted gaps: StartWindow');
  assert.is(exitCodeOf(accepted), 0);
  assert.equal(accepted.seats[0]!.gaps, ['StartWindow']);
  assert.is(terminationMessage(accepted), accepted.message);
});

test('a stopped seat needs no probe pod', () => {
  const plan = planOf({ seats: [seatWith(), seatWith({ ...second, running: false })] });
  const one = report({ plan, facts: facts(['node-1', undefined]) });
  assert.equal(wordsOf(one), ['PASS Enforced', 'lead PASS Enforced', 'second PASS Enforced']);
  assert.is(one.message, 'PASS: 1 seat enforced, 1 stopped');
  assert.is(one.seats[1]!.provenBy, undefined);
  const unlooked = report({
    plan,
    facts: facts(['node-1', undefined]),
    results: ALL.filter(({ seat, check }) => seat !== 'second' || check !== 'A4'),
  });
  assert.is(wordsOf(unlooked)[2], 'second INCONCLUSIVE NothingChecked');
  assert.is(exitCodeOf(unlooked), 2);
  const pending = planOf({ seats: [seatWith(), seatWith({ ...second, running: false })] });
  assert.is(
    wordsOf(report({ plan: pending, facts: facts([undefined, undefined]), groups: [] }))[2],
    'second PASS Enforced',
  );
});

test('an obstacle is the reason for what has no result, and hides no FAIL', () => {
  const obstacle = { reason: 'Interrupted', message: 'the prober was told to stop' } as const;
  const nothing = report({ results: [], groups: [], facts: undefined, obstacle });
  assert.equal(wordsOf(nothing), [
    'INCONCLUSIVE Interrupted',
    'lead INCONCLUSIVE Interrupted',
    'second INCONCLUSIVE Interrupted',
  ]);
  assert.match(nothing.message, /^INCONCLUSIVE: 2 of 2 seats: the prober was told to stop/);
  assert.is(exitCodeOf(nothing), 2);
  assert.is(wordsOf(report({ obstacle }))[0], 'INCONCLUSIVE Interrupted');
  const failed = report({ results: [other('FAIL Reached', 'N3', HERE)], obstacle });
  assert.is(wordsOf(failed)[0], 'FAIL Reached');
});

test('every PASS keeps its control', () => {
  for (const { verdict, control } of report().results) assert.ok(verdict !== 'PASS' || control);
});

test('termination message: FAIL first, escaped, at most 4096 bytes', () => {
  const results = [
    ...ALL,
    other('INCONCLUSIVE Timeout', 'N1', { seat: 'lead', message: 'slow' }),
    other('FAIL Reached', 'N3', { ...HERE, message: 'bad\n::error::\u001b[31mred' }),
  ];
  assert.equal(terminationMessage(report({ results })).split('\n'), [
    'FAIL: 2 of 2 seats: N3: bad\\n::error::\\x1b[31mred',
    'FAIL Reached profile=p1 node=node-1 N3: bad\\n::error::\\x1b[31mred',
    'INCONCLUSIVE Timeout seat=lead N1: slow',
  ]);
  for (const count of [1, 20, 400]) {
    for (const filler of ['x'.repeat(90), '☃'.repeat(70), '😀'.repeat(2000)]) {
      const many = Array.from({ length: count }, (_, index) =>
        other('FAIL Reached', 'N3', { ...HERE, target: `t${index}`, message: `${filler}${index}` }),
      );
      const text = terminationMessage(report({ results: many }));
      assert.ok(Buffer.byteLength(text) <= 4096, `${count} ${Buffer.byteLength(text)}`);
      assert.not.match(text, /\uFFFD/);
      const lines = text.split('\n');
      const left = Number(/^… and (\d+) more in the report$/.exec(lines.at(-1)!)?.[1] ?? 0);
      const told = lines.filter((one) => one.startsWith('FAIL Reached')).length;
      const open = lines.filter((one) => one.startsWith('INCONCLUSIVE')).length;
      assert.is(left + told + open, count + report({ results: many }).inconclusive);
    }
  }
});

const record = (run: string, verdict: RunRecord['verdict'] = 'PASS'): RunRecord => ({
  run,
  digest: 'd',
  endedAt: 'e',
  verdict,
  reason: 'r',
  message: 'm',
});
const runs = (earlier: readonly RunRecord[]): string[] => recordsOf(report(), earlier).map(({ run }) => run);
const numbered = (count: number): RunRecord[] => Array.from({ length: count }, (_, index) => record(`o${index}`));

test('runs are kept, newest first, and the last FAIL is never lost', () => {
  assert.equal(recordsOf(report(), []), [
    {
      run: 'r1',
      digest: 'd1',
      endedAt: '2026-12-01T01:48:40Z',
      verdict: 'PASS',
      reason: 'Enforced',
      message: 'PASS: 2 seats enforced',
    },
  ]);
  assert.equal(runs([record('a'), record('b')]), ['r1', 'a', 'b']);
  assert.equal(runs([record('a'), record('r1')]), ['r1', 'a']);
  assert.is(runs(numbered(30)).length, 20);
  const old = [...numbered(25), record('bad', 'FAIL'), record('worse', 'FAIL')];
  assert.equal(runs(old).slice(-2), ['o17', 'bad']);
  assert.is(runs(old).length, 20);
  const again = recordsOf(report({ run: 'r2' }), recordsOf(report(), old));
  assert.is(again.at(-1)!.run, 'bad');
});

test.run();
