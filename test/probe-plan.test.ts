// The plan of a probe run: profiles, what seats keep of their own, and whom policies select.
import type { V1NetworkPolicy, V1StatefulSet } from '@kubernetes/client-node';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { meets, requirementsOf } from '../functions/kubernetes/label-selector';
import type { Plan, ResolvedSeat, SeatSpec } from '../functions/model';
import { UNKNOWN_FIELD } from '../functions/probe/field-rules';
import { planOf, policyOf, profileOf, templateOf } from '../functions/probe/plan';
import { probePodLabels } from '../functions/probe/pods';
import { expandAll, hold } from './expanded';
import { OPTIONS, packages } from './generators';
import { planFor, rendered, seatsOf, withProbe } from './probe-plans';
import { HARNESS } from './rendered';

/** Every seat's own manifest comes back from the plan as it was rendered. */
function restores(plan: Plan, seats: readonly ResolvedSeat[]): void {
  const read: Plan = JSON.parse(JSON.stringify(plan));
  assert.equal(
    read.seats.map(({ seat }) => seat),
    seats.map(({ seat }) => seat.item.name).sort(),
  );
  for (const seat of seats) {
    const planned = read.seats.find((one) => one.seat === seat.seat.item.name)!;
    const profile = profileOf(read, planned);
    assert.equal(templateOf(profile, planned), JSON.parse(JSON.stringify(rendered(seat).template)));
    assert.equal(policyOf(profile, planned), JSON.parse(JSON.stringify(rendered(seat).policy)));
  }
}

const plans = suite('plan of a probe run');
plans('seats that differ in names, program and variables share a profile', () => {
  const seats = seatsOf([
    { name: 'b', spec: { harness: { ...HARNESS, env: [{ name: 'ABCX', value: 'b' }], args: ['x'] } } },
    { name: 'a', spec: { state: 'Stopped', organization: 'other', seatID: 's-9' } },
    { name: 'c', spec: { resources: { limits: { cpu: '2', memory: '2Gi' } }, scheduling: { priorityClassName: 'p' } } },
  ]);
  const plan = planOf('seats', seats, withProbe(), rendered);
  assert.is(plan.profiles.length, 1);
  assert.is(plan.profiles[0]!.template.spec!.serviceAccountName, seats.find(({ key }) => key === 'b')!.name);
  assert.equal(
    plan.seats.map(({ seat, running }) => [seat, running]),
    [
      ['a', false],
      ['b', true],
      ['c', true],
    ],
  );
  restores(plan, seats);
});
plans('without a running seat the first one stands for all', () => {
  const plan = planFor([
    { name: 'b', spec: { state: 'Stopped' } },
    { name: 'a', spec: { state: 'Stopped' } },
  ]);
  assert.is(plan.profiles[0]!.template.metadata!.labels!['steadmesh.io/seat'], 'a');
});
plans('names that follow from the seat are in no difference', () => {
  const plan = planFor([{ name: 'engineer-1' }, { name: 'engineer-2' }, { name: 'engineer-3' }]);
  assert.equal(
    plan.seats.map(({ template, policy }) => [template, policy]),
    [
      [[], []],
      [[], []],
      [[], []],
    ],
  );
});
plans('a key that reads like another word of the template', () => {
  for (const key of ['seat', 'acme', 'tmp', 'default', 'a']) {
    const seats = seatsOf([
      { name: key, spec: { seatID: 'own' } },
      { name: 'b', spec: { seatID: key } },
      { name: 'c', spec: { organization: key } },
    ]);
    restores(planOf('seats', seats, withProbe(), rendered), seats);
  }
});
const APART: Record<string, Partial<SeatSpec>> = {
  tolerations: { scheduling: { tolerations: [{ key: 'a', operator: 'Exists' }] } },
  'node labels': { scheduling: { nodeLabels: { zone: 'b' } } },
  'what it may reach': { access: { egress: [{ host: 'example.com' }] } },
  'the end of its session': { session: { ttl: '1h' } },
  'pull secrets': { imagePullSecrets: ['pull'] } as Partial<SeatSpec>,
};
for (const [name, spec] of Object.entries(APART)) {
  plans(`profiles are parted by ${name}`, () => {
    const plan = planFor([{ name: 'b' }, { name: 'a', spec }]);
    assert.is(plan.profiles.length, 2);
    assert.equal(
      plan.profiles.map(({ digest }) => digest),
      plan.seats.map(({ profile }) => profile),
    );
  });
}
plans('whatever else a renderer may write parts profiles', () => {
  const seats = seatsOf([{ name: 'a' }, { name: 'b' }]);
  const partedBy = (change: (pod: ReturnType<typeof rendered>['template']) => void): number =>
    planOf('seats', seats, withProbe(), (seat) => {
      const own = structuredClone(rendered(seat));
      if (seat.key === 'b') change(own.template);
      return own;
    }).profiles.length;
  assert.is(
    partedBy(() => {}),
    1,
  );
  assert.is(
    partedBy(({ spec }) => Object.assign(spec!, { hostNetwork: true })),
    2,
  );
  assert.is(
    partedBy(({ spec }) => Object.assign(spec!.containers[0]!.securityContext!, { privileged: true })),
    2,
  );
  assert.is(
    partedBy(({ spec }) => Object.assign(spec!.containers[0]!, { stdin: true })),
    2,
  );
  assert.is(
    partedBy(({ spec }) => spec!.volumes!.push({ name: 'x', hostPath: { path: '/' } })),
    2,
  );
  assert.is(
    partedBy(({ metadata }) => Object.assign(metadata!.annotations!, { 'dev.gvisor.x': '1' })),
    2,
  );
});
plans('500 seats fit a ConfigMap with room to spare', () => {
  const wishes = Array.from({ length: 500 }, (_, n) => ({
    name: `engineer-${n}`,
    spec: { seatID: `0f8fad5b-d9cb-469f-a165-7086728950${n}` },
  }));
  const plan = planFor(wishes);
  assert.is(plan.profiles.length, 1);
  assert.ok(JSON.stringify(plan).length < 400_000, String(JSON.stringify(plan).length));
});
plans('the order of the seats does not matter, and nothing is hidden from JSON', () => {
  const wishes = [
    { name: 'a' },
    { name: 'b', spec: { state: 'Stopped' as const } },
    { name: 'c', spec: APART.tolerations! },
  ];
  const plan = planFor(wishes);
  assert.is(JSON.stringify(planFor(wishes.toReversed())), JSON.stringify(plan));
  assert.equal(JSON.parse(JSON.stringify(plan)), plan);
});
plans('a plan without the profile of a seat is refused', () => {
  const plan = planFor([{ name: 'a' }]);
  assert.throws(() => profileOf({ profiles: [] }, plan.seats[0]!), /no profile/);
});

plans.run();

const selection = suite('whom policies select');
const selects = (selector: unknown, labels: Readonly<Record<string, string>>): boolean =>
  meets(labels, requirementsOf(selector));
selection('a probe pod is under exactly the policies of its seat; control and witness are under none', () => {
  hold(
    fc.property(packages, ({ tiers, seats }) => {
      const expansion = expandAll([OPTIONS, ...tiers, ...seats]);
      const objects = [...expansion.render()];
      const of = <T>(kind: string) =>
        objects.filter(({ object }) => object.kind === kind).map(({ object }) => object as T);
      const policies = of<V1NetworkPolicy>('NetworkPolicy');
      const sets = of<V1StatefulSet>('StatefulSet');
      const all = expansion.seats;
      for (const namespace of new Set(all.map((seat) => seat.namespace))) {
        const own = all.filter((seat) => seat.namespace === namespace);
        const plan = planOf(namespace, own, withProbe(), rendered);
        restores(plan, own);
        assert.equal(
          plan.coverage.unverified.filter(
            ({ field, why }) => why === UNKNOWN_FIELD || field === 'policy.egress[other]',
          ),
          [],
        );
        const beside = policies.filter(({ metadata }) => metadata!.namespace === namespace);
        const selecting = (labels: Readonly<Record<string, string>>) =>
          beside.filter(({ spec }) => selects(spec!.podSelector, labels)).map(({ metadata }) => metadata!.name);
        for (const planned of plan.seats) {
          const labels = templateOf(profileOf(plan, planned), planned).metadata!.labels!;
          const probes = (['seat', 'control', 'witness'] as const).map((role) => probePodLabels(role, labels));
          assert.equal(selecting(labels), [planned.name]);
          assert.equal(probes.map(selecting), [[planned.name], [], []]);
          for (const { spec } of sets) for (const probe of probes) assert.not.ok(selects(spec!.selector, probe));
        }
      }
    }),
  );
});
selection.run();
