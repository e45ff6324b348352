// Arbitrary packages that are right: tiers, and seats in them that ask for nothing that their tier refuses.
import * as fc from 'fast-check';
import type { SeatSpec, TaskRunSpec, TrustTierSpec } from '../functions/model';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: object;
}
export interface SeatManifest extends Manifest {
  readonly spec: SeatSpec;
}
export interface Package {
  readonly tiers: readonly Manifest[];
  readonly seats: readonly SeatManifest[];
}

export const tierOf = (name: string, spec: Partial<TrustTierSpec> = {}): Manifest => ({
  apiVersion: 'maqpna.com/v1alpha1',
  kind: 'TrustTier',
  metadata: { name },
  spec: {
    runtimeClassName: 'gvisor',
    isolation: 'gvisor',
    defaultResources: { limits: { cpu: '1', memory: '1Gi' } },
    ...spec,
  },
});

export const seatOf = (name: string, namespace: string, spec: SeatSpec): SeatManifest => ({
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'Seat',
  metadata: { name, namespace },
  spec,
});

/** Options that leave nothing to be missing: a gateway is there. */
export const OPTIONS = {
  apiVersion: 'seatplan.dev/v1alpha1',
  kind: 'ExpandSeats',
  metadata: { name: 'options' },
  spec: { egressURL: 'http://egress.steadmesh-system.svc:3128' },
};

/** Few letters, so that keys come near one another: `a_b`, `a-b`, long ones that are cut alike. */
const key = fc.oneof(
  fc.stringMatching(/^[ab]([ab_-]{0,4}[ab])?$/),
  fc.stringMatching(/^[ab]([ab_-]{38,61}[ab])$/),
  fc.stringMatching(/^[a-z]([a-z0-9_-]{0,20}[a-z0-9])?$/),
);
const organization = fc.constantFrom('a', 'acme', 'acme_1', 'acme-1');
const namespace = fc.constantFrom('team-a', 'team-b');
/** What a person may type: any character but half of one. */
export const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[-:#{}[\],&*!|>'"%@`?0-9 \t\nyesno~$()]*$/),
);

export const TOOLS = ['web_search', 'web_search_20250305', 'code_execution', 'code_execution_20250522'] as const;
export const HOSTS = ['example.com', '*.example.com', 'API.example.com.', 'pypi.org'] as const;
const image = fc.stringMatching(/^[0-9a-f]{64}$/).map((digest) => `registry.example/agent@sha256:${digest}`);

const tierNames = ['gateway', 'closed', 'timed'] as const;
export const TIERS: readonly Manifest[] = [
  tierOf('gateway', { allowedProviderTools: ['web_search', 'code_execution_20250522'], jurisdiction: 'EU-DE' }),
  tierOf('closed', { egress: 'deny-all', allowedNodeLabels: { zone: 'a', disk: 'nvme' } }),
  tierOf('timed', { maxSessionTTL: '8h', isolation: 'microvm', runtimeClassName: 'kata' }),
];

const access = fc.record(
  {
    egress: fc.array(
      fc.record({ host: fc.constantFrom(...HOSTS), ports: fc.subarray([80, 443, 8443]) }, { requiredKeys: ['host'] }),
      { maxLength: 3 },
    ),
    browser: fc.constant({}),
    binaries: fc.subarray(['git', 'gh', 'bash']),
  },
  { requiredKeys: [] },
);

const spec: fc.Arbitrary<SeatSpec> = fc
  .record(
    {
      organization,
      key,
      tierRef: fc.record({ name: fc.constantFrom(...tierNames) }),
      harness: fc.record(
        {
          adapter: fc.constant('claude-code'),
          image,
          config: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), text, { maxKeys: 2 }),
          args: fc.array(text, { maxLength: 2 }),
          env: fc.uniqueArray(fc.record({ name: fc.stringMatching(/^[A-Z]{3,6}X$/), value: text }), {
            maxLength: 2,
            selector: ({ name }) => name,
          }),
          model: fc.record({ providerTools: fc.subarray([...TOOLS]) }),
        },
        { requiredKeys: ['adapter', 'image'] },
      ),
      state: fc.constantFrom('Running' as const, 'Stopped' as const),
      instructions: text,
      files: fc.dictionary(
        fc.stringMatching(/^[a-z]{1,6}\.md$/).filter((name) => name !== 'instructions.md'),
        text,
        { maxKeys: 2 },
      ),
      workspace: fc.record({ size: fc.constantFrom('5Gi', '1024Mi', '2000000000') }),
      access,
      session: fc.record({ ttl: fc.constantFrom('90m', '8h') }),
    },
    { requiredKeys: ['organization', 'key', 'tierRef', 'harness'] },
  )
  // A closed tier refuses every wish to get out.
  .map(({ access: wishes, ...seat }) =>
    seat.tierRef.name === 'closed' || !wishes ? seat : { ...seat, access: wishes },
  );

const seat = fc
  .record({ name: fc.stringMatching(/^[a-z]{1,8}$/), namespace, spec })
  .map((one) => seatOf(one.name, one.namespace, one.spec));

/** No two seats share what only one may have. */
export const packages: fc.Arbitrary<Package> = fc
  .uniqueArray(seat, {
    minLength: 1,
    maxLength: 6,
    comparator: (a, b) =>
      (a.metadata.name === b.metadata.name && a.metadata.namespace === b.metadata.namespace) ||
      (a.spec.organization === b.spec.organization && a.spec.key === b.spec.key),
  })
  .map((seats) => ({ tiers: TIERS, seats }));

export interface TaskManifest extends Manifest {
  readonly spec: TaskRunSpec;
}
export const taskOf = (name: string, namespace: string, spec: TaskRunSpec): TaskManifest => ({
  apiVersion: 'steadmesh.io/v1alpha1',
  kind: 'TaskRun',
  metadata: { name, namespace },
  spec,
});

/** Names of runs that come near one another and near the keys of seats, long ones that are cut alike among them. */
const runName = fc.oneof(
  fc.stringMatching(/^[ab]([ab-]{0,3}[ab])?(\.[ab]{1,2})?$/),
  fc.stringMatching(/^a{27}[ab-]{0,30}[ab]$/),
  fc.stringMatching(/^[a-z]{1,60}(\.[a-z]{1,60}){0,2}$/),
);

const taskSpec: fc.Arbitrary<Omit<TaskRunSpec, 'seatRef'>> = fc.record(
  {
    input: fc.record({ text }),
    ttl: fc.constantFrom('1s', '90m'),
    workspace: fc.constantFrom('none' as const, 'readOnly' as const),
    resources: fc.constant({ limits: { cpu: '100m', memory: '64Mi' } }),
  },
  { requiredKeys: [] },
);

/** Seats, and runs of them under names that differ within a namespace. */
export const packagesWithTasks: fc.Arbitrary<Package & { readonly tasks: readonly TaskManifest[] }> = packages.chain(
  (whole) =>
    fc
      .uniqueArray(fc.record({ name: runName, seat: fc.constantFrom(...whole.seats), spec: taskSpec }), {
        minLength: 1,
        maxLength: 6,
        selector: ({ name, seat: { metadata } }) => `${metadata.namespace}/${name}`,
      })
      .map((runs) => ({
        ...whole,
        tasks: runs.map(({ name, seat: { metadata }, spec }) =>
          taskOf(name, metadata.namespace ?? '', { seatRef: { name: metadata.name }, ...spec }),
        ),
      })),
);
