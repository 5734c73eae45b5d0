/** The completion script for bash, from 3.2 on. Pure. */
import type { CompletedCommand, Place, Source } from './completion.ts';
import { argumentPlaces, commandSteps, shareLines, valuedOptions } from './completion.ts';

export function renderBash(commands: readonly CompletedCommand[]): string {
  const valued = valuedOptions(commands);
  return `# bash completion of runner. In ~/.bashrc: source <(runner completion bash)
_runner() {
  local program=$1 current=\${COMP_WORDS[COMP_CWORD]}
  local command='' option='' folder=. position=0 words='' asked='' paths='' index word
  [ "$current" = '=' ] && current=''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [ -n "$option" ]; then
      [ "$word" = '=' ] && continue
      [ "$option" = '-C' ] && folder=$word
      option=''
      continue
    fi
    case "$command $word" in
      ${alternatives(valued.map(({ place }) => place))})
        option=$word
        ;;
      ${alternatives(commandSteps(commands))})
        command="\${command:+$command }$word"
        ;;
      *)
        [[ $word == -* ]] || position=$((position + 1))
        ;;
    esac
  done
  if [ -n "$option" ]; then
    case "$command $option" in
${renderCases(valued)}
    esac
  elif [[ $current == -* ]]; then
    case "$command" in
${commands.map(({ name, options }) => `      ${quoted(name)}) words='${options.flatMap(({ names }) => names).join(' ')}' ;;`).join('\n')}
    esac
  else
    case "$command $position" in
${renderCases(argumentPlaces(commands))}
    esac
  fi
  if [ -n "$asked" ]; then
    words="$words $("\${program/#\\~/$HOME}" -C "\${folder/#\\~/$HOME}" "complete-$asked" -- "$current" 2>/dev/null </dev/null | cut -f 1)"
  fi
  COMPREPLY=()
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(
    compgen -W "$words" -- "$current"
    [ -z "$paths" ] || compgen "$paths" -- "$current"
  )
  [ -z "$paths" ] || compopt -o filenames 2>/dev/null
  return 0
}
complete -F _runner runner
`;
}

function quoted(text: string): string {
  return `'${text}'`;
}

function alternatives(places: readonly string[]): string {
  return places.map(quoted).join(' | ');
}

function renderCases(places: readonly Place[]): string {
  return shareLines(places, renderSource)
    .map(({ text, same }) => `      ${alternatives(same)}) ${text} ;;`)
    .join('\n');
}

function renderSource({ words, asked, paths }: Source): string {
  const parts = [
    ...(words.length === 0 ? [] : [`words='${words.join(' ')}'`]),
    ...(asked === 'none' ? [] : [`asked=${asked}`]),
    ...(paths === 'none' ? [] : [`paths=${paths === 'folders' ? '-d' : '-f'}`]),
  ];
  return parts.length === 0 ? ':' : parts.join(' ');
}
