/** The completion script for zsh: to be sourced, or kept as `_runner` in a folder of `$fpath`. Pure. */
import type { CompletedCommand, Place, Source } from './completion.ts';
import { argumentPlaces, commandSteps, shareLines, valuedOptions } from './completion.ts';

export function renderZsh(commands: readonly CompletedCommand[]): string {
  const valued = valuedOptions(commands);
  return `#compdef runner
# zsh completion of runner. In ~/.zshrc, after compinit: source <(runner completion zsh)
_runner() {
  local program=$words[1] command= option= folder=. asked= paths= word
  local -i position=0 index
  local -a found
  for ((index = 2; index < CURRENT; index++)); do
    word=\${(Q)words[index]}
    if [[ -n $option ]]; then
      [[ $option == -C ]] && folder=$word
      option=
      continue
    fi
    case "$command $word" in
      (${alternatives(valued.map(({ place }) => place))})
        option=$word
        ;;
      (${alternatives(commandSteps(commands))})
        command="\${command:+$command }$word"
        ;;
      (*)
        [[ $word == -* ]] || position=$((position + 1))
        ;;
    esac
  done
  if [[ -z $option && $words[CURRENT] == --*=* ]]; then
    option=\${words[CURRENT]%%=*}
    compset -P '*='
  fi
  if [[ -n $option ]]; then
    case "$command $option" in
${renderCases(valued)}
    esac
  elif [[ $words[CURRENT] == -* ]]; then
    case "$command" in
${commands.map(renderOptions).join('\n')}
    esac
    _describe -o option found
    return
  else
    case "$command $position" in
${commands
  .filter(({ below }) => below.length > 0)
  .map(({ name, below }) => `      (${quoted(`${name} 0`)}) found=(${below.map(described).join(' ')}) ;;`)
  .join('\n')}
${renderCases(argumentPlaces(commands.filter(({ below }) => below.length === 0)))}
    esac
  fi
  if [[ -n $asked ]]; then
    found+=(\${\${(f)"$("\${program/#\\~/$HOME}" -C "\${folder/#\\~/$HOME}" "complete-$asked" -- "\${(Q)PREFIX}" 2>/dev/null </dev/null)"}/$'\\t'/:})
  fi
  case "$paths" in
    (folders) _files -/ ;;
    (files) _files ;;
    (*) _describe value found ;;
  esac
}
if [[ $funcstack[1] == _runner ]]; then
  _runner "$@"
else
  compdef _runner runner
fi
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function alternatives(places: readonly string[]): string {
  return places.map(quoted).join(' | ');
}

function described({ word, means }: { readonly word: string; readonly means: string }): string {
  return quoted(`${word}:${means}`);
}

function renderOptions({ name, options }: CompletedCommand): string {
  const all = options.flatMap(({ names, means }) => names.map((word) => described({ word, means })));
  return `      (${quoted(name)}) found=(${all.join(' ')}) ;;`;
}

function renderCases(places: readonly Place[]): string {
  return shareLines(places, renderSource)
    .map(({ text, same }) => `      (${alternatives(same)}) ${text} ;;`)
    .join('\n');
}

function renderSource({ words, asked, paths }: Source): string {
  const parts = [
    ...(words.length === 0 ? [] : [`found=(${words.join(' ')})`]),
    ...(asked === 'none' ? [] : [`asked=${asked}`]),
    ...(paths === 'none' ? [] : [`paths=${paths}`]),
  ];
  return parts.length === 0 ? ':' : parts.join(' ');
}
