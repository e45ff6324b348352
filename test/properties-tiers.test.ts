// What holds between two tiers of which one is stricter.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SeatSpec } from '../functions/model';
import { expandAll, hold, objectsOf } from './expanded';
import { HOSTS, type Manifest, OPTIONS, seatOf, TOOLS, tierOf } from './generators';

const tiers = suite('a stricter tier never allows what a laxer one denies');
const wishes = fc.record(
  {
    egress: fc.array(fc.record({ host: fc.constantFrom(...HOSTS) }), { maxLength: 2 }),
    network: fc.array(
      fc.record({
        cidr: fc.constantFrom('10.1.0.0/16', '10.2.0.0/16', '2001:db8::/64'),
        ports: fc.subarray([443, 5432]),
      }),
      { maxLength: 2 },
    ),
    browser: fc.constant({}),
  },
  { requiredKeys: [] },
);
const LIMITS = { resources: { limits: { cpu: '1', memory: '1Gi' } } };
const HARNESS = { adapter: 'claude-code', image: `agent@sha256:${'0'.repeat(64)}` };
const withOptions = (more: object): object => ({ ...OPTIONS, spec: { ...OPTIONS.spec, ...more } });

/** Refused counts as nothing allowed. */
function egressIn(tier: Manifest | undefined, spec: Omit<SeatSpec, 'tierRef'>, options: object): Set<string> {
  const seat = seatOf('engineer', 'team-a', { ...spec, ...(tier ? { tierRef: { name: tier.metadata.name } } : {}) });
  const objects = objectsOf(expandAll([options, ...(tier ? [tier] : []), seat]));
  const policy = objects.find(({ kind }) => kind === 'NetworkPolicy');
  return new Set((policy?.spec?.egress ?? []).map((rule) => JSON.stringify(rule)));
}
const isWithin = (inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean =>
  [...inner].every((rule) => outer.has(rule));

tiers('deny-all, gateway-only, and none', () => {
  const cases = fc.record({ access: wishes, platformFromDenyAll: fc.boolean() });
  hold(
    fc.property(cases, ({ access, platformFromDenyAll }) => {
      const options = withOptions({ requireTier: false, platformFromDenyAll });
      const spec = { organization: 'acme', harness: HARNESS, ...LIMITS, access };
      const closed = egressIn(tierOf('closed', { egress: 'deny-all' }), spec, options);
      const gateway = egressIn(tierOf('gateway', { egress: 'gateway-only' }), spec, options);
      const open = egressIn(undefined, spec, options);
      assert.ok(isWithin(closed, gateway) && isWithin(gateway, open));
      if (!platformFromDenyAll) assert.is(closed.size, 0);
      assert.equal(egressIn(tierOf('default'), spec, options), gateway);
    }),
  );
});

const manifestIn = (
  tier: Manifest,
  spec: SeatSpec,
): { harness: { model?: { provider_tools?: string[] } }; session: { ttl?: string } } | undefined => {
  const expansion = expandAll([tier, seatOf('engineer', 'team-a', { ...spec, tierRef: { name: tier.metadata.name } })]);
  const file = expansion.seats[0]?.files.find(({ path }) => path === 'manifest.json');
  return file && JSON.parse(file.text);
};

tiers('fewer provider tools allowed, fewer given, and none that was not asked for', () => {
  const lists = fc
    .tuple(fc.subarray([...TOOLS]), fc.subarray([...TOOLS]))
    .chain(([asked, lax]) => fc.record({ asked: fc.constant(asked), lax: fc.constant(lax), strict: fc.subarray(lax) }));
  hold(
    fc.property(lists, ({ asked, lax, strict }) => {
      const given = (allowed: readonly string[]): string[] =>
        manifestIn(tierOf('t', { allowedProviderTools: allowed }), {
          organization: 'acme',
          harness: { ...HARNESS, model: { providerTools: asked } },
        })?.harness.model?.provider_tools ?? [];
      const [few, many] = [given(strict), given(lax)];
      assert.ok(few.every((tool) => many.includes(tool)));
      assert.ok(many.every((tool) => asked.includes(tool as never)));
      if (strict.length === 0) assert.equal(few, []);
    }),
  );
});

tiers('a shorter session allowed, no longer one given', () => {
  const minutes = fc.integer({ min: 1, max: 600 });
  hold(
    fc.property(minutes, minutes, fc.option(minutes, { nil: undefined }), (a, b, asked) => {
      const given = (most: number): number | undefined => {
        const session = asked === undefined ? {} : { session: { ttl: `${asked}m` } };
        const ttl = manifestIn(tierOf('t', { maxSessionTTL: `${most}m` }), {
          organization: 'acme',
          harness: HARNESS,
          ...session,
        })?.session.ttl;
        return ttl === undefined ? undefined : Number(ttl.slice(0, -1));
      };
      const [strict, lax] = [Math.min(a, b), Math.max(a, b)];
      const [short, long] = [given(strict), given(lax)];
      if (short !== undefined) assert.ok(short <= strict && long !== undefined && short <= long);
      else assert.ok(asked !== undefined && asked > strict);
    }),
  );
});
tiers.run();
