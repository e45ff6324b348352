// The names of the objects of seats and task workers: readable, within 63 characters, and different for different owners.
import { createHash } from 'node:crypto';

const LONGEST_READABLE_PART = 40;
const HASH_DIGITS = 8;

/**
 * Base name of every object of a seat: `seat-<key>-<hash>`. Organization and key go into the hash as written, since
 * `a_b` and `a-b` read alike. At most 49 bytes; an 8-digit hash can be forged, so a name alone proves nothing.
 */
export function baseName(organization: string, key: string): string {
  return `${cutTo(LONGEST_READABLE_PART, `seat-${readableOf(key)}`)}-${hashOf(`${organization}/${key}`)}`;
}

/** Keys and the names of objects as a part of a DNS label. */
const readableOf = (text: string): string => text.toLowerCase().replace(/[_.]/g, '-');

/** All of it are letters of one byte. */
const cutTo = (most: number, readable: string): string =>
  readable.length > most ? readable.slice(0, most).replace(/-+$/, '') : readable;

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, HASH_DIGITS);

/** Who does a piece of work for which seat. */
export interface TaskIdentity {
  readonly organization: string;
  /** Key of the seat. */
  readonly parent: string;
  /** Name of the TaskRun. */
  readonly run: string;
}

const LONGEST_TASK_PART = 36;

/**
 * Name of a task worker and of its objects: `task-<parent>-<run>-<hash>-<digest>`. It begins unlike any seat's, and holds a
 * digest of the spec, since a Pod is immutable. At most 54 bytes, so that the ConfigMap's name is a DNS label too.
 */
export const taskName = (task: TaskIdentity, digest: string): string =>
  `${cutTo(LONGEST_TASK_PART, `task-${readableOf(task.parent)}-${readableOf(task.run)}`)}-${taskHash(task)}-${digest}`;

const taskHash = ({ organization, parent, run }: TaskIdentity): string => hashOf(`${organization}/${parent}/${run}`);

const LONGEST_PARENT_IN_LABEL = 26;
const LONGEST_RUN_IN_LABEL = 27;

/** Label value of a run: `<parent>.<run>-<hash>`, at most 63 characters. The dot cannot occur in a seat's key. */
export const taskLabel = (task: TaskIdentity): string =>
  `${task.parent.slice(0, LONGEST_PARENT_IN_LABEL)}.${task.run.slice(0, LONGEST_RUN_IN_LABEL)}-${taskHash(task)}`;

/** Of a digest, what stands in a worker's name and labels. */
export const shortDigest = (digest: string): string => digest.replace(/^sha256:/, '').slice(0, HASH_DIGITS);

/** Name of a tier's warm pool, as the MAQPNA operator has it. */
export const poolName = (tier: string): string => `maqpna-${tier}`;

/**
 * Name of a Sandbox or SandboxClaim. Their pods never follow an edit, so that a seat in another tier must be another object:
 * what the engine prunes is the pod in the earlier tier.
 */
export const tieredName = (base: string, tier: string | undefined): string =>
  tier === undefined ? base : `${base}-${tier}`;

export const claimName = (base: string): string => `ws-${base}`;
/** Patterns, in RE2 too, of the names that `baseName`, `taskName` and `claimName` give. */
export const SEAT_NAMES = '^seat-.+-[0-9a-f]{8}$';
export const TASK_NAMES = '^task-.+-[0-9a-f]{8}-[0-9a-f]{8}$';
export const CLAIM_NAMES = '^ws-seat-.+-[0-9a-f]{8}$';
const claimPattern = new RegExp(CLAIM_NAMES);
/** Whether a name is one that `claimName` gives. */
export const isClaimName = (name: string): boolean => claimPattern.test(name);
export const manifestName = (base: string): string => `${base}-manifest`;
