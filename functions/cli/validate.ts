// `seatplan validate`: all findings about a package on stdout, in the format asked for.
import type { Finding } from '../finding';
import { expectedVersion } from '../kinds';
import type { Item } from '../model';
import { expand } from '../pipeline';
import { jsonOf } from '../report/json';
import { junitOf } from '../report/junit';
import { sarifOf } from '../report/sarif';
import { summaryOf, textOf } from '../report/text';
import { type Levels, load } from './load';
import { audible, exitCodeOf, type Loudness } from './print';
import type { ExitCode, Shell } from './shell';

export type Format = 'text' | 'json' | 'sarif' | 'junit';
export interface ValidateOptions extends Levels, Loudness {
  readonly format: Format;
}

interface Report {
  readonly findings: readonly Finding[];
  /** The objects of ours that were looked at, their files as `findings` name them. */
  readonly checked: readonly Item[];
}

const FORMATS: Readonly<Record<Format, (report: Report, shell: Shell) => string>> = {
  text: ({ findings }, { output }) => textOf(findings, { colours: output.colours }),
  json: ({ findings }) => jsonOf(findings),
  sarif: ({ findings }, { version }) => sarifOf(findings, version),
  junit: ({ findings, checked }) => junitOf(findings, checked),
};

export function validate(source: string, options: ValidateOptions, shell: Shell): ExitCode {
  const { input, shown } = load(source, options, shell);
  const findings = expand(input).findings.map(shown);
  const heard = audible(findings, options);
  const checked = input.items
    .filter((item) => expectedVersion(item) !== undefined)
    .map((item) => ({ ...item, origin: shown(item.origin) }));
  shell.output.write(FORMATS[options.format]({ findings: heard, checked }, shell));
  if (options.format === 'text' && !options.quiet) {
    shell.errors.write(
      `${checked.length} ${checked.length === 1 ? 'object' : 'objects'} checked: ${summaryOf(heard) || 'no findings'}\n`,
    );
  }
  return exitCodeOf(findings);
}
