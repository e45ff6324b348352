// Tries every target again and again until the agent ends, and keeps what came of it as stretches of equal results.
import type { AgentResult, AgentTask, Attempt, Stretch, Target } from '../../model';
import { MEASURED, NONCE } from '../identity';
import { FIRST_STRETCHES, MOST_STRETCHES, outcomeOf } from '../truth';
import { attempt } from './attempts';

/** From one start of an attempt to the next, in ms: often while a policy may still come into force, then seldom. */
const OFTEN = 250;
const SELDOM = 1000;
const OFTEN_UNTIL = 25_000;

export interface Rounds {
  readonly attempts: () => AgentResult['attempts'];
  readonly stop: () => void;
}

/** `sinceStart` gives ms since the agent's own start. */
export function start(task: AgentTask, targets: readonly Target[], sinceStart: () => number): Rounds {
  const stretches = new Map<string, Stretch[]>();
  let stopped = false;
  const repeat = async (target: Target): Promise<void> => {
    const own: Stretch[] = [];
    stretches.set(target.id, own);
    while (!stopped) {
      const began = sinceStart();
      const nonce = began < task.settleSeconds * 1000 ? task.nonce : `${task.nonce}${MEASURED}`;
      const word = await attempt(named(target, nonce), nonce, task.attemptMs);
      if (stopped) return;
      note(own, word, Math.round(sinceStart()));
      const pause = (began < OFTEN_UNTIL ? OFTEN : SELDOM) - (sinceStart() - began);
      if (pause > 0) await new Promise((next) => setTimeout(next, pause));
    }
  };
  for (const target of targets) void repeat(target);
  return {
    attempts: () => Object.fromEntries(stretches),
    stop: () => {
      stopped = true;
    },
  };
}

/** A DNS question tells by its name who asks. */
const named = (target: Target, nonce: string): Target =>
  target.name === undefined ? target : { ...target, name: target.name.replaceAll(NONCE, nonce) };

/** Blocked attempts go before any others: what was let out once, or shows nothing, must be told, however often attempts failed since. */
export function note(stretches: Stretch[], word: Attempt, at: number): void {
  const last = stretches.at(-1);
  if (last?.[0] === word) stretches[stretches.length - 1] = [word, last[1], at, last[3] + 1];
  else stretches.push([word, at, at, 1]);
  if (stretches.length <= MOST_STRETCHES) return;
  const oldest = (outcome: string): number =>
    stretches.findIndex(([result], index) => index >= FIRST_STRETCHES && outcomeOf(result) === outcome);
  const dropped = [oldest('blocked'), oldest('unknown'), FIRST_STRETCHES].find((index) => index >= 0);
  stretches.splice(dropped ?? FIRST_STRETCHES, 1);
}

/** Targets with a literal address: `resolver` stands for each nameserver of the pod. */
export const literal = (targets: readonly Target[], nameservers: readonly string[]): readonly Target[] =>
  targets.flatMap((target) =>
    target.address === 'resolver'
      ? [...new Set(nameservers)].map((address) => ({ ...target, id: `${target.id}/${address}`, address }))
      : [target],
  );
