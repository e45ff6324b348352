// Claims of sandboxes and the pools that they claim from, over any packages of seats, tiers and namespaces.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expandAll, hold, isRefused, objectsOf, type Rendered } from './expanded';

const NAMESPACES = ['team-a', 'team-b', 'team-c'];
const TIERS = ['gold', 'silver', 'plain'];

const tiers = fc.tuple(
  ...TIERS.map((name) =>
    fc
      .record({
        size: fc.option(fc.nat(5), { nil: undefined }),
        warm: fc.subarray(NAMESPACES),
        pooled: name === 'plain' ? fc.constant(false) : fc.boolean(),
      })
      .map(({ size, warm, pooled }) => ({
        apiVersion: 'maqpna.com/v1alpha1',
        kind: 'TrustTier',
        metadata: { name },
        spec: {
          runtimeClassName: 'gvisor',
          isolation: 'gvisor',
          defaultResources: { limits: { cpu: '1', memory: '1Gi' } },
          ...(pooled ? { sandboxTemplateName: `template-${name}` } : {}),
          ...(size === undefined ? {} : { warmPoolSize: size }),
          warmPoolNamespaces: warm,
        },
      })),
  ),
);
const seats = fc.array(
  fc.record({
    key: fc.stringMatching(/^[a-z][a-z0-9_-]{0,20}[a-z0-9]$/),
    namespace: fc.constantFrom(...NAMESPACES),
    tier: fc.constantFrom(...TIERS),
    state: fc.constantFrom('Running', 'Stopped'),
  }),
  { minLength: 1, maxLength: 8 },
);
const seatOf = (
  { key, namespace, tier, state }: { key: string; namespace: string; tier: string; state: string },
  n: number,
) => ({
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'Seat',
  metadata: { name: `seat-${n}`, namespace },
  spec: {
    organization: 'acme',
    key: `${key}${n}`,
    state,
    tierRef: { name: tier },
    harness: { adapter: 'claude', image: `ghcr.io/acme/agent@sha256:${'d4'.repeat(32)}` },
  },
});
const options = (operatorPresent: boolean) => ({
  apiVersion: 'seatplan.dev/v1alpha1',
  kind: 'ExpandSeats',
  metadata: { name: 'options' },
  spec: { operatorPresent, probe: { mode: 'none' } },
});

interface Claim extends Rendered {
  readonly spec: Rendered['spec'] & { readonly warmPoolRef: { readonly name: string } };
}
interface Pool extends Rendered {
  readonly spec: Rendered['spec'] & {
    readonly sandboxTemplateRef: { readonly name: string };
    readonly replicas: number;
  };
}
const placeOf = (namespace: string, name: string): string => `${namespace}/${name}`;

const pools = suite('pools of tiers');
pools('each claim names a pool that is rendered beside it, once, and each pool the template of its tier', () => {
  hold(
    fc.property(tiers, seats, (declared, wanted) => {
      const expansion = expandAll([options(false), ...declared, ...wanted.map(seatOf)]);
      assert.not.ok(isRefused(expansion), expansion.findings.map(({ message }) => message).join('\n'));
      const objects = objectsOf(expansion);
      const made = objects.filter(({ kind }) => kind === 'SandboxWarmPool') as Pool[];
      const places = made.map(({ metadata }) => placeOf(metadata.namespace, metadata.name));
      assert.is(new Set(places).size, places.length, 'each pool once');
      for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'SandboxClaim') as Claim[])
        assert.ok(places.includes(placeOf(metadata.namespace, spec.warmPoolRef.name)), metadata.name);
      for (const { metadata, spec } of made) {
        const tier = declared.find(({ metadata: { name } }) => metadata.name === `maqpna-${name}`)!.spec;
        assert.is(spec.sandboxTemplateRef.name, tier.sandboxTemplateName);
        assert.is(spec.replicas, tier.warmPoolNamespaces.includes(metadata.namespace) ? (tier.warmPoolSize ?? 0) : 0);
      }
    }),
  );
});
pools('a running seat of a tier with a template has a claim and nothing else, a stopped one nothing', () => {
  hold(
    fc.property(tiers, seats, (declared, wanted) => {
      const expansion = expandAll([options(true), ...declared, ...wanted.map(seatOf)]);
      const objects = objectsOf(expansion);
      assert.not.ok(
        objects.some(({ kind }) => kind === 'SandboxWarmPool'),
        'the operator makes them',
      );
      for (const seat of expansion.seats.filter(({ workload }) => workload === 'SandboxClaim')) {
        const own = objects.filter(({ metadata }) => metadata.name.startsWith(seat.name)).map(({ kind }) => kind);
        assert.equal(own, seat.replicas ? ['SandboxClaim'] : []);
      }
    }),
  );
});
pools.run();
