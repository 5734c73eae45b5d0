/** The file that `agent.script` names: read and checked before a session needs it. Reads only. */
import { resolve } from 'node:path';
import { parseScript } from '../../core/agents/script.ts';
import type { Script } from '../../core/agents/script.ts';
import { RunnerError } from '../../core/errors.ts';
import { textFileBytesMax } from '../../core/limits.ts';
import { withPath } from '../../core/text/text-place.ts';
import type { Config } from '../../core/types.ts';
import { loadText } from '../files/files.ts';

const scriptBytesMax = 16 * textFileBytesMax;

export const scriptHint = 'set agent.script in .runner/state/config.toml to a file that exists and commit it';

/** Throws AGENT_MISSING and SCRIPT_INVALID. */
export async function loadScript(file: string, shown = file): Promise<Script> {
  const source = await loadText(file, { bytesMax: scriptBytesMax });
  if (source.kind === 'missing') {
    const message = `the script '${shown}' of the agent 'scripted' was not found`;
    throw new RunnerError({ code: 'AGENT_MISSING', message, hint: scriptHint });
  }
  const parsed = parseScript(source);
  if (parsed.ok) return parsed.script;
  throw new RunnerError({
    code: 'SCRIPT_INVALID',
    message: `${shown} is not a valid script of the scripted agent`,
    details: parsed.problems.map((problem) => withPath(shown, problem)),
    hint: `correct ${shown}, then: runner validate`,
  });
}

/** Another agent needs none, and config.toml may not name one yet. */
export async function checkScript({ agent }: Pick<Config, 'agent'>, projectDir: string): Promise<void> {
  if (agent.name !== 'scripted' || agent.script === null) return;
  await loadScript(resolve(projectDir, agent.script), agent.script);
}
