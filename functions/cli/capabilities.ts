// `seatplan explain --capabilities`: what can be had with the options and tiers at hand, and what is missing for the rest.

import { forTerminal } from '../escape';
import { isError } from '../finding';
import { expand } from '../pipeline';
import { publicPart, toJson } from '../report/json';
import { textOf } from '../report/text';
import { type Capability, capabilitiesOf } from '../stages/resolve/capabilities';
import type { ExplainOptions } from './explain';
import { load } from './load';
import { EXIT, type ExitCode, type Shell } from './shell';
import { tableOf } from './table';

/** Errors are shown too: an object that is refused counts for nothing in the list. */
export function capabilities(source: string, options: ExplainOptions, shell: Shell): ExitCode {
  const { input, shown } = load(source, options, shell);
  const { declared, options: settled, findings } = expand(input);
  const errors = findings.filter(isError).map(shown);
  const list = capabilitiesOf(declared, settled);
  shell.output.write(
    options.output === 'json'
      ? toJson({ capabilities: list, findings: errors.map(publicPart) })
      : `${tableOf([['FEATURE', 'STATE', 'BY, OR WHAT TO DO'], ...list.map(rowOf)])}${
          errors.length ? `\n${textOf(errors, { colours: shell.output.colours })}` : ''
        }`,
  );
  return errors.length ? EXIT.findings : EXIT.fine;
}

const rowOf = ({ feature, state, note }: Capability): string[] => [feature, state, note].map(forTerminal);
