// J1: the node of the live pod carries the declared labels now; the scheduler looks once, and labels can change later.
import type { CheckResult } from '../../model';
import { identityOf, type LiveSeat, of } from './live-seat';

export function judgePlacement(live: LiveSeat): CheckResult {
  const say = of(live, 'J1');
  const { nodeLabels } = live.profile;
  if (nodeLabels.length === 0) return say.skip('NotDeclared', 'no node labels are asked for');
  if (live.pod.obstacle) return say.open(live.pod.obstacle);
  const name = live.pod.value.spec?.nodeName ?? '';
  const node = Object.hasOwn(live.facts.nodes, name) ? live.facts.nodes[name] : undefined;
  if (!node) return say.open({ reason: 'NotShown', message: `node ${name} was not looked up` });
  if (node.obstacle) return say.open(node.obstacle);
  const labels = node.value.metadata?.labels ?? {};
  const wrong = nodeLabels.filter(([key, value]) => labels[key] !== value);
  const evidence = { pod: identityOf(live.pod.value), node: identityOf(node.value) };
  if (wrong.length === 0)
    return say.pass(`node ${name} carries the declared labels`, {
      ...evidence,
      labels: Object.fromEntries(nodeLabels),
    });
  const told = wrong.map(([key, value]) => `${key} is ${labels[key] ?? 'absent'}, declared ${value}`);
  return say.fail('WrongNode', `node ${name}: ${told.join('; ')}`, { ...evidence, wrong: told });
}
