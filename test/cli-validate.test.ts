// `seatplan validate` and the levels that every command takes: platform, config, and how files are named.
import * as assert from 'uvu/assert';
import { CONFIG, codes, inFolder, PACKAGE, seat, TIER } from './command';

const levels = inFolder('levels');
levels('a platform rules over the package, by flag or by environment', async ({ write, root, seatplan }) => {
  write({ 'package/a.yaml': `${TIER}---\n${seat('ana')}`, 'platform/tier.yaml': TIER.replace('"1"', '"2"') });
  const words = ['validate', '--format', 'json', `${root}/package`];
  assert.not.ok(codes((await seatplan(words)).output).includes('TIER_DIFFERS'));
  assert.ok(codes((await seatplan([...words, '--platform', `${root}/platform`])).output).includes('TIER_DIFFERS'));
  const environment = { SEATPLAN_PLATFORM: `${root}/platform/tier.yaml` };
  assert.ok(codes((await seatplan(words, { environment })).output).includes('TIER_DIFFERS'));
});
levels('a platform that is empty or not there is refused', async ({ write, root, seatplan }) => {
  write({ 'package/a.yaml': TIER, 'platform/notes.txt': '' });
  for (const path of ['platform', 'gone']) {
    const { exitCode, errors } = await seatplan(['validate', '--platform', `${root}/${path}`, `${root}/package`]);
    assert.is(exitCode, 1);
    assert.match(errors, `${root}/${path}`);
  }
});
levels('a finding about the platform names its file', async ({ write, root, seatplan }) => {
  write({
    'package/a.yaml': TIER,
    'platform/tiers.yaml': TIER,
    'platform/config.yaml': CONFIG('{requireTeir: false}'),
  });
  const { output } = await seatplan([
    'validate',
    '--format',
    'json',
    '--platform',
    `${root}/platform`,
    `${root}/package`,
  ]);
  assert.equal(
    JSON.parse(output).findings.map(({ code, file }: { code: string; file: string }) => [code, file]),
    [['UNKNOWN_OPTION', `${root}/platform/config.yaml`]],
  );
});
levels('one of two configs is chosen by name', async ({ write, root, seatplan }) => {
  write({
    ...PACKAGE,
    'one.yaml': CONFIG('{imagePullPolicy: Always}'),
    'two.yaml': CONFIG('{imagePullPolicy: Never}'),
  });
  assert.match((await seatplan(['render', root])).errors, 'DUPLICATE_CONFIG');
  const { exitCode, output } = await seatplan(['render', '--config', `${root}/two.yaml`, root]);
  assert.is(exitCode, 0);
  assert.match(output, 'imagePullPolicy: Never');
});
levels('a config file must hold one object', async ({ write, root, seatplan }) => {
  write({ ...PACKAGE, 'both.txt': `${CONFIG('{}')}---\n${CONFIG('{}')}`, 'none.txt': '# nothing\n' });
  for (const name of ['both.txt', 'none.txt']) {
    assert.is((await seatplan(['render', '--config', `${root}/${name}`, root])).exitCode, 2);
  }
});
levels.run();

const validate = inFolder('validate');
validate('prints findings on stdout, and only then fails', async ({ write, root, seatplan }) => {
  const good = await seatplan(['validate', write(PACKAGE)]);
  assert.is(good.exitCode, 0);
  assert.match(good.errors, '2 objects checked');
  write({ 'seats.yaml': seat('ana').replace('organization: acme', 'organisation: acme') });
  const bad = await seatplan(['validate', root]);
  assert.is(bad.exitCode, 1);
  assert.match(
    bad.output,
    new RegExp(`^${root}/seats.yaml:7:\\d+: error UNKNOWN_FIELD Seat/agents/ana spec.organisation: `, 'm'),
  );
});
validate('prints JSON, SARIF and JUnit, whole and alone on stdout', async ({ write, root, seatplan }) => {
  const limits = '  resources: {limits: {cpu: "1", memory: 1Gi}}\n';
  write({ 'seats.yaml': seat('ana', limits) });
  const json = await seatplan(['validate', '--format', 'json', root]);
  assert.equal(codes(json.output), ['UNKNOWN_TIER']);
  assert.is(json.exitCode, 1);
  assert.is(json.errors, '');
  const sarif = JSON.parse((await seatplan(['validate', '--format', 'sarif', root])).output);
  assert.is(sarif.runs[0].results[0].ruleId, 'UNKNOWN_TIER');
  const { output } = await seatplan(['validate', '--format', 'junit', root]);
  assert.match(
    output,
    /<testcase classname="[^"]*\/seats.yaml" name="Seat\/agents\/ana">\s*<failure type="UNKNOWN_TIER"/,
  );
});
validate('a file name cannot command a CI system', async ({ write, root, seatplan }) => {
  write({ '::error::x\n##vso[y].yaml': 'kind: [' });
  const { output } = await seatplan(['validate', '-'], { stdin: 'kind: [' });
  assert.match(output, /^-:1:\d+: error INVALID_YAML/);
  for (const format of ['text', 'json', 'sarif', 'junit']) {
    const text = (await seatplan(['validate', '--format', format, root])).output;
    assert.match(text, 'INVALID_YAML');
    assert.not.match(text, /^\s*::|##[a-z]*\[/m);
  }
});
validate.run();
