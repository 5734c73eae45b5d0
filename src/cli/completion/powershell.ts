/** The completion script for PowerShell, from 5.1 on. Pure. */
import type { CompletedCommand, Place, Source } from './completion.ts';
import { argumentPlaces, commandSteps, valuedOptions } from './completion.ts';

export function renderPowershell(commands: readonly CompletedCommand[]): string {
  return `# PowerShell completion of runner. In $PROFILE: runner completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName runner -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $steps = @(${commandSteps(commands).map(quoted).join(', ')})
    $values = @{
${renderPlaces(valuedOptions(commands))}
    }
    $arguments = @{
${renderPlaces(argumentPlaces(commands))}
    }
    $options = @{
${commands.map(renderOptions).join('\n')}
    }
    $means = @{
${renderMeans(commands)}
    }
    $elements = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') })
    $command = ''
    $option = ''
    $folder = '.'
    $position = 0
    foreach ($element in ($elements | Select-Object -Skip 1)) {
        $word = $element.ToString().Trim([char]39, [char]34)
        $place = "$command $word"
        if ($option -ne '') {
            if ($option -ceq '-C') { $folder = $word }
            $option = ''
        } elseif ($values.ContainsKey($place)) {
            $option = $word
        } elseif ($steps -ccontains $place) {
            $command = $place.Trim()
        } elseif (-not $word.StartsWith('-')) {
            $position += 1
        }
    }
    $words = @()
    $source = $null
    if ($option -ne '') {
        $source = $values["$command $option"]
    } elseif ($wordToComplete.StartsWith('-')) {
        $words = @($options[$command])
    } else {
        $source = $arguments["$command $position"]
    }
    if ($null -ne $source) {
        $words = @($source.Words)
        if ($source.Asked -ne 'none') {
            $program = $commandAst.CommandElements[0].ToString()
            $words += @(& $program -C $folder "complete-$($source.Asked)" -- $wordToComplete 2>$null | ForEach-Object { ($_ -split "\`t")[0] })
        }
        if ($source.Paths -ne 'none') {
            return [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete) |
                Where-Object { $source.Paths -eq 'files' -or $_.ResultType -eq 'ProviderContainer' }
        }
    }
    $words | Where-Object { $_ -clike "$wordToComplete*" } | ForEach-Object {
        $tip = $means["$command $_"]
        if (-not $tip) { $tip = $_ }
        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $tip)
    }
}
`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function renderList(words: readonly string[]): string {
  return `@(${words.map(quoted).join(', ')})`;
}

function renderPlaces(places: readonly Place[]): string {
  return places.map(({ place, source }) => `        ${quoted(place)} = ${renderSource(source)}`).join('\n');
}

function renderSource({ words, asked, paths }: Source): string {
  return `@{ Words = ${renderList(words)}; Asked = ${quoted(asked)}; Paths = ${quoted(paths)} }`;
}

function renderOptions({ name, options }: CompletedCommand): string {
  return `        ${quoted(name)} = ${renderList(options.flatMap(({ names }) => names))}`;
}

function renderMeans(commands: readonly CompletedCommand[]): string {
  return commands
    .flatMap(({ name, options, below }) => [
      ...below.map(({ word, means }) => `        ${quoted(`${name} ${word}`)} = ${quoted(means)}`),
      ...options.flatMap(({ names, means }) =>
        names.map((option) => `        ${quoted(`${name} ${option}`)} = ${quoted(means)}`),
      ),
    ])
    .join('\n');
}
