// Prints the findings of a command, and says how it ends.
import { type Finding, isError } from '../finding';
import { textOf } from '../report/text';
import { EXIT, type ExitCode, type Sink } from './shell';

/** As lines of text. */
export function print(findings: readonly Finding[], sink: Sink): void {
  if (findings.length) sink.write(textOf(findings, { colours: sink.colours }));
}

export const exitCodeOf = (findings: readonly Finding[]): ExitCode =>
  findings.some(isError) ? EXIT.findings : EXIT.fine;

export interface Loudness {
  /** Hides findings that only inform. */
  readonly quiet?: boolean;
}

export const audible = (findings: readonly Finding[], { quiet }: Loudness): readonly Finding[] =>
  quiet ? findings.filter(({ severity }) => severity !== 'info') : findings;
