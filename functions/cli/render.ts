// `seatplan render`: the objects of a package on stdout or in a folder, findings on stderr. Any error: no object at all.
import { type Finding, report } from '../finding';
import { type Expansion, expand } from '../pipeline';
import { filesOf, writeJson, writeYaml } from '../stages/write/stream';
import { type Levels, load } from './load';
import { writeOutputDirectory } from './output-directory';
import { audible, exitCodeOf, type Loudness, print } from './print';
import { batched, type ExitCode, type Shell } from './shell';

export interface RenderOptions extends Levels, Loudness {
  readonly output: Output;
  readonly keepInputs?: boolean;
  readonly all?: boolean;
  readonly allowEmpty?: boolean;
}
export type Output = { readonly format: 'yaml' | 'json' } | { readonly format: 'dir'; readonly path: string };

export function render(source: string, options: RenderOptions, shell: Shell): ExitCode {
  const { input, shown } = load(source, options, shell);
  const expansion = expand(input);
  const findings = [
    ...expansion.findings.map(shown),
    ...nothingToRender(expansion, options.allowEmpty === true, 'pass --allow-empty'),
  ];
  print(audible(findings, options), shell.errors);
  const exitCode = exitCodeOf(findings);
  if (exitCode === 0) write(expansion, options, shell);
  return exitCode;
}

/** Engines read an empty output as "delete everything", so it must be asked for; `how` says in which way. */
export function nothingToRender(expansion: Expansion, allowEmpty: boolean, how: string): Finding[] {
  const { seats, findings } = expansion;
  if (seats.length || allowEmpty || exitCodeOf(findings) !== 0 || rendersObjects(expansion)) return [];
  return [report('NOTHING_TO_RENDER', undefined, '', `there is no Seat to render; ${how} if that is meant`)];
}

/** Tiers alone may have pools and guards. Read as far as the first. */
function rendersObjects({ render }: Expansion): boolean {
  for (const { home } of render()) if (home) return true;
  return false;
}

export type Written = Pick<RenderOptions, 'output' | 'keepInputs' | 'all'>;

export function write(expansion: Expansion, { output, keepInputs, all }: Written, shell: Shell): void {
  const parts = { inputs: keepInputs === true, all: all === true };
  if (output.format === 'dir') {
    writeOutputDirectory(output.path, filesOf(expansion, parts), shell);
    return;
  }
  const { emit, end } = batched(shell.output);
  const writer = output.format === 'json' ? writeJson : writeYaml;
  writer(expansion, parts, emit);
  end();
}
