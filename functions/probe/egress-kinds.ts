// Which rule of a seat's policy is which: known by what it lets through, not by its place.
import { canonicalJSON } from '../kubernetes/canonical-json';
import { listOf, recordOf } from '../kubernetes/label-selector';
import { GATEWAY_PODS, PLATFORM_PODS } from '../labels';
import type { EgressRule, Options } from '../model';
import { dnsRule } from '../stages/resolve/dns';
import { foreignPolicy, type OwnRule, ownRule, widening } from '../stages/resolve/policy-rules';

export type EgressOptions = Pick<
  Options,
  'controlPlaneNamespace' | 'platformPort' | 'egressPort' | 'dns' | 'dnsNamespace'
>;
type Rules = readonly (readonly [name: string, own: OwnRule])[];

/**
 * Names the rules of rendered policies: `platform`, `dns`, `gateway` for what lies within the rule that the options give;
 * `addresses` for blocks alone; else `other`. Most seats have the same rules, so that each is looked at once.
 */
export function egressKinds(options: EgressOptions): (rule: unknown) => string {
  const rules = knownRules(options);
  const kinds = new Map<string, string>();
  return (rule) => {
    const text = canonicalJSON(rule);
    const kind = kinds.get(text) ?? kindOf(rule, rules);
    kinds.set(text, kind);
    return kind;
  };
}

/** The rules that the options give to seats. */
function knownRules(options: EgressOptions): Rules {
  const { controlPlaneNamespace: namespace, platformPort, egressPort } = options;
  const toPods = (podLabels: Readonly<Record<string, string>>, port: number): EgressRule => ({
    peers: [{ namespace, podLabels }],
    ports: [{ protocol: 'TCP', port }],
  });
  const rules: readonly (readonly [string, EgressRule | undefined])[] = [
    ['platform', toPods(PLATFORM_PODS, platformPort)],
    ['dns', dnsRule(options)],
    ['gateway', egressPort === undefined ? undefined : toPods(GATEWAY_PODS, egressPort)],
  ];
  return rules.flatMap(([name, rule]) => (rule ? [[name, ownRule(rule)] as const] : []));
}

function kindOf(rule: unknown, rules: Rules): string {
  const policy = foreignPolicy({ policyTypes: ['Egress'], egress: [rule] }, undefined);
  const known = rules.find(([, own]) => widening(policy, () => [own]) === undefined);
  if (known) return known[0];
  const peers = listOf(recordOf(rule).to);
  return peers.length > 0 && peers.every((peer) => recordOf(peer).ipBlock) ? 'addresses' : 'other';
}
