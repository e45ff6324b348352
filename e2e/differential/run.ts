// Compares our decisions with a real API server's on mutated Seats and TrustTiers: --cases N --seed S. Any difference fails.
import { parseArgs } from 'node:util';
import { dump } from 'js-yaml';
import { decode } from '../../functions/stages/read/decode';
import { type ApiServer, findTools, startApiServer } from '../apiserver';
import { type Comparison, compare } from './compare';
import { CORPUS, type Sample, WEIGHTED } from './corpus';
import { mutateText } from './mutate-text';
import { type Json, mutateValue } from './mutate-values';
import { type Random, seeded } from './random';
import { RULE_SAMPLES } from './rules';
import { rulesOf, SCHEMAS } from './schema';

const CONCURRENCY = 12;
const MOST_SHOWN = 20;
/** A run that the server nearly always accepts, or refuses, has compared little. */
const LEAST_SHARE = 0.2;

function* samples(cases: number, random: Random): Iterable<Sample> {
  yield* CORPUS;
  yield* RULE_SAMPLES;
  for (let made = CORPUS.length + RULE_SAMPLES.length; made < cases; made += 1) yield mutated(random);
}

function mutated(random: Random): Sample {
  const { kind, text } = random.pick(WEIGHTED);
  if (random.chance(0.3)) return { kind, text: mutateText(text, random) };
  const value = structuredClone(decode(text).value) as { [field: string]: Json };
  const times = random.pick([1, 1, 1, 1, 1, 2, 3]);
  for (let time = 0; time < times; time += 1) mutateValue(value, SCHEMAS[kind], random);
  const written = random.chance(0.5)
    ? JSON.stringify(value, null, random.pick([0, 2]))
    : dump(value, { lineWidth: random.pick([-1, 80]) });
  return { kind, text: random.chance(0.05) ? mutateText(written, random) : written };
}

interface Tally {
  cases: number;
  accepted: number;
  readonly disagreements: { readonly sample: Sample; readonly comparison: Comparison }[];
  /** Messages of rules that refused something, as the server tells them. */
  readonly broken: Set<string>;
}

async function compareAll(server: ApiServer, from: Iterable<Sample>): Promise<Tally> {
  const tally: Tally = { cases: 0, accepted: 0, disagreements: [], broken: new Set() };
  const source = from[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = source.next(); !next.done; next = source.next()) {
      const sample = next.value;
      const comparison = await compare(server, sample);
      tally.cases += 1;
      if (comparison.server.accepted) tally.accepted += 1;
      for (const { message = '' } of comparison.server.status.details?.causes ?? []) tally.broken.add(message);
      if (comparison.disagreement !== undefined) tally.disagreements.push({ sample, comparison });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
  return tally;
}

function report({ cases, accepted, disagreements, broken }: Tally): boolean {
  for (const { sample, comparison } of disagreements.slice(0, MOST_SHOWN)) {
    console.log(`\n--- ${comparison.disagreement}\n${sample.text.slice(0, 9000)}`);
    console.log(`server: ${comparison.server.status.message?.slice(0, 600)}`);
    console.log(`ours:   ${JSON.stringify(comparison.ours.problems).slice(0, 600)}`);
  }
  const untried = Object.values(SCHEMAS)
    .flatMap(rulesOf)
    .filter((message) => ![...broken].some((told) => told.includes(message)));
  for (const message of untried) console.log(`this rule has refused nothing: ${message}`);
  console.log(
    `${cases} cases, ${accepted} accepted, ${cases - accepted} refused, ${disagreements.length} disagreements`,
  );
  const lopsided = Math.min(accepted, cases - accepted) < cases * LEAST_SHARE;
  if (lopsided)
    console.log(`less than ${LEAST_SHARE * 100} % were accepted, or refused: the comparison says too little`);
  return disagreements.length === 0 && untried.length === 0 && !lopsided;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { cases: { type: 'string' }, seed: { type: 'string' } } });
  const cases = Number(values.cases ?? 2000);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const bin = findTools();
  if (bin === undefined) {
    console.log('SKIPPED: the differential run needs etcd, openssl, Go and the Go module proxy');
    return 0;
  }
  console.log(`differential run: --cases ${cases} --seed ${seed}`);
  // Objects go to the namespace that they name, whether or not it exists.
  const server = await startApiServer({ bin, flags: ['--disable-admission-plugins=NamespaceLifecycle'] });
  try {
    return report(await compareAll(server, samples(cases, seeded(seed)))) ? 0 : 1;
  } finally {
    await server.stop();
  }
}

main().then((code) => {
  process.exitCode = code;
});
