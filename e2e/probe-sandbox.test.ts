// The probe over seats in agent-sandbox's Sandboxes, with its real controller: one of its own, one claimed, and one whose template is open.
import * as assert from 'uvu/assert';
import type { CheckID, Report } from '../functions/model';
import { isEnforced } from '../functions/probe/roll-up';
import { installAgentSandbox, startAgentSandbox } from './agent-sandbox/controller';
import { template } from './agent-sandbox/template';
import { type Cluster, cluster, type Live } from './cluster';
import type { Controller } from './controller';
import type { Manifest } from './objects';
import { suiteWith } from './prerequisites';
import { clear, isJob, probe, reportOf, type Stage } from './sabotage/stage';
import { type Declared, declare, expand, GVISOR, installPlatform, makeNamespace, volumesFor } from './seat-package';
import { verdicts } from './verdicts';

const test = suiteWith('probe of sandboxes', 'cluster', 'docker', 'agent-sandbox');
const SHUT = 'proven-boxes';
const OPEN = 'open-boxes';
const CLAIM = 'sandboxclaims.extensions.agents.x-k8s.io';
const SANDBOX = 'sandboxes.agents.x-k8s.io';
/** Tiers are the cluster's: one for each pool, so that neither package makes the other's. */
const pooled = (namespace: string) => ({
  ...GVISOR,
  sandboxTemplateName: 'coder',
  warmPoolSize: 1,
  warmPoolNamespaces: [namespace],
});
const CLAIMING = { tierRef: { name: 'claimed-shut' }, resources: undefined };

interface Scene {
  readonly on: Cluster;
  readonly controller: Controller;
  readonly shut: Stage;
  readonly open: Stage;
  readonly reports: { readonly shut: Report; readonly open: Report };
}
let opened: Promise<Scene> | undefined;
const once = (): Promise<Scene> => (opened ??= open());

async function open(): Promise<Scene> {
  const on = cluster();
  const images = on.images();
  await installPlatform(on, images);
  await installAgentSandbox(on);
  const controller = startAgentSandbox(on);
  const shutTemplate = template(SHUT, images.seat);
  const seats = { boxed: { tierRef: { name: 'boxed' }, workload: 'Sandbox' }, claimer: CLAIMING };
  const tiers = { boxed: GVISOR, 'claimed-shut': pooled(SHUT) };
  const shut = await bring(on, { namespace: SHUT, images, tiers, seats }, shutTemplate, [shutTemplate]);

  // the package does not have the template: nothing but the probe can tell what it opens
  const { networkPolicy: _, ...spec } = (template(OPEN, images.seat) as Manifest & { spec: object }).spec as Record<
    string,
    unknown
  >;
  const openTemplate = { ...template(OPEN, images.seat), spec } as Manifest;
  const claiming = { claimer: { ...CLAIMING, tierRef: { name: 'claimed-open' } } };
  const declared = { namespace: OPEN, images, tiers: { 'claimed-open': pooled(OPEN) }, seats: claiming };
  const wide = await bring(on, declared, openTemplate, []);

  await Promise.all([settled(on, shut, controller), settled(on, wide, controller)]);
  const [first, other] = await Promise.all([probe(shut), probe(wide)]);
  // on a busy machine a pod's result may not have room for its first moments: the Job tries again by itself
  const one = first.verdict === 'INCONCLUSIVE' ? await reportOf(on, SHUT, first.run) : first;
  return { on, controller, shut, open: wide, reports: { shut: one, open: other } };
}

/** All of a package but its probe's Job, with the template as the cluster has it and as the package does. */
async function bring(on: Cluster, declared: Declared, live: Manifest, inPackage: readonly Manifest[]): Promise<Stage> {
  const { namespace } = declared;
  await makeNamespace(on, namespace);
  const inputs = declare(declared);
  const objects = expand([...inputs, ...inPackage]);
  const own = objects.filter((one) => !isJob(one) && one.kind !== 'SandboxTemplate');
  await on.apply([live, ...inputs.filter(({ kind }) => kind !== 'ExpandSeats'), ...volumesFor(on, objects), ...own]);
  const the = (kind: string): Manifest => objects.find((one) => one.kind === kind)!;
  return { cluster: on, namespace, declared, objects, the, pod: '', job: objects.find(isJob)?.metadata.name ?? '' };
}

const KINDS: Readonly<Record<string, string>> = { Sandbox: SANDBOX, SandboxClaim: CLAIM };
const isReady = (live: Live | undefined): boolean => {
  const { conditions } = (live?.status ?? {}) as { conditions?: { type: string; status: string }[] | null };
  return conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
};

async function settled(on: Cluster, { namespace, objects }: Stage, controller: Controller): Promise<void> {
  for (const { kind, metadata } of objects) {
    const plural = KINDS[kind];
    if (plural === undefined) continue;
    await on
      .waitFor(`${kind} ${metadata.name} is ready`, 90, async () => {
        const live = await on.get(plural, metadata.name, namespace);
        return isReady(live) ? live : undefined;
      })
      .catch((error: Error) => {
        throw new Error(`${error.message}\n${controller.tail()}`);
      });
  }
}

const PASS = ['PASS'];

test('seats in Sandboxes, claimed and their own, are enforced', async () => {
  const { shut } = (await once()).reports;
  assert.equal(
    shut.results
      .filter(({ verdict }) => verdict === 'FAIL' || verdict === 'INCONCLUSIVE')
      .map(({ check, seat, message }) => [check, seat, message]),
    [],
  );
  assert.ok(isEnforced(shut), shut.message);
  assert.equal(
    shut.seats.map(({ seat, workload }) => [seat, workload?.kind]),
    [
      ['boxed', 'Sandbox'],
      ['claimer', 'SandboxClaim'],
    ],
  );
});

const EVERYWHERE: readonly CheckID[] = [
  ...(['N3', 'N10', 'N13', 'U1', 'U2', 'R1', 'R2', 'P2', 'I1', 'I3', 'A1', 'A2', 'T1'] as const),
];
for (const seat of ['boxed', 'claimer']) {
  test(`${seat}: each check that its pod asks for`, async () => {
    const { shut } = (await once()).reports;
    for (const check of EVERYWHERE) assert.equal(verdicts(shut, check, seat), PASS, check);
    assert.equal(verdicts(shut, 'N1', seat), PASS);
    // nobody asks the claimed pod for its health: that it listens at all, nothing shows
    assert.equal(verdicts(shut, 'N14', seat), ['PASS', 'SKIP NothingThere']);
  });
}

test('the Seats say what runs them', async () => {
  const { on, shut } = await once();
  for (const kind of ['Sandbox', 'SandboxClaim']) {
    const name = kind === 'Sandbox' ? 'boxed' : 'claimer';
    const { workload } = ((await on.get('seat', name, SHUT))?.status ?? {}) as { workload?: object };
    assert.equal(workload, { kind, name: shut.the(kind).metadata.name });
  }
});

test('a template at its open default, which no package shows, is found by the probe', async () => {
  const { open: report } = (await once()).reports;
  assert.is(report.verdict, 'FAIL', report.message);
  assert.equal(verdicts(report, 'U1', 'claimer'), ['FAIL PolicyWidens']);
  assert.match(report.results.find(({ check }) => check === 'U1')?.message ?? '', 'coder-network-policy');
  assert.equal(verdicts(report, 'A1', 'claimer'), ['INCONCLUSIVE TemplateUnknown']);
});

test('leaves', async () => {
  const { on, shut, open: wide, controller } = await once();
  for (const stage of [shut, wide]) await clear(stage);
  for (const name of [SHUT, OPEN]) await on.kubectl(['wait', '--for=delete', `namespace/${name}`, '--timeout=60s']);
  await controller.stop();
});

test.run();
