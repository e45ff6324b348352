// The results as Markdown: what was measured, on what machine, and which promises held.
import { existsSync, readFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Measured, Verdict } from './targets';

export interface Report {
  readonly measured: readonly Measured[];
  readonly verdicts: readonly Verdict[];
  readonly repeat: number;
  readonly versions: readonly string[];
}

/** From here on a person writes; a new run keeps it. */
const BY_HAND = '## What dominates';

export const tables = ({ measured, verdicts }: Report): string =>
  [
    '| case | program | wall | processor | peak memory |',
    '|---|---|---:|---:|---:|',
    ...measured.map(
      ({ case: name, contender, cost: { wall, processor, memory } }) =>
        `| ${name} | ${contender} | ${wall.toFixed(3)} s | ${processor.toFixed(3)} s | ${(memory / 1e6).toFixed(0)} MB |`,
    ),
    '',
    '| to reach | measured | |',
    '|---|---:|---|',
    ...verdicts.map(({ target, measured: value, met }) => `| ${target} | ${value} | ${met ? 'met' : '**missed**'} |`),
    '',
  ].join('\n');

/** `earlier` is the page as it is now. */
export function resultsPage(report: Report, earlier: string): string {
  const byHand = earlier.includes(BY_HAND) ? earlier.slice(earlier.indexOf(BY_HAND)) : `${BY_HAND}\n`;
  return `# Bench results

Whole processes, from start to exit, output into a file; medians of at least ${report.repeat} runs, all programs and cases taking turns.
Written by \`npm run bench -- --write\`, which also checks that both programs render the same five objects per seat
(ServiceAccount, ConfigMap, NetworkPolicy, PersistentVolumeClaim, StatefulSet) with the same fields, and all of them.
seatplan reads Seats from YAML files, one per team of 100, and checks each against its CRD, its rules and its tier.
\`helm template\` reads the same seats from one values file into the chart in \`chart/\`, without a schema.

Machine: ${machine()}. Versions: ${report.versions.join(', ')}.

${tables(report)}
${byHand}`;
}

function machine(): string {
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus()[0]?.model.trim()}, ${cpus().length} cores, ${gigabytes} GiB of memory, ${distribution()}`;
}

function distribution(): string {
  const file = '/etc/os-release';
  const name = existsSync(file) ? /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
  return name ?? process.platform;
}
