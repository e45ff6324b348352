// What follows from all targets of a group together: the DNS rule's shape, address families, the start window.
import type { CheckID, CheckResult } from '../../model';
import { namespaceWide } from '../policy-reach';
import { familyOf } from '../targets';
import type { Sides } from './network-sides';
import { judgeStart } from './network-start';

/** Without what every result of a group has. */
type Parts = Pick<CheckResult, 'verdict' | 'reason' | 'message' | 'control' | 'evidence' | 'target'>;

/** Results of N5 (the rule's shape), N15 and N18, given those of the targets. */
export function summaries(results: readonly CheckResult[], sides: Sides): CheckResult[] {
  const { profile, node } = sides.group;
  const as = (check: CheckID, parts: Parts): CheckResult =>
    ({ check, profile: profile.digest, node, ...parts }) as CheckResult;
  return [
    ...namespaceWide(profile.policy).map((path) =>
      as('N5', {
        verdict: 'GAP',
        reason: 'DnsNamespaceWide',
        target: path,
        message: `the DNS rule (${path}) opens its ports on every pod of a namespace; set the option dns.podLabels`,
      }),
    ),
    as('N15', families(results, sides)),
    as('N18', judgeStart(results, sides)),
  ];
}

/** Each family that the pod has must have a denied target that was proven to be blocked, and none that was open. */
function families(results: readonly CheckResult[], { group }: Sides): Parts {
  const families = [...new Set(group.pods.seat?.status?.podIPs?.map(({ ip }) => familyOf(ip)))];
  const [first] = families;
  if (first === undefined) {
    return { verdict: 'INCONCLUSIVE', reason: 'NotShown', message: 'the addresses of the probe pod are not known' };
  }
  if (families.length === 1) {
    return { verdict: 'SKIP', reason: 'SingleStack', message: `pods have one address family: IPv${first}` };
  }
  const denied = group.targets.filter(({ expect }) => expect === 'deny');
  const resultsOf = (family: string | undefined): readonly CheckResult[] => {
    const mine = denied.filter(({ address }) => familyOf(address) === family);
    return results.filter((one) => mine.some(({ check, label }) => check === one.check && label === one.target));
  };
  for (const family of families) {
    const failure = resultsOf(family).find(({ verdict }) => verdict === 'FAIL');
    if (failure?.verdict === 'FAIL') {
      return { verdict: 'FAIL', reason: failure.reason, message: `IPv${family} is open: ${failure.message}` };
    }
  }
  const blocked = families.map((family) => resultsOf(family).find(({ verdict }) => verdict === 'PASS')?.target);
  const unproven = families.filter((_, index) => blocked[index] === undefined);
  if (unproven.length === 0) {
    return { verdict: 'PASS', message: 'both address families are under the policy', control: { blocked } };
  }
  const message = `no denied target of IPv${unproven.join(' and IPv')} was shown to be blocked`;
  return { verdict: 'INCONCLUSIVE', reason: 'NoControl', message };
}
