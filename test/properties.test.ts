// What holds for every package, tried on many: fast-check prints seed and path of a failure; SEATPLAN_SEED tries others.
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isError } from '../functions/finding';
import { expandList } from '../functions/krm';
import type { SeatSpec } from '../functions/model';
import { type Expansion, expand } from '../functions/pipeline';
import { readFiles } from '../functions/stages/read/files';
import { writeYaml } from '../functions/stages/write/stream';
import { HOSTS, type Manifest, OPTIONS, packages, seatOf, TIERS, TOOLS, text, tierOf } from './generators';
import { type PackageFile, wireItems, wireList, writtenFiles } from './kpt-list';

const SEED = Number(process.env.SEATPLAN_SEED ?? 20261130);
const hold = <T>(property: fc.IProperty<T>, numRuns = 50): void => fc.assert(property, { seed: SEED, numRuns });

const expandFiles = (files: readonly { path: string; bytes: Uint8Array }[]): Expansion => {
  const { value, findings } = readFiles(files, 'package');
  return expand({ items: value, findings });
};
/** A file for each object, so that the order of the files is all that an order of input is. */
const filesOf = (objects: readonly unknown[]): { path: string; bytes: Uint8Array }[] =>
  objects.map((object, n) => ({ path: `${n}.json`, bytes: Buffer.from(JSON.stringify(object)) }));
const expandAll = (objects: readonly object[]): Expansion => expandFiles(filesOf(objects));
const textOf = (expansion: Expansion): string => {
  const chunks: string[] = [];
  writeYaml(expansion, { inputs: false, all: false }, (chunk) => chunks.push(chunk));
  return chunks.join('');
};
const isRefused = ({ findings }: Expansion): boolean => findings.some(isError);

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly spec?: {
    readonly podSelector?: { readonly matchLabels: Record<string, string> };
    readonly selector?: { readonly matchLabels: Record<string, string> };
    readonly template?: { readonly metadata: { readonly labels: Record<string, string> } };
    readonly egress?: readonly object[];
  };
}
const objectsOf = (expansion: Expansion): Rendered[] =>
  [...expansion.render()].map(({ object }) => object as unknown as Rendered);
const idOf = ({ kind, metadata }: Rendered): string => `${metadata.namespace}/${kind}/${metadata.name}`;

// ---------------------------------------------------------------- sets of seats
const sets = suite('seats beside one another');
sets('the generated packages are right', () => {
  hold(
    fc.property(packages, ({ tiers, seats }) => {
      const expansion = expandAll([OPTIONS, ...tiers, ...seats]);
      assert.equal(expansion.findings.filter(isError), []);
      assert.is(objectsOf(expansion).length, 5 * seats.length);
    }),
  );
});
sets('the order of the input does not matter', () => {
  const shuffled = packages.chain(({ tiers, seats }) => {
    const files = filesOf([OPTIONS, ...tiers, ...seats]);
    return fc.tuple(fc.constant(files), fc.shuffledSubarray(files, { minLength: files.length }));
  });
  hold(
    fc.property(shuffled, ([files, others]) => {
      const [one, other] = [expandFiles(files), expandFiles(others)];
      assert.is(textOf(other), textOf(one));
      assert.equal(
        other.findings.map(({ item: _, ...finding }) => finding),
        one.findings.map(({ item: _, ...finding }) => finding),
      );
    }),
  );
});
sets('a change of one seat moves only its objects', () => {
  const changed = fc.record({
    package: packages,
    which: fc.nat(),
    instructions: text,
    state: fc.constantFrom('Running' as const, 'Stopped' as const),
  });
  hold(
    fc.property(changed, ({ package: { tiers, seats }, which, instructions, state }) => {
      const target = seats[which % seats.length]!;
      const others = seats.filter((seat) => seat !== target);
      const edited = { ...target, spec: { ...target.spec, instructions, state } };
      const before = objectsOf(expandAll([OPTIONS, ...tiers, ...seats]));
      const after = objectsOf(expandAll([OPTIONS, ...tiers, ...others, edited]));
      const without = objectsOf(expandAll([OPTIONS, ...tiers, ...others]));
      const byID = (objects: Rendered[]) => new Map(objects.map((object) => [idOf(object), object]));
      const [old, now] = [byID(before), byID(after)];
      assert.equal([...now.keys()].sort(), [...old.keys()].sort());
      for (const object of without) {
        assert.equal(old.get(idOf(object)), object);
        assert.equal(now.get(idOf(object)), object);
      }
    }),
  );
});
sets('distinct seats share no name and no selector', () => {
  const matches = (selector: Record<string, string> = {}, labels: Record<string, string> = {}): boolean =>
    Object.entries(selector).every(([key, value]) => labels[key] === value);
  hold(
    fc.property(packages, ({ tiers, seats }) => {
      const objects = objectsOf(expandAll([OPTIONS, ...tiers, ...seats]));
      assert.is(new Set(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).size, objects.length);
      const pods = objects.filter(({ kind }) => kind === 'StatefulSet');
      const labelsOf = (pod: Rendered) => pod.spec?.template?.metadata.labels;
      for (const { spec, metadata, kind } of objects) {
        const selector = spec?.podSelector?.matchLabels ?? spec?.selector?.matchLabels;
        if (!selector) continue;
        const selected = pods.filter((pod) => matches(selector, labelsOf(pod)));
        assert.equal(
          selected.map((pod) => pod.metadata.name),
          [metadata.name],
          `${kind} ${metadata.name}`,
        );
      }
    }),
  );
});
sets('names are DNS labels', () => {
  hold(
    fc.property(packages, ({ tiers, seats }) => {
      for (const { metadata } of objectsOf(expandAll([OPTIONS, ...tiers, ...seats])))
        assert.match(metadata.name, /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/);
    }),
  );
});
sets.run();

// ---------------------------------------------------------------- tiers only ever tighten
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

// ---------------------------------------------------------------- anything at all
const anything = suite('whatever comes in');
const survives = (files: readonly { path: string; bytes: Uint8Array }[]): void => {
  const expansion = expandFiles(files);
  const rendered = [...expansion.render()];
  if (isRefused(expansion)) assert.equal(rendered, []);
  else assert.ok(expansion.seats.length > 0 || rendered.length === 0);
};
anything('arbitrary JSON in a Seat, a TrustTier or a config never throws, and an error renders nothing', () => {
  const kinds = fc.constantFrom(TIERS[0]!, seatOf('a', 'team-a', { organization: 'acme', harness: HARNESS }), OPTIONS);
  const objects = fc.tuple(kinds, fc.jsonValue(), fc.constantFrom('spec', 'metadata', 'all', 'field'), fc.string());
  hold(
    fc.property(objects, ([object, value, where, field]) => {
      const broken =
        where === 'all'
          ? value
          : where === 'field'
            ? { ...object, spec: { ...object.spec, [field]: value } }
            : { ...object, [where]: value };
      survives(filesOf([broken, ...TIERS]));
    }),
    300,
  );
});
anything('arbitrary text and bytes never throw', () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    text.map((one) => Buffer.from(one)),
    text.map((one) => Buffer.from(`apiVersion: steadmesh.io/v1alpha1\nkind: Seat\nmetadata:\n  name: a\n${one}`)),
  );
  hold(
    fc.property(bytes, (one) => survives([{ path: 'a.yaml', bytes: one }])),
    300,
  );
});
anything('a text that somebody damaged never throws, as a file and in a list', () => {
  const seat = `apiVersion: steadmesh.io/v1alpha1\nkind: Seat\nmetadata:\n  name: engineer\n  namespace: team-a\nspec:\n  organization: acme\n  tierRef: {name: gateway}\n  harness:\n    adapter: a\n    image: "agent@sha256:${'0'.repeat(64)}"\n  instructions: |\n    Hello\n`;
  const damage = fc.record({ at: fc.nat(seat.length), length: fc.nat(20), put: text });
  hold(
    fc.property(damage, ({ at, length, put }) => {
      const damaged = `${seat.slice(0, at)}${put}${seat.slice(at + length)}`;
      survives([...filesOf(TIERS), { path: 'seat.yaml', bytes: Buffer.from(damaged) }]);
      const list = `kind: ResourceList\nitems:\n- ${damaged.replaceAll('\n', '\n  ').trimEnd()}\n`;
      const { output, findings } = expandList({
        stdin: Buffer.from(list),
        platform: undefined,
        findings: [],
        logToStderr: false,
      });
      const answer = [...output].join('');
      assert.match(answer, 'ResourceList');
      if (findings.some(isError)) assert.not.match(answer, 'kind: StatefulSet');
    }),
    300,
  );
});
anything.run();

// ---------------------------------------------------------------- twice
const twice = suite('a second run');
const KPTFILE = { apiVersion: 'kpt.dev/v1', kind: 'Kptfile', metadata: { name: 'package' } };
const asPackage = (objects: readonly object[]): PackageFile[] =>
  [KPTFILE, ...objects].map((object, n) => ({
    path: n === 0 ? 'Kptfile' : `${n}.yaml`,
    packagePath: '/package',
    documents: [JSON.stringify(object)],
  }));
const runOn = (files: readonly PackageFile[]): PackageFile[] => {
  const list = wireList(wireItems(files), undefined);
  const { output, findings } = expandList({
    stdin: Buffer.from(list),
    platform: undefined,
    findings: [],
    logToStderr: false,
  });
  assert.equal(
    findings.filter(isError).map(({ code, message }) => `${code} ${message}`),
    [],
  );
  return writtenFiles([...output].join(''));
};
twice('changes nothing, and after seats came and went the package is as if it had been so from the start', () => {
  const pairs = fc.tuple(packages, fc.nat(), fc.nat());
  hold(
    fc.property(pairs, ([{ tiers: declared, seats }, from, to]) => {
      const first = seats.slice(from % seats.length);
      const then = seats.slice(0, 1 + (to % seats.length));
      const rendered = runOn(asPackage([OPTIONS, ...declared, ...first]));
      assert.equal(runOn(rendered), rendered);
      const generated = rendered.filter(({ path }) => path.startsWith('generated/'));
      const moved = runOn([...asPackage([OPTIONS, ...declared, ...then]), ...generated]);
      const fresh = runOn(asPackage([OPTIONS, ...declared, ...then]));
      const names = new Set(fresh.map(({ path }) => path));
      assert.equal(
        moved.filter(({ path }) => names.has(path)),
        fresh,
      );
      // What is left beside them are the workspaces of seats that are gone.
      for (const { documents } of moved.filter(({ path }) => !names.has(path)))
        assert.ok(documents.every((one) => /^kind: "?PersistentVolumeClaim/m.test(one)));
    }),
    20,
  );
});
twice.run();
