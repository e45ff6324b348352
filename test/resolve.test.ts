// The outcome as a whole: everything at once, in one order, and traced.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SeatSpec } from '../functions/model';
import { resolveSeats } from '../functions/stages/resolve';
import { HARNESS, LIMITS, noTier, resolve, SEAT, seats } from './resolve-table';
import { optionsWith, seatWith, tierWith } from './seats';

const { resources: _resources, ...UNLIMITED } = SEAT;
const TOOLS = (...providerTools: string[]): Partial<SeatSpec> => ({
  harness: { ...HARNESS, model: { providerTools } },
});
const image = (name: string | undefined): Partial<SeatSpec> => ({
  harness: { adapter: 'claude', ...(name === undefined ? {} : { image: name }) },
});

const outcome = suite('outcome');
outcome('all findings of all seats come at once, and faulty seats are left out', () => {
  const { value, findings } = resolve({
    declared: seats(
      seatWith({ ...SEAT, ...image('x') }, 'a'),
      seatWith({ ...SEAT, ...TOOLS('y') }, 'b'),
      seatWith(noTier(), 'c'),
    ),
  });
  assert.equal(
    value.map(({ key }) => key),
    ['b'],
  );
  assert.equal(findings.map(({ code }) => code).sort(), ['IMAGE_NOT_PINNED', 'PROVIDER_TOOL_REMOVED', 'TIER_REQUIRED']);
});
outcome('a misspelt tier is answered with the nearest', () => {
  const [finding] = resolve({ seat: { tierRef: { name: 'tier-O' } } }).findings;
  assert.is(finding?.proposed, 'tier-0');
});
outcome('the order of the input does not matter', () => {
  const list = ['c', 'a', 'b'].map((name) => seatWith(SEAT, name));
  const one = resolve({ declared: seats(...list) }).value.map(({ name }) => name);
  assert.equal(
    resolve({ declared: seats(...list.reverse()) }).value.map(({ name }) => name),
    one,
  );
});
outcome('a trace tells who decided what', () => {
  const told = new Map<string, string>();
  resolveSeats(
    {
      tiers: [tierWith({ defaultResources: LIMITS, allowedNodeLabels: { region: 'eu' } })],
      seats: [
        seatWith({ ...UNLIMITED, state: 'Stopped', scheduling: { nodeLabels: { disk: 'ssd' } }, ...TOOLS('web') }),
      ],
      rest: [],
      related: [],
    },
    optionsWith(),
    () =>
      ({ field, from }) =>
        told.set(field, from),
  );
  assert.is(told.get('spec.resources'), 'tier');
  assert.is(told.get('runtimeClassName'), 'tier');
  assert.is(told.get('spec.state'), 'seat');
  assert.is(told.get('spec.workspace.size'), 'default');
  assert.is(told.get('imagePullPolicy'), 'options');
  assert.is(told.get('nodeLabels region'), 'tier');
  assert.is(told.get('nodeLabels disk'), 'seat');
  assert.is(told.get('providerTools'), 'tier');
});
outcome.run();
