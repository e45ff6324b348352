// From results to one verdict: what decides, and that nothing is a PASS by absence.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckResult, Gap, Summary } from '../functions/model';
import { countsOf, inOrder, isEnforced, summarise, worstOf } from '../functions/probe/roll-up';

const test = suite('roll-up');

/** `FAIL Reached`, `PASS`. */
const result = (word: string, over: Partial<CheckResult> = {}): CheckResult => {
  const [verdict, reason] = word.split(' ');
  const control = verdict === 'PASS' ? { control: { seen: true } } : {};
  return {
    check: 'N3',
    message: `${reason ?? 'fine'}.`,
    verdict,
    ...(reason ? { reason } : {}),
    ...control,
    ...over,
  } as CheckResult;
};
const wordOf = ({ verdict, reason }: Summary): string => `${verdict} ${reason}`;

const ACCEPTED: readonly Gap[] = ['StartWindow', 'LocalNodeOpen'];
const TABLE: readonly [results: readonly string[], expected: string][] = [
  [[], 'INCONCLUSIVE NothingChecked'],
  [['SKIP NotDeclared'], 'INCONCLUSIVE NothingChecked'],
  [['PASS'], 'PASS Enforced'],
  [['PASS', 'SKIP NotDeclared'], 'PASS Enforced'],
  [['PASS', 'GAP StartWindow'], 'GAP EnforcedWithGaps'],
  [['GAP StartWindow', 'GAP LocalNodeOpen'], 'GAP EnforcedWithGaps'],
  [['PASS', 'GAP DnsExfil'], 'GAP DnsExfil'],
  [['GAP StartWindow', 'GAP DnsExfil'], 'GAP DnsExfil'],
  [['PASS', 'INCONCLUSIVE TargetDead'], 'INCONCLUSIVE TargetDead'],
  [['GAP DnsExfil', 'INCONCLUSIVE TargetDead'], 'INCONCLUSIVE TargetDead'],
  [['INCONCLUSIVE TargetDead', 'FAIL Reached'], 'FAIL Reached'],
  [['PASS', 'GAP DnsExfil', 'FAIL WrongUser', 'FAIL Reached'], 'FAIL WrongUser'],
  [['FAIL OverBlocked', 'FAIL Reached'], 'FAIL Reached'],
  [['FAIL OverBlocked'], 'FAIL OverBlocked'],
  [['INCONCLUSIVE NodeNotProbed', 'INCONCLUSIVE SeatNotRunning'], 'INCONCLUSIVE SeatNotRunning'],
  [['INCONCLUSIVE NoResult', 'INCONCLUSIVE NothingChecked'], 'INCONCLUSIVE NoResult'],
];
for (const [words, expected] of TABLE) {
  test(`${words.join(', ') || 'nothing'}: ${expected}`, () => {
    assert.is(
      wordOf(
        summarise(
          words.map((word) => result(word)),
          ACCEPTED,
        ),
      ),
      expected,
    );
  });
}

test('summaries are put together by the same order', () => {
  const of = (word: string): Summary => summarise(word ? [result(word)] : [], ACCEPTED);
  const table: readonly [readonly string[], string][] = [
    [[], 'INCONCLUSIVE NothingChecked'],
    [['PASS', ''], 'INCONCLUSIVE NothingChecked'],
    [['PASS', 'PASS'], 'PASS Enforced'],
    [['PASS', 'GAP StartWindow'], 'GAP EnforcedWithGaps'],
    [['GAP StartWindow', 'GAP DnsExfil'], 'GAP DnsExfil'],
    [['GAP DnsExfil', 'INCONCLUSIVE Timeout', 'PASS'], 'INCONCLUSIVE Timeout'],
    [['INCONCLUSIVE NothingChecked', 'INCONCLUSIVE Timeout'], 'INCONCLUSIVE Timeout'],
    [['INCONCLUSIVE Timeout', 'FAIL Reached'], 'FAIL Reached'],
  ];
  for (const [words, expected] of table) assert.is(wordOf(worstOf(words.map(of))), expected);
});

test('messages', () => {
  const message = (...words: string[]): string =>
    summarise(
      words.map((word) => result(word)),
      ACCEPTED,
    ).message;
  assert.is(message('PASS'), '1 check passed');
  assert.is(message('PASS', 'PASS', 'GAP StartWindow'), '2 checks passed, accepted gaps: StartWindow');
  assert.is(message('FAIL Reached'), 'N3: Reached');
  assert.is(message('FAIL Reached', 'FAIL Flapping', 'FAIL OverBlocked', 'PASS'), 'N3: Reached (and 2 more)');
});

const anyResult = fc
  .constantFrom(
    'PASS',
    'FAIL Reached',
    'FAIL OverBlocked',
    'INCONCLUSIVE Timeout',
    'INCONCLUSIVE NoResult',
    'GAP DnsExfil',
    'GAP StartWindow',
    'SKIP Stopped',
  )
  .map((word) => result(word));

test('enforced only if something passed or is an accepted gap, and nothing else counts', () => {
  fc.assert(
    fc.property(fc.array(anyResult), fc.subarray<Gap>(['DnsExfil', 'StartWindow']), (results, accepted) => {
      const good = (one: CheckResult): boolean =>
        one.verdict === 'PASS' || (one.verdict === 'GAP' && accepted.includes(one.reason));
      const counted = results.filter(({ verdict }) => verdict !== 'SKIP');
      assert.is(isEnforced(summarise(results, accepted)), counted.length > 0 && counted.every(good));
    }),
    { seed: 1 },
  );
});

test('a part that is put together is as bad as the whole', () => {
  fc.assert(
    fc.property(fc.array(anyResult, { minLength: 1 }), fc.array(anyResult, { minLength: 1 }), (one, other) => {
      fc.pre([one, other].every((part) => part.some(({ verdict }) => verdict !== 'SKIP')));
      const parts = worstOf([summarise(one, ACCEPTED), summarise(other, ACCEPTED)]);
      assert.is(parts.verdict, summarise([...one, ...other], ACCEPTED).verdict);
    }),
    { seed: 1 },
  );
});

test('order does not depend on who came first', () => {
  const some = [
    result('PASS', { check: 'T1', seat: 'b' }),
    result('PASS', { check: 'T1', seat: 'a' }),
    result('PASS', { check: 'N1', node: 'n2', target: 'x' }),
    result('PASS', { check: 'N1', node: 'n1', target: 'y' }),
    result('PASS', { check: 'N10' }),
  ];
  const words = (results: readonly CheckResult[]): string[] =>
    inOrder(results).map(({ check, node, seat }) => [check, node, seat].filter(Boolean).join(' '));
  assert.equal(words(some), ['N1 n1', 'N1 n2', 'N10', 'T1 a', 'T1 b']);
  assert.equal(words([...some].reverse()), words(some));
});

test('counts', () => {
  const words = [
    'PASS',
    'PASS',
    'FAIL Reached',
    'INCONCLUSIVE Timeout',
    'GAP StartWindow',
    'GAP DnsExfil',
    'GAP DnsExfil',
    'SKIP Stopped',
  ];
  assert.equal(countsOf(words.map((word) => result(word))), {
    passed: 2,
    failed: 1,
    inconclusive: 1,
    gaps: ['DnsExfil', 'StartWindow'],
  });
});

test.run();
