/** The hidden command behind `runner doctor --sandbox`: one attempt to get out of the sandbox it runs in. */
import { tryEscape } from '../../adapters/processes/sandbox/escape.ts';
import type { EscapeTarget } from '../../adapters/processes/sandbox/escape.ts';
import { escapeNames } from '../../core/sandbox/sandbox-battery.ts';
import { RunnerError } from '../../core/errors.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Settings } from '../output/streams.ts';
import type { CommandCall } from '../program.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [name, target = ''] = call.args;
  const found = escapeNames.find((one) => one === name);
  if (found === undefined || !target.startsWith('{')) {
    throw new RunnerError({
      code: 'USAGE',
      message: 'try-escape is started by runner doctor --sandbox',
      hint: 'runner doctor --sandbox',
    });
  }
  settings.streams.out(`${await tryEscape(found, JSON.parse(target) as EscapeTarget)}\n`);
  return exitCodes.ok;
}
