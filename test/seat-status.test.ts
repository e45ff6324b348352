// `seatplan status`: what counts as proven, and how it is shown.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Report, SeatReport } from '../functions/model';
import { type SeatObject, statusesOf, statusJson, statusJunit, tableOf } from '../functions/report/seat-status';

const test = suite('seat status');
const NOW = Date.parse('2026-12-01T12:00:00Z');

const seat = (over: Partial<SeatReport> = {}): SeatReport => ({
  verdict: 'PASS',
  reason: 'Enforced',
  message: 'all of it',
  seat: 'researcher',
  name: 'seat-researcher-12345678',
  tier: 'hardened',
  profile: 'sha256:0',
  node: 'n1',
  provenBy: 'researcher',
  running: true,
  areas: {},
  passed: 9,
  failed: 0,
  inconclusive: 0,
  gaps: [],
  ...over,
});
const report = (seats: readonly SeatReport[], validUntil = '2026-12-01T13:00:00Z'): Report =>
  ({ version: 1, namespace: 'team-a', endedAt: '2026-12-01T11:50:00Z', validUntil, seats }) as unknown as Report;
const published = (...seats: SeatReport[]) => [{ namespace: 'team-a', report: report(seats) }];
const object = (generation: number, status: SeatObject['status'] = {}): SeatObject => ({
  metadata: { name: 'researcher', namespace: 'team-a', generation },
  spec: { tierRef: { name: 'hardened' } },
  status,
});
const verdicts = (rows: ReturnType<typeof statusesOf>) => rows.map(({ enforced, reason }) => `${enforced} ${reason}`);

test('a verdict is a condition', () => {
  const table: readonly [Partial<SeatReport>, string][] = [
    [{}, 'True Enforced'],
    [{ verdict: 'GAP', reason: 'EnforcedWithGaps', gaps: ['StartWindow'] }, 'True EnforcedWithGaps'],
    [{ verdict: 'GAP', reason: 'LocalNodeOpen' }, 'Unknown LocalNodeOpen'],
    [{ verdict: 'INCONCLUSIVE', reason: 'TargetDead' }, 'Unknown TargetDead'],
    [{ verdict: 'FAIL', reason: 'Reached' }, 'False Reached'],
  ];
  for (const [over, expected] of table) assert.equal(verdicts(statusesOf(published(seat(over)), [], NOW)), [expected]);
});

test('a PASS ends with its validity, a FAIL does not', () => {
  const old = (over: Partial<SeatReport>) => [
    { namespace: 'team-a', report: report([seat(over)], '2026-12-01T12:00:00Z') },
  ];
  assert.equal(verdicts(statusesOf(old({}), [], NOW)), ['Unknown Stale']);
  assert.equal(verdicts(statusesOf(old({ verdict: 'FAIL', reason: 'Reached' }), [], NOW)), ['False Reached']);
});

test('what runs a seat is told by its report, else by its Seat', () => {
  const workloads = (...args: Parameters<typeof statusesOf>) => statusesOf(...args).map(({ workload }) => workload);
  const claim = { kind: 'SandboxClaim', name: 'seat-researcher-12345678-pooled' } as const;
  assert.equal(workloads(published(seat()), [], NOW), [{ kind: 'StatefulSet', name: 'seat-researcher-12345678' }]);
  assert.equal(workloads(published(seat({ workload: claim })), [], NOW), [claim]);
  assert.equal(workloads([], [object(1, { workload: claim })], NOW), [claim]);
});

test('an edited Seat is no longer proven', () => {
  const rows = (observed: number) => statusesOf(published(seat()), [object(2, { observedGeneration: observed })], NOW);
  assert.equal(verdicts(rows(2)), ['True Enforced']);
  assert.equal(verdicts(rows(1)), ['Unknown SeatChanged']);
});

test('a Seat without a report speaks for itself, or was never probed', () => {
  const condition = { type: 'SandboxEnforced', status: 'True', reason: 'Enforced', message: '' };
  const lastProbe = { time: '2026-12-01T11:00:00Z', validUntil: '2026-12-01T13:00:00Z' };
  assert.equal(verdicts(statusesOf([], [object(1)], NOW)), ['Unknown NeverProbed']);
  assert.equal(verdicts(statusesOf([], [object(1, { conditions: [condition], lastProbe })], NOW)), ['True Enforced']);
  assert.equal(
    verdicts(
      statusesOf([], [object(1, { conditions: [condition], lastProbe: { validUntil: '2026-12-01T11:30:00Z' } })], NOW),
    ),
    ['Unknown Stale'],
  );
});

test('the table has a line per seat, and says why one is not proven', () => {
  const rows = statusesOf(
    published(
      seat({ verdict: 'FAIL', reason: 'Reached', message: 'witness\u001b[2J was reached' }),
      seat({ seat: 'auditor' }),
    ),
    [],
    NOW,
  );
  assert.is(
    tableOf(rows, NOW),
    [
      'NAMESPACE   SEAT         TIER       ENFORCED   REASON     AGE   VALID   GAPS',
      'team-a      auditor      hardened   True       Enforced   10m   60m     -',
      'team-a      researcher   hardened   False      Reached    10m   60m     -',
      '',
      'team-a/researcher: Reached: witness\\x1b[2J was reached',
      '',
    ].join('\n'),
  );
});

test('JSON and JUnit hold the same', () => {
  const rows = statusesOf(
    published(seat({ verdict: 'FAIL', reason: 'Reached', message: '<b>' }), seat({ seat: 'a' })),
    [],
    NOW,
  );
  assert.equal(
    JSON.parse(statusJson(rows)).seats.map(({ enforced }: { enforced: string }) => enforced),
    ['True', 'False'],
  );
  const xml = statusJunit(rows);
  assert.match(xml, 'tests="2" failures="1" errors="0"');
  assert.match(xml, '<failure type="Reached" message="&lt;b&gt;"/>');
});

test.run();
