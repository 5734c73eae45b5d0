/** `runner init`: creates `.runner/`, or completes a half-made one. */
import { init } from '../../app/init.ts';
import type { InitOutcome } from '../../app/init.ts';
import { renderArgv } from '../../core/text/argv-text.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openFiles } from '../wire/files.ts';

/** The way to the first iteration. */
const nextSteps = [
  'next: 1. describe the goal in .runner/GOAL.md',
  '      2. choose the agent: runner config set agent.name claude (codex if you do nothing)',
  '      3. git add .runner && git commit -m "chore: prepare runner", then: runner start && runner loop',
];

/** What was found. */
function linesFor({ guardCommand, guardBecause, setup, warning }: InitOutcome): readonly string[] {
  return [
    ...(guardBecause === null ? [] : [`guard: ${renderArgv(guardCommand)} (${guardBecause})`]),
    ...(warning === null ? [] : [`warning: ${warning}`]),
    ...setup.map(
      ({ command, file }) => `setup of a fresh clone: ${command} (found ${file}); see automation.setup`,
    ),
  ];
}

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const files = await openFiles(settings);
  const release = await files.lockForWriting('runner init');
  try {
    const made = await init(files, { force: call.options['force'] === true });
    if (!settings.quiet) for (const line of linesFor(made)) settings.streams.err(`${line}\n`);
    printLine(settings, 'initialized .runner/', {
      command: 'init',
      files: made.files.map((path) => `.runner/${path}`),
      guard_command: made.guardCommand,
      setup: made.setup.map(({ command }) => command),
      warning: made.warning,
    });
    if (!settings.quiet) for (const line of nextSteps) settings.streams.err(`${line}\n`);
    return exitCodes.ok;
  } finally {
    await release();
  }
}
