// What a run says in few words: the first line for people, and the Job's termination message of at most 4096 bytes.
import { asLine, forTerminal } from '../escape';
import type { CheckResult, Report, SeatReport, Summary } from '../model';
import { counts, inOrder, isEnforced, sentenceOf } from './roll-up';

/** The kubelet cuts longer ones, perhaps within a character (k8s.io/kubernetes pkg/kubelet/container, MaxContainerTerminationMessageLength). */
const MOST_BYTES = 4096;
const LONGEST_LINE = 1000;
const MORE = '…';

/** `PASS: 4 seats enforced, accepted gaps: StartWindow`, or `FAIL: seat researcher: N3: … (and 2 more)`. One line, escaped. */
export function headline(
  summary: Summary,
  seats: readonly Pick<SeatReport, 'seat' | 'running' | 'verdict' | 'reason' | 'message' | 'gaps'>[],
  results: readonly CheckResult[],
): string {
  if (isEnforced(summary)) return line(`PASS: ${enforced(seats)}`);
  const of = seats.filter((seat) => seat.verdict === summary.verdict && seat.reason === summary.reason);
  const who =
    of.length === 0
      ? ''
      : of.length === 1
        ? `seat ${of[0]!.seat}: `
        : `${of.length} of ${counts(seats.length, 'seat')}: `;
  const others = results.filter(({ verdict }) => verdict === summary.verdict).length;
  const more = /\(and \d+ more\)$/.test(summary.message) || others < 2 ? '' : ` (and ${others - 1} more)`;
  return line(`${summary.verdict}: ${who}${summary.message}${more}`);
}

function enforced(seats: readonly Pick<SeatReport, 'running' | 'gaps'>[]): string {
  const running = seats.filter((seat) => seat.running).length;
  const stopped = seats.length - running;
  const gaps = [...new Set(seats.flatMap((seat) => seat.gaps))].sort();
  return [
    `${counts(running, 'seat')} enforced`,
    ...(stopped ? [`${stopped} stopped`] : []),
    ...(gaps.length ? [`accepted gaps: ${gaps.join(', ')}`] : []),
  ].join(', ');
}

/** The report's message, then a line for each result that is neither PASS nor SKIP nor an accepted gap, FAIL first. */
export function terminationMessage(report: Report): string {
  const open = (['FAIL', 'INCONCLUSIVE', 'GAP'] as const).flatMap((verdict) =>
    inOrder(report.results).filter((one) => one.verdict === verdict && !isAccepted(one, report)),
  );
  return cut([report.message, ...open.map(lineOf)].join('\n'));
}

const isAccepted = (result: CheckResult, { acceptedGaps }: Report): boolean =>
  result.verdict === 'GAP' && acceptedGaps.includes(result.reason);

/** `FAIL Reached seat=researcher node=n1 N3: …` */
function lineOf(result: CheckResult): string {
  const { verdict, reason, seat, profile, node } = result;
  const about = [
    ...(seat === undefined ? [] : [`seat=${seat}`]),
    ...(profile === undefined ? [] : [`profile=${profile.replace('sha256:', '').slice(0, 10)}`]),
    ...(node === undefined ? [] : [`node=${node}`]),
  ];
  return line([verdict, reason, ...about, sentenceOf(result)].join(' '));
}

/** Escaped: a message may quote what a server or an attacker's pod wrote. At most `most` bytes of UTF-8, cut at a character. */
export function line(text: string, most = LONGEST_LINE): string {
  const safe = asLine(forTerminal(text));
  const bytes = Buffer.from(safe);
  if (bytes.length <= most) return safe;
  let end = most - Buffer.byteLength(MORE);
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1;
  return `${bytes.subarray(0, end).toString('utf8')}${MORE}`;
}

/** At a character, and with the number of lines left out. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= MOST_BYTES) return text;
  const lines = text.split('\n');
  let kept = lines[0]!;
  let count = 1;
  const rest = (): string => `\n${MORE} and ${lines.length - count} more in the report`;
  while (Buffer.byteLength(`${kept}\n${lines[count]}`) + 48 <= MOST_BYTES) {
    kept += `\n${lines[count]}`;
    count += 1;
  }
  return kept + rest();
}
