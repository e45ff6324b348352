// NetworkPolicies of the package beside a seat's own: which select the seat's pod, and what is said of them.
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { meets, requirementsOf } from '../functions/kubernetes/label-selector';
import { all, findingsOf, INSIDE, linesOf, policy, resolved, WIDER } from './policy-builders';

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
selection('so may one whose namespace is empty', () => {
  assert.equal(linesOf([resolved('a')], policy({ ...open, podSelector: {} }, { namespace: '' })), [WIDER]);
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
reports('unless it is of the group that we do not write', () => {
  const old = policy({ ...open, podSelector: {} }, { name: 'seat-a-00000000', apiVersion: 'extensions/v1beta1' });
  assert.equal(linesOf([resolved('a')], old), [WIDER]);
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
