import type { Command } from 'commander';

export const completedShells = ['bash', 'zsh', 'fish'] as const;
export type CompletedShell = (typeof completedShells)[number];

/** A place in the tree of commands, and the words that may stand there. */
interface Place {
  /** The names of the commands on the way, joined by blanks: `tasks list`. Empty for the program itself. */
  path: string;
  commands: { name: string; purpose: string }[];
  options: { flags: string[]; purpose: string; choices: readonly string[]; takesValue: boolean }[];
}

/** The script that completes command lines in a shell, made from the commands themselves. */
export function completionScript(shell: CompletedShell, program: Command): string {
  const places = placesOf(program);
  const write = { bash: bashScript, zsh: zshScript, fish: fishScript }[shell];
  return write(places);
}

function placesOf(program: Command): Place[] {
  const walk = (command: Command, path: string): Place[] => {
    const inner = command.commands.filter((child) => child.name() !== 'help');
    const place: Place = {
      path,
      commands: inner.map((child) => ({ name: child.name(), purpose: child.summary() })),
      options: [
        ...command.options
          .filter(({ hidden }) => !hidden)
          .map(({ long, short, description, argChoices = [], required, optional }) => ({
            flags: [short, long].filter((flag): flag is string => typeof flag === 'string'),
            purpose: description,
            choices: argChoices,
            takesValue: required || optional,
          })),
        { flags: ['-h', '--help'], purpose: 'print help', choices: [], takesValue: false },
      ],
    };
    return [
      place,
      ...inner.flatMap((child) => walk(child, path === '' ? child.name() : `${path} ${child.name()}`)),
    ];
  };
  return walk(program, '');
}

function bashScript(places: readonly Place[]): string {
  return `# bash completion of switchyard. Load it with: source <(switchyard completion bash)
_switchyard() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" place="" candidates="" i
  COMPREPLY=()
${findCandidates(places, { from: 1, to: 'COMP_CWORD', words: 'COMP_WORDS' })}
  while IFS= read -r i; do COMPREPLY+=("$i"); done < <(compgen -W "$candidates" -- "$current")
}
complete -o default -F _switchyard switchyard
`;
}

/** The name `path` is taken in zsh: it is the search path for programs. */
function zshScript(places: readonly Place[]): string {
  return `#compdef switchyard
# zsh completion of switchyard. Load it with: source <(switchyard completion zsh)
_switchyard() {
  local before="\${words[CURRENT-1]}" place="" candidates="" i
${findCandidates(places, { from: 2, to: 'CURRENT', words: 'words' })}
  compadd -- \${=candidates} || _files
}
(( $+functions[compdef] )) && compdef _switchyard switchyard
`;
}

/** Returns what bash and zsh have in common. It follows the words to their place in the tree and finds what may come next. */
function findCandidates(
  places: readonly Place[],
  { from, to, words }: { from: number; to: string; words: string },
): string {
  return `  for ((i = ${from}; i < ${to}; i++)); do
    case "$place/\${${words}[i]}" in
${stepLines(places)}
    esac
  done
  case "$place $before" in
${choiceLines(places)}
  esac
  if [[ -z $candidates ]]; then
    case "$place" in
${wordLines(places)}
    esac
  fi`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => [
    ...commands.map(
      ({ name, purpose }) =>
        `complete -c switchyard -n ${quoted(`__switchyard_at ${quotedInside(path)}`)} -a ${name} -d ${quoted(purpose)}`,
    ),
    ...options.map(({ flags, purpose, choices, takesValue }) => {
      const named = flags.map((flag) =>
        flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
      );
      const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
      const condition = quoted(`__switchyard_at ${quotedInside(path)}`);
      return `complete -c switchyard -n ${condition} ${named.join(' ')}${value} -d ${quoted(purpose)}`;
    }),
  ]);
  return `# fish completion of switchyard. Load it with: switchyard completion fish | source
function __switchyard_at
  set -l place ''
  for word in (commandline -opc)[2..-1]
    switch "$place/$word"
${places
  .filter(({ path }) => path !== '')
  .map(({ path }) => `      case ${quoted(stepOf(path))}\n        set place ${quoted(path)}`)
  .join('\n')}
    end
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`;
}

/** The place that a word leads to, from the place before it. */
function stepLines(places: readonly Place[]): string {
  return places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `      ${quoted(stepOf(path))}) place=${quoted(path)} ;;`)
    .join('\n');
}

function stepOf(path: string): string {
  const words = path.split(' ');
  return `${words.slice(0, -1).join(' ')}/${words.at(-1)}`;
}

/** Returns what may stand behind an option that has a list of values. */
function choiceLines(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, options }) =>
    options
      .filter(({ choices }) => choices.length > 0)
      .map(({ flags, choices }) => {
        const cases = flags.map((flag) => quoted(`${path} ${flag}`)).join('|');
        return `    ${cases}) candidates=${quoted(choices.join(' '))} ;;`;
      }),
  );
  return lines.join('\n');
}

function wordLines(places: readonly Place[]): string {
  return places
    .map(({ path, commands, options }) => {
      const words = [...commands.map(({ name }) => name), ...options.flatMap(({ flags }) => flags)];
      return `      ${quoted(path)}) candidates=${quoted(words.join(' '))} ;;`;
    })
    .join('\n');
}

/** In single quotes nothing has a meaning; a single quote itself stands between two texts. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** For a text inside a quoted one: names of commands have letters, blanks and hyphens alone. */
function quotedInside(text: string): string {
  return `"${text}"`;
}
