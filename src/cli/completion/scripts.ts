/** The completion scripts. Each hands the words of the line to `runner complete` and offers the answer; nothing is decided here. */
import type { ShellName } from '../table/row.ts';

/** From bash 3.2 on. */
const bash = `# bash completion of runner. In ~/.bashrc: source <(runner completion bash)
_runner() {
  local program=\${1/#\\~/$HOME} current=\${COMP_WORDS[COMP_CWORD]} answer word paths=
  [ "$current" = '=' ] && current=
  answer=$("$program" complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null </dev/null)
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    case $word in
      '') ;;
      :files) paths=-f ;;
      :folders) paths=-d ;;
      *) COMPREPLY+=("$word") ;;
    esac
  done <<<"$answer"
  [ -n "$paths" ] || return 0
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do
    COMPREPLY+=("$word")
  done < <(compgen "$paths" -- "$current")
}
complete -F _runner runner
`;

/** To be sourced, or kept as _runner in a folder of $fpath. */
const zsh = `#compdef runner
# zsh completion of runner. In ~/.zshrc, after compinit: source <(runner completion zsh)
_runner() {
  local program=\${words[1]/#\\~/$HOME} line
  local -a found
  for line in "\${(@f)$("$program" complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null </dev/null)}"; do
    case $line in
      ('') ;;
      (:files) compset -P '--*='; _files ;;
      (:folders) compset -P '--*='; _files -/ ;;
      (*) found+=("\${line/$'\\t'/:}") ;;
    esac
  done
  _describe value found
}
if [[ $funcstack[1] == _runner ]]; then
  _runner "$@"
else
  compdef _runner runner
fi
`;

/** From fish 3.4 on. */
const fish = `# fish completion of runner: runner completion fish > ~/.config/fish/completions/runner.fish
function __runner_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l lead (string match -r -- '^--[^=]*=' "$current")
    set -l typed (string replace -- "$lead" '' "$current")
    for line in ($program complete -- $words[2..-1] "$current" 2>/dev/null </dev/null)
        switch $line
            case :files
                __fish_complete_path "$typed" | string replace -r '^' -- "$lead"
            case :folders
                __fish_complete_directories "$typed" '' | string replace -r '^' -- "$lead"
            case '*'
                echo $line
        end
    end
end
complete -c runner -f -a '(__runner_complete)'
`;

/** From PowerShell 5.1 on, which drops an empty argument of a program: it goes as two quotes. */
const powershell = `# PowerShell completion of runner. In $PROFILE: runner completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName runner -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $program, $words = @($commandAst.CommandElements |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
        ForEach-Object { $_.ToString().Trim([char]39, [char]34) })
    $current = if ($wordToComplete -eq '') { '""' } else { $wordToComplete }
    & $program 'complete' '--' @words $current 2>$null | ForEach-Object {
        $word, $means = $_ -split [char]9, 2
        if ($word -eq ':files' -or $word -eq ':folders') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) |
                Where-Object { $word -eq ':files' -or $_.ResultType -eq 'ProviderContainer' }
        } else {
            if (-not $means) { $means = $word }
            [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $means)
        }
    }
}
`;

export const completionScripts: Readonly<Record<ShellName, string>> = { bash, zsh, fish, powershell };
