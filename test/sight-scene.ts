// A recorded probe pod as the input of its judges, for tests that change one thing of it.
import type { V1Node, V1Pod, V1RuntimeClass } from '@kubernetes/client-node';
import type { AgentResult, CheckResult, GroupFacts, Isolation, Looked, Options, Plan, Sight } from '../functions/model';
import { judgeSight, SIGHT_CHECKS } from '../functions/probe/judge/sight';
import { planOf } from '../functions/probe/plan';
import { renderNetworkPolicy } from '../functions/render/network-policy';
import { renderStatefulSet } from '../functions/render/stateful-set';
import gvisorRecord from './recorded/sight-gvisor.json';
import runcRecord from './recorded/sight-runc.json';
import { resolved } from './rendered';
import { optionsWith, PROBE } from './seats';

export type Runtime = 'gvisor' | 'runc';
export interface Scene {
  plan: Plan;
  group: GroupFacts;
  pod: V1Pod;
  result: AgentResult;
  sight: { -readonly [K in keyof Sight]: Sight[K] };
  node: Looked<V1Node> | undefined;
}
export type Change = (scene: Scene) => void;

export const IMAGE = `registry.example/probe@sha256:${'b'.repeat(64)}`;
const RUNTIME_CLASS: Looked<V1RuntimeClass> = {
  value: { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'gvisor' }, handler: 'runsc' },
};

function planWith(isolation: Isolation | undefined, key: string): Plan {
  const seat = resolved({ key }, isolation && { isolation });
  const options = { ...optionsWith({ probeImage: IMAGE }), probe: PROBE } as Options;
  return planOf('seats', [seat], options, (one) => ({
    template: renderStatefulSet(one).spec!.template,
    policy: renderNetworkPolicy(one).spec!,
  }));
}

/** A recorded pod, as one of a tier with this isolation. */
export function scene(runtime: Runtime, isolation: Isolation | undefined): Scene {
  const record = structuredClone(runtime === 'gvisor' ? gvisorRecord : runcRecord);
  const pod = record.pod as unknown as V1Pod;
  const result = record.result as unknown as AgentResult;
  const plan = planWith(isolation, runtime === 'gvisor' ? 'lead_engineer' : 'plain');
  const group: GroupFacts = {
    profile: { ...plan.profiles[0]!, checks: SIGHT_CHECKS },
    seat: plan.seats[0]!.seat,
    node: 'testcluster',
    nonce: result.nonce,
    controlNonce: 'b',
    targets: [],
    pods: { seat: pod },
    seatResult: { value: result },
    controlResult: { obstacle: { reason: 'NoResult', message: 'not needed' } },
    settleSeconds: 20,
  };
  return { plan, group, pod, result, sight: result.seen!, node: { value: record.node as V1Node } };
}

export const judged = ({ plan, group, node }: Scene): CheckResult[] => judgeSight(plan, group, node, RUNTIME_CLASS);

/** `verdict` or `verdict reason` by check; PASS is left out. */
export function notes(results: readonly CheckResult[]): Record<string, string> {
  return Object.fromEntries(
    results
      .filter(({ verdict }) => verdict !== 'PASS')
      .map(({ check, verdict, reason }) => [check, `${verdict} ${reason}`]),
  );
}
export const GVISOR = { P4: 'GAP SandboxBoundary' };
export const RUNC = { R1: 'SKIP NotDeclared', R2: 'SKIP NotDeclared' };
