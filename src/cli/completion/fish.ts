/** The completion script for fish, from 3.4 on. Pure. */
import type { CompletedCommand, CompletedOption, Source } from './completion.ts';
import { argumentPlaces, commandSteps, valuedOptions } from './completion.ts';

export function renderFish(commands: readonly CompletedCommand[]): string {
  const valued = valuedOptions(commands).map(({ place }) => quoted(place));
  return `# fish completion of runner: runner completion fish > ~/.config/fish/completions/runner.fish

# Sets what the words before the cursor amount to: command, number of its arguments, folder.
function __runner_read
    set -g __runner_command ''
    set -g __runner_position 0
    set -g __runner_folder .
    set -l option ''
    set -l tokens (commandline -opc)
    for word in $tokens[2..-1]
        if test -n "$option"
            test "$option" = -C; and set -g __runner_folder $word
            set option ''
            continue
        end
        switch "$__runner_command $word"
            case ${valued.join(' ')}
                set option $word
            case ${commandSteps(commands).map(quoted).join(' ')}
                set -g __runner_command (string trim "$__runner_command $word")
            case '* -*'
            case '*'
                set -g __runner_position (math $__runner_position + 1)
        end
    end
end

function __runner_is
    __runner_read
    test "$__runner_command" = "$argv[1]"
end

function __runner_at
    __runner_read
    test "$__runner_command $__runner_position" = "$argv[1]"
end

function __runner_ask
    __runner_read
    set -l tokens (commandline -opc)
    set -l program (string replace -r '^~' $HOME -- $tokens[1])
    set -l folder (string replace -r '^~' $HOME -- $__runner_folder)
    $program -C $folder complete-$argv[1] 2>/dev/null </dev/null
end

complete -c runner -f
${commands.flatMap(renderCommand).join('\n')}
${argumentPlaces(commands.filter(({ below }) => below.length === 0))
  .flatMap(({ place, source }) =>
    renderSource(source).map((values) => `complete -c runner -n ${at(place)} ${values}`),
  )
  .join('\n')}
`;
}

function renderCommand({ name, options, below }: CompletedCommand): readonly string[] {
  const condition = quoted(`__runner_is ${quoted(name)}`);
  return [
    ...below.map(
      ({ word, means }) => `complete -c runner -n ${at(`${name} 0`)} -a ${quoted(word)} -d ${quoted(means)}`,
    ),
    ...options.map((option) => `complete -c runner -n ${condition} ${renderOption(option)}`),
  ];
}

function at(place: string): string {
  return quoted(`__runner_at ${quoted(place)}`);
}

/** With a value that is no file, files are not offered. */
function renderOption({ names, means, value }: CompletedOption): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const takes = value === null ? [] : [value.paths === 'files' ? '-r' : '-x', ...renderSource(value)];
  return [...flags, ...takes, `-d ${quoted(means)}`].join(' ');
}

function renderSource({ words, asked, paths }: Source): readonly string[] {
  const lists = [...words, ...(asked === 'none' ? [] : [`(__runner_ask ${asked})`])];
  if (paths === 'folders') lists.push('(__fish_complete_directories)');
  if (paths === 'files') return ['-F'];
  return lists.length === 0 ? [] : [`-a ${quoted(lists.join(' '))}`];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
