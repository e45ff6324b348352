// Names, labels and annotations of the probe's own objects. The only place that knows them.
import { createHash } from 'node:crypto';
import type { AgentRole } from '../model';

/** Environment variable of a probe pod: its AgentTask as JSON. */
export const AGENT_TASK = 'SEATPLAN_PROBE_TASK';
/** Environment variable of a probe pod: its uid. */
export const POD_UID = 'POD_UID';
/** In a target's `name`: the nonce of who asks takes its place. */
export const NONCE = '{nonce}';
/** Ends the nonces of attempts after settling. */
export const MEASURED = 'ee';
/** Environment variable of the Job's pod: the digest that its name ends with. */
export const PROBE_DIGEST = 'SEATPLAN_PROBE_DIGEST';
/** Where the Job mounts the plan. */
export const PLAN_FOLDER = '/etc/seatplan';
export const PLAN_FILE = `${PLAN_FOLDER}/plan.json`;
/** Keys of the plan's and the report's ConfigMap; the last one holds earlier runs. */
export const PLAN_KEY = 'plan.json';
export const REPORT_KEY = 'report.json';
/** In `binaryData`, in place of `report.json` when that would not fit a ConfigMap. */
export const PACKED_REPORT_KEY = 'report.json.gz';
export const RUNS_KEY = 'runs.json';
/** Annotation of the report's ConfigMap: which prober is at work. */
export const HOLDER = 'seatplan.dev/holder';

/** Commands in the image `probe-seats`. */
export const PROBER_COMMAND = ['node', '/app/probe-seats.js'] as const;
export const AGENT_COMMAND = ['node', '/app/probe-agent.js'] as const;
/** Folder of the image that anyone may write, so that only a read-only root keeps files out of it. */
export const IMAGE_FOLDER = '/probe';

/** On every probe pod; `netpol` is what the reference package calls its probe. */
export const PROBE_LABEL = 'steadmesh.io/probe';
export const PROBE_ROLES: Readonly<Record<AgentRole, string>> = {
  seat: 'netpol',
  control: 'control',
  witness: 'witness',
};
export const PROFILE_DIGEST = 'steadmesh.io/profile-digest';
export const PROBE_NONCE = 'steadmesh.io/probe-nonce';
/** On the objects of a probe: the namespace of the seats. `seatplan status` finds reports by it. */
export const PROBED_NAMESPACE = 'seatplan.dev/probed-namespace';
export const COMPONENT_LABEL = 'app.kubernetes.io/component';
export const REPORT_COMPONENT = 'seatplan-report';

const LONGEST_NAMESPACE = 40;

/** Base name of the probe's objects for a namespace: at most 46 characters, a hash in place of what does not fit. */
export function proberName(namespace: string): string {
  if (namespace.length <= LONGEST_NAMESPACE) return `probe-${namespace}`;
  const hash = createHash('sha256').update(namespace).digest('hex').slice(0, 8);
  return `probe-${namespace.slice(0, LONGEST_NAMESPACE - 9).replace(/-+$/, '')}-${hash}`;
}

export const planName = (prober: string): string => `${prober}-plan`;
export const reportName = (prober: string): string => `${prober}-report`;
export const jobName = (prober: string, digest: string): string => `${prober}-${digest.slice(0, 10)}`;

/** What the name of every probe pod begins with, and of no other. */
export const PROBE_POD_PREFIX = 'steadmesh-netprobe-';

/** `steadmesh-netprobe-<profile>-<nonce>`: a new name for every run, so that none waits for an old pod to go. */
export const probePodName = (profileDigest: string, nonce: string): string =>
  `${PROBE_POD_PREFIX}${profileDigest.replace('sha256:', '').slice(0, 10)}-${nonce.slice(0, 8)}`;
