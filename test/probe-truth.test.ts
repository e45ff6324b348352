// The truth table of a target, row by row: what S's and C's attempts prove together.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AllowedCase,
  around,
  type DeniedCase,
  type IngressCase,
  outcomeOf,
  type Ruling,
  ruleAllowed,
  ruleDenied,
  ruleIngress,
  type Seen,
  seenOf,
  within,
} from '../functions/probe/truth';

/** S measures from 20 s to 30 s. */
const seen = (result: string, first = 20_000, last = 30_000, count = 10): Seen => ({ result, first, last, count });
const REACHED: DeniedCase['control'] = { value: [seen('connected', 5_000, 33_000, 28)] };
const told = ({ verdict, reason }: Ruling): string => (reason === undefined ? verdict : `${verdict} ${reason}`);

const BASE: DeniedCase = {
  seat: [seen('timeout', 20_000, 30_000, 3)],
  control: REACHED,
  target: { required: true },
  heard: undefined,
  allowed: true,
  controlNetwork: true,
};
const WITNESS: DeniedCase = {
  ...BASE,
  control: { value: [seen('echo', 5_000, 33_000, 28)] },
  target: { required: true, witness: true },
  heard: false,
  controlHeard: true,
};
const gap: DeniedCase['target'] = { required: false, gap: 'LocalNodeOpen' };
const alive: DeniedCase['target'] = { required: true, alive: 'ready' };
const proxied = (seat: boolean, control: boolean) => ({ proxied: { seat, control } });
const both = (result: string, second: string): Pick<DeniedCase, 'seat'> => ({
  seat: [seen(result, 20_000, 24_000), seen(second, 25_000, 30_000)],
});
const controlGot = (...results: string[]): Pick<DeniedCase, 'control'> => ({
  control: { value: results.map((one) => seen(one)) },
});

const DENIED: Record<string, readonly [base: DeniedCase, change: Partial<DeniedCase>, expected: string]> = {
  'S connects': [BASE, { seat: [seen('connected')] }, 'FAIL Reached'],
  'S gets an answer': [BASE, { seat: [seen('answer:REFUSED')] }, 'FAIL Reached'],
  'S connects, and C has no result': [
    BASE,
    { seat: [seen('connected')], control: { obstacle: { reason: 'QuotaDenied', message: '' } } },
    'FAIL Reached',
  ],
  'S connects, C does not': [BASE, { seat: [seen('connected')], ...controlGot('timeout') }, 'FAIL Reached'],
  'W echoes to S': [WITNESS, { seat: [seen('echo')], heard: true }, 'FAIL Reached'],
  'W echoes to S, and its list lacks S': [WITNESS, { seat: [seen('echo')] }, 'FAIL Reached'],
  'W hears S, and says nothing': [WITNESS, { seat: [seen('connected')], heard: true }, 'FAIL Reached'],
  'W refuses a DNS question of S': [WITNESS, { seat: [seen('answer:REFUSED')], heard: true }, 'FAIL Reached'],
  'S connects to W, W cannot be asked': [WITNESS, { seat: [seen('connected')], heard: undefined }, 'FAIL Reached'],
  'S connects to W, nothing arrives': [WITNESS, { seat: [seen('connected')] }, 'INCONCLUSIVE InterceptedByProxy'],
  'somebody answers S for W': [WITNESS, { seat: [seen('answer')] }, 'INCONCLUSIVE InterceptedByProxy'],
  'a bare connection behind a proxy': [
    BASE,
    { seat: [seen('connected')], ...proxied(true, false) },
    'INCONCLUSIVE InterceptedByProxy',
  ],
  'an answer behind a proxy': [BASE, { seat: [seen('answer')], ...proxied(true, false) }, 'FAIL Reached'],
  'open to the own node': [BASE, { seat: [seen('connected')], target: gap }, 'GAP LocalNodeOpen'],
  'at times open to the own node': [BASE, { ...both('connected', 'timeout'), target: gap }, 'GAP LocalNodeOpen'],

  'now and then': [BASE, both('timeout', 'connected'), 'FAIL Flapping'],
  'first open, then not': [WITNESS, both('echo', 'ECONNREFUSED'), 'FAIL Flapping'],
  'open, then an error of its own': [BASE, both('connected', 'ERROR'), 'FAIL Flapping'],

  'dropped, C through': [BASE, {}, 'PASS'],
  'dropped, W echoes to C and hears no S': [WITNESS, {}, 'PASS'],
  'W hears C, though it does not echo': [WITNESS, controlGot('answer:REFUSED'), 'PASS'],
  'two kinds of block': [BASE, both('timeout', 'ECONNREFUSED'), 'PASS'],

  'W hears S, no reply': [WITNESS, { heard: true }, 'FAIL RequestGotOut'],
  'W hears S, C has no result': [
    WITNESS,
    { heard: true, control: { obstacle: { reason: 'NoResult', message: '' } } },
    'FAIL RequestGotOut',
  ],
  'W hears S of which nothing else is understood': [
    WITNESS,
    { heard: true, seat: [seen('ERROR')] },
    'FAIL RequestGotOut',
  ],
  'W cannot be asked': [WITNESS, { heard: undefined, controlHeard: undefined }, 'INCONCLUSIVE NoControl'],
  'W cannot be asked about a DNS question of C': [
    WITNESS,
    { ...controlGot('answer:REFUSED'), controlHeard: undefined },
    'INCONCLUSIVE NoControl',
  ],

  'dead for both': [BASE, controlGot('timeout'), 'INCONCLUSIVE TargetDead'],
  'refused to both': [BASE, { seat: [seen('ECONNREFUSED')], ...controlGot('ECONNREFUSED') }, 'INCONCLUSIVE TargetDead'],
  'dead for both in other ways': [BASE, controlGot('ECONNREFUSED', 'EHOSTUNREACH'), 'INCONCLUSIVE TargetDead'],
  'C blocked by another policy': [
    BASE,
    { ...controlGot('timeout'), blocker: 'default-deny' },
    'INCONCLUSIVE ControlBlocked',
  ],
  'another policy selects C and does not block it': [BASE, { blocker: 'default-deny' }, 'PASS'],
  'nothing there': [BASE, { ...controlGot('timeout'), target: { required: false } }, 'SKIP NothingThere'],
  'nothing there for a C without network': [
    BASE,
    { ...controlGot('timeout'), target: { required: false }, controlNetwork: false },
    'INCONCLUSIVE NoControl',
  ],
  'C did not say what it found': [
    BASE,
    { ...controlGot('timeout', 'ERROR'), target: { required: false } },
    'INCONCLUSIVE NotShown',
  ],
  'C never tried': [BASE, { control: { value: [] } }, 'INCONCLUSIVE NoControl'],
  'C could not be made': [
    BASE,
    { control: { obstacle: { reason: 'QuotaDenied', message: '' } } },
    'INCONCLUSIVE QuotaDenied',
  ],
  'somebody answers C for W': [
    WITNESS,
    { ...controlGot('answer'), controlHeard: false },
    'INCONCLUSIVE InterceptedByProxy',
  ],
  'C behind a proxy': [BASE, proxied(false, true), 'INCONCLUSIVE InterceptedByProxy'],
  'C behind a proxy gets an answer': [BASE, { ...controlGot('answer'), ...proxied(false, true) }, 'PASS'],

  'C through too early': [BASE, { control: { value: [seen('connected', 1_000, 17_999)] } }, 'INCONCLUSIVE ControlLate'],
  'C through just before': [BASE, { control: { value: [seen('connected', 1_000, 18_000)] } }, 'PASS'],
  'C through just after': [BASE, { control: { value: [seen('connected', 32_000, 40_000)] } }, 'PASS'],
  'C through too late': [BASE, { control: { value: [seen('connected', 32_001, 40_000)] } }, 'INCONCLUSIVE ControlLate'],
  'C through once while S measures': [
    BASE,
    { control: { value: [seen('timeout', 3_000, 21_000), seen('connected', 25_000, 25_000, 1)] } },
    'PASS',
  ],

  'S reaches nothing at all': [BASE, { allowed: false }, 'INCONCLUSIVE NoNetworkAtAll'],
  'S reaches nothing, W neither': [WITNESS, { allowed: false }, 'INCONCLUSIVE NoNetworkAtAll'],
  'no attempt of S': [BASE, { seat: [] }, 'INCONCLUSIVE NoResult'],
  'a name that did not resolve': [BASE, { seat: [seen('ENOTFOUND')] }, 'INCONCLUSIVE NotShown'],
  'blocked, then not understood': [BASE, both('timeout', 'EMFILE'), 'INCONCLUSIVE NotShown'],

  'a live seat that lets C in neither': [BASE, { ...controlGot('timeout'), target: alive }, 'PASS'],
  'a live seat, C without network': [
    BASE,
    { ...controlGot('timeout'), target: alive, controlNetwork: false },
    'INCONCLUSIVE NoControl',
  ],
  'a live seat, C blocked': [
    BASE,
    { ...controlGot('timeout'), target: alive, controlNetwork: false, blocker: 'deny' },
    'INCONCLUSIVE ControlBlocked',
  ],
  'a live seat, S without network': [
    BASE,
    { ...controlGot('timeout'), target: alive, allowed: false },
    'INCONCLUSIVE NoNetworkAtAll',
  ],
  'a live seat that S enters': [
    BASE,
    { seat: [seen('connected')], ...controlGot('timeout'), target: alive },
    'FAIL Reached',
  ],
};
const denied = suite('a denied target');
for (const [sentence, [base, change, expected]] of Object.entries(DENIED)) {
  denied(`${sentence}: ${expected}`, () => assert.is(told(ruleDenied({ ...base, ...change })), expected));
}
for (const result of ['timeout', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'EACCES', 'EPERM']) {
  denied(`${result} looks like a block`, () => assert.is(told(ruleDenied({ ...BASE, seat: [seen(result)] })), 'PASS'));
}
denied('PASS takes every leg: without any one of them it is none', () => {
  const legs: Partial<DeniedCase>[] = [
    { seat: [] },
    { control: { value: [] } },
    { allowed: false },
    { heard: true },
    { heard: undefined },
  ];
  assert.is(told(ruleDenied(WITNESS)), 'PASS');
  for (const leg of legs) assert.is.not(ruleDenied({ ...WITNESS, ...leg }).verdict, 'PASS');
});
denied.run();

const ALLOW: AllowedCase = { seat: [seen('answer')], control: { value: [seen('answer', 5_000, 33_000)] }, dns: false };
const ALLOWED: Record<string, readonly [change: Partial<AllowedCase>, expected: string]> = {
  'an answer': [{}, 'PASS'],
  'an echo': [{ seat: [seen('echo')] }, 'PASS'],
  'NXDOMAIN is an answer': [{ seat: [seen('answer:NXDOMAIN')], dns: true }, 'PASS'],
  'C, whom the platform does not let in': [controlGot('timeout'), 'PASS'],
  'one lost datagram': [{ seat: [seen('answer'), seen('timeout', 24_000, 24_000, 1)] }, 'PASS'],
  'half of the backends blocked': [
    { seat: [seen('answer', 20_000, 25_000, 2), seen('timeout', 25_000, 30_000, 3)] },
    'FAIL Flapping',
  ],
  'half of the answers lost for C too': [
    {
      seat: [seen('answer', 20_000, 25_000, 2), seen('timeout', 25_000, 30_000, 3)],
      ...controlGot('answer', 'timeout'),
    },
    'PASS',
  ],
  'S blocked': [{ seat: [seen('timeout')] }, 'FAIL OverBlocked'],
  'S takes a connection for an answer': [{ seat: [seen('connected')] }, 'FAIL OverBlocked'],
  'DNS blocked': [{ seat: [seen('timeout')], dns: true }, 'FAIL DnsPathNotSelected'],
  'both fail': [{ seat: [seen('timeout')], ...controlGot('timeout') }, 'INCONCLUSIVE TargetDead'],
  'C is blocked too': [
    { seat: [seen('timeout')], ...controlGot('timeout'), blocker: 'deny' },
    'INCONCLUSIVE ControlBlocked',
  ],
  'C at another time': [
    { seat: [seen('timeout')], control: { value: [seen('answer', 1_000, 9_000)] } },
    'INCONCLUSIVE ControlLate',
  ],
  'C never tried': [{ seat: [seen('timeout')], control: { value: [] } }, 'INCONCLUSIVE NoControl'],
  'no attempt': [{ seat: [] }, 'INCONCLUSIVE NoResult'],
  'not understood': [{ seat: [seen('EMFILE')] }, 'INCONCLUSIVE NotShown'],
  'C could not be made': [
    { control: { obstacle: { reason: 'AdmissionDenied', message: '' } } },
    'INCONCLUSIVE AdmissionDenied',
  ],
};
const allowed = suite('an allowed target');
for (const [sentence, [change, expected]] of Object.entries(ALLOWED)) {
  allowed(`${sentence}: ${expected}`, () => assert.is(told(ruleAllowed({ ...ALLOW, ...change })), expected));
}
allowed.run();

const CLOSED: IngressCase = {
  control: { value: [seen('timeout')] },
  late: true,
  heard: false,
  listening: true,
  controlNetwork: true,
};
const INGRESS: Record<string, readonly [change: Partial<IngressCase>, expected: string]> = {
  closed: [{}, 'PASS'],
  'S echoes': [{ control: { value: [seen('timeout'), seen('echo')] } }, 'FAIL Reached'],
  'S hears C': [{ heard: true }, 'FAIL Reached'],
  'S hears C, which left no result': [
    { heard: true, control: { obstacle: { reason: 'NoResult', message: '' } } },
    'FAIL Reached',
  ],
  'C left no result': [{ control: { obstacle: { reason: 'NoResult', message: '' } } }, 'INCONCLUSIVE NoResult'],
  'somebody else takes the connection': [
    { control: { value: [seen('connected')] } },
    'INCONCLUSIVE InterceptedByProxy',
  ],
  'C came when S was gone': [{ control: { value: [] } }, 'INCONCLUSIVE ControlLate'],
  'C never came': [{ control: { value: [] }, late: false }, 'INCONCLUSIVE NoControl'],
  'S listened to nobody': [{ listening: false }, 'INCONCLUSIVE NoControl'],
  'C had no network': [{ controlNetwork: false }, 'INCONCLUSIVE NoControl'],
  'a policy blocked C': [{ controlNetwork: false, blocker: 'deny' }, 'INCONCLUSIVE ControlBlocked'],
  'not understood': [{ control: { value: [seen('ERROR')] } }, 'INCONCLUSIVE NotShown'],
};
const ingress = suite('the own port of a seat');
for (const [sentence, [change, expected]] of Object.entries(INGRESS)) {
  ingress(`${sentence}: ${expected}`, () => assert.is(told(ruleIngress({ ...CLOSED, ...change })), expected));
}
ingress.run();

const times = suite('attempts in time');
times('offsets become Unix ms', () => {
  assert.equal(seenOf([['echo', 10, 20, 2]], 1000), [seen('echo', 1010, 1020, 2)]);
  assert.equal(seenOf(undefined, 1000), []);
});
times('what reaches beyond a window is cut, its count by its share', () => {
  const cut = within([seen('timeout', 0, 10_000, 100), seen('echo', 10_001, 12_000, 3)], { from: 5_000, to: 10_000 });
  assert.equal(cut, [seen('timeout', 5_000, 10_000, 50)]);
});
times('a stretch that ends where the window begins is in it, once at least', () => {
  assert.equal(within([seen('echo', 0, 5_000, 9)], { from: 5_000, to: 9_000 }), [seen('echo', 5_000, 5_000, 1)]);
  assert.equal(within([seen('echo', 0, 4_999, 9)], { from: 5_000, to: 9_000 }), []);
});
times('around attempts are two seconds before and after', () => {
  assert.equal(around([seen('a', 5_000, 6_000), seen('b', 7_000, 9_000)]), { from: 3_000, to: 11_000 });
});
times('an outcome is what an agent writes, not what begins like it', () => {
  const outcomes = ['echo', 'answer', 'answer:NODATA', 'connected', 'timeout', 'answers', 'Timeout', '', 'ERROR'];
  assert.equal(outcomes.map(outcomeOf), [
    ...['connected', 'connected', 'connected', 'connected', 'blocked', 'unknown', 'unknown', 'unknown', 'unknown'],
  ]);
});
times.run();
