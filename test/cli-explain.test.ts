// `seatplan explain`: which seat is meant, where its values came from, what was dropped.
import * as assert from 'uvu/assert';
import { inFolder, seat, TIER } from './command';

const explain = inFolder('explain');
const TEAM = {
  'tiers.yaml': TIER,
  'seats.yaml': [
    seat('ana'),
    seat('ben', '  key: writer\n'),
    seat('eve', '', 'beta', 'one'),
    seat('eve', '', 'acme', 'two'),
  ].join('---\n'),
};
for (const name of ['ben', 'agents/ben', 'acme/writer']) {
  explain(`finds a seat as ${name}`, async ({ write, seatplan }) => {
    const { exitCode, output } = await seatplan(['explain', name, write(TEAM)]);
    assert.is(exitCode, 0);
    assert.match(output, /^Seat agents\/ben, ben, acme\/writer$/m);
    assert.match(output, /^spec\.key +writer +seat$/m);
    assert.match(output, /^runtimeClassName +gvisor +tier$/m);
    assert.match(output, /^spec\.state +Running +default$/m);
    assert.match(output, /^platformURL +\S+ +default$/m);
  });
}
explain(
  'names the choices for a name of two seats, and the nearest for a name of none',
  async ({ write, seatplan }) => {
    const both = await seatplan(['explain', 'eve', write(TEAM)]);
    assert.is(both.exitCode, 1);
    assert.is(both.output, '');
    assert.match(both.errors, /one\/eve, two\/eve/);
    assert.match((await seatplan(['explain', 'agents/benn', write(TEAM)])).errors, 'did you mean "agents/ben"');
    assert.match((await seatplan(['explain', 'nobody-at-all', write(TEAM)])).errors, 'agents/ana');
  },
);
explain('tells an option that is written from its default', async ({ write, seatplan }) => {
  const config =
    'apiVersion: seatplan.dev/v1alpha1\nkind: ExpandSeats\nmetadata: {name: c}\nspec: {imagePullPolicy: IfNotPresent}\n';
  const { output } = await seatplan(['explain', 'ana', write({ ...TEAM, 'config.yaml': config })]);
  assert.match(output, /^imagePullPolicy +IfNotPresent +options$/m);
  assert.match(output, /^egress\.dns +.* +default$/m);
});
explain('says what was dropped', async ({ write, seatplan }) => {
  const tier = `${TIER}  allowedProviderTools: [web_search]\n`;
  const tools = seat('ana').replace(
    'adapter:',
    'model: {connection: c, name: m, providerTools: [web_search, code_execution]}, adapter:',
  );
  const root = write({ 'tiers.yaml': tier, 'seats.yaml': tools });
  const { exitCode, output } = await seatplan(['explain', 'ana', root]);
  assert.is(exitCode, 0);
  assert.match(output, /code_execution .*dropped/);
  assert.match(output, 'warning PROVIDER_TOOL_REMOVED');
  const {
    decisions,
    findings,
    seat: name,
  } = JSON.parse((await seatplan(['explain', '--output', 'json', 'ana', root])).output);
  assert.is(name, 'agents/ana');
  assert.ok(
    decisions.some(({ field, from }: { field: string; from: string }) => field === 'isolation' && from === 'tier'),
  );
  assert.ok(
    findings.some(
      ({ code, item }: { code: string; item: unknown }) => code === 'PROVIDER_TOOL_REMOVED' && item === undefined,
    ),
  );
});
explain('shows the findings of a seat that is refused', async ({ write, root, seatplan }) => {
  write({ ...TEAM, 'bad.yaml': seat('bad').replace('organization: acme', 'organization: 7') });
  const bad = await seatplan(['explain', 'bad', root]);
  assert.is(bad.exitCode, 1);
  assert.match(bad.output, 'INVALID_TYPE');
  const good = await seatplan(['explain', 'ana', root]);
  assert.is(good.exitCode, 0);
  assert.not.match(good.output, 'INVALID_TYPE');
});
explain.run();
