// Live policies held against the plan: the seat's own, others that add to it, and those that select the probe's pods.
import type { V1NetworkPolicy, V1NetworkPolicySpec } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClusterFacts, Plan, PlannedSeat } from '../functions/model';
import { blockerOf, judgeParity, judgePolicies } from '../functions/probe/judge/policies';
import * as scene from './network-scene';

const { linesOf, policyWith } = scene;
const DECLARED = policyWith(scene.PLATFORM_RULE, scene.DNS_RULE);
const SEAT = {
  ...{ seat: 'a', organization: 'acme', key: 'a', seatID: 'id', name: 'seat-a-00000000', running: true },
  ...{ profile: scene.profileWith().digest, configRevision: 'r', rollout: 'OnDelete', template: [], policy: [] },
  claim: { name: 'ws-seat-a-00000000', adopted: false, retain: true },
} as unknown as PlannedSeat;
const plan = (seat: Partial<PlannedSeat> = {}): Plan => scene.planWith({ seats: [{ ...SEAT, ...seat }] });

const live = (name: string, spec: unknown): V1NetworkPolicy => ({
  metadata: { name, namespace: 'seats', resourceVersion: '7' },
  spec: spec as V1NetworkPolicySpec,
});
const OWN = live(SEAT.name, DECLARED);
const POD = { name: `${SEAT.name}-0`, labels: { ...scene.LABELS, 'controller-revision-hash': 'x' } };
const factsOf = (policies: readonly V1NetworkPolicy[], metadata: object | null = POD): ClusterFacts =>
  ({ policies: { value: policies }, pods: { value: metadata ? [{ metadata }] : [] } }) as unknown as ClusterFacts;
const judged = (policies: readonly V1NetworkPolicy[], metadata?: object) =>
  judgePolicies(plan(), factsOf(policies, metadata));

/** The declared spec, changed as text. */
const changed = (change: (spec: V1NetworkPolicySpec) => void): V1NetworkPolicySpec => {
  const spec = structuredClone(DECLARED);
  change(spec);
  return spec;
};

const own = suite("the seat's own policy");
own('passes as declared, with all that select the seat as control', () => {
  const [result] = judged([OWN, live('other', { podSelector: { matchLabels: { app: 'web' } }, egress: [{}] })]);
  assert.equal([result?.verdict, result?.seat, result?.check], ['PASS', 'a', 'U1']);
  assert.equal(result?.control, { labelsOf: 'live pod', policies: [[SEAT.name, '7']] });
});
const SPECS: Record<string, readonly [spec: V1NetworkPolicySpec, path: string | undefined]> = {
  'without the protocol that is the default': [
    changed((spec) => void delete spec.egress![0]!.ports![0]!.protocol),
    undefined,
  ],
  'with empty lists': [changed((spec) => void Object.assign(spec, { ingress: [] })), undefined],
  'with another port': [
    changed((spec) => {
      spec.egress![0]!.ports![0]!.port = 443;
    }),
    'spec.egress[0].ports[0].port',
  ],
  'with a rule more': [changed((spec) => void spec.egress!.push({})), 'spec.egress[2]'],
  'with a rule less': [changed((spec) => void spec.egress!.pop()), 'spec.egress[1]'],
  'with ingress': [changed((spec) => void Object.assign(spec, { ingress: [{}] })), 'spec.ingress'],
  'for other pods': [
    changed((spec) => {
      spec.podSelector!.matchLabels!['steadmesh.io/seat'] = 'b';
    }),
    'spec.podSelector.matchLabels["steadmesh.io/seat"]',
  ],
  'without egress': [
    changed((spec) => {
      spec.policyTypes = ['Ingress'];
    }),
    'spec.policyTypes[1]',
  ],
  'to all pods of a namespace': [
    changed((spec) => void delete spec.egress![0]!.to![0]!.podSelector),
    'spec.egress[0].to[0].podSelector',
  ],
  'to all namespaces': [
    changed((spec) => {
      spec.egress![0]!.to![0]!.namespaceSelector = {};
    }),
    'spec.egress[0].to[0].namespaceSelector.matchLabels',
  ],
};
for (const [sentence, [spec, path]] of Object.entries(SPECS)) {
  own(sentence, () => {
    const [result] = judged([live(SEAT.name, spec)]);
    assert.equal(
      [result?.verdict, result?.reason, result?.evidence?.path],
      path === undefined ? ['PASS', undefined, undefined] : ['FAIL', 'PolicyDiffers', path],
    );
  });
}
own('is missing', () => assert.equal(linesOf(judged([])), ['U1 FAIL PolicyMissing']));
own('does not select a pod whose labels were changed', () => {
  const stray = { ...POD, labels: { ...scene.LABELS, 'steadmesh.io/seat': 'b' } };
  assert.equal(linesOf(judged([OWN], stray)), ['U1 FAIL SelectorDiffers']);
  assert.equal(linesOf(judged([OWN], { name: POD.name })), ['U1 FAIL SelectorDiffers']);
});
own('cannot be judged where nothing may be listed', () => {
  const obstacle = { reason: 'NotPermitted', message: 'forbidden' } as const;
  const facts = factsOf([OWN]);
  assert.equal(linesOf(judgePolicies(plan(), { ...facts, policies: { obstacle } })), ['U1 INCONCLUSIVE NotPermitted']);
  assert.equal(linesOf(judgePolicies(plan(), { ...facts, pods: { obstacle } })), ['U1 INCONCLUSIVE NotPermitted']);
  assert.equal(linesOf(judgePolicies(plan({ running: false }), { ...facts, pods: { obstacle } })), ['U1 PASS']);
});
own.run();

const others = suite('other policies');
const EVERYONE = { podSelector: {} };
const OTHERS: Record<string, readonly [spec: object, path: string | undefined]> = {
  'that close all': [{ ...EVERYONE, policyTypes: ['Ingress', 'Egress'] }, undefined],
  'within the own rules': [{ ...EVERYONE, policyTypes: ['Egress'], egress: [scene.DNS_RULE] }, undefined],
  'that open a way out': [{ ...EVERYONE, policyTypes: ['Egress'], egress: [scene.DNS_RULE, {}] }, 'spec.egress[1]'],
  'that open more of the same namespace': [
    { ...EVERYONE, policyTypes: ['Egress'], egress: [scene.WIDE_DNS_RULE] },
    'spec.egress[0]',
  ],
  'that let somebody in': [
    { ...EVERYONE, policyTypes: ['Ingress'], ingress: [{ from: [EVERYONE] }] },
    'spec.ingress[0]',
  ],
  'for pods that are none of the seat': [{ podSelector: { matchLabels: { app: 'web' } }, egress: [{}] }, undefined],
  'for a label that only the live pod has': [
    { podSelector: { matchLabels: { 'controller-revision-hash': 'x' } }, egress: [{}] },
    'spec.egress[0]',
  ],
};
for (const [sentence, [spec, path]] of Object.entries(OTHERS)) {
  others(sentence, () => {
    const [result] = judged([live('extra', spec), OWN]);
    assert.equal(
      [result?.reason, result?.evidence],
      path === undefined ? [undefined, undefined] : ['PolicyWidens', { policy: 'extra', path }],
    );
  });
}
others('count for a seat without a pod by its template, and by what its pod might be labelled', () => {
  const of = (labels: object) =>
    linesOf(
      judgePolicies(
        plan({ running: false }),
        factsOf([OWN, live('extra', { podSelector: { matchLabels: labels }, egress: [{}] })], null),
      ),
    );
  assert.equal(of({ 'steadmesh.io/workload': 'seat-runner' }), ['U1 FAIL PolicyWidens']);
  assert.equal(of({ 'controller-revision-hash': 'z' }), ['U1 FAIL PolicyWidens']);
  assert.equal(of({ 'statefulset.kubernetes.io/pod-name': 'seat-b-00000000-0' }), ['U1 PASS']);
});
others.run();

const parity = suite('policies of the probe pods');
const CONTROL = scene.podWith({ 'steadmesh.io/probe': 'control' });
const WITNESS = scene.podWith({ 'steadmesh.io/probe': 'witness' });
const group = scene.groupWith();
const full = { ...group, pods: { ...group.pods, control: CONTROL, witness: WITNESS } };
const selecting = (labels: object, more: object = { policyTypes: ['Ingress', 'Egress'] }) => [
  OWN,
  live('extra', { podSelector: { matchLabels: labels }, ...more }),
];
const PARITY: Record<string, readonly [policies: readonly V1NetworkPolicy[], expected: string]> = {
  'the same': [[OWN], 'U2 PASS'],
  'of all seats': [selecting({ 'steadmesh.io/component': 'seat' }), 'U2 PASS'],
  'of the workload, which S is not': [selecting({ 'steadmesh.io/workload': 'seat-runner' }), 'U2 FAIL SelectorDiffers'],
  'of the probe alone': [selecting({ 'steadmesh.io/probe': 'netpol' }), 'U2 FAIL SelectorDiffers'],
  'of a label that the StatefulSet gives': [
    selecting({ 'statefulset.kubernetes.io/pod-name': 'seat-a-00000000-0' }),
    'U2 INCONCLUSIVE NotShown',
  ],
  'of everyone': [selecting({}), 'U2 INCONCLUSIVE ControlBlocked'],
  'of everyone, ways in': [selecting({}, { policyTypes: ['Ingress'] }), 'U2 INCONCLUSIVE ControlBlocked'],
  'of the control, ways in': [selecting({ 'steadmesh.io/probe': 'control' }, { policyTypes: ['Ingress'] }), 'U2 PASS'],
  'of the control, ways out': [
    selecting({ 'steadmesh.io/probe': 'control' }, { policyTypes: ['Egress'] }),
    'U2 INCONCLUSIVE ControlBlocked',
  ],
  'of the witness, ways out': [selecting({ 'steadmesh.io/probe': 'witness' }, { policyTypes: ['Egress'] }), 'U2 PASS'],
  'of everyone, that open everything': [
    selecting({}, { policyTypes: ['Ingress', 'Egress'], ingress: [{}], egress: [{}] }),
    'U2 PASS',
  ],
};
for (const [sentence, [policies, expected]] of Object.entries(PARITY)) {
  parity(`${sentence}: ${expected}`, () => assert.equal(linesOf(judgeParity(full, { value: policies })), [expected]));
}
parity('leave the control out as the message says', () => {
  const podSelector = {
    matchExpressions: [{ key: 'steadmesh.io/probe', operator: 'NotIn', values: ['control', 'witness'] }],
  };
  const policies = { value: [OWN, live('deny', { podSelector, policyTypes: ['Ingress', 'Egress'] })] };
  assert.is(blockerOf(full, policies), undefined);
  assert.equal(linesOf(judgeParity(full, policies)), ['U2 PASS']);
});
parity('name the one that blocks', () => {
  const policies = { value: selecting({}) };
  assert.is(blockerOf(full, policies), 'extra');
  const [result] = judgeParity(full, policies);
  assert.match(result?.message ?? '', 'extra');
});
parity('cannot be compared without a list or a pod', () => {
  const obstacle = { reason: 'NotPermitted', message: 'forbidden' } as const;
  assert.equal(linesOf(judgeParity(full, { obstacle })), ['U2 INCONCLUSIVE NotPermitted']);
  const none = { ...full, pods: {}, seatResult: { obstacle: { reason: 'QuotaDenied', message: 'quota' } as const } };
  assert.equal(linesOf(judgeParity(none, { value: [OWN] })), ['U2 INCONCLUSIVE QuotaDenied']);
});
parity.run();
