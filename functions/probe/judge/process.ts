// P1 to P4: who the pod's process is, what it may do, and whether its system calls are filtered.
import type { Boundary } from './runtime';
import type { Judged, Seen } from './sight';

const CAPABILITY_SETS = ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'];

export function judgeProcess(seen: Seen, boundary: Boundary): Judged[] {
  return [judgeUser(seen), judgeCapabilities(seen), judgeNewPrivileges(seen), judgeSeccomp(seen, boundary)];
}

/** Fields of `/proc/self/status` are told apart by blanks. */
const words = (text: string | undefined): string[] => text?.split(/\s+/).filter(Boolean) ?? [];

/** All four ids of each kind: real, effective, saved, and of the file system. */
function judgeUser({ template, declared, sight: { status } }: Seen): Judged {
  const check = 'P1';
  const pod = template.spec?.securityContext;
  const user = declared.securityContext?.runAsUser ?? pod?.runAsUser;
  const group = declared.securityContext?.runAsGroup ?? pod?.runAsGroup;
  if (user === undefined || group === undefined) {
    return { check, verdict: 'SKIP', reason: 'NotDeclared', message: 'the pod declares no user or no group' };
  }
  const seen = { uids: words(status.Uid), gids: words(status.Gid), groups: words(status.Groups) };
  const evidence = { declared: { user, group, fsGroup: pod?.fsGroup }, seen };
  if (seen.uids.length !== 4 || seen.gids.length !== 4 || status.Groups === undefined) {
    return { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message: 'the pod does not show its user', evidence };
  }
  const allowed = [group, pod?.fsGroup, ...(pod?.supplementalGroups ?? [])].map(String);
  const wrong = [
    ...seen.uids.filter((id) => id !== String(user)).map((id) => `user ${id}`),
    ...seen.gids.filter((id) => id !== String(group)).map((id) => `group ${id}`),
    ...seen.groups.filter((id) => !allowed.includes(id)).map((id) => `supplemental group ${id}`),
  ];
  return wrong.length
    ? {
        check,
        verdict: 'FAIL',
        reason: 'WrongUser',
        message: `the process has ${[...new Set(wrong)].join(', ')}`,
        evidence,
      }
    : { check, verdict: 'PASS', message: `user ${user}, group ${group}`, evidence };
}

/** For a user other than root the effective set is empty whatever the container may gain: the bounding set decides. */
function judgeCapabilities({ sight: { status } }: Seen): Judged {
  const check = 'P2';
  const evidence = Object.fromEntries(CAPABILITY_SETS.map((name) => [name, status[name]?.trim()]));
  const held = CAPABILITY_SETS.filter((name) => /^[0-9a-f]*[1-9a-f][0-9a-f]*$/i.test(evidence[name] ?? ''));
  if (held.length) {
    const message = `capabilities are held or can be gained: ${held.map((name) => `${name} ${evidence[name]}`).join(', ')}`;
    return { check, verdict: 'FAIL', reason: 'CapabilitiesHeld', message, evidence };
  }
  const missing = CAPABILITY_SETS.filter((name) => !/^0+$/.test(evidence[name] ?? ''));
  return missing.length
    ? { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message: `not shown: ${missing.join(', ')}`, evidence }
    : { check, verdict: 'PASS', message: 'all five sets are empty', evidence };
}

function judgeNewPrivileges({ sight: { status } }: Seen): Judged {
  const check = 'P3';
  const value = status.NoNewPrivs?.trim();
  const evidence = { NoNewPrivs: value };
  if (value === '1') return { check, verdict: 'PASS', message: 'no new privileges', evidence };
  if (value === '0') {
    const message = 'a program with more rights can gain them: NoNewPrivs is 0';
    return { check, verdict: 'FAIL', reason: 'PrivilegesCanGrow', message, evidence };
  }
  const message = 'the kernel does not show NoNewPrivs, as older gVisor does not';
  return { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message, evidence };
}

/** gVisor and Kata filter nothing inside unless told to (runsc `--oci-seccomp`, Kata `disable_guest_seccomp`). */
function judgeSeccomp({ sight: { status } }: Seen, { sandbox, obstacle }: Boundary): Judged {
  const check = 'P4';
  const value = status.Seccomp?.trim();
  const evidence = { Seccomp: value, sandbox };
  if (value === '2') return { check, verdict: 'PASS', message: 'system calls are filtered', evidence };
  if (value === undefined || !/^\d+$/.test(value)) {
    const message = 'the kernel does not show whether system calls are filtered';
    return { check, verdict: 'INCONCLUSIVE', reason: 'NotShown', message, evidence };
  }
  if (sandbox !== undefined) {
    const message = `${sandbox} does not filter system calls inside: the sandbox is the boundary, and it was shown`;
    return { check, verdict: 'GAP', reason: 'SandboxBoundary', message, evidence };
  }
  // Neither shown nor refuted: a missing filter is right inside the declared sandbox, and wrong outside.
  if (obstacle) {
    const message = `system calls are not filtered, and the sandbox was not shown: ${obstacle.message}`;
    return { check, verdict: 'INCONCLUSIVE', reason: obstacle.reason, message, evidence };
  }
  const message = `system calls are not filtered: Seccomp is ${value}, and no sandbox lies between`;
  return { check, verdict: 'FAIL', reason: 'SeccompOff', message, evidence };
}
