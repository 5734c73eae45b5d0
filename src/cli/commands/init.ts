/** `runner init`: creates `.runner/`, or completes a half-made one. */
import { init } from '../../app/init.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openFiles } from '../wire/files.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const files = await openFiles(settings);
  const release = await files.lockForWriting('runner init');
  try {
    const made = await init(files, { force: call.options['force'] === true });
    if (made.warning !== null && !settings.quiet) settings.streams.err(`warning: ${made.warning}\n`);
    for (const { command, file } of settings.quiet ? [] : made.setup)
      settings.streams.err(`setup of a fresh clone: ${command} (found ${file}); see automation.setup\n`);
    printLine(settings, 'initialized .runner/', {
      command: 'init',
      files: made.files.map((path) => `.runner/${path}`),
      guard_command: made.guardCommand,
      setup: made.setup.map(({ command }) => command),
      warning: made.warning,
    });
    return exitCodes.ok;
  } finally {
    await release();
  }
}
