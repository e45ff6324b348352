// Argo CD's real plugin server with our real image: many seats, a deadline, discovery, health.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as assert from 'uvu/assert';
import { writePackage } from '../bench/packages';
import { appIn, appOf, EXAMPLE, objectsOf, refusal, renderedIn, SAMPLE, seat, type Texts, textsOf } from './argocd-app';
import { type Sidecar, startSidecar } from './argocd-server';
import { run } from './command';
import { suiteWith } from './prerequisites';

const CLI = resolve(__dirname, '../dist/cli.js');
const test = suiteWith('Argo CD plugin server', 'argocd', 'docker');

let started: Promise<Sidecar> | undefined;
/** With this platform level mounted. */
async function sidecar(platform: Texts = EXAMPLE): Promise<Sidecar> {
  started ??= startSidecar();
  (await started).mount(platform);
  return started;
}

// ---------------------------------------------------------------- size and time
function withSeats<T>(count: number, use: (folder: string, platform: Texts) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'seatplan-many-'));
  const [app, platform] = [join(folder, 'app'), join(folder, 'platform')];
  writePackage(app, count);
  writePackage(platform, 0);
  for (const file of ['tier.yaml', 'expand-seats.yaml']) rmSync(join(app, file));
  const texts = textsOf(platform);
  texts['expand-seats.yaml'] = (texts['expand-seats.yaml'] ?? '').replace(/ {2}probe:\n.*\n/, ''); // with probes, as by default
  return use(app, texts).finally(() => rmSync(folder, { recursive: true, force: true }));
}

test('1,000 seats are rendered within the time that Argo CD gives', () =>
  withSeats(1000, async (folder, platform) => {
    const plugin = await sidecar(platform);
    const app = appIn(folder);
    const start = process.hrtime.bigint();
    const manifests = await plugin.generate(app);
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    process.stdout.write(`1,000 seats: ${manifests.length} objects in ${seconds.toFixed(1)} s\n`);
    assert.equal(objectsOf(manifests), renderedIn(folder, plugin));
  }));

test('a request past its deadline leaves no process behind, and the next one is answered', () =>
  withSeats(5000, async (folder, platform) => {
    const plugin = await sidecar(platform);
    const app = appIn(folder);
    let shown = '';
    // a machine that is busy may not get as far as the plugin within the first
    for (const seconds of [2, 4, 8]) {
      shown = await refusal(plugin, app, seconds);
      if (shown.includes('cmp generate')) break;
    }
    assert.match(shown, /`node \/app\/cli\.js cmp generate` failed (?:signal: killed|context deadline exceeded)/);
    assert.equal(
      plugin.processes().filter((line) => line.includes('cli.js')),
      [],
    );
    plugin.mount(EXAMPLE);
    assert.ok((await plugin.generate(appIn(SAMPLE))).length > 10);
  }));

// ---------------------------------------------------------------- what Argo CD asks besides
test('without discovery it takes over no app, and takes no credentials', async () => {
  const plugin = await sidecar();
  assert.equal(await plugin.configuration(), { discovery: false, gitCredentials: false });
  assert.equal(await plugin.match(appIn(SAMPLE)), { supported: false, discovery: false });
});

test('it announces its two parameters', async () => {
  const announced = await (await sidecar()).parameters(appIn(SAMPLE));
  const named = announced.map(({ name, itemType, string }) => ({ name, itemType, string }));
  assert.equal(
    named,
    ['allow-empty', 'strict'].map((name) => ({ name, itemType: 'boolean', string: 'false' })),
  );
});

test('with discovery it finds apps with a Seat or a TrustTier, and no others', async () => {
  const plugin = await startSidecar(resolve(__dirname, '../deploy/argocd/discovery'));
  try {
    plugin.mount(EXAMPLE);
    assert.equal(await plugin.configuration(), { discovery: true, gitCredentials: false });
    const match = async (files: Texts) => (await plugin.match(appOf(files))).supported;
    assert.ok(await match({ 'deep/er/seat.yaml': seat('a') }));
    assert.ok(await match({ 'tiers.yml': EXAMPLE['tiers.yaml'] ?? '' }));
    assert.not(
      await match({ 'Chart.yaml': 'name: x\n', 'templates/a.yaml': '{{ if .Values.x }}\nkind: Seat\n{{ end }}\n' }),
    );
    assert.not(await match({ 'readme.md': seat('a') }));
    assert.ok((await plugin.generate(appIn(SAMPLE))).length > 10);
  } finally {
    plugin.stop();
  }
});

// ---------------------------------------------------------------- the kubelet
test('healthz says whether the server answers', async () => {
  const plugin = await sidecar();
  assert.is(plugin.exec('cmp', 'healthz').status, 0);
  assert.is(plugin.exec('cmp', 'healthz', '--socket', '/tmp/other.sock').status, 1);
  plugin.signal('STOP');
  const { status, stderr } = run([process.execPath, CLI, 'cmp', 'healthz', '--socket', plugin.socket]);
  plugin.signal('CONT');
  assert.is(status, 1);
  assert.match(stderr, 'does not answer');
  assert.is(plugin.exec('cmp', 'healthz').status, 0);
  // as the kubelet finds it where the server died: its socket is still there
  plugin.kill();
  assert.is(run([process.execPath, CLI, 'cmp', 'healthz', '--socket', plugin.socket]).status, 1);
});

test('the server is removed', async () => (await started)?.stop());
test.run();
