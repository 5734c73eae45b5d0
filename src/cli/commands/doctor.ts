/** `runner doctor`: everything a run depends on, one line each, with the command that helps. */
import { doctor } from '../../app/views/doctor.ts';
import { countChecks } from '../../core/views/doctor.ts';
import type { Check } from '../../core/views/doctor.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { processInterrupts } from '../interrupts.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';
import { openDoctor } from '../wire/doctor.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const runsGuard = call.options['runGuard'] === true;
  // Only a running guard needs a clean stop; everything else may end at once.
  const interrupts = runsGuard
    ? processInterrupts({ onFirst: () => {}, killNow: () => Promise.resolve() })
    : { current: () => null, subscribe: () => () => {}, close: () => {} };
  try {
    const project = await openDoctor(settings, interrupts);
    const release = runsGuard ? await project.lockForWriting('runner doctor') : async () => {};
    try {
      const onLine = (line: string): void => settings.streams.err(`  guard: ${line}\n`);
      const checks = await doctor(project, { onGuardLine: runsGuard ? onLine : null });
      print(settings, checks);
      return countChecks(checks).fail === 0 ? exitCodes.ok : exitCodes.error;
    } finally {
      await release();
    }
  } finally {
    interrupts.close();
  }
}

function print(settings: Settings, checks: readonly Check[]): void {
  const counts = countChecks(checks);
  if (settings.json) {
    settings.streams.out(`${JSON.stringify({ command: 'doctor', ...counts, checks })}\n`);
    return;
  }
  for (const { status, name, message, fix } of checks) {
    const line = `${status} ${name}: ${message}${fix === null ? '' : ` -> ${fix}`}`;
    settings.streams.out(`${cleanLine(line)}\n`);
  }
  settings.streams.out(`doctor: ok=${counts.ok} warn=${counts.warn} fail=${counts.fail}\n`);
}
