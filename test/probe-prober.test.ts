// What the prober decides by itself: what may pass, why a pod does not run, which pods a run needs.
import type { V1Pod } from '@kubernetes/client-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentResult, OpenReason, Plan, PlannedSeat, Profile } from '../functions/model';
import { packResult } from '../functions/probe/agent-result';
import { ApiError } from '../functions/probe/prober/api';
import { groupsOf } from '../functions/probe/prober/groups';
import { failure, late, obstacleOf, refusalOf, stuck } from '../functions/probe/prober/obstacles';
import { resultOf } from '../functions/probe/prober/pods';
import { isTransient, pauseBefore } from '../functions/probe/prober/retry';

const retry = suite('retry');
retry('what may pass is tried again, a refusal is not', () => {
  for (const code of [0, 429, 500, 503]) assert.ok(isTransient({ code }), String(code));
  for (const code of [400, 401, 403, 404, 409, 422]) assert.not.ok(isTransient({ code }), String(code));
});
retry('pauses grow, stay bounded, part by chance, and heed the server', () => {
  assert.is(pauseBefore(1, {} as ApiError, 0), 250);
  assert.is(pauseBefore(3, {} as ApiError, 0), 1000);
  assert.is(pauseBefore(1, {} as ApiError, 1), 500);
  assert.is(pauseBefore(9, {} as ApiError, 1), 16_000);
  assert.is(pauseBefore(1, { retryAfter: 3 } as ApiError, 0), 3000);
  assert.is(pauseBefore(1, { retryAfter: 3600 } as ApiError, 0), 8000);
});
retry.run();

const obstacles = suite('obstacles');
/** Messages as kube-apiserver 1.35 words them. */
const REFUSALS: Record<string, [code: number, message: string, reason: OpenReason]> = {
  'a quota': [
    403,
    'pods "p" is forbidden: exceeded quota: tight, requested: limits.cpu=200m, used: limits.cpu=100m, limited: limits.cpu=200m',
    'QuotaDenied',
  ],
  'a quota that wants more said': [
    403,
    'pods "p" is forbidden: failed quota: tight: must specify limits.cpu for: a',
    'QuotaDenied',
  ],
  'a LimitRange': [
    403,
    'pods "p" is forbidden: maximum cpu usage per Container is 100m, but limit is 200m',
    'LimitRangeDenied',
  ],
  'Pod Security': [
    403,
    'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
    'AdmissionDenied',
  ],
  'a ValidatingAdmissionPolicy': [
    422,
    "pods \"p\" is forbidden: ValidatingAdmissionPolicy 'x' with binding 'x' denied request: only the probe's image",
    'AdmissionDenied',
  ],
  'a webhook that does not answer': [500, 'Internal error occurred: failed calling webhook "x"', 'ApiUnavailable'],
  rights: [
    403,
    'pods is forbidden: User "system:serviceaccount:a:b" cannot create resource "pods" in API group "" in the namespace "n"',
    'NotPermitted',
  ],
  'several limits of a LimitRange': [
    403,
    'pods "p" is forbidden: [minimum cpu usage per Container is 500m, but request is 200m, memory max limit to request ratio per Pod is 1, but provided ratio is 2.000000]',
    'LimitRangeDenied',
  ],
  'a RuntimeClass that is not there': [
    403,
    'pods "p" is forbidden: pod rejected: RuntimeClass "nope" not found',
    'RuntimeUnavailable',
  ],
  'a ServiceAccount that is not there': [
    403,
    'pods "p" is forbidden: error looking up service account n/nope: serviceaccount "nope" not found',
    'AdmissionDenied',
  ],
  'a PriorityClass that is not there': [
    403,
    'pods "p" is forbidden: no PriorityClass with name nope was found',
    'AdmissionDenied',
  ],
  'a namespace on its way out': [
    403,
    'pods "p" is forbidden: unable to create new content in namespace n because it is being terminated',
    'AdmissionDenied',
  ],
  'a namespace that is gone': [404, 'namespaces "n" not found', 'NotFound'],
};
for (const [what, [code, message, reason]] of Object.entries(REFUSALS)) {
  obstacles(`a pod refused by ${what} is ${reason}`, () => {
    assert.equal(refusalOf(new ApiError(code, '', message)), { reason, message });
  });
}
obstacles('what the API server does not show is told apart', () => {
  assert.is(obstacleOf(new ApiError(403, '', 'm')).reason, 'NotPermitted');
  assert.is(obstacleOf(new ApiError(404, '', 'm')).reason, 'NotFound');
  assert.is(obstacleOf(new ApiError(0, '', 'm')).reason, 'ApiUnavailable');
});
obstacles('a bug is no obstacle', () => {
  assert.throws(() => obstacleOf(new TypeError('x')), /x/);
  assert.throws(() => refusalOf(new TypeError('x')), /x/);
});
const waiting = (reason: string): V1Pod =>
  ({ status: { containerStatuses: [{ state: { waiting: { reason, message: 'm' } } }] } }) as V1Pod;
obstacles('a pod that cannot come to run says why', () => {
  assert.is(stuck(waiting('ErrImagePull'), [])?.reason, 'ImageUnavailable');
  assert.is(stuck(waiting('ErrImageNeverPull'), [])?.reason, 'ImageUnavailable');
  assert.is(stuck(waiting('CreateContainerConfigError'), [])?.reason, 'PodFailed');
  assert.is(stuck(waiting('ContainerCreating'), []), undefined);
  assert.equal(
    stuck(waiting('ContainerCreating'), [{ reason: 'FailedCreatePodSandBox', message: 'no runtime for "x"' }]),
    {
      reason: 'RuntimeUnavailable',
      message: 'no runtime for "x"',
    },
  );
});
obstacles('a pod that is late says what it waits for', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', message: '0/1 nodes' }];
  assert.equal(late({ status: { conditions } } as V1Pod, []), { reason: 'Unschedulable', message: '0/1 nodes' });
  assert.is(late(undefined, []).reason, 'Timeout');
});
obstacles('a network that is late to give a sandbox is waited for, and named in the end', () => {
  const events = [{ reason: 'FailedCreatePodSandBox', message: 'plugin type="bridge" failed (add)' }];
  assert.is(stuck(waiting('ContainerCreating'), events), undefined);
  assert.equal(late(waiting('ContainerCreating'), events), {
    reason: 'RuntimeUnavailable',
    message: 'plugin type="bridge" failed (add)',
  });
});
obstacles('a pod that failed is not a policy that is not enforced', () => {
  const state = { terminated: { exitCode: 137, reason: 'OOMKilled' } };
  assert.is(failure({ status: { phase: 'Failed', containerStatuses: [{ state }] } } as V1Pod).reason, 'PodFailed');
  const reasonOf = (status: object): string => failure({ status: { phase: 'Failed', ...status } } as V1Pod).reason;
  assert.is(reasonOf({ reason: 'Evicted' }), 'Interrupted');
  assert.is(reasonOf({ reason: 'Terminated', message: 'the node is shutting down' }), 'Interrupted');
  assert.is(reasonOf({ conditions: [{ type: 'DisruptionTarget', status: 'True' }] }), 'Interrupted');
  assert.is(reasonOf({ reason: 'OutOfcpu' }), 'Unschedulable');
  assert.is(reasonOf({ reason: 'DeadlineExceeded' }), 'PodFailed');
});
obstacles.run();

const groups = suite('groups');
const profile = (digest: string): Profile => ({ digest }) as Profile;
const seat = (name: string, of: string, running = true): PlannedSeat =>
  ({ seat: name, name, profile: of, running }) as PlannedSeat;
const on = (name: string, nodeName?: string): V1Pod =>
  ({ metadata: { name: `${name}-0` }, spec: { nodeName } }) as V1Pod;
groups('are one per profile and node, and seats without a node are in none', () => {
  const plan = {
    profiles: [profile('p'), profile('q')],
    seats: [seat('a', 'p'), seat('b', 'p'), seat('c', 'p'), seat('d', 'q'), seat('e', 'q', false), seat('f', 'q')],
  } as unknown as Plan;
  const pods = { value: [on('a', 'n2'), on('b', 'n1'), on('c', 'n2'), on('d', 'n1'), on('e', 'n9'), on('f')] };
  assert.equal(
    groupsOf(plan, pods).map(({ profile: { digest }, node, seat: { name } }) => [digest, node, name]),
    [
      ['p', 'n1', 'b'],
      ['p', 'n2', 'a'],
      ['q', 'n1', 'd'],
    ],
  );
});
groups('are none where pods cannot be listed', () => {
  const plan = { profiles: [profile('p')], seats: [seat('a', 'p')] } as unknown as Plan;
  assert.equal(groupsOf(plan, { obstacle: { reason: 'NotPermitted', message: '' } }), []);
});
groups.run();

const results = suite('results of pods');
const result: AgentResult = {
  ...{ version: 1, role: 'seat', nonce: 'abcdef01', podUID: 'u1', startedAt: 1, endedAt: 2, end: 'done' },
  ...{ listening: [], attempts: {}, heard: [] },
};
const ended = (message: string | undefined, uid = 'u1'): { value: V1Pod } => ({
  value: { metadata: { uid }, status: { containerStatuses: [{ state: { terminated: { message } } }] } } as V1Pod,
});
results('a pod tells by its message', () =>
  assert.equal(resultOf(ended(packResult(result)), 'abcdef01').value, result),
);
results('a message of another run, another pod, or none is no result', () => {
  for (const [pod, nonce] of [
    [ended(packResult(result)), 'abcdef02'],
    [ended(packResult(result), 'u2'), 'abcdef01'],
    [ended(undefined), 'abcdef01'],
    [ended('PASS'), 'abcdef01'],
  ] as const) {
    assert.is(resultOf(pod, nonce).obstacle?.reason, 'NoResult');
  }
});
results('a pod that is not there has the reason why', () => {
  const obstacle = { reason: 'QuotaDenied', message: 'm' } as const;
  assert.equal(resultOf({ obstacle }, 'abcdef01'), { obstacle });
});
results.run();
