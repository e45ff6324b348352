// Valid Seats, TaskRuns and TrustTiers that the mutations start from. Together they hold every field of the kinds.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Sample {
  readonly kind: 'Seat' | 'TaskRun' | 'TrustTier';
  readonly text: string;
}

const FOLDER = join(__dirname, 'corpus');

/** How often each is taken, where that is not once: those with the most fields most. */
const WEIGHTS: Readonly<Record<string, number>> = {
  'seat-with-everything.yaml': 9,
  'task-run-with-everything.yaml': 5,
  'tier-1-microvm.yaml': 3,
  'seat-smallest.yaml': 2,
};

const named = readdirSync(FOLDER)
  .sort()
  .map((name) => ({ name, sample: sampleOf(readFileSync(join(FOLDER, name), 'utf8')) }));

function sampleOf(text: string): Sample {
  const kind = (['Seat', 'TaskRun'] as const).find((one) => new RegExp(`kind: "?${one}\\b`).test(text));
  return { kind: kind ?? 'TrustTier', text };
}

export const CORPUS: readonly Sample[] = named.map(({ sample }) => sample);
export const WEIGHTED: readonly Sample[] = named.flatMap(({ name, sample }) =>
  Array<Sample>(WEIGHTS[name] ?? 1).fill(sample),
);
