/** `runner completion`: the script that teaches a shell the commands, made from their table. */
import { RunnerError } from '../../core/errors.ts';
import { commandTable, commonOptions, shellNames } from '../command-table.ts';
import type { ShellName } from '../command-table.ts';
import { completedCommands } from '../completion/completion.ts';
import type { CompletedCommand } from '../completion/completion.ts';
import { renderBash } from '../completion/bash.ts';
import { renderFish } from '../completion/fish.ts';
import { renderPowershell } from '../completion/powershell.ts';
import { renderZsh } from '../completion/zsh.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';

const renderers: Readonly<Record<ShellName, (commands: readonly CompletedCommand[]) => string>> = {
  bash: renderBash,
  zsh: renderZsh,
  fish: renderFish,
  powershell: renderPowershell,
};

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const shell = shellNames.find((name) => name === call.args[0]);
  if (shell === undefined) {
    throw new RunnerError({
      code: 'USAGE',
      message: `there is no completion for '${call.args[0]}'; there is one for ${shellNames.join(', ')}`,
      hint: 'runner completion bash',
    });
  }
  const script = renderers[shell](completedCommands({ table: commandTable, common: commonOptions }));
  printLine(settings, script.trimEnd(), { command: 'completion', shell, script });
  return exitCodes.ok;
}
