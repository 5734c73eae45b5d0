/** The hidden command behind the scripted agent: plays one step of a script inside a session. Documented in docs/scripted-agent.md. */
import { runScriptedAgent } from '../../adapters/agents/scripted-agent.ts';
import { RunnerError } from '../../core/errors.ts';
import type { CommandCall } from '../program.ts';
import type { Settings } from '../output/streams.ts';

export async function run(settings: Settings, call: CommandCall): Promise<number> {
  const [scriptFile, step] = call.args;
  if (scriptFile === undefined || !/^[1-9][0-9]{0,9}$/.test(step ?? '')) {
    throw new RunnerError({
      code: 'USAGE',
      message: 'play-script needs a script file and the number of a step',
      hint: 'set agent.name = "scripted" and agent.script in .runner/state/config.toml, then: runner loop',
    });
  }
  const { out, err } = settings.streams;
  return runScriptedAgent({
    scriptFile,
    step: Number(step),
    projectDir: settings.directory,
    outputFile: settings.env['RUNNER_OUTPUT'] ?? null,
    env: settings.env,
    write: (stream, text) => (stream === 'stdout' ? out : err)(text),
  });
}
