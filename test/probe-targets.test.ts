// What S and C are told to try, and what a declared policy allows.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PlannedTarget, Profile } from '../functions/model';
import { allows, type Destination, namespaceWide, reachesDns } from '../functions/probe/policy-reach';
import { controlTargets, type Surroundings, targetsOf } from '../functions/probe/targets';
import * as scene from './network-scene';

const { around, linesOf, planWith, policyWith, profileWith } = scene;
const planned = (change: Partial<Surroundings> = {}, profile: Profile = profileWith(), plan = planWith()) =>
  targetsOf(plan, profile, around(change));
const shown = ({ check, kind, address, port, expect, required }: PlannedTarget): string =>
  [check, kind, `${address}:${port}`, expect, ...(required ? [] : ['optional'])].join(' ');
const of = (check: string, list: readonly PlannedTarget[]): readonly PlannedTarget[] =>
  list.filter((one) => one.check === check);

const targets = suite('targets');
targets('of a seat on one node of an IPv4 cluster', () => {
  const { targets: all, skipped } = planned();
  const lines = all.filter(({ check }) => check !== 'N12').map(shown);
  assert.equal(lines, [
    'N1 http 10.96.0.20:80 allow',
    'N3 http 10.244.0.9:8080 deny',
    'N3 http 10.244.0.9:8443 deny',
    'N5 dns-udp 10.244.0.9:53 deny',
    'N5 dns-tcp 10.244.0.9:53 deny',
    'N4 dns-udp resolver:53 allow',
    'N4 dns-tcp resolver:53 allow',
    'N10 tcp 10.96.0.1:443 deny',
    'N10 tcp 192.168.1.2:6443 deny',
    ...[10250, 10255, 10256, 9100].map((port) => `N11 tcp 192.168.1.2:${port} deny optional`),
  ]);
  assert.equal(linesOf(skipped), ['N6 SKIP NoCanary', 'N7 SKIP NoCanary', 'N14 SKIP NothingThere']);
  assert.equal(
    all.map(({ id }) => id),
    all.map((_, index) => `t${index}`),
  );
  for (const one of skipped) assert.is(one.profile, profileWith().digest);
});
targets('of the platform ask as seats do', () => {
  const [platform] = planned().targets;
  assert.equal([platform?.host, platform?.path], ['platform.steadmesh-system.svc', '/healthz']);
});
targets('mark the witness, the gap of the own node and nothing else', () => {
  const { targets: all } = planned({ otherNodes: ['192.168.1.3'] });
  assert.ok(all.every(({ check, witness }) => (witness === true) === (check === 'N3' || check === 'N5')));
  const gaps = all.filter(({ gap }) => gap).map(({ address }) => address);
  assert.equal([...new Set(gaps)], ['192.168.1.2']);
  assert.is(of('N11', all).length, 8);
});
targets('of metadata services leave out what IPv4 pods cannot try', () => {
  const addresses = of('N12', planned().targets).map(({ address, port }) => `${address}:${port}`);
  assert.ok(addresses.includes('169.254.169.254:80') && addresses.includes('169.254.169.252:988'));
  assert.not.ok(addresses.some((one) => one.includes('::')));
  const six = of('N12', planned({ families: ['4', '6'] }).targets).map(({ address }) => address);
  assert.ok(six.includes('64:ff9b::a9fe:a9fe') && six.includes('fd00:ec2::254'));
  assert.not.ok(six.some((address) => address.startsWith('fe80')));
});
targets('of two families', () => {
  const { targets: all } = planned({ families: ['4', '6'], witness: { addresses: ['10.244.0.9', 'fd00::9'] } });
  assert.equal(
    of('N3', all).map(({ label }) => label),
    [
      ...['witness pod 10.244.0.9:8080', 'witness pod 10.244.0.9:8443', 'witness pod [fd00::9]:8080'],
      'witness pod [fd00::9]:8443',
    ],
  );
});
targets('of seats are five at most, those that are ready first', () => {
  const seats = [1, 2, 3, 4, 5, 6, 7].map((n) => ({
    seat: `s${n}`,
    address: `10.244.1.${n}`,
    port: 8081,
    ready: n > 2,
  }));
  const found = of('N14', planned({ seats }).targets);
  assert.equal(
    found.map(({ seat }) => seat),
    ['s3', 's4', 's5', 's6', 's7'],
  );
  assert.ok(found.every(({ alive, required, kind }) => alive && required && kind === 'tcp'));
  const [young] = of('N14', planned({ seats: seats.slice(0, 1) }).targets);
  assert.equal([young?.required, young?.alive], [false, undefined]);
});
targets('of a seat that may reach nothing have nothing allowed', () => {
  const { targets: all, skipped } = planned({}, profileWith({ policy: policyWith() }));
  assert.ok(all.every(({ expect }) => expect === 'deny'));
  assert.equal(linesOf(skipped).slice(0, 2), ['N1 SKIP NotDeclared', 'N4 SKIP NotDeclared']);
});
targets('that were not found are open, not left out', () => {
  const lines = linesOf(planned({ platform: [], witness: { addresses: [] }, hostIPs: [] }).skipped);
  for (const line of ['N1 INCONCLUSIVE NotFound', 'N3 INCONCLUSIVE NotFound', 'N5 INCONCLUSIVE NotFound']) {
    assert.ok(lines.includes(line), line);
  }
  assert.ok(lines.includes('N11 INCONCLUSIVE NotShown'));
});
targets('are addresses: a name proves nothing', () => {
  const { targets: all, skipped } = planned({ api: { service: { host: 'api.example', port: 443 }, endpoints: [] } });
  assert.equal(of('N10', all), []);
  assert.ok(linesOf(skipped).includes('N10 INCONCLUSIVE NotFound'));
});
targets('of N13 are the own ports of S, for C alone', () => {
  const all = controlTargets(planned().targets, ['10.244.0.5', 'fd00::5'], [8081]);
  assert.equal(
    of('N13', all).map((one) => `${one.id} ${shown(one)}`),
    ['i0 N13 http 10.244.0.5:8081 deny', 'i1 N13 http fd00::5:8081 deny'],
  );
  assert.is(all.length, planned().targets.length + 2);
});
targets('leave a place in the name of a DNS question for who asks', () => {
  const names = planned().targets.flatMap(({ name }) => name ?? []);
  assert.equal([...new Set(names)], ['{nonce}.probe.invalid.', '{nonce}.default.svc.cluster.local.']);
});
targets.run();

const canaries = suite('canaries');
const asked = profileWith({ checks: ['N6', 'N7'] });
const CANARIES: Record<
  string,
  readonly [canaries: string[], denied: string[] | undefined, targets: string[], lines: string[]]
> = {
  'an address and a port': [['203.0.113.1:443'], undefined, ['203.0.113.1:443'], []],
  'an IPv6 address where pods have none': [['[2001:db8::1]:443'], undefined, [], ['N7 SKIP SingleStack']],
  'a name': [['example.org:443'], undefined, [], ['N7 INCONCLUSIVE NotFound']],
  'no port': [['203.0.113.1'], undefined, [], ['N7 INCONCLUSIVE NotFound']],
  'a denied URL of another server': [[], ['203.0.113.9'], ['203.0.113.9:443'], []],
  'a denied URL that is the API server': [[], ['10.96.0.1'], [], []],
  'a denied URL that does not resolve': [[], [], [], ['N7 INCONCLUSIVE NotFound']],
};
for (const [sentence, [list, denied, expected, lines]] of Object.entries(CANARIES)) {
  canaries(sentence, () => {
    const plan = planWith(denied ? { denied: { host: 'denied.example', port: 443 } } : {}, { canaries: list });
    const { targets: all, skipped } = planned({ denied: denied ?? [] }, asked, plan);
    assert.equal(
      of('N7', all).map(({ address, port }) => `${address}:${port}`),
      expected,
    );
    assert.equal(
      linesOf(skipped).filter((line) => line.startsWith('N7')),
      lines,
    );
    assert.ok(of('N7', all).every(({ required, expect }) => required && expect === 'deny'));
  });
}
canaries('a DNS zone is asked for a name that nobody knows', () => {
  const { targets: all } = planned({}, asked, planWith({}, { dnsCanaryZone: '.probe.example.' }));
  assert.equal(
    of('N6', all).map(({ name, required }) => [name, required]),
    [['{nonce}.probe.example.', false]],
  );
});
canaries.run();

const open = suite('targets that the seat may reach');
const cidr = (block: string, ...except: string[]) => ({
  to: [{ ipBlock: { cidr: block, ...(except.length ? { except } : {}) } }],
});
const openWith = (...rules: Parameters<typeof policyWith>) =>
  planned({}, profileWith({ policy: policyWith(...rules) })).skipped.flatMap(({ reason, target }) =>
    reason === 'DeclaredOpen' && !target?.includes('metadata') ? [target] : [],
  );
open('a block opens what is in it and not what is excepted', () => {
  assert.equal(openWith(cidr('10.244.0.0/16', '10.244.0.9/32')), []);
  assert.equal(openWith({ ...cidr('10.244.0.0/16'), ports: [{ protocol: 'TCP', port: 8000, endPort: 8100 }] }), [
    'witness pod 10.244.0.9:8080',
  ]);
});
open('the API server is open where its endpoint is: the Service is only a way there', () => {
  assert.equal(openWith({ ...cidr('192.168.1.2/32'), ports: [{ protocol: 'TCP', port: 6443 }] }), [
    'API server 10.96.0.1:443',
    'API server endpoint 192.168.1.2:6443',
  ]);
});
open('a rule for pods of the namespace opens the witness', () => {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'seats' } };
  const ports = [{ protocol: 'TCP', port: 8443 }];
  assert.equal(openWith({ to: [{ namespaceSelector }], ports }), ['witness pod 10.244.0.9:8443']);
  const podSelector = { matchLabels: { app: 'db' } };
  assert.equal(openWith({ to: [{ namespaceSelector, podSelector }], ports }), []);
});
open('other seats never are: their own policies let nobody in', () => {
  const seats = [{ seat: 'b', address: '10.244.0.7', port: 8081, ready: true }];
  const { targets: all } = planned({ seats }, profileWith({ policy: policyWith(cidr('10.0.0.0/8')) }));
  assert.is(of('N14', all).length, 1);
});
open.run();

const reach = suite('what a policy surely allows');
const TO: Destination = { address: '10.1.2.3', protocol: 'TCP', port: 443 };
const REACH: Record<string, readonly [rule: object, to: Partial<Destination>, allowed: boolean]> = {
  everything: [{}, {}, true],
  'every port': [cidr('10.1.0.0/16'), {}, true],
  'TCP is the default': [{ ...cidr('10.1.0.0/16'), ports: [{ port: 443 }] }, {}, true],
  'another protocol': [{ ...cidr('10.1.0.0/16'), ports: [{ protocol: 'UDP', port: 443 }] }, {}, false],
  'another port': [{ ...cidr('10.1.0.0/16'), ports: [{ protocol: 'TCP', port: 80 }] }, {}, false],
  'the end of a range': [{ ...cidr('10.1.0.0/16'), ports: [{ protocol: 'TCP', port: 80, endPort: 443 }] }, {}, true],
  'a named port': [{ ...cidr('10.1.0.0/16'), ports: [{ protocol: 'TCP', port: 'https' }] }, {}, false],
  'an exception': [cidr('10.1.0.0/16', '10.1.2.0/24'), {}, false],
  'an exception beside it': [cidr('10.1.0.0/16', '10.1.3.0/24'), {}, true],
  'a block that does not parse': [cidr('10.1.0.0'), {}, false],
  'a namespace by another label': [
    { to: [{ namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] } }] },
    { pod: { namespace: 'x', labels: {} } },
    false,
  ],
  'pods of the same namespace, whichever that is': [
    { to: [{ podSelector: {} }] },
    { pod: { namespace: 'x', labels: {} } },
    false,
  ],
  'all namespaces': [{ to: [{ namespaceSelector: {} }] }, { pod: { namespace: 'x', labels: {} } }, true],
  'an address of no known pod': [{ to: [{ namespaceSelector: {} }] }, {}, false],
};
for (const [sentence, [rule, to, allowed]] of Object.entries(REACH)) {
  reach(`${sentence}: ${allowed}`, () => assert.is(allows(policyWith(rule), { ...TO, ...to }), allowed));
}
reach('a policy that leaves egress alone allows all of it', () => {
  assert.ok(allows({ podSelector: {}, policyTypes: ['Ingress'] }, TO));
  assert.ok(allows({ podSelector: {} }, TO));
  assert.not.ok(allows({ podSelector: {}, policyTypes: ['Egress'] }, TO));
});
reach('DNS by its ports, and by UDP to pods', () => {
  assert.ok(reachesDns(policyWith(scene.DNS_RULE), 'UDP') && reachesDns(policyWith(scene.DNS_RULE), 'TCP'));
  assert.not.ok(reachesDns(policyWith(scene.PLATFORM_RULE), 'TCP'));
  const odd = { ...scene.DNS_RULE, ports: [{ protocol: 'UDP', port: 1053 }] };
  assert.equal([reachesDns(policyWith(odd), 'UDP'), reachesDns(policyWith(odd), 'TCP')], [true, false]);
});
reach('rules for whole namespaces', () => {
  const policy = policyWith(scene.PLATFORM_RULE, scene.WIDE_DNS_RULE, cidr('10.0.0.0/8'));
  assert.equal(namespaceWide(policy), ['spec.egress[1].to[0]']);
});
reach.run();
