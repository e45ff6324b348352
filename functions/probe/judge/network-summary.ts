// What follows from all targets of a group together: the DNS rule's shape, address families, the start window.
import type { CheckID, CheckResult } from '../../model';
import { namespaceWide } from '../policy-reach';
import { familyOf } from '../targets';
import { type Sides, startWindowOf } from './network';

/** S has tried by then, in ms after its start: one attempt takes up to 3 s. */
const FROM_THE_START = 5000;
const DNS_PORTS: readonly unknown[] = [53, 5353];

type Parts = Pick<CheckResult, 'verdict' | 'reason' | 'message' | 'control' | 'evidence'>;

export function summaries(results: readonly CheckResult[], sides: Sides): CheckResult[] {
  const { profile, node } = sides.group;
  const as = (check: CheckID, parts: Partial<Parts>): CheckResult =>
    ({ check, profile: profile.digest, node, ...parts }) as CheckResult;
  return [
    ...dnsRules(sides).map((path) =>
      as('N5', {
        verdict: 'GAP',
        reason: 'DnsNamespaceWide',
        target: path,
        message: `the DNS rule ${path} opens port 53 of every pod in its namespace; set the option dns.podLabels`,
      } as Partial<Parts>),
    ),
    ...(profile.checks.includes('N15') ? [as('N15', families(results, sides))] : []),
    ...(profile.checks.includes('N18') ? [as('N18', startWindow(results, sides))] : []),
  ];
}

/** Rules for whole namespaces that open DNS; others of that shape are none that seatplan renders. */
function dnsRules({ group: { profile } }: Sides): readonly string[] {
  return namespaceWide(profile.policy).filter((path) => {
    const index = Number(/egress\[(\d+)\]/.exec(path)?.[1]);
    return profile.policy.egress?.[index]?.ports?.some(({ port }) => DNS_PORTS.includes(port));
  });
}

/** Each family that the pod has must have a denied target that was proven to be blocked. */
function families(results: readonly CheckResult[], { group }: Sides): Partial<Parts> {
  const own = [...new Set(group.pods.seat?.status?.podIPs?.map(({ ip }) => familyOf(ip)))].filter(Boolean);
  if (own.length < 2)
    return { verdict: 'SKIP', reason: 'SingleStack', message: `pods have one address family: IPv${own[0] ?? '?'}` };
  const blocked = (family: string | undefined): boolean =>
    group.targets.some(
      (target) =>
        target.expect === 'deny' &&
        familyOf(target.address) === family &&
        results.some((one) => one.target === target.label && one.check === target.check && one.verdict === 'PASS'),
    );
  const open = own.filter((family) => !blocked(family));
  if (open.length === 0)
    return { verdict: 'PASS', message: 'both families are under the policy', control: { families: own } };
  return {
    verdict: 'INCONCLUSIVE',
    reason: 'NoControl',
    message: `no denied target of IPv${open.join(', IPv')} was shown to be blocked`,
  };
}

function startWindow(results: readonly CheckResult[], { group, seat }: Sides): Partial<Parts> {
  const window = startWindowOf(group);
  const proven = results.filter(({ verdict, check }) => verdict === 'PASS' && ['N3', 'N7', 'N10'].includes(check));
  const first = Math.min(...Object.values(seat.attempts).map(([one]) => one?.[1] ?? Number.POSITIVE_INFINITY));
  const control = { firstAttemptEndedMs: first, provenTargets: proven.map(({ target }) => target) };
  if (window !== undefined && window > 0) {
    const message = `for ${window} ms after its start the pod could reach what its policy denies`;
    return { verdict: 'GAP', reason: 'StartWindow', message, evidence: { startWindowMs: window }, control };
  }
  if (proven.length === 0 || first > FROM_THE_START) {
    const message = 'nothing shows what the pod could reach in its first moments';
    return { verdict: 'INCONCLUSIVE', reason: 'NoControl', message, evidence: control };
  }
  return { verdict: 'PASS', message: 'from its first attempt on the pod was under its policy', control };
}
