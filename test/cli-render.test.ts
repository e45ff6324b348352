// `seatplan render`: what it prints or writes, and when it prints nothing.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { CONFIG, inFolder, kinds, PACKAGE, RENDERED_KINDS, SERVICE, seat, TIER } from './command';

const render = inFolder('render');
render(
  'prints the objects of the seats and of their probe, in order, and nothing else',
  async ({ write, seatplan }) => {
    const { exitCode, output } = await seatplan(['render', write(PACKAGE)]);
    assert.is(exitCode, 0);
    assert.equal(kinds(output), RENDERED_KINDS);
  },
);
render('prints one v1 List as JSON', async ({ write, seatplan }) => {
  const list = JSON.parse((await seatplan(['render', '--output', 'json', write(PACKAGE)])).output);
  assert.is(`${list.apiVersion} ${list.kind}`, 'v1 List');
  assert.equal(
    list.items.map(({ kind }: { kind: string }) => kind),
    RENDERED_KINDS,
  );
});
render('adds the inputs, or the whole package byte for byte', async ({ write, seatplan }) => {
  const root = write({
    ...PACKAGE,
    'config.yaml': CONFIG('{}'),
    Kptfile: 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: x}\n',
  });
  const kept = (await seatplan(['render', '--keep-inputs', root])).output;
  assert.equal(kinds(kept).sort(), [...RENDERED_KINDS, 'Seat', 'TrustTier'].sort());
  const all = (await seatplan(['render', '--all', root])).output;
  assert.match(all, SERVICE);
  assert.not.match(all, /^kind: (?:Kptfile|ExpandSeats)/m);
});
render('writes a folder of files', async ({ root, write, seatplan }) => {
  const out = `${root}-out/x`;
  const { exitCode, output } = await seatplan(['render', `--output=dir=${out}`, write(PACKAGE)]);
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.yaml'));
  const found = files.flatMap((name) => kinds(readFileSync(join(out, name), 'utf8')));
  rmSync(`${root}-out`, { recursive: true });
  assert.is(exitCode, 0);
  assert.is(output, '');
  assert.equal(found.sort(), [...RENDERED_KINDS].sort());
});
render('an output folder inside the package is not read by the next run', async ({ root, write, seatplan }) => {
  write(PACKAGE);
  const words = ['render', '--all', '--output', `dir=${root}/out`, root];
  await seatplan(words);
  const first = readdirSync(root, { recursive: true });
  assert.is((await seatplan(words)).exitCode, 0);
  assert.equal(readdirSync(root, { recursive: true }), first);
});
render('reads one file, or stdin, or a ResourceList on stdin', async ({ write, root, seatplan }) => {
  const text = `${TIER}---\n${seat('ana')}`;
  write({ 'both.txt': text });
  const expected = (await seatplan(['render', join(root, 'both.txt')])).output;
  assert.equal(kinds(expected), RENDERED_KINDS);
  assert.is((await seatplan(['render', '-'], { stdin: text })).output, expected);
  const items = [TIER, seat('ana')].map((one) => `- ${one.trimEnd().replaceAll('\n', '\n  ')}\n`).join('');
  const list = `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${items}`;
  assert.is((await seatplan(['render', '-'], { stdin: list })).output, expected);
});
render('prints nothing but findings when there is an error', async ({ write, root, seatplan }) => {
  write({ ...PACKAGE, 'bad.yaml': seat('ben').replace('tier-0', 'tier-9') });
  const { exitCode, output, errors } = await seatplan(['render', root]);
  assert.is(exitCode, 1);
  assert.is(output, '');
  assert.match(
    errors,
    new RegExp(`^${root}/bad\\.yaml:8:\\d+: error UNKNOWN_TIER Seat/agents/ben spec\\.tierRef\\.name: `, 'm'),
  );
});
render('touches no output folder when there is an error', async ({ write, root, seatplan }) => {
  write({ 'a.yaml': 'kind: [' });
  assert.is((await seatplan(['render', '--output', `dir=${root}/out`, root])).exitCode, 1);
  assert.equal(readdirSync(root), ['a.yaml']);
});
render('fails without a seat, unless that is meant', async ({ write, root, seatplan }) => {
  write({ 'tiers.yaml': TIER });
  const { exitCode, output, errors } = await seatplan(['render', root]);
  assert.is(exitCode, 1);
  assert.is(output, '');
  assert.match(errors, 'NOTHING_TO_RENDER');
  assert.is((await seatplan(['render', '--allow-empty', root])).exitCode, 0);
  assert.is((await seatplan(['render', '-'], { stdin: '' })).exitCode, 1);
});
render('cannot read what is not there', async ({ root, seatplan }) => {
  const { exitCode, output, errors } = await seatplan(['render', `${root}/gone`]);
  assert.is(exitCode, 1);
  assert.is(output, '');
  assert.match(errors, `${root}/gone`);
});
render('--quiet hides what only informs', async ({ write, root, seatplan }) => {
  write({ ...PACKAGE, 'values.yaml': 'a: 1\n' });
  assert.match((await seatplan(['render', root])).errors, 'NOT_A_RESOURCE');
  assert.not.match((await seatplan(['render', '--quiet', root])).errors, ' info ');
});
render.run();
