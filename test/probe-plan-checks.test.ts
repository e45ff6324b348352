// What a plan asks for: endpoints, checks by what seats declare, and what it says that nobody verifies.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CheckID, Options, Plan } from '../functions/model';
import { CHECKS } from '../functions/probe/checks';
import { planOf, priorityClassName } from '../functions/probe/plan';
import { planFor, seatsOf, withProbe } from './probe-plans';

const asking = suite('what a plan asks for');
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
  asking(`endpoints of ${JSON.stringify(options)}`, () => {
    const plan = planFor([{ name: 'a' }], {}, withProbe({}, options));
    const { host, port, path, podPort } = plan.platform;
    assert.is(`${host}:${port}${path}>${podPort}`, platform);
    assert.is(plan.denied && `${plan.denied.host}:${plan.denied.port}`, denied);
  });
}
asking('a PriorityClass only where something cluster-scoped is rendered', () => {
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
    () => planFor([{ name: 'a', spec: { sandbox: { runtimeClassName: 'x' } } }], null),
    'P1 A1',
    'R1 R2 J1 T1',
  ],
  'a tier that denies all': [() => planFor([{ name: 'a' }], { egress: 'deny-all' }), 'N3 N5 N10 N13 N18', 'N1 N4'],
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
  asking(`checks asked for by ${name}`, () => {
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
asking('what tier and session declare is asked for even where a renderer forgets it', () => {
  const seats = seatsOf([{ name: 'a' }], { allowedNodeLabels: { zone: 'a' }, maxSessionTTL: '8h' });
  const bare = () => ({ template: { spec: { containers: [] } }, policy: { podSelector: {} } });
  const checks = checksOf(planOf('seats', seats, withProbe(), bare));
  for (const check of ['R1', 'R2', 'J1', 'T1', 'N3', 'U1', 'A1'] as const) assert.ok(checks.includes(check), check);
});
asking('a class without a tier is unverified: nobody says what it stands for', () => {
  const plan = planFor([{ name: 'a', spec: { sandbox: { runtimeClassName: 'x' } } }], null);
  assert.match(whyOf(plan, 'template.spec.runtimeClassName')!, /no tier says/);
});
const whyOf = ({ coverage }: Plan, field: string): string | undefined =>
  coverage.unverified.find((one) => one.field === field)?.why;
asking('coverage counts every field once, and says what is not verified', () => {
  const plan = planFor([
    { name: 'a' },
    { name: 'b', spec: { scheduling: { tolerations: [{ key: 'a', operator: 'Exists' }] } } },
    { name: 'c' },
  ]);
  const { fields, verified, unverified } = plan.coverage;
  assert.is(fields, verified + unverified.length);
  assert.ok(verified > 40, String(verified));
  assert.is(new Set(unverified.map(({ field }) => field)).size, unverified.length);
  assert.match(whyOf(plan, 'options.probe.canaries')!, /^N7: no canary is configured: that the internet is denied/);
  assert.match(whyOf(plan, 'template.spec.tolerations')!, /scheduler/);
  assert.is(whyOf(plan, 'template.spec.runtimeClassName'), undefined);
});
asking('what needs rights in the cluster is unverified without them', () => {
  const tier = { allowedNodeLabels: { zone: 'a' } };
  const field = 'template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution';
  assert.is(whyOf(planFor([{ name: 'a' }], tier), field), undefined);
  assert.match(whyOf(planFor([{ name: 'a' }], tier, withProbe({ rbac: 'namespace' })), field)!, /needs the nodes/);
});
asking.run();
