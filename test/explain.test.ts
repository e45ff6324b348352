// What `explain` is told of a seat: every decided value with who decided it, and what of the tier or the seat fell away.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Decision, Options, SeatSpec, TrustTierSpec } from '../functions/model';
import { resolveSeats } from '../functions/stages/resolve';
import { HARNESS, LIMITS, noTier, RUNSC, SEAT } from './resolve-table';
import { optionsWith, seatWith, tierWith } from './seats';

function decisions(
  seat: Partial<SeatSpec>,
  tier: Partial<TrustTierSpec> = {},
  options: Partial<Options> = {},
): (field: string) => string | undefined {
  const told: Decision[] = [];
  resolveSeats(
    { tiers: [tierWith(tier)], seats: [seatWith(seat)], rest: [], related: [RUNSC] },
    optionsWith(options),
    () => (decision) => told.push(decision),
  );
  return (field) => {
    const found = told.find((one) => one.field === field);
    return found && [found.from, JSON.stringify(found.value), found.note].filter(Boolean).join(' ');
  };
}

const explain = suite('explain');
explain('tells all that a seat sets', () => {
  const told = decisions({
    ...SEAT,
    harness: { ...HARNESS, args: ['--x'], env: [{ name: 'A', value: 'secret' }] },
    imagePullSecrets: ['registry'],
    resourceClaims: [{ name: 'gpu', resourceClaimName: 'one' }],
    workspace: { shared: [{ claimName: 'data', mountPath: '/data' }] },
  });
  assert.is(told('spec.organization'), 'seat "acme"');
  assert.is(told('spec.harness.adapter'), 'seat "claude"');
  assert.is(told('spec.harness.args'), 'seat ["--x"]');
  assert.is(told('spec.harness.env'), 'seat ["A"]');
  assert.is(told('spec.imagePullSecrets'), 'seat ["registry"]');
  assert.is(told('spec.resourceClaims'), 'seat ["gpu"]');
  assert.is(told('spec.workspace.shared'), 'seat [{"claimName":"data","mountPath":"/data","readOnly":false}]');
  assert.is(
    told('egress.dns'),
    'options {"peers":[{"namespace":"kube-system"}],"ports":[{"protocol":"UDP","port":53},{"protocol":"TCP","port":53}]}',
  );
});
explain('says nothing of what is not there', () => {
  const told = decisions(SEAT);
  for (const field of ['args', 'env']) assert.is(told(`spec.harness.${field}`), undefined);
  for (const field of ['imagePullSecrets', 'resourceClaims', 'workspace.shared'])
    assert.is(told(`spec.${field}`), undefined);
});
explain('says that the cluster decides where nobody names a runtime class', () => {
  const told = decisions(noTier(), {}, { requireTier: false });
  assert.is(told('runtimeClassName'), 'default null none is named: the default of the cluster');
});
explain('says whose word closes the platform', () => {
  assert.is(decisions(SEAT, { egress: 'deny-all' })('egress.platform'), 'tier false');
  const opened = decisions(SEAT, { egress: 'deny-all' }, { platformFromDenyAll: true });
  assert.is(opened('egress.platform'), 'options true');
  assert.is(decisions(SEAT, { egress: 'deny-all' })('egress.dns'), undefined);
});
explain('says what of a tier falls away', () => {
  const told = decisions(
    { ...SEAT, workload: 'StatefulSet' },
    { defaultResources: { ...LIMITS, claims: [{ name: 'gpu' }] }, sandboxTemplateName: 'coder' },
  );
  assert.match(told('spec.resources') ?? '', /^seat .* instead of all of the tier's, its claims gpu included$/);
  assert.is(told('sandboxTemplateName'), 'tier "coder" dropped: the seat asks for a StatefulSet of its own');
});
explain.run();
