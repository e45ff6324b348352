// The plan of a probe run: profiles, what seats keep of their own, which checks are asked for, and whom policies select.
import type { V1NetworkPolicy, V1StatefulSet } from '@kubernetes/client-node';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { meets, requirementsOf } from '../functions/kubernetes/label-selector';
import type { CheckID, Options, Plan, ProbeOptions, ResolvedSeat, SeatSpec, TrustTierSpec } from '../functions/model';
import { CHECKS } from '../functions/probe/checks';
import { UNKNOWN_FIELD } from '../functions/probe/field-rules';
import { planOf, policyOf, priorityClassName, profileOf, templateOf } from '../functions/probe/plan';
import { probePodLabels } from '../functions/probe/pods';
import { renderNetworkPolicy } from '../functions/render/network-policy';
import { renderStatefulSet } from '../functions/render/stateful-set';
import { renderWorkspaceClaim } from '../functions/render/workspace-claim';
import { resolveSeats } from '../functions/stages/resolve';
import { expandAll, hold } from './expanded';
import { OPTIONS, packages } from './generators';
import { HARNESS } from './rendered';
import { optionsWith, seatWith, tierWith } from './seats';

const PROBE: ProbeOptions = {
  mode: 'job',
  timeoutSeconds: 180,
  settleSeconds: 20,
  validForSeconds: 86_400,
  acceptGaps: [],
  epoch: undefined,
  rbac: 'cluster',
  canaries: [],
  dnsCanaryZone: undefined,
};
const GATEWAY = { egressURL: 'http://egress.steadmesh-system.svc:3128', egressPort: 3128 };
const withProbe = (probe: Partial<ProbeOptions> = {}, options: Partial<Options> = {}): Options =>
  ({
    ...optionsWith({ requireTier: false, probeImage: 'probe', ...GATEWAY, ...options }),
    probe: { ...PROBE, ...probe },
  }) as Options;

const rendered = (seat: ResolvedSeat) => ({
  template: renderStatefulSet(seat).spec!.template,
  policy: renderNetworkPolicy(seat).spec!,
  claim: renderWorkspaceClaim(seat),
});
interface Wish {
  readonly name: string;
  readonly spec?: Partial<SeatSpec>;
}
function seatsOf(wishes: readonly Wish[], tier: Partial<TrustTierSpec> | undefined = {}): readonly ResolvedSeat[] {
  const seats = wishes.map(({ name, spec }) =>
    seatWith({ harness: HARNESS, key: name, ...(tier ? { tierRef: { name: 'tier-0' } } : {}), ...spec }, name),
  );
  const declared = { tiers: tier ? [tierWith({ ...RESOURCES, ...tier })] : [], seats, rest: [], related: [] };
  const { value, findings } = resolveSeats(declared, optionsWith({ requireTier: false, ...GATEWAY }));
  assert.equal(
    findings.filter(({ severity }) => severity === 'error').map(({ code }) => code),
    [],
  );
  return value;
}
const RESOURCES = { defaultResources: { limits: { cpu: '1', memory: '1Gi' } } };
const planFor = (wishes: readonly Wish[], tier?: Partial<TrustTierSpec>, options = withProbe()): Plan =>
  planOf('seats', seatsOf(wishes, tier), options, rendered);

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

const URLS: readonly (readonly [options: Partial<Options>, platform: string, denied: string | undefined])[] = [
  [{}, 'steadmesh-platform.steadmesh-system.svc:8080/healthz>8080', undefined],
  [{ platformURL: 'http://p.steadmesh-system/', platformPort: 9000 }, 'p.steadmesh-system:80/healthz>9000', undefined],
  [{ platformURL: 'https://p.steadmesh-system' }, 'p.steadmesh-system:443/healthz>8080', undefined],
  [{ platformURL: 'p.steadmesh-system:81' }, 'p.steadmesh-system:81/healthz>8080', undefined],
  [{ platformURL: '' }, ':8080/healthz>8080', undefined],
  [
    { deniedURL: 'https://[2001:db8::1]/x' },
    'steadmesh-platform.steadmesh-system.svc:8080/healthz>8080',
    '2001:db8::1:443',
  ],
];
for (const [options, platform, denied] of URLS) {
  plans(`endpoints of ${JSON.stringify(options)}`, () => {
    const plan = planFor([{ name: 'a' }], {}, withProbe({}, options));
    const { host, port, path, podPort } = plan.platform;
    assert.is(`${host}:${port}${path}>${podPort}`, platform);
    assert.is(plan.denied && `${plan.denied.host}:${plan.denied.port}`, denied);
  });
}
plans('a PriorityClass only where something cluster-scoped is rendered', () => {
  assert.is(planFor([{ name: 'a' }]).priorityClassName, priorityClassName('probe-seats'));
  assert.is(planFor([{ name: 'a' }], {}, withProbe({ rbac: 'namespace' })).priorityClassName, undefined);
});

const checksOf = (plan: Plan): readonly CheckID[] => plan.profiles[0]!.checks;
const ASKED: Record<string, readonly [plan: () => Plan, asked: string, not: string]> = {
  'a tier': [
    () => planFor([{ name: 'a' }]),
    'U1 U2 N1 N3 N4 N5 N10 N11 N12 N13 N14 N15 N18 R1 R2 P1 P2 P3 P4 P7 P8 P9 P11 F1 F2 I1 I2 I3 S1 A1 A2 A4',
    'N6 N7 J1 T1',
  ],
  'no tier': [
    () =>
      planOf(
        'seats',
        seatsOf([{ name: 'a', spec: { sandbox: { runtimeClassName: 'x' } } }], undefined as never),
        withProbe(),
        rendered,
      ),
    'P1',
    '',
  ],
  'a tier that denies all': [() => planFor([{ name: 'a' }], { egress: 'deny-all' }), 'N3 N10 N13 N18', 'N1 N4'],
  'node labels and a session': [
    () => planFor([{ name: 'a' }], { allowedNodeLabels: { zone: 'a' }, maxSessionTTL: '8h' }),
    'J1 T1',
    '',
  ],
  'namespace rights: asked all the same': [
    () => planFor([{ name: 'a' }], { allowedNodeLabels: { zone: 'a' } }, withProbe({ rbac: 'namespace' })),
    'R2 J1',
    '',
  ],
  canaries: [
    () => planFor([{ name: 'a' }], {}, withProbe({ canaries: ['192.0.2.1:443'], dnsCanaryZone: 'z.example' })),
    'N6 N7',
    '',
  ],
  'a denied URL': [() => planFor([{ name: 'a' }], {}, withProbe({}, { deniedURL: 'https://192.0.2.1' })), 'N7', ''],
  'the API server as denied URL': [
    () => planFor([{ name: 'a' }], {}, withProbe({}, { deniedURL: 'https://kubernetes.default.svc:443/livez' })),
    '',
    'N7',
  ],
};
for (const [name, [plan, asked, not]] of Object.entries(ASKED)) {
  plans(`checks asked for by ${name}`, () => {
    const checks = checksOf(plan());
    const words = (text: string) => text.split(' ').filter(Boolean);
    assert.equal(
      words(asked).filter((check) => !checks.includes(check as CheckID)),
      [],
    );
    assert.equal(
      words(not).filter((check) => checks.includes(check as CheckID)),
      [],
    );
    for (const check of checks) assert.ok(CHECKS[check]);
  });
}
const whyOf = ({ coverage }: Plan, field: string): string | undefined =>
  coverage.unverified.find((one) => one.field === field)?.why;
plans('coverage counts every field once, and says what is not verified', () => {
  const plan = planFor([{ name: 'a' }, { name: 'b', spec: APART.tolerations! }, { name: 'c' }]);
  const { fields, verified, unverified } = plan.coverage;
  assert.is(fields, verified + unverified.length);
  assert.ok(verified > 40, String(verified));
  assert.is(new Set(unverified.map(({ field }) => field)).size, unverified.length);
  assert.match(whyOf(plan, 'options.probe.canaries')!, /^N7: no canary is configured: that the internet is denied/);
  assert.match(whyOf(plan, 'template.spec.tolerations')!, /scheduler/);
  assert.is(whyOf(plan, 'template.spec.runtimeClassName'), undefined);
});
plans('what needs rights in the cluster is unverified without them', () => {
  const tier = { allowedNodeLabels: { zone: 'a' } };
  const field = 'template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution';
  assert.is(whyOf(planFor([{ name: 'a' }], tier), field), undefined);
  assert.match(whyOf(planFor([{ name: 'a' }], tier, withProbe({ rbac: 'namespace' })), field)!, /needs the nodes/);
});
plans.run();

const selection = suite('whom policies select');
const selects = (selector: unknown, labels: Readonly<Record<string, string>>): boolean =>
  meets(labels, requirementsOf(selector));
selection('a probe pod is under exactly the policies of its seat; control and witness are under none', () => {
  hold(
    fc.property(packages, ({ tiers, seats }) => {
      const objects = [...expandAll([OPTIONS, ...tiers, ...seats]).render()];
      const of = <T>(kind: string) =>
        objects.filter(({ object }) => object.kind === kind).map(({ object }) => object as T);
      const policies = of<V1NetworkPolicy>('NetworkPolicy');
      const sets = of<V1StatefulSet>('StatefulSet');
      const all = objects.flatMap(({ object, seat }) => (object.kind === 'StatefulSet' && seat ? [seat] : []));
      for (const namespace of new Set(all.map((seat) => seat.namespace))) {
        const own = all.filter((seat) => seat.namespace === namespace);
        const plan = planOf(namespace, own, withProbe(), rendered);
        restores(plan, own);
        assert.equal(
          plan.coverage.unverified.filter(({ why }) => why === UNKNOWN_FIELD),
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
