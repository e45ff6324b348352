// Argo CD's real plugin server with our real image, as it runs in the repo-server: what it renders, refuses, and survives.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { fixtures, withCopy } from '../test/fixtures';
import {
  appIn,
  appOf,
  EXAMPLE,
  linesOf,
  objectsOf,
  platformFor,
  refusal,
  renderedIn,
  SAMPLE,
  seat,
  type Texts,
} from './argocd-app';
import { type Sidecar, startSidecar } from './argocd-server';
import { suiteWith } from './prerequisites';

const test = suiteWith('Argo CD plugin', 'argocd', 'docker');

let started: Promise<Sidecar> | undefined;
/** With this platform level mounted. */
async function sidecar(platform: Texts = EXAMPLE): Promise<Sidecar> {
  started ??= startSidecar();
  (await started).mount(platform);
  return started;
}

// ---------------------------------------------------------------- what is rendered
test('the sample package becomes what render --all prints, in that order', async () => {
  const plugin = await sidecar();
  const objects = objectsOf(await plugin.generate(appIn(SAMPLE)));
  assert.equal(objects, renderedIn(SAMPLE, plugin));
  assert.is(objects[0]?.kind, 'Namespace');
  for (const kind of ['StatefulSet', 'NetworkPolicy', 'Job'])
    assert.ok(
      objects.some((one) => one.kind === kind),
      kind,
    );
});

/** Packages that the command line renders and the plugin does not, and why. */
const REFUSED: Texts = {
  'a-config-map-configures': 'OPTION_NOT_ALLOWED', // what its Kptfile says loosens what its platform says
  'a-package-holds-a-subpackage': 'FUNCTION_NOT_AVAILABLE',
  'a-split-package-holds-a-subpackage': 'FUNCTION_NOT_AVAILABLE',
  'a-rendered-package-whose-last-seat-was-deleted': 'NOTHING_TO_RENDER',
  'a-runtime-class-provides-by-annotation': 'RUNTIME_DOES_NOT_PROVIDE', // for a platform's tier, a package's class is no proof
  'guards-of-a-platform': 'NOTHING_TO_RENDER', // below a platform level its tiers are the platform's, and their guards with them
  'foreign-objects-stay-as-they-are': 'KUSTOMIZATION_NOT_APPLIED',
  'two-teams-share-three-tiers': 'KUSTOMIZATION_NOT_APPLIED',
};
for (const fixture of fixtures().filter(({ objects }) => objects !== undefined)) {
  const why = REFUSED[fixture.name];
  test(`${fixture.name} is ${why ? 'refused' : 'what render --all prints'}`, async () => {
    const plugin = await sidecar();
    const { app, expected } = withCopy(fixture, (copy) => {
      plugin.mount(platformFor(fixture, copy));
      return { app: appIn(copy), expected: why ? [] : renderedIn(copy, plugin) };
    });
    if (why) assert.match(linesOf(await refusal(plugin, app)).join('\n'), why);
    else assert.equal(objectsOf(await plugin.generate(app)), expected);
  });
}

test('revision, app, destination and project change no byte', async () => {
  const plugin = await sidecar();
  const bytes = await plugin.generate(appIn(SAMPLE));
  const others = [
    { revision: 'f'.repeat(40) },
    { revision: '' },
    { name: 'apps_team-b', namespace: '', project: 'default' },
    { parameters: [] },
    { env: { ANY: 'value' } },
  ];
  for (const source of others)
    assert.equal(await plugin.generate(appIn(SAMPLE, source)), bytes, JSON.stringify(source));
});

test('nothing that an Application can set reaches the platform level', async () => {
  const plugin = await sidecar();
  const bytes = await plugin.generate(appIn(SAMPLE));
  const env = {
    SEATPLAN_PLATFORM: '/tmp',
    NODE_OPTIONS: '--require=/tmp/x.js',
    ARGOCD_APP_PARAMETERS: '[{"name":"platform","string":"/tmp"}]',
    'X=1\nSEATPLAN_PLATFORM': '/tmp',
  };
  assert.equal(await plugin.generate(appIn(SAMPLE, { env })), bytes);
  for (const name of ['platform', 'config', 'probe.mode', 'SEATPLAN_PLATFORM', '__proto__', 'ALLOW-EMPTY', ''])
    assert.match(await refusal(plugin, appIn(SAMPLE, { parameters: [{ name, string: 'none' }] })), 'has no parameter');
});

// ---------------------------------------------------------------- what users see
const OPTIONS = (spec: string): string =>
  `apiVersion: seatplan.dev/v1alpha1\nkind: ExpandSeats\nmetadata:\n  name: options\nspec: ${spec}\n`;
const KPTFILE = (image: string): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\npipeline:\n  mutators:\n    - image: ${image}\n`;
const SEEN: Readonly<Record<string, { readonly files: Texts; readonly lines: readonly RegExp[] }>> = {
  'each finding as one line, with its place': {
    files: { 'a.yaml': seat('a', '  state: Asleep\n'), 'b.yaml': seat('b').replace('tier-0-gvisor', 'tier-9') },
    lines: [
      /^a\.yaml:14:10: error \S+ Seat\/team-a\/a spec\.state: /,
      /^b\.yaml:\d+:\d+: error UNKNOWN_TIER Seat\/team-a\/b /,
    ],
  },
  'a kustomization that nobody would apply': {
    files: { 'seat.yaml': seat('a'), 'kustomization.yaml': 'resources: [seat.yaml]\nnamePrefix: x-\n' },
    lines: [/^kustomization\.yaml:1:1: error KUSTOMIZATION_NOT_APPLIED: .*\.krmignore/],
  },
  'a function that is not ours, by its name': {
    files: { 'seat.yaml': seat('a'), Kptfile: KPTFILE('ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2') },
    lines: [/^Kptfile:\d+:\d+: error FUNCTION_NOT_AVAILABLE .*set-labels/],
  },
  'a package that loosens what the platform says': {
    files: { 'seat.yaml': seat('a'), 'options.yaml': OPTIONS('{probe: {mode: none}, requireTier: false}') },
    lines: [/error OPTION_NOT_ALLOWED .*probe/, /error OPTION_NOT_ALLOWED .*requireTier/],
  },
  'a tier of the package, weaker than that of the platform': {
    files: {
      'seat.yaml': seat('a'),
      'tier.yaml': (EXAMPLE['tiers.yaml'] ?? '').split('---')[0]?.replace('gateway-only', 'unrestricted') ?? '',
    },
    lines: [/^tier\.yaml:.* error \S+ TrustTier\/tier-0-gvisor/],
  },
  'an app without a Seat': {
    files: { 'namespace.yaml': readFileSync(join(SAMPLE, 'namespace.yaml'), 'utf8') },
    lines: [/NOTHING_TO_RENDER.*allow-empty/],
  },
};
for (const [what, { files, lines }] of Object.entries(SEEN)) {
  test(`Argo CD shows ${what}`, async () => {
    const shown = linesOf(await refusal(await sidecar(), appOf(files)));
    assert.is(shown.length, lines.length, shown.join('\n'));
    for (const [n, pattern] of lines.entries()) assert.match(shown[n] ?? '', pattern);
  });
}

test('Argo CD shows twenty findings and how many more there are', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, n) => [`${n}.yaml`, seat(`a-${n}`, '  state: No\n')]),
  );
  const shown = linesOf(await refusal(await sidecar(), appOf(files)));
  assert.is(shown.length, 21);
  assert.match(shown[20] ?? '', '10 more');
});

test('parameters allow an empty app, and make warnings errors', async () => {
  const plugin = await sidecar();
  const parameters = [{ name: 'allow-empty', string: 'true' }];
  assert.equal(await plugin.generate(appOf({ 'a.yaml': OPTIONS('{}') }, { parameters })), []);
  const prunable = {
    'seat.yaml': seat('a'),
    'namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: team-a\n',
  };
  assert.ok((await plugin.generate(appOf(prunable))).length > 10);
  const strict = [{ name: 'strict', string: 'true' }];
  assert.match(
    linesOf(await refusal(plugin, appOf(prunable, { parameters: strict }))).join('\n'),
    'NAMESPACE_PRUNABLE',
  );
  assert.match(
    await refusal(plugin, appIn(SAMPLE, { parameters: [{ name: 'strict', array: ['true'] }] })),
    '"true" or "false"',
  );
});

test('without a platform level nothing is rendered, also where the volume is empty', async () => {
  assert.match(await refusal(await sidecar({}), appIn(SAMPLE)), 'the platform level /etc/seatplan holds no object');
});

test('the server is removed', async () => (await started)?.stop());
test.run();
