// The commands of `seatplan`, their options and help. Heavy work is loaded only by the command that needs it.
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { asLines } from '../escape';
import type { CmpOptions, CmpStep } from './cmp';
import type { CompletingShell, ValuesOf } from './completion';
import type { ExplainOptions } from './explain';
import type { Output, RenderOptions } from './render';
import { EXIT, type ExitCode, Refusal, type Shell } from './shell';
import type { StatusOptions } from './status';
import type { ValidateOptions } from './validate';

/** Runs one command line (without the program's own name) and says how it ended. Bugs are thrown. */
export async function run(words: readonly string[], shell: Shell): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.fine;
  const program = commandLine(shell, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.fine : EXIT.usage;
    if (!(error instanceof Refusal)) throw error;
    shell.errors.write(`${asLines(`seatplan: ${error.message}`)}\n`);
    return error.exitCode;
  }
}

type End = (exitCode: ExitCode) => void;

function commandLine(shell: Shell, end: End): Command {
  const program = new Command('seatplan')
    .description('Expands Seats and TrustTiers kept in Git into Kubernetes objects, and refuses what is unsafe.')
    .version(shell.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: shell.output.write,
      writeErr: shell.errors.write,
      outputError: (text, write) => write(asLines(text)),
    })
    .showHelpAfterError('See seatplan --help.')
    .addHelpText('after', HELP);
  addRender(program, shell, end);
  addValidate(program, shell, end);
  addExplain(program, shell, end);
  addStatus(program, shell, end);
  addCmp(program, shell, end);
  addCompletion(program, shell);
  return program;
}

function addRender(program: Command, shell: Shell, end: End): void {
  const command = program
    .command('render')
    .summary('print the objects that the Seats of a package become')
    .description('Prints the objects of all Seats; findings go to stderr. With any error nothing is printed.')
    .argument('[source]', SOURCE, '.')
    .addOption(
      new Option('-o, --output <format>', 'yaml, json (one v1 List) or dir=PATH')
        .default({ format: 'yaml' }, 'yaml')
        .argParser(outputOf),
    )
    .option('--keep-inputs', 'print the Seats and TrustTiers too')
    .option('--all', "print the package's other objects too, as they are; not its config and local ones")
    .option('--allow-empty', 'succeed when there is no Seat');
  levels(command)
    .addHelpText(
      'after',
      examples('render', ['.', '--output json team-a', '--all --output dir=out .', '- < resource-list.yaml']),
    )
    .action(async (source: string, options: RenderOptions) =>
      end((await import('./render')).render(source, options, shell)),
    );
}

function addValidate(program: Command, shell: Shell, end: End): void {
  const command = program
    .command('validate')
    .summary('print all findings about a package')
    .description('Prints all findings about a package, and exits with 1 if there is an error among them.')
    .argument('[source]', SOURCE, '.')
    .addOption(
      new Option('--format <format>', 'how findings are printed')
        .choices(['text', 'json', 'sarif', 'junit'])
        .default('text'),
    );
  levels(command)
    .addHelpText(
      'after',
      examples('validate', ['.', '--format sarif . > findings.sarif', '--platform /etc/seatplan seats.yaml']),
    )
    .action(async (source: string, options: ValidateOptions) =>
      end((await import('./validate')).validate(source, options, shell)),
    );
}

function addExplain(program: Command, shell: Shell, end: End): void {
  const command = program
    .command('explain')
    .summary("show where a seat's values come from, or what can be had")
    .description('Shows for one seat where every decided value came from, what was dropped, and why.')
    .argument('[seat]', 'its name, namespace/name or organization/key')
    .argument('[source]', SOURCE, '.')
    .option('--capabilities', 'no seat: list each feature, whether it is provided, by what, or what to do')
    .addOption(new Option('-o, --output <format>', 'how it is printed').choices(['text', 'json']).default('text'));
  levels(command)
    .addHelpText(
      'after',
      examples('explain', [
        ...['researcher', 'team-a/researcher packages/team-a', '--output json acme/researcher'],
        '--capabilities packages/team-a',
      ]),
    )
    .action(async (seat: string | undefined, source: string, options: ExplainOptions & { capabilities?: true }) => {
      if (options.capabilities) {
        if (command.args.length > 1) command.error('error: --capabilities is about a package: name no seat.');
        end((await import('./capabilities')).capabilities(seat ?? '.', options, shell));
      } else if (seat === undefined) command.error("error: missing required argument 'seat', or --capabilities.");
      else end((await import('./explain')).explain(seat, source, options, shell));
    });
}

function addStatus(program: Command, shell: Shell, end: End): void {
  program
    .command('status')
    .summary('show what probes found in a cluster')
    .description('Shows for each seat of a cluster what its last probe found, and whether that still counts.')
    .option('-n, --namespace <name>', "namespace of the seats; else that of the kubeconfig's context", path)
    .option('-A, --all-namespaces', 'seats of all namespaces')
    .option('--control-plane-namespace <name>', 'where the reports are', path, 'steadmesh-system')
    .option('--kubeconfig <file>', 'the kubeconfig; else KUBECONFIG, ~/.kube/config, or the pod it runs in', path)
    .option('--context <name>', 'context of the kubeconfig', path)
    .addOption(new Option('--format <format>', 'how it is printed').choices(['text', 'json', 'junit']).default('text'))
    .addHelpText('after', examples('status', ['-n team-a', '-A', '-A --format junit > enforcement.xml']))
    .action(async (options: StatusOptions) => end(await (await import('./status')).status(options, shell)));
}

function addCmp(program: Command, shell: Shell, end: End): void {
  program
    .command('cmp')
    .summary('be a config management plugin of Argo CD')
    .description('What a config management plugin of Argo CD calls, in the folder of the app: docs/argocd.md.')
    .addArgument(
      new Argument(
        '<step>',
        'print all objects of the app, print its files of ours, or ask whether the server serves',
      ).choices(['generate', 'discover', 'healthz']),
    )
    .option('--socket <path>', "healthz: the server's socket; else that of the plugin as it ships", path)
    .addHelpText('after', examples('cmp', ['generate', 'healthz']))
    .action(async (step: CmpStep, options: CmpOptions) => end(await (await import('./cmp')).cmp(step, options, shell)));
}

function addCompletion(program: Command, shell: Shell): void {
  program
    .command('completion')
    .summary('print a completion script')
    .description('Prints a completion script for a shell.')
    .addArgument(new Argument('<shell>', 'whose script').choices(['bash', 'zsh', 'fish']))
    .addHelpText('after', '\nExamples:\n  source <(seatplan completion bash)\n  seatplan completion fish | source')
    .action(async (name: CompletingShell) => {
      const { completionScript } = await import('./completion');
      shell.output.write(completionScript(name, program, valuesOf));
    });
}

const valuesOf: ValuesOf = ({ argChoices, long }) =>
  argChoices ?? (long === '--output' ? ['yaml', 'json', 'dir='] : []);

const SOURCE = 'a folder, a file, or - for stdin';

/** Options that every command on a package takes. */
const levels = (command: Command): Command =>
  command
    .option('--platform <path>', 'file or folder of the platform level (or SEATPLAN_PLATFORM)', path)
    .option('--config <file>', 'the function config; else the one found in the package', path)
    .option('-q, --quiet', 'hide findings that only inform');

function path(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}

function outputOf(text: string): Output {
  if (text === 'yaml' || text === 'json') return { format: text };
  if (text.startsWith('dir=') && text.length > 'dir='.length) return { format: 'dir', path: text.slice('dir='.length) };
  throw new InvalidArgumentError('Allowed are yaml, json and dir=PATH.');
}

const examples = (command: string, lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  seatplan ${command} ${line}`).join('\n')}`;

const HELP = `
Examples:
  seatplan render .                     print what the package in this folder becomes
  seatplan validate --format json .     list what is wrong with it
  seatplan explain researcher           show where a seat's values come from

Exit codes: 0 fine, 1 findings of severity error (status: a seat that is not proven), 2 wrong usage, 70 a bug of seatplan.`;
