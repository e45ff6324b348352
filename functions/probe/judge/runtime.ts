// R1, R2: whether the pod has a kernel of its own, and whether it is the sandbox that the tier names.
import type { Isolation, Looked, Obstacle } from '../../model';
import { isCovered, type Sandbox, SIGNATURES_VERSION, sandboxOf, shownSandbox } from '../signatures';
import type { Judged, Seen } from './sight';

/** What each isolation must show. `confidential` is a micro VM whose memory is encrypted: that part only attestation proves. */
const SANDBOX: Readonly<Record<Isolation, Sandbox>> = { gvisor: 'gvisor', microvm: 'kata', confidential: 'kata' };

const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function judgeRuntime(seen: Seen): Judged[] {
  return [judgeSandbox(seen), judgeKernel(seen)];
}

/** What lies between the pod and the node's kernel. */
export interface Boundary {
  /** Shown by signatures, and its kernel is not the node's. */
  readonly sandbox: Sandbox | undefined;
  /** Why a declared sandbox could be neither shown nor refuted. */
  readonly obstacle?: Obstacle;
}

/** A sandbox that nobody declared is one too. One of another kind than declared is none to rely on. */
export function boundaryOf(seen: Seen): Boundary {
  const results = [judgeKernel(seen), judgeSandbox(seen)];
  if (results.some(({ verdict }) => verdict === 'FAIL')) return { sandbox: undefined };
  const open = results.find((one) => one.verdict === 'INCONCLUSIVE');
  if (open?.verdict === 'INCONCLUSIVE') {
    return { sandbox: undefined, obstacle: { reason: open.reason, message: open.message } };
  }
  return { sandbox: ownKernel(seen).value ? shownSandbox(seen.sight) : undefined };
}

/**
 * Whether the pod's kernel is another one than its node's, by the id that a kernel makes up when it boots. Equal ids are
 * decisive; different ones only where the file is the kernel's own and the node is the one that the pod ran on.
 */
function ownKernel({ node, pod, sight }: Seen): Looked<boolean> {
  if (node.obstacle) return { obstacle: node.obstacle };
  const not = (message: string): { obstacle: Obstacle } => ({ obstacle: { reason: 'NotShown', message } });
  const name = node.value.metadata?.name;
  if (!name || name !== pod.spec?.nodeName) {
    return not(`the pod ran on ${pod.spec?.nodeName ?? 'no known node'}, and node ${name ?? ''} was looked up`);
  }
  const here = sight.bootID?.trim().toLowerCase() ?? '';
  const there = node.value.status?.nodeInfo?.bootID?.trim().toLowerCase() ?? '';
  if (!UUID.test(there)) return not(`node ${name} does not tell the boot id of its kernel`);
  if (!UUID.test(here)) return not('the pod shows no boot id of its kernel');
  if (here === there) return { value: false };
  return isCovered(sight, BOOT_ID) ? not(`${BOOT_ID} is not the kernel's own file`) : { value: true };
}

/** What speaks for or against, and what only supports it: names and releases prove nothing. */
const evidenceOf = ({ node, pod, runtimeClass, sight }: Seen) => ({
  bootID: sight.bootID?.trim(),
  nodeBootID: node.value?.status?.nodeInfo?.bootID,
  kernel: sight.osrelease?.trim(),
  nodeKernel: node.value?.status?.nodeInfo?.kernelVersion,
  signatures: sandboxOf(sight),
  signatureList: SIGNATURES_VERSION,
  runtimeClass: pod.spec?.runtimeClassName,
  handler: runtimeClass?.value?.handler,
});

function judgeKernel(seen: Seen): Judged {
  const check = 'R2';
  if (seen.profile.isolation === undefined) return notDeclared(check);
  const own = ownKernel(seen);
  if (own.obstacle) return { check, verdict: 'INCONCLUSIVE', ...own.obstacle, evidence: evidenceOf(seen) };
  const evidence = evidenceOf(seen);
  return own.value
    ? { check, verdict: 'PASS', message: "the pod's kernel is not the node's", evidence }
    : {
        check,
        verdict: 'FAIL',
        reason: 'SharedKernel',
        message: `the pod runs on the kernel of node ${seen.pod.spec?.nodeName} itself: the boot ids are equal`,
        evidence,
      };
}

function judgeSandbox(seen: Seen): Judged {
  const check = 'R1';
  const { isolation } = seen.profile;
  if (isolation === undefined) return notDeclared(check);
  const evidence = evidenceOf(seen);
  const wrong = (message: string): Judged => ({ check, verdict: 'FAIL', reason: 'WrongRuntime', message, evidence });
  const own = ownKernel(seen);
  if (own.value === false) {
    const { handler = 'unknown', runtimeClass = 'none' } = evidence;
    const fix = `RuntimeClass ${runtimeClass} (handler ${handler}) starts no sandbox on this node`;
    return wrong(`declared is ${isolation}, and the pod runs on the node's own kernel: ${fix}`);
  }
  const shown = shownSandbox(seen.sight);
  if (shown !== undefined && shown !== SANDBOX[isolation])
    return wrong(`declared is ${isolation}, and the pod shows ${shown}`);
  if (own.obstacle) return { check, verdict: 'INCONCLUSIVE', ...own.obstacle, evidence };
  if (shown === undefined) {
    const message = `the kernel (${evidence.kernel ?? 'no release'}) is not the node's, and shows neither gVisor nor Kata`;
    return { check, verdict: 'INCONCLUSIVE', reason: 'UnknownSandbox', message, evidence };
  }
  if (isolation === 'confidential') {
    const message = 'the pod shows a micro VM; that its memory is closed to the node only attestation can prove';
    return { check, verdict: 'GAP', reason: 'NotAttested', message, evidence };
  }
  return { check, verdict: 'PASS', message: `the pod runs in ${shown}`, evidence };
}

const notDeclared = (check: 'R1' | 'R2'): Judged => ({
  check,
  verdict: 'SKIP',
  reason: 'NotDeclared',
  message: 'the tier names no isolation',
});
