/** `runner completion`: the script by which a shell completes commands. */
import { RunnerError } from '../../core/errors.ts';
import { shellNames } from '../table/row.ts';
import { completionScripts } from '../completion/scripts.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const shell = shellNames.find((name) => name === call.args[0]);
  if (shell === undefined) {
    throw new RunnerError({
      code: 'USAGE',
      message: `there is no completion for '${call.args[0]}'; there is one for ${shellNames.join(', ')}`,
      hint: 'runner completion bash',
    });
  }
  const script = completionScripts[shell];
  printLine(settings, script.trimEnd(), { command: 'completion', shell, script });
  return exitCodes.ok;
}
