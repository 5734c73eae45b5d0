/** `runner doctor`: everything a run depends on, one line each, with the command that helps. */
import { doctorSandbox } from '../../app/views/doctor-sandbox.ts';
import { doctor } from '../../app/views/doctor.ts';
import { countChecks } from '../../core/views/doctor.ts';
import type { Check } from '../../core/views/doctor.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import { processInterrupts } from '../interrupts.ts';
import type { CommandCall } from '../program.ts';
import { paintForOut } from '../output/colour.ts';
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
      const checks =
        call.options['sandbox'] === true
          ? await doctorSandbox(project)
          : await doctor(project, { onGuardLine: runsGuard ? onLine : null });
      print(settings, checks);
      return countChecks(checks).fail === 0 ? exitCodes.ok : exitCodes.error;
    } finally {
      await release();
    }
  } finally {
    interrupts.close();
  }
}

const styles = { ok: 'good', warn: 'doubtful', fail: 'bad' } as const;

function print(settings: Settings, checks: readonly Check[]): void {
  const counts = countChecks(checks);
  if (settings.json) {
    settings.streams.out(`${JSON.stringify({ command: 'doctor', ...counts, checks })}\n`);
    return;
  }
  const paint = paintForOut(settings);
  for (const { status, name, message, fix } of checks) {
    const help = fix === null ? '' : ` -> ${cleanLine(fix)}`;
    settings.streams.out(
      `${paint(styles[status], status)} ${cleanLine(`${name}: ${message}`)}${paint('strong', help)}\n`,
    );
  }
  settings.streams.out(`doctor: ok=${counts.ok} warn=${counts.warn} fail=${counts.fail}\n`);
}
