// `seatplan cmp`: a config management plugin of Argo CD. The app is the folder that it runs in; what is printed is all that
// Argo CD applies, and what is not printed it prunes. No variable of the request is read but the parameters.
import { type Finding, report } from '../finding';
import { isInput } from '../kinds';
import { expand } from '../pipeline';
import { textOf } from '../report/text';
import { isOurs } from '../stages/account';
import { readFiles } from '../stages/read/files';
import { itemOfFile } from '../stages/read/items';
import { kptPipeline } from '../stages/read/kpt-pipeline';
import { healthz } from './cmp-healthz';
import { readParameters } from './cmp-parameters';
import { load } from './load';
import { exitCodeOf } from './print';
import { nothingToRender, write } from './render';
import { EXIT, type ExitCode, type Shell } from './shell';
import { readResourceFiles } from './walk';

export type CmpStep = keyof typeof STEPS;
export interface CmpOptions {
  /** Of healthz. */
  readonly socket?: string;
}

const STEPS = { generate, discover, healthz };

export const cmp = async (step: CmpStep, options: CmpOptions, shell: Shell): Promise<ExitCode> =>
  STEPS[step](shell, options);

const APP = '.';
/** Argo CD shows all of stderr in one line of its user interface, and stores it with the app. */
const MOST_LINES = 20;

/**
 * Prints every object of the app: what `render --all` prints, with the config that the app's Kptfile names. What this
 * plugin cannot account for is an error: a kustomization, a function of others.
 */
export function generate(shell: Shell): ExitCode {
  const { allowEmpty, strict } = readParameters(shell.environment.ARGOCD_APP_PARAMETERS);
  const { input, shown, kustomizations } = load(APP, {}, shell);
  const pipeline = kptPipeline(input.items, shell.version);
  const early = [...input.findings, ...pipeline.findings, ...kustomizations.flatMap(foreign)];
  const expansion = expand({ ...input, config: pipeline.value, findings: early });
  const findings = [
    ...expansion.findings.map(shown),
    ...nothingToRender(expansion, allowEmpty, 'set the parameter allow-empty'),
  ];
  const counted = strict ? findings.map(hardened) : findings;
  const exitCode = exitCodeOf(counted);
  tell(
    counted.filter(({ severity }) => (exitCode === EXIT.fine ? severity === 'warning' : severity === 'error')),
    shell,
  );
  if (exitCode === EXIT.fine) write(expansion, { output: { format: 'yaml' }, all: true }, shell);
  return exitCode;
}

const hardened = (finding: Finding): Finding =>
  finding.severity === 'warning' ? { ...finding, severity: 'error' } : finding;

function foreign({ path, bytes }: { readonly path: string; readonly bytes: Uint8Array }): Finding[] {
  const text = new TextDecoder().decode(bytes);
  const item = itemOfFile({ text, line: 1, column: 1 }, path, 0, 'package');
  if (isOurs(item)) return []; // of the split layout
  const message =
    'this plugin does not run kustomize, so what this file changes would be lost: let Argo CD render it with kustomize and ' +
    'seatplan as its function, render in CI, or list the file in .krmignore';
  return [report('KUSTOMIZATION_NOT_APPLIED', item, '', message)];
}

/** One line for each, most important first. */
function tell(findings: readonly Finding[], { errors }: Shell): void {
  const rest = findings.length - MOST_LINES;
  errors.write(textOf(findings.slice(0, MOST_LINES), { colours: false }));
  if (rest > 0) errors.write(`and ${rest} more: seatplan validate shows them all\n`);
}

/** Prints the files of the app that hold Seats or TrustTiers. Argo CD takes any output as a yes. */
export function discover(shell: Shell): ExitCode {
  const { value } = readFiles(readResourceFiles(APP).files, 'package');
  const files = new Set(value.filter(isInput).map(({ origin }) => origin.file ?? ''));
  shell.output.write([...files].map((file) => `${file}\n`).join(''));
  return EXIT.fine;
}
