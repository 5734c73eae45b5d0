/** `runner start`: begins a run, or continues a known one. */
import { loadInput } from '../../adapters/processes/editor.ts';
import { start } from '../../app/start.ts';
import { loadSpending } from '../../app/views/spending.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import { exitCodes } from '../exit-codes.ts';
import type { CommandCall } from '../program.ts';
import { announcePlan } from '../output/announce-plan.ts';
import { printLine } from '../output/report.ts';
import type { Settings } from '../output/streams.ts';
import { openProject } from '../wire/iteration.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const project = await openProject(settings, call, { command: 'start', reporters: [] });
  try {
    const { goal } = call.options;
    const started = await start(project.ports, {
      isNew: call.options['new'] === true,
      goalText:
        typeof goal === 'string' ? await loadInput(goal, settings.directory, 'runner start --help') : null,
    });
    project.closeLive();
    if (!settings.quiet) {
      const { agent, credential, reviewer } = started;
      if (credential !== null) settings.streams.err(`agent ${agent}, login: ${cleanLine(credential)}\n`);

      if (reviewer !== null && reviewer.credential !== null)
        settings.streams.err(`reviewer ${reviewer.agent}, login: ${cleanLine(reviewer.credential)}\n`);

      for (const warning of started.warnings) settings.streams.err(`warning: ${cleanLine(warning)}\n`);
    }
    announcePlan(settings, await loadSpending(project.ports));
    printLine(settings, `started run=${started.run_id} branch=${started.branch}`, {
      command: 'start',
      ...started,
    });
    return exitCodes.ok;
  } finally {
    project.close();
  }
}
