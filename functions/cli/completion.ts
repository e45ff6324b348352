// `seatplan completion`: scripts for bash, zsh and fish, made from the commands themselves so that they never lag behind.
import type { Command, Option } from 'commander';

export type CompletingShell = keyof typeof SCRIPTS;

interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly choices: readonly string[];
  readonly options: readonly Option[];
}

/** What may follow an option, beside a path. */
export type ValuesOf = (option: Option) => readonly string[];

export function completionScript(shell: CompletingShell, program: Command, valuesOf: ValuesOf): string {
  const commands = program.commands.map((command) => ({
    name: command.name(),
    summary: command.summary() || command.description(),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    options: command.createHelp().visibleOptions(command),
  }));
  return SCRIPTS[shell](commands, valuesOf);
}

const SCRIPTS = { bash, zsh, fish };

const namesOf = ({ long, short }: Option): string[] => [long, short].filter((name) => name !== undefined);
const words = (parts: readonly (string | undefined)[]): string => parts.filter((part) => part !== undefined).join(' ');
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function bash(commands: readonly Completed[], valuesOf: ValuesOf): string {
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter((option) => valuesOf(option).length)
      .map(
        (option) =>
          `    ${namesOf(option)
            .map((one) => quote(`${name} ${one}`))
            .join(' | ')}) words=${quote(words(valuesOf(option)))} ;;`,
      ),
  );
  const paths = [
    ...new Set(
      commands.flatMap(({ options }) =>
        options.filter((option) => takesPath(option, valuesOf)).map(({ long }) => long),
      ),
    ),
  ];
  const own = commands.map(
    ({ name, options, choices }) =>
      `    ${name}) words=${quote(words([...choices, ...options.map(({ long }) => long)]))} ;;`,
  );
  return `# bash completion for seatplan: source <(seatplan completion bash)
_seatplan() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} words=''
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ${quote(words([...commands.map(({ name }) => name), '--help', '--version']))} -- "$current"))
    return
  fi
  case "$previous" in ${paths.join('|')}) return ;; esac
  case "\${COMP_WORDS[1]} $previous" in
${values.join('\n')}
  esac
  [[ $words ]] || case "\${COMP_WORDS[1]}" in
${own.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}
complete -o default -F _seatplan seatplan
`;
}

function zsh(commands: readonly Completed[], valuesOf: ValuesOf): string {
  const specs = (option: Option): string[] => {
    const values = valuesOf(option);
    const action = values.length ? `:value:(${values.join(' ')})` : takesPath(option, valuesOf) ? ':path:_files' : '';
    const names = namesOf(option);
    const once = names.length > 1 ? `(${names.join(' ')})` : '';
    return names.map((name) => quote(`${once}${name}[${zshText(option.description)}]${action}`));
  };
  const cases = commands.map(({ name, options, choices }) => {
    const operand = choices.length ? `:shell:(${choices.join(' ')})` : '*:path:_files';
    return `    ${name}) _arguments ${[...options.flatMap(specs), quote(operand)].join(' \\\n      ')} ;;`;
  });
  return `#compdef seatplan
# zsh completion for seatplan: seatplan completion zsh > "\${fpath[1]}/_seatplan"
_seatplan() {
  local -a commands=(
${commands.map(({ name, summary }) => `    ${quote(`${name}:${summary.replaceAll(':', '\\:')}`)}`).join('\n')}
  )
  if ((CURRENT == 2)); then
    _describe command commands
    return
  fi
  shift words
  ((CURRENT--))
  case $words[1] in
${cases.join('\n')}
  esac
}
compdef _seatplan seatplan
`;
}

const zshText = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&');

function fish(commands: readonly Completed[], valuesOf: ValuesOf): string {
  const lines = commands.flatMap(({ name, summary, options, choices }) => [
    `complete -c seatplan -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
    ...(choices.length
      ? [`complete -c seatplan -n '__fish_seen_subcommand_from ${name}' -f -a ${quote(words(choices))}`]
      : []),
    ...options.map((option) => {
      const values = valuesOf(option);
      const value = values.length ? `-x -a ${quote(words(values))} ` : takesPath(option, valuesOf) ? '-r -F ' : '';
      const names = [option.long?.replace(/^--/, '-l '), option.short?.replace(/^-/, '-s ')];
      return `complete -c seatplan -n '__fish_seen_subcommand_from ${name}' ${words(names)} ${value}-d ${quote(option.description)}`;
    }),
  ]);
  return `# fish completion for seatplan: seatplan completion fish | source\n${lines.join('\n')}\n`;
}

const takesPath = (option: Option, valuesOf: ValuesOf): boolean => option.required && valuesOf(option).length === 0;
