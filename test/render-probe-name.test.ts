// What gives the probe's Job another name, and so another run: all that its verdict depends on, and nothing else.
import type { KubernetesObject } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Options, ProbeOptions, ResolvedSeat } from '../functions/model';
import { probesOf, renderProbes } from '../functions/render/probe';
import { IMAGE, resolved } from './rendered';
import { optionsWith } from './seats';

const DEFAULTS = optionsWith();
const withProbe = (probe: Partial<ProbeOptions>): Options => ({ ...DEFAULTS, probe: { ...DEFAULTS.probe, ...probe } });
const inNamespace = (namespace: string): ResolvedSeat => ({ ...resolved(), namespace });
/** Name of the Job for the first namespace. */
function nameOf(seats: readonly ResolvedSeat[] = [resolved()], options = DEFAULTS): string {
  const objects: KubernetesObject[] = [...renderProbes(probesOf(seats, options).value, 'flat')].map(
    ({ object }) => object,
  );
  const name = objects.find(({ kind }) => kind === 'Job')?.metadata?.name;
  assert.ok(name);
  return name;
}

const digest = suite("the Job's name");
const seat = resolved();
const tier = { ...resolved({}, { egress: 'gateway-only' }), name: seat.name };
const edited: Readonly<Record<string, readonly [seats: ResolvedSeat[], options?: Options]>> = {
  'another image of the probe': [[seat], { ...DEFAULTS, probeImage: 'ghcr.io/seatplan/probe-seats:v0.2.0' }],
  'another epoch': [[seat], withProbe({ epoch: 'again' })],
  'another canary': [[seat], withProbe({ canaries: ['192.0.2.1:443'] })],
  'another time to settle': [[seat], withProbe({ settleSeconds: 21 })],
  'an accepted gap': [[seat], withProbe({ acceptGaps: [] })],
  'other rights': [[seat], withProbe({ rbac: 'namespace' })],
  'another platform': [[seat], { ...DEFAULTS, platformURL: 'http://p.steadmesh-system.svc:80' }],
  "another image of the seat's": [[resolved({ harness: { adapter: 'claude', image: IMAGE.replace('aa', 'ab') } })]],
  'other instructions': [[resolved({ instructions: 'Be brief.' })]],
  'a seat that stops': [[resolved({ state: 'Stopped' })]],
  'another claim': [[resolved({ workspace: { size: '6Gi' } })]],
  'another spec of the Seat of which nothing is rendered': [
    [
      {
        ...seat,
        seat: { ...seat.seat, object: { ...seat.seat.object, spec: { ...seat.seat.object.spec, more: 1 } as never } },
      },
    ],
  ],
  'another tier': [[tier]],
  'another spec of the tier of which nothing is rendered': [
    [{ ...tier, tier: { ...tier.tier!, digest: `sha256:${'0'.repeat(64)}` } }],
  ],
  'one more seat': [[seat, { ...seat, name: 'seat-other-00000000', key: 'other' }]],
};
digest('is another for each edit of what the verdict depends on', () => {
  const names = [nameOf(), nameOf([tier]), ...Object.values(edited).map((one) => nameOf(...one))];
  const labels = ['as it was', 'with a tier', ...Object.keys(edited)];
  for (const [n, name] of names.entries()) {
    const same = names.indexOf(name);
    // `another tier` is the seat with a tier
    if (labels[n] !== 'another tier') assert.is(labels[same], labels[n], `${labels[n]} has a name of its own`);
  }
});
digest('is the same for the same, and whatever stands in other namespaces', () => {
  assert.is(nameOf([seat, inNamespace('team-b')]), nameOf());
});
digest.run();
