/**
 * Plays one step of a script as if it were an agent session: changes files of the project, prints, answers. It acts as the
 * agent, so it writes plain files and knows nothing of runs.
 */
import { appendFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunnerError } from '../../core/errors.ts';
import { applyTreeEdits } from '../../core/agents/script.ts';
import type { ScriptAction, ScriptFile, ScriptStep, TreeAction } from '../../core/agents/script.ts';
import { parseStrictJson } from '../../core/text/strict-json.ts';
import type { Env } from '../../core/types.ts';
import { errorText } from '../files/disk-error.ts';
import { layout } from '../files/layout.ts';
import { loadScript } from './script-file.ts';
import { withWorkTreeLast } from '../processes/search-path.ts';
import { userEnv } from '../processes/session-env.ts';

export interface PlayRequest {
  readonly scriptFile: string;
  /** From 1. */
  readonly step: number;
  readonly projectDir: string;
  /** Where the answer goes; null: nowhere (a person tries the script out). */
  readonly outputFile: string | null;
  /** For git, which carries patches out. */
  readonly env: Env;
  readonly write: (stream: 'stdout' | 'stderr', text: string) => void;
}

/** What a step could not do; printed on stderr, as an agent would. */
type Failure = string;

/** The exit code of the session. */
export async function runScriptedAgent(request: PlayRequest): Promise<number> {
  const fail = (message: Failure): number => {
    request.write('stderr', `scripted agent: ${message}\n`);
    return 1;
  };
  try {
    const { steps } = await loadScript(request.scriptFile);
    const step = steps[request.step - 1];
    return step === undefined
      ? fail(`the script has ${steps.length} steps; there is no step ${request.step}`)
      : await playStep(request, step);
  } catch (error) {
    const details = error instanceof RunnerError ? error.details : [];
    return fail([errorText(error), ...details].join('\n'));
  }
}

async function playStep(request: PlayRequest, step: ScriptStep): Promise<number> {
  let exitCode = 0;
  for (const action of step.actions) {
    if ('exit' in action) {
      exitCode = action.exit;
      break;
    }
    await playAction(request, action);
  }
  const { answer = null } = step;
  if (answer !== null && request.outputFile !== null) {
    const text = typeof answer === 'string' ? answer : `${JSON.stringify(answer, null, 2)}\n`;
    await writeFile(request.outputFile, text);
  }
  return exitCode;
}

async function playAction(
  { projectDir, scriptFile, env, write }: PlayRequest,
  action: Exclude<ScriptAction, { readonly exit: number }>,
): Promise<void> {
  if ('write' in action) await writeFile(await makeRoom(projectDir, action.write), action.write.content);
  else if ('append' in action)
    await appendFile(await makeRoom(projectDir, action.append), action.append.content);
  else if ('delete' in action) await rm(join(projectDir, action.delete), { recursive: true, force: true });
  else if ('apply_patch' in action)
    await applyPatch(resolve(dirname(scriptFile), action.apply_patch), { cwd: projectDir, env });
  else if ('tree' in action) await playTree(layout(projectDir).tree, action.tree);
  else if ('print' in action) write('stdout', action.print);
  else if ('print_error' in action) write('stderr', action.print_error);
  else await sleep(action.sleep_ms);
}

async function makeRoom(projectDir: string, { path }: ScriptFile): Promise<string> {
  const file = join(projectDir, path);
  await mkdir(dirname(file), { recursive: true });
  return file;
}

/** Files only, never the index: what a session did is what differs in the work tree. An empty patch changes nothing. */
async function applyPatch(
  file: string,
  { cwd, env }: { readonly cwd: string; readonly env: Env },
): Promise<void> {
  if ((await stat(file)).size === 0) return;

  const { execa } = await import('execa');
  const result = await execa('git', ['apply', '--binary', '--whitespace=nowarn', file], {
    cwd,
    env: withWorkTreeLast(userEnv(env), cwd),
    extendEnv: false,
    reject: false,
  });
  if (result.exitCode !== 0) {
    throw new RunnerError({
      code: 'SCRIPT_INVALID',
      message: `git apply refused ${file}: ${result.stderr}`,
      hint: 'correct the file that agent.script names in .runner/state/config.toml',
    });
  }
}

async function playTree(file: string, action: TreeAction): Promise<void> {
  if ('text' in action) {
    await writeFile(file, action.text);
  } else if ('json' in action) {
    await writeFile(file, `${JSON.stringify(action.json, null, 2)}\n`);
  } else {
    const json = parseStrictJson(await readFile(file, 'utf8'));
    const edited = json.ok ? applyTreeEdits(json.value, action.edits) : json;
    if (!edited.ok) {
      throw new RunnerError({
        code: 'SCRIPT_INVALID',
        message: `cannot edit tree.json: ${edited.message}`,
        hint: 'correct the file that agent.script names in .runner/state/config.toml',
      });
    }
    await writeFile(file, `${JSON.stringify(edited.tree, null, 2)}\n`);
  }
}
