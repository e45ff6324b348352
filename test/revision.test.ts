// What restarts a seat, what does not, and what its agent is told.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Harness, Options, SeatSpec, TrustTierSpec } from '../functions/model';
import { resolveSeats } from '../functions/stages/resolve';
import { optionsWith, seatWith, tierWith } from './seats';

const HARNESS: Harness = { adapter: 'claude', image: `registry.example/agent@sha256:${'a'.repeat(64)}` };
const LIMITS = { limits: { cpu: '1', memory: '1Gi' } };
const GATEWAY = { egressURL: 'http://egress.steadmesh-system.svc:3128', egressPort: 3128 };

/** Without a tier, which may reach everything, or in the tier given. */
function resolved(spec: Partial<SeatSpec> = {}, tier?: Partial<TrustTierSpec>, options: Partial<Options> = {}) {
  const seat = seatWith({
    harness: HARNESS,
    resources: LIMITS,
    ...(tier ? { tierRef: { name: 'tier-0' } } : {}),
    ...spec,
  });
  const { value, findings } = resolveSeats(
    { tiers: tier ? [tierWith(tier)] : [], seats: [seat], rest: [], related: [] },
    optionsWith({ requireTier: false, ...GATEWAY, ...options }),
  );
  const errors = findings.filter(({ severity }) => severity === 'error');
  assert.equal(
    errors.map(({ code }) => code),
    [],
  );
  return value[0]!;
}
const revision = (...given: Parameters<typeof resolved>): string => resolved(...given).configRevision;

const digests = suite('digests');
digests('a config revision is pinned: another value restarts every seat there is', () =>
  assert.is(revision(), 'sha256:3dc53a7fe0256b7019e5a9d3441673399de08ad995ad8890bc2e5809d3ca1669'),
);
digests('a config revision with everything in use is pinned too', () =>
  assert.is(
    revision(
      {
        access: {
          egress: [{ host: 'example.com' }],
          browser: { sessionConnection: 'b' },
          binaries: ['git'],
          repositories: [{ connection: 'c', host: 'git.example', repos: ['a/b'], delivery: 'sandbox' }],
        },
        files: { 'a/b': 'text' },
        tools: [{ resource: 'tickets', operations: ['read'] }],
        session: { ttl: '1h' },
      },
      { isolation: 'gvisor', jurisdiction: 'EU-DE', allowedNodeLabels: { region: 'eu' }, maxSessionTTL: '8h' },
    ),
    'sha256:b7d3b9a48fe7b0a08f59813d59b91f438e628da84a0a75c78331cc5e83eecd8c',
  ),
);
digests('a tier digest is pinned, and a default spelled out changes nothing', () => {
  const digest = 'sha256:f7e2ad48564cb843607209509e3dabf5b56961cd2717859f3f997dbf4b99ffae';
  assert.is(resolved({}, { jurisdiction: 'EU-DE' }).tier?.digest, digest);
  assert.is(resolved({}, { egress: 'gateway-only', jurisdiction: 'EU-DE' }).tier?.digest, digest);
});
digests.run();

const base = (access: SeatSpec['access'] = {}): Partial<SeatSpec> => ({ access });
const same = suite('what applies live');
const SAME: Record<string, readonly [Parameters<typeof resolved>, Parameters<typeof resolved>]> = {
  'another host': [
    [base({ egress: [{ host: 'a.example' }] })],
    [base({ egress: [{ host: 'b.example' }, { host: '*.c.example' }] })],
  ],
  'a grant that the platform delivers': [
    [base()],
    [base({ repositories: [{ connection: 'c', host: 'git.example', repos: ['a/b'] }] })],
  ],
  'stopping the seat': [[{}], [{ state: 'Stopped' }]],
  'a larger workspace': [[{}], [{ workspace: { size: '10Gi' } }]],
  'another retention': [[{}], [{ workspace: { retention: 'Delete' } }]],
  'an empty list written down': [[{}], [{ tools: [], access: { network: [], egress: [] }, imagePullSecrets: [] }]],
  'a warm pool of the tier': [
    [{ workload: 'StatefulSet' }, { sandboxTemplateName: 't' }],
    [{ workload: 'StatefulSet' }, { sandboxTemplateName: 't', warmPoolSize: 3 }],
  ],
  'quantities in another spelling': [
    [{ resources: { limits: { cpu: '0.5', memory: '2048Mi' } } }],
    [{ resources: { limits: { memory: '2Gi', cpu: '500m' } } }],
  ],
  'another order of CIDRs and binaries': [
    [base({ network: [{ cidr: '10.1.0.0/16' }, { cidr: '10.2.0.0/16' }], binaries: ['a', 'b'] })],
    [base({ network: [{ cidr: '10.2.0.0/16' }, { cidr: '10.1.0.0/16' }], binaries: ['b', 'a'] })],
  ],
};
for (const [what, [one, other]] of Object.entries(SAME))
  same(`${what} restarts nothing`, () => assert.is(revision(...one), revision(...other)));
same.run();

const changed = suite('what restarts');
const CHANGED: Record<string, Parameters<typeof resolved>> = {
  'an image': [{ harness: { ...HARNESS, image: `registry.example/agent@sha256:${'b'.repeat(64)}` } }],
  'a CIDR': [base({ network: [{ cidr: '10.0.0.0/8' }] })],
  'a binary': [base({ binaries: ['git'] })],
  'a browser': [base({ browser: {} })],
  'the first host': [base({ egress: [{ host: 'a.example' }] })],
  'a grant delivered into the sandbox': [
    base({ repositories: [{ connection: 'c', host: 'git.example', repos: ['a/b'], delivery: 'sandbox' }] }),
  ],
  instructions: [{ instructions: 'Do it.' }],
  'a tool': [{ tools: [{ resource: 'tickets' }] }],
  'a setting of the adapter': [{ harness: { ...HARNESS, config: { a: 'b' } } }],
  'a toleration of 64 bits': [
    scheduled({
      tolerations: [
        {
          key: 'a',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 9007199254740993n as unknown as number,
        },
      ],
    }),
  ],
  'a tier': [{}, { runtimeClassName: 'gvisor' }],
  'the platform’s address': [{}, undefined, { platformURL: 'http://other.steadmesh-system.svc:8080' }],
};
function scheduled(scheduling: NonNullable<SeatSpec['scheduling']>): Partial<SeatSpec> {
  return { scheduling };
}
for (const [what, given] of Object.entries(CHANGED))
  changed(`${what} restarts the seat`, () => assert.is.not(revision(...given), revision()));
changed.run();

const manifest = suite('manifest.json');
const manifestOf = (...given: Parameters<typeof resolved>) => JSON.parse(resolved(...given).files[0]!.text);
manifest('it comes first, names the other files, and holds the config revision', () => {
  const seat = resolved({ instructions: 'Do it.', files: { 'b/c.md': 'c', a: 'a' } });
  assert.equal(
    seat.files.map(({ key }) => key),
    ['manifest.json', 'instructions.md', 'a', 'b__c.md'],
  );
  const content = JSON.parse(seat.files[0]!.text);
  assert.is(content.config_revision, seat.configRevision);
  assert.equal(content.files, ['instructions.md', 'a', 'b/c.md']);
});
manifest('its names are in snake case and its defaults applied', () => {
  const content = manifestOf(
    {
      organizationID: 'o-1',
      seatID: 's-1',
      harness: { ...HARNESS, model: { connection: 'c', name: 'm', providerTools: ['web_search', 'x'] } },
      access: {
        egress: [{ host: 'Example.com.' }],
        browser: { sessionConnection: 's' },
        repositories: [{ connection: 'c', host: 'git.example', repos: ['a/b'], permissions: { contents: 'read' } }],
      },
      session: { ttl: '1h' },
    },
    { allowedProviderTools: ['web_search'], maxSessionTTL: '8h' },
  );
  assert.is(content.organization_id, 'o-1');
  assert.is(content.seat_id, 's-1');
  assert.is(content.seat, 'engineer');
  assert.equal(content.harness.model, { connection: 'c', name: 'm', provider_tools: ['web_search'] });
  assert.equal(content.access.egress, [{ host: 'example.com', ports: [80, 443] }]);
  assert.equal(content.access.browser, { session_connection: 's' });
  assert.equal(content.access.gateway, { url: GATEWAY.egressURL });
  assert.equal(content.access.repositories, [
    { connection: 'c', host: 'git.example', repos: ['a/b'], permissions: { contents: 'read' }, delivery: 'platform' },
  ]);
  assert.equal(content.session, { ttl: '1h' });
  assert.equal(content.attestation, { required: false, audience: 'steadmesh-gateway' });
  assert.is(content.tier.isolation, 'gvisor');
});
manifest('the tier’s longest session stands for a seat that names none', () =>
  assert.equal(manifestOf({}, { maxSessionTTL: '8h' }).session, { ttl: '8h' }),
);
manifest.run();
