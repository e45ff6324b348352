// NetworkPolicies of the package beside a seat's own: which select the seat's pod, and which open more.
import type { KubernetesObject } from '@kubernetes/client-node';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { meets, requirementsOf } from '../functions/kubernetes/label-selector';
import type { Declared, EgressRule, Item, Located, ResolvedSeat } from '../functions/model';
import { widenedSeats } from '../functions/stages/resolve/policies';
import { seatWith } from './seats';

const OWN_RULES: readonly EgressRule[] = [
  {
    peers: [{ namespace: 'steadmesh-system', podLabels: { 'steadmesh.io/component': 'platform' } }],
    ports: [{ protocol: 'TCP', port: 8080 }],
  },
  {
    peers: [{ namespace: 'kube-system' }],
    ports: [
      { protocol: 'UDP', port: 53 },
      { protocol: 'TCP', port: 53 },
    ],
  },
  { peers: [{ cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] }], ports: [{ protocol: 'TCP', port: 80, endPort: 90 }] },
  { peers: [{ cidr: '192.168.0.0/16' }], ports: [{ protocol: 'TCP' }] },
];

type Tiered = 'with a tier' | 'without a tier';
const TIER: NonNullable<ResolvedSeat['tier']> = { name: 'tier-0', isolation: 'gvisor', jurisdiction: 'eu', digest: '' };

const resolved = (key: string, tiered: Tiered = 'with a tier', namespace = 'seats', egress = OWN_RULES): ResolvedSeat =>
  ({
    seat: seatWith({}, key, namespace),
    namespace,
    name: `seat-${key}-00000000`,
    organization: 'acme',
    key,
    tier: tiered === 'with a tier' ? TIER : undefined,
    egress,
  }) as unknown as ResolvedSeat;

function policy(spec: unknown, item: Partial<Item> = {}): Located<KubernetesObject> {
  const apiVersion = item.apiVersion ?? 'networking.k8s.io/v1';
  return {
    object: { apiVersion, kind: 'NetworkPolicy', spec } as KubernetesObject,
    item: {
      text: '',
      origin: { line: 1, column: 1 },
      apiVersion,
      kind: 'NetworkPolicy',
      name: 'extra',
      namespace: 'seats',
      annotations: {},
      level: 'package',
      ...item,
    },
  };
}
const findingsOf = (seats: readonly ResolvedSeat[], ...related: Located<KubernetesObject>[]) =>
  widenedSeats(seats, { tiers: [], seats: [], rest: [], related } as unknown as Declared);
const linesOf = (seats: readonly ResolvedSeat[], ...related: Located<KubernetesObject>[]) =>
  findingsOf(seats, ...related).map(({ severity, code, path }) => `${severity} ${code} ${path}`);

const WIDER = 'error POLICY_WIDENS_SEAT spec.egress[0]';
const namespace = (name: string) => ({ matchLabels: { 'kubernetes.io/metadata.name': name } });
const tcp = (port: unknown, more: object = {}) => [{ protocol: 'TCP', port, ...more }];

const egress = suite('egress of another policy');
const INSIDE: Record<string, unknown> = {
  'the platform': {
    to: [
      {
        namespaceSelector: namespace('steadmesh-system'),
        podSelector: { matchLabels: { 'steadmesh.io/component': 'platform', and: 'more' } },
      },
    ],
    ports: tcp(8080),
  },
  'DNS of the whole namespace': {
    to: [{ namespaceSelector: namespace('kube-system') }],
    ports: [{ protocol: 'UDP', port: 53 }],
  },
  'some pods of a namespace that is open as a whole': {
    to: [{ namespaceSelector: namespace('kube-system'), podSelector: { matchLabels: { app: 'dns' } } }],
    ports: tcp(53),
  },
  'a namespace named by an expression': {
    to: [
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['kube-system'] }],
        },
      },
    ],
    ports: tcp(53),
  },
  'TCP is the default': { to: [{ namespaceSelector: namespace('kube-system') }], ports: [{ port: 53 }] },
  'a smaller block, clear of what is excepted': { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }], ports: tcp(80) },
  'the same block with the same hole': {
    to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
    ports: tcp(80),
  },
  'the same block with a wider hole': {
    to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/15'] } }],
    ports: tcp(80),
  },
  'a smaller range of ports': { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }], ports: tcp(82, { endPort: 84 }) },
  'every port of a protocol that is open as a whole': {
    to: [{ ipBlock: { cidr: '192.168.1.0/24' } }],
    ports: [{ protocol: 'TCP' }],
  },
};
const OUTSIDE: Record<string, unknown> = {
  'no peers are everyone': { ports: tcp(80) },
  'an empty list of peers is everyone': { to: [], ports: tcp(80) },
  'null peers are everyone': { to: null, ports: tcp(80) },
  'an empty rule is everything': {},
  'a rule that is null is everything': null,
  'a peer that is empty is not understood': { to: [{}], ports: tcp(80) },
  'no ports are all ports': { to: [{ ipBlock: { cidr: '192.168.1.0/24' } }] },
  'an empty list of ports is all ports': { to: [{ ipBlock: { cidr: '192.168.1.0/24' } }], ports: [] },
  'a wider block': { to: [{ ipBlock: { cidr: '10.0.0.0/7' } }], ports: tcp(80) },
  'the block without its hole': { to: [{ ipBlock: { cidr: '10.0.0.0/8' } }], ports: tcp(80) },
  'the block with half of the hole': {
    to: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/17'] } }],
    ports: tcp(80),
  },
  'the hole itself': { to: [{ ipBlock: { cidr: '10.1.2.0/24' } }], ports: tcp(80) },
  'a block that cannot be read': { to: [{ ipBlock: { cidr: '10.2.0.0' } }], ports: tcp(80) },
  'another port': { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }], ports: tcp(91) },
  'a range that is longer': { to: [{ ipBlock: { cidr: '10.2.0.0/16' } }], ports: tcp(85, { endPort: 91 }) },
  'the port by another protocol': {
    to: [{ ipBlock: { cidr: '10.2.0.0/16' } }],
    ports: [{ protocol: 'UDP', port: 80 }],
  },
  'a named port may be any': { to: [{ ipBlock: { cidr: '192.168.1.0/24' } }], ports: tcp('http') },
  'a protocol that is not known': { to: [{ ipBlock: { cidr: '192.168.1.0/24' } }], ports: [{ protocol: 'ICMP' }] },
  'all namespaces': { to: [{ namespaceSelector: {} }], ports: tcp(53) },
  'namespaces by another label': { to: [{ namespaceSelector: { matchLabels: { team: 'dns' } } }], ports: tcp(53) },
  'one namespace too many': {
    to: [
      {
        namespaceSelector: {
          matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['kube-system', 'x'] }],
        },
      },
    ],
    ports: tcp(53),
  },
  'all pods where only some are open': { to: [{ namespaceSelector: namespace('steadmesh-system') }], ports: tcp(8080) },
  'pods of the policy’s own namespace': { to: [{ podSelector: {} }], ports: tcp(53) },
  'one peer inside and one outside': {
    to: [{ namespaceSelector: namespace('kube-system') }, { namespaceSelector: {} }],
    ports: tcp(53),
  },
  'the port of another rule': { to: [{ namespaceSelector: namespace('kube-system') }], ports: tcp(8080) },
};
const all = { podSelector: {}, policyTypes: ['Egress'] };
for (const [sentence, rule] of Object.entries(INSIDE)) {
  egress(`inside: ${sentence}`, () => assert.equal(linesOf([resolved('a')], policy({ ...all, egress: [rule] })), []));
}
for (const [sentence, rule] of Object.entries(OUTSIDE)) {
  egress(`outside: ${sentence}`, () =>
    assert.equal(linesOf([resolved('a')], policy({ ...all, egress: [rule] })), [WIDER]),
  );
}
egress('the path is that of the first rule that opens more', () => {
  const rules = [INSIDE['the platform'], OUTSIDE['a wider block']];
  assert.equal(linesOf([resolved('a')], policy({ ...all, egress: rules })), [
    'error POLICY_WIDENS_SEAT spec.egress[1]',
  ]);
});
egress('pods of the policy’s own namespace, where the seat may reach that namespace', () => {
  const own: EgressRule[] = [{ peers: [{ namespace: 'seats' }], ports: [{ protocol: 'TCP', port: 80 }] }];
  const rule = { to: [{ podSelector: {} }], ports: tcp(80) };
  assert.equal(linesOf([resolved('a', 'with a tier', 'seats', own)], policy({ ...all, egress: [rule] })), []);
});
egress.run();

const ingress = suite('ingress of another policy');
const INGRESS = 'error POLICY_WIDENS_SEAT spec.ingress[0]';
const TYPES: Record<string, readonly [spec: object, lines: readonly string[]]> = {
  'any ingress rule is more': [{ podSelector: {}, ingress: [{ from: [{ podSelector: {} }] }] }, [INGRESS]],
  'an empty ingress rule is everyone': [{ podSelector: {}, policyTypes: ['Ingress'], ingress: [{}] }, [INGRESS]],
  'no ingress rule opens nothing': [{ podSelector: {}, policyTypes: ['Ingress'] }, []],
  'nor does an empty list': [{ podSelector: {}, policyTypes: ['Ingress', 'Egress'], ingress: [], egress: [] }, []],
  'rules of a direction that the types leave out do not act': [
    { podSelector: {}, policyTypes: ['Egress'], ingress: [{}] },
    [],
  ],
  'egress rules act where the types are not given': [{ podSelector: {}, egress: [{}] }, [WIDER]],
  'no spec at all': [{}, []],
};
for (const [sentence, [spec, lines]] of Object.entries(TYPES)) {
  ingress(sentence, () => assert.equal(linesOf([resolved('a')], policy(spec)), lines));
}
ingress.run();

const selection = suite('selection by another policy');
const open = { policyTypes: ['Egress'], egress: [{}] };
const expression = (key: string, operator: string, values?: string[]) => ({
  matchExpressions: [{ key, operator, ...(values ? { values } : {}) }],
});
const SELECTORS: Record<string, readonly [selector: unknown, selected: boolean]> = {
  'an empty selector selects all': [{}, true],
  'so does a missing one': [undefined, true],
  'the seat’s own labels': [{ matchLabels: { 'steadmesh.io/organization': 'acme', 'steadmesh.io/seat': 'a' } }, true],
  'the label of the workload': [{ matchLabels: { 'steadmesh.io/workload': 'seat-runner' } }, true],
  'the label of the tier': [{ matchLabels: { 'maqpna.com/tier': 'tier-0', 'maqpna.com/jurisdiction': 'eu' } }, true],
  'another seat': [{ matchLabels: { 'steadmesh.io/seat': 'b' } }, false],
  'a label that the pod has not': [{ matchLabels: { app: 'web' } }, false],
  'a name of every object is no label': [expression('constructor', 'Exists'), false],
  In: [expression('steadmesh.io/seat', 'In', ['b', 'a']), true],
  'NotIn, without the label': [expression('app', 'NotIn', ['web']), true],
  'NotIn, with the value': [expression('steadmesh.io/seat', 'NotIn', ['a']), false],
  Exists: [expression('steadmesh.io/seat', 'Exists'), true],
  'DoesNotExist, of a label that is there': [expression('steadmesh.io/seat', 'DoesNotExist'), false],
  'DoesNotExist, of one that is not': [expression('app', 'DoesNotExist'), true],
  'labels and expressions are ANDed': [
    { matchLabels: { 'steadmesh.io/seat': 'a' }, ...expression('app', 'Exists') },
    false,
  ],
  'an operator that is not known selects rather more': [expression('app', 'Equals', ['web']), true],
  'the pod’s name, a label of the StatefulSet controller': [
    { matchLabels: { 'statefulset.kubernetes.io/pod-name': 'seat-a-00000000-0' } },
    true,
  ],
  'the name of another pod': [{ matchLabels: { 'statefulset.kubernetes.io/pod-name': 'other-0' } }, false],
  'a revision that nobody can know beforehand': [{ matchLabels: { 'controller-revision-hash': 'x' } }, true],
};
for (const [sentence, [podSelector, selected]] of Object.entries(SELECTORS)) {
  selection(sentence, () =>
    assert.equal(linesOf([resolved('a')], policy({ ...open, podSelector })), selected ? [WIDER] : []),
  );
}
selection('only in the policy’s namespace', () => {
  assert.equal(linesOf([resolved('a')], policy({ ...open, podSelector: {} }, { namespace: 'other' })), []);
});
selection('a policy without a namespace may end up in any', () => {
  const anywhere = policy({ ...open, podSelector: {} });
  const { namespace: _, ...rest } = anywhere.item;
  assert.equal(linesOf([resolved('a')], { ...anywhere, item: { ...rest, namespace: undefined } }), [WIDER]);
});
selection('a requirement and its opposite never agree about labels that are known', () => {
  const labels = fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2'));
  const key = fc.constantFrom('a', 'b', 'c');
  const values = fc.subarray(['1', '2', '3'], { minLength: 1 });
  fc.assert(
    fc.property(labels, key, values, (has, name, list) => {
      const met = (operator: string) => meets(has, requirementsOf(expression(name, operator, list)));
      assert.is(met('In'), !met('NotIn'));
      assert.is(met('Exists'), !met('DoesNotExist'));
    }),
  );
});
selection.run();

const reports = suite('findings about other policies');
const wideOpen = policy({ ...open, podSelector: {} });
reports('a warning without a tier, an error as soon as one seat has one', () => {
  assert.equal(linesOf([resolved('a', 'without a tier')], wideOpen), ['warning POLICY_WIDENS_SEAT spec.egress[0]']);
  assert.equal(linesOf([resolved('a', 'without a tier'), resolved('b')], wideOpen), [WIDER]);
});
reports('a seat that may reach nothing is widened by what another seat may do', () => {
  const rule = INSIDE['a smaller block, clear of what is excepted'];
  const [finding] = findingsOf(
    [resolved('a'), resolved('b', 'with a tier', 'seats', [])],
    policy({ ...all, egress: [rule] }),
  );
  assert.match(finding?.message ?? '', 'seats/b');
  assert.not.match(finding?.message ?? '', 'seats/a');
});
reports('one for each policy, at the policy, naming a few seats', () => {
  const seats = Array.from({ length: 8 }, (_, index) => resolved(`s${index}`));
  const findings = findingsOf(seats, wideOpen, policy({ ...open, podSelector: {} }, { name: 'second' }));
  assert.equal(
    findings.map(({ resource }) => resource?.name),
    ['extra', 'second'],
  );
  assert.match(findings[0]?.message ?? '', /seats\/s4 and 3 more/);
});
reports('the seat’s own policy is written anew, so what it says now does not count', () => {
  assert.equal(linesOf([resolved('a')], policy({ ...open, podSelector: {} }, { name: 'seat-a-00000000' })), []);
});
reports('unless the platform holds it, which is never written', () => {
  const held = policy({ ...open, podSelector: {} }, { name: 'seat-a-00000000', level: 'platform' });
  assert.equal(linesOf([resolved('a')], held), [WIDER]);
});
reports('an owner annotation on another name saves nothing', () => {
  const annotations = { 'seatplan.dev/owner': 'steadmesh.io/Seat/seats/a networking.k8s.io/NetworkPolicy/extra' };
  assert.equal(linesOf([resolved('a')], policy({ ...open, podSelector: {} }, { annotations })), [WIDER]);
});
reports('a NetworkPolicy of another group is not one', () => {
  const calico = policy({ ...open, podSelector: {} }, { apiVersion: 'crd.projectcalico.org/v1' });
  assert.equal(linesOf([resolved('a')], calico), []);
});
reports('10,000 seats and 20 policies take less than two seconds', () => {
  const seats = Array.from({ length: 10_000 }, (_, index) => resolved(`s${index}`, 'with a tier', `ns-${index % 50}`));
  const policies = Array.from({ length: 20 }, (_, index) =>
    policy(
      { ...all, egress: [INSIDE['the platform'], INSIDE['a smaller range of ports']] },
      { namespace: `ns-${index}` },
    ),
  );
  const started = performance.now();
  assert.equal(linesOf(seats, ...policies), []);
  assert.ok(performance.now() - started < 2000);
});
reports.run();
