// Repositories that an attacker sends through Argo CD's real plugin server: nothing outside the app is read, and nothing hangs.
import * as assert from 'uvu/assert';
import { appOf, EXAMPLE, linesOf, refusal, seat } from './argocd-app';
import { type Sidecar, startSidecar } from './argocd-server';
import type { Entry } from './argocd-tar';
import { suiteWith } from './prerequisites';

const test = suiteWith('Argo CD plugin and hostile repositories', 'argocd', 'docker');

let started: Promise<Sidecar> | undefined;
async function sidecar(): Promise<Sidecar> {
  started ??= startSidecar();
  (await started).mount(EXAMPLE);
  return started;
}

const SEAT: Entry = { path: 'team-a/seat.yaml', content: seat('a') };
const link = (path: string, target: string): Entry => ({ path, type: 'link', target });
const flawed = seat('a', '  state: Asleep\n');

/** Entries beside a good Seat, and what Argo CD shows. */
const HOSTILE: Readonly<Record<string, readonly [pattern: RegExp, ...entries: Entry[]]>> = {
  'a file of another app': [/x\.yaml is a link that leaves \./, link('team-a/x.yaml', '../team-b/seat.yaml')],
  'the folder of another app': [/x is a link that leaves \./, link('team-a/x', '../team-b')],
  'the whole repository': [/x is a link that leaves \./, link('team-a/x', '..')],
  itself: [/cannot read x\.yaml/, link('team-a/x.yaml', 'x.yaml')],
  'the platform level, by its path': [/cannot read x\.yaml/, link('team-a/x.yaml', '/etc/seatplan/options.yaml')],
  'the platform level, past the repository': [
    /path escapes/,
    link('team-a/x.yaml', '../../../../etc/seatplan/options.yaml'),
  ],
  'rules of another app for what to leave out': [
    /\.krmignore must be a file of its own/,
    { path: 'team-b/.krmignore', content: 'seat.yaml\n' },
    link('team-a/.krmignore', '../team-b/.krmignore'),
  ],
};
for (const [what, [pattern, ...entries]] of Object.entries(HOSTILE)) {
  test(`a link to ${what} is refused`, async () => {
    const shown = await refusal(await sidecar(), appOf([SEAT, ...entries]));
    assert.match(shown, pattern);
    assert.not.match(shown, 'controlPlaneNamespace'); // nothing of what it leads to
  });
}
test('a name that leaves the repository is refused', async () =>
  assert.match(
    await refusal(await sidecar(), appOf([SEAT, { path: '../x.yaml', content: seat('b') }])),
    /path escapes/,
  ));

/** Entries beside a good Seat that change nothing. */
const HARMLESS: Readonly<Record<string, readonly Entry[]>> = {
  'pipes, devices and hard links': [
    { path: 'team-a/x.yaml', type: 'fifo' },
    { path: 'team-a/.krmignore', type: 'fifo' },
    { path: 'team-a/y.yaml', type: 'device' },
    { path: 'team-a/z.yaml', type: 'hardlink', target: 'team-b/seat.yaml' },
  ],
  'empty files': [{ path: 'team-a/x.yaml' }, { path: 'team-a/.krmignore' }, { path: 'team-a/Kptfile' }],
  'a folder that is called like a file': [{ path: 'team-a/x.yaml', type: 'folder' }],
  'a link to the app itself, and one to nowhere': [link('team-a/x', '.'), link('team-a/y', '/etc')],
  'files that are called like options': [
    { path: 'team-a/--help' },
    { path: 'team-a/-' },
    { path: 'team-a/--platform=.yaml' },
  ],
  'a path from the root': [{ path: '/etc/seatplan/options.yaml', content: 'spec: {}\n' }],
  "Argo CD's own file": [{ path: 'team-a/.argocd-source.yaml', content: 'plugin:\n  name: seatplan-v0.0.1\n' }],
};
for (const [what, entries] of Object.entries(HARMLESS)) {
  test(`${what} change nothing`, async () => {
    const plugin = await sidecar();
    const expected = await plugin.generate(appOf([SEAT]));
    assert.equal(await plugin.generate(appOf([SEAT, ...entries])), expected);
  });
}
test('a Seat in a file that is called like an option is rendered', async () => {
  const plugin = await sidecar();
  const moved = await plugin.generate(appOf([{ ...SEAT, path: 'team-a/--platform=x.yaml' }]));
  assert.equal(moved, await plugin.generate(appOf([SEAT])));
});
test('names of files bring no line or colour into what Argo CD shows', async () => {
  const plugin = await sidecar();
  for (const [name, shown] of [
    ['a\nb', 'a\\nb'],
    ['a\x1b[31mb', 'a\\x1b[31mb'],
  ] as const) {
    const lines = linesOf(await refusal(plugin, appOf([{ path: `team-a/${name}.yaml`, content: flawed }])));
    assert.is(lines.length, 1);
    assert.ok(lines[0]?.startsWith(`${shown}.yaml:14:10: error `), lines[0]);
  }
});

test('the server is removed', async () => (await started)?.stop());
test.run();
