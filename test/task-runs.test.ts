// Task runs: which seat they are held to, what of it they may use, and the pod that comes of it.
import type { V1Pod } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Options, ResolvedTask, SeatSpec, TaskRunSpec, TrustTierSpec } from '../functions/model';
import { objectsOfSeat } from '../functions/render';
import { objectsOfTask, renderPolicy, renderWorker } from '../functions/render/task-worker';
import { resolveSeats } from '../functions/stages/resolve';
import { HARNESS, RUNSC, SEAT } from './resolve-table';
import { optionsWith, seatWith, taskWith, tierWith } from './seats';

interface Given {
  readonly task?: Partial<TaskRunSpec>;
  readonly seat?: Partial<SeatSpec>;
  readonly tier?: Partial<TrustTierSpec>;
  readonly options?: Partial<Options>;
}
const TTL = { maxSessionTTL: '8h' };

const resolve = ({ task, seat, tier = TTL, options }: Given) => {
  const { tierRef, ...untiered } = { ...SEAT, ...seat };
  const declared = {
    tiers: [tierWith(tier)],
    seats: [seatWith(options?.requireTier === false ? untiered : { ...untiered, tierRef: tierRef! })],
    tasks: [taskWith(task)],
    ...{ rest: [], related: [RUNSC] },
  };
  const resolution = resolveSeats(declared, optionsWith({ egressURL: 'http://egress', egressPort: 80, ...options }));
  const findings = resolution.findings.filter(({ item }) => item?.kind === 'TaskRun');
  return { ...resolution, lines: findings.map(({ code, path }) => `${code} ${path}`).sort(), findings };
};
const taskOf = (given: Given): ResolvedTask => {
  const { tasks, findings } = resolve(given);
  assert.equal(
    findings.map(({ message }) => message),
    [],
  );
  return tasks[0]!;
};
const workerOf = (given: Given): V1Pod => renderWorker(taskOf(given));
const direct = (...network: NonNullable<SeatSpec['access']>['network'] & object) => ({ access: { network } });

const limits = suite('access within the seat’s');
const WITHIN: Readonly<Record<string, readonly [seat: SeatSpec['access'], run: SeatSpec['access']]>> = {
  'the same host': [{ egress: [{ host: 'a.example' }] }, { egress: [{ host: 'A.example.' }] }],
  'fewer ports': [{ egress: [{ host: 'a.example', ports: [1, 2] }] }, { egress: [{ host: 'a.example', ports: [2] }] }],
  'a name below a suffix': [{ egress: [{ host: '*.a.example' }] }, { egress: [{ host: 'x.y.a.example' }] }],
  'a suffix below a suffix': [{ egress: [{ host: '*.a.example' }] }, { egress: [{ host: '*.y.a.example' }] }],
  'ports of two entries together': [
    {
      egress: [
        { host: 'x.a.example', ports: [1] },
        { host: '*.a.example', ports: [2] },
      ],
    },
    { egress: [{ host: 'x.a.example', ports: [1, 2] }] },
  ],
  'no session in the browser': [{ browser: { sessionConnection: 'shop' } }, { browser: {} }],
  'to read what may be written': [
    { repositories: [{ connection: 'c', host: 'h.example', repos: ['a/b'], permissions: { contents: 'write' } }] },
    { repositories: [{ connection: 'c', host: 'H.example', repos: ['a/b'], permissions: { contents: 'read' } }] },
  ],
  'a host of a repository in the sandbox': [
    { repositories: [{ connection: 'c', host: 'h.example', repos: ['a/b'], delivery: 'sandbox' }] },
    { egress: [{ host: 'h.example' }] },
  ],
};
for (const [sentence, [seat, run]] of Object.entries(WITHIN))
  limits(`allowed: ${sentence}`, () => {
    const given = { seat: { access: seat ?? {} }, task: { access: run ?? {} } };
    assert.equal(resolve(given).lines, []);
  });

const BEYOND: Readonly<Record<string, readonly [seat: SeatSpec['access'], run: SeatSpec['access'], path: string]>> = {
  'the suffix itself': [{ egress: [{ host: '*.a.example' }] }, { egress: [{ host: 'a.example' }] }, 'egress[0]'],
  'a name that ends alike': [{ egress: [{ host: '*.a.example' }] }, { egress: [{ host: 'ba.example' }] }, 'egress[0]'],
  'a wider suffix': [{ egress: [{ host: '*.b.a.example' }] }, { egress: [{ host: '*.a.example' }] }, 'egress[0]'],
  'a suffix beside one name of it': [
    { egress: [{ host: 'x.a.example' }] },
    { egress: [{ host: '*.a.example' }] },
    'egress[0]',
  ],
  'the usual ports where the seat has others': [
    { egress: [{ host: 'a.example', ports: [8443] }] },
    { egress: [{ host: 'a.example' }] },
    'egress[0]',
  ],
  'a browser': [{}, { browser: {} }, 'browser'],
  'a session that the seat has not': [
    { browser: {} },
    { browser: { sessionConnection: 'shop' } },
    'browser.sessionConnection',
  ],
  'a repository in the sandbox that the platform keeps': [
    { repositories: [{ connection: 'c', host: 'h.example', repos: ['a/b'] }] },
    { repositories: [{ connection: 'c', host: 'h.example', repos: ['a/b'], delivery: 'sandbox' }] },
    'repositories[0].repos[0]',
  ],
  'a permission out of two grants': [
    {
      repositories: [
        { connection: 'c', host: 'h.example', repos: ['a/b'], permissions: { contents: 'read' } },
        { connection: 'c', host: 'h.example', repos: ['a/c'], permissions: { contents: 'write' } },
      ],
    },
    { repositories: [{ connection: 'c', host: 'h.example', repos: ['a/b'], permissions: { contents: 'write' } }] },
    'repositories[0].repos[0]',
  ],
  'a permission called like a member of every object': [
    { repositories: [{ connection: 'c', host: 'h.example', repos: ['a/b'], permissions: {} }] },
    {
      repositories: [
        {
          connection: 'c',
          host: 'h.example',
          repos: ['a/b'],
          permissions: { constructor: 'read' } as Record<string, 'read'>,
        },
      ],
    },
    'repositories[0].repos[0]',
  ],
};
for (const [sentence, [seat, run, path]] of Object.entries(BEYOND))
  limits(`refused: ${sentence}`, () => {
    const given = { seat: { access: seat ?? {} }, task: { access: run ?? {} } };
    assert.equal(resolve(given).lines, [`ACCESS_EXCEEDS_SEAT spec.access.${path}`]);
  });

const NO_TIER = { options: { requireTier: false } };
const SEATS_BLOCK = direct({ cidr: '10.0.0.0/16', except: ['10.0.3.0/24'], ports: [443, 500], protocol: 'TCP' });
for (const [sentence, entry, isAllowed] of [
  ['a part of the block', { cidr: '10.0.2.0/24', ports: [500] }, true],
  ['the block with more cut out of it', { cidr: '10.0.0.0/16', except: ['10.0.2.0/23'], ports: [443] }, true],
  ['what the seat excepts', { cidr: '10.0.3.7/32', ports: [443] }, false],
  ['the block without its hole', { cidr: '10.0.0.0/16', ports: [443] }, false],
  ['a hole that is too small', { cidr: '10.0.0.0/16', except: ['10.0.3.0/25'], ports: [443] }, false],
  ['every port', { cidr: '10.0.2.0/24' }, false],
  ['a range between two ports', { cidr: '10.0.2.0/24', ports: [443], endPort: 500 }, false],
  ['another protocol', { cidr: '10.0.2.0/24', ports: [443], protocol: 'UDP' }, false],
  ['the other family', { cidr: 'fd00::/64', ports: [443] }, false],
] as const)
  limits(`directly ${isAllowed ? 'allowed' : 'refused'}: ${sentence}`, () => {
    const given = {
      ...NO_TIER,
      seat: { ...SEATS_BLOCK, session: { ttl: '1h' } },
      task: { access: { network: [entry] } },
    };
    assert.equal(resolve(given).lines, isAllowed ? [] : ['ACCESS_EXCEEDS_SEAT spec.access.network[0]']);
  });
limits('a run that asks for nothing reaches the platform and DNS alone, whatever its seat may', () => {
  const seat = { ...SEATS_BLOCK, session: { ttl: '1h' } };
  const { egress } = renderPolicy(taskOf({ ...NO_TIER, seat })).spec!;
  assert.equal(
    egress!.map(({ ports }) => ports!.map(({ port }) => port)),
    [[8080], [53, 53]],
  );
});
limits('the finding names the entry and what the seat has', () => {
  const seat = { access: { egress: [{ host: 'a.example' }, { host: '*.b.example', ports: [8443] }] } };
  const { findings } = resolve({ seat, task: { access: { egress: [{ host: 'c.example' }] } } });
  assert.is(
    findings[0]?.message,
    'a task run may do no more than its seat: host "c.example" is asked for on port 443, 80, and seat "engineer" has ' +
      '"*.b.example" (8443), "a.example" (80, 443)',
  );
});
limits('a tool of the provider that the tier took from the seat is not the run’s either', () => {
  const model = { connection: 'c', name: 'm', providerTools: ['web_search', 'code_execution'] };
  const given = {
    tier: { ...TTL, allowedProviderTools: ['web_search'] },
    seat: { harness: { ...HARNESS, model } },
  };
  assert.equal(taskOf(given).providerTools, ['web_search']);
  const task = { harness: { model: { providerTools: ['code_execution'] } } };
  assert.equal(resolve({ ...given, task }).lines, ['ACCESS_EXCEEDS_SEAT spec.harness.model.providerTools[0]']);
});
limits.run();

const life = suite('the life of a worker');
for (const [sentence, given, seconds] of [
  ['is its own ttl', { task: { ttl: '90m' } }, 5400],
  ['is rounded down', { task: { ttl: '1999ms' } }, 1],
  ['is a second at least', { task: { ttl: '1ms' } }, 1],
  ['is the tier’s where nobody says anything', {}, 28800],
  ['is what the API server takes at most', { tier: {}, task: { ttl: '2000000h' } }, 2147483647],
] as const)
  life(sentence, () => assert.is(workerOf(given).spec?.activeDeadlineSeconds, seconds));
life('is the seat’s where the run says nothing', () => {
  assert.is(workerOf({ tier: {}, seat: { session: { ttl: '1h' } } }).spec?.activeDeadlineSeconds, 3600);
});
life('is told where nothing bounds it', () => {
  const { lines, tasks } = resolve({ tier: {} });
  assert.equal(lines, ['TTL_NOT_ENFORCED spec.ttl']);
  assert.not.ok('activeDeadlineSeconds' in renderWorker(tasks[0]!).spec!);
});
for (const [ttl, code] of [
  ['9h', 'SESSION_TTL_EXCEEDS_TIER'],
  ['1d', 'INVALID_DURATION'],
  ['0s', 'INVALID_DURATION'],
])
  life(`of ${ttl} is refused`, () => assert.equal(resolve({ task: { ttl: ttl! } }).lines, [`${code} spec.ttl`]));
life.run();

const pod = suite('a worker’s pod');
pod('is as safe as a seat’s: but for what makes it end, and its names, it is the same', () => {
  const given = { seat: { scheduling: { nodeLabels: { disk: 'nvme' } }, imagePullSecrets: ['registry'] } };
  const { value } = resolve(given);
  const template = objectsOfSeat(value[0]!).find(({ kind }) => kind === 'StatefulSet') as unknown as {
    spec: { template: V1Pod };
  };
  const [seat, worker] = [template.spec.template.spec!, workerOf(given).spec!];
  const same = ['securityContext', 'runtimeClassName', 'affinity', 'imagePullSecrets', 'enableServiceLinks'] as const;
  for (const field of [...same, 'automountServiceAccountToken' as const])
    assert.equal(worker[field], seat[field], field);
  const [own, others] = [worker.containers[0]!, seat.containers[0]!];
  for (const field of ['securityContext', 'image', 'command', 'resources', 'volumeMounts'] as const)
    assert.equal(own[field], others[field], field);
  assert.equal(worker.volumes?.slice(2), seat.volumes?.slice(2));
  assert.is(worker.restartPolicy, 'Never');
});
pod('mounts no claim unless it reads the workspace, and never another claim of the seat', () => {
  const seat = { workspace: { shared: [{ claimName: 'data', mountPath: '/data' }] } };
  const claims = (given: Given) => workerOf(given).spec?.volumes?.flatMap((one) => one.persistentVolumeClaim ?? []);
  assert.equal(claims({ seat }), []);
  const reading = { seat, task: { workspace: 'readOnly' as const } };
  assert.equal(claims(reading), [{ claimName: 'ws-seat-engineer-4cc65c59', readOnly: true }]);
  assert.is(workerOf(reading).spec?.containers[0]?.volumeMounts?.[0]?.readOnly, true);
});
pod('has no token for the gateway where the tier demands attestation', () => {
  const text = JSON.stringify(workerOf({ tier: { ...TTL, isolation: 'confidential', attestationRequired: true } }));
  assert.not.match(text, 'steadmesh-gateway');
  assert.match(text, '"audience":"maqpna-identity-broker"');
});
pod('asks for no device that its own resources do not use', () => {
  const gpu = { name: 'gpu', resourceClaimTemplateName: 'one-gpu' };
  const given = {
    seat: { resourceClaims: [gpu], harness: HARNESS, resources: {} },
    tier: { ...TTL, defaultResources: { limits: { cpu: '1', memory: '1Gi' }, claims: [{ name: 'gpu' }] } },
  };
  assert.equal(workerOf(given).spec?.resourceClaims, [gpu]);
  const resources = { limits: { cpu: '1', memory: '1Gi' } };
  assert.is(workerOf({ ...given, task: { resources } }).spec?.resourceClaims, undefined);
});
pod('keeps the instructions and files of its seat, but for those of the same path', () => {
  const seat = { instructions: 'Be kind.', files: { 'a.md': 'seat', 'b.md': 'seat', 'input.md': 'seat' } };
  const { files } = taskOf({ seat, task: { input: { text: 'Go.', files: { 'b.md': 'run' } } } });
  assert.equal(Object.fromEntries(files.slice(1).map(({ path, text }) => [path, text])), {
    ...{ 'instructions.md': 'Be kind.', 'input.md': 'Go.' },
    ...{ 'a.md': 'seat', 'b.md': 'run' },
  });
});
pod.run();

const names = suite('the name of a worker');
const named = (given: Given): string[] => objectsOfTask(taskOf(given)).map(({ metadata }) => metadata!.name!);
names('changes with the spec of the run', () => {
  assert.is(named({})[0], 'task-engineer-fix-9604561c-27f691f6');
  for (const task of [{ ttl: '1h' }, { input: { text: 'a' } }, { workspace: 'readOnly' as const }, { access: {} }])
    assert.is.not(named({ task })[0], named({})[0]);
});
names('does not change with seat, tier, options or a default that is spelt out', () => {
  for (const given of [
    { seat: { instructions: 'other', harness: { ...HARNESS, args: ['x'] } } },
    { tier: { ...TTL, jurisdiction: 'EU-DE' } },
    { options: { platformURL: 'http://other.steadmesh-system.svc:80' } },
    { task: { workspace: 'none' as const } },
    { task: { state: 'Running' as const } },
  ])
    assert.equal(named(given), named({}));
});
names('what of a pod cannot change does not change with the instructions and files of the seat', () => {
  const given = { seat: { instructions: 'other' } };
  assert.equal(workerOf(given), workerOf({}));
});
names('a finished run has no worker, and may outlive its seat', () => {
  const { tasks, lines } = resolve({ task: { state: 'Finished', seatRef: { name: 'gone' } } });
  assert.equal([tasks, lines], [[], []]);
});
names.run();
