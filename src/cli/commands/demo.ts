/** `runner demo`: the whole loop in a throw-away repository, with the scripted agent and a guard that really runs tests (§10). */
import { setGoalId } from '../../core/config/goal.ts';
import { demoRepository } from '../../adapters/project/demo-repository.ts';
import { exitCodes } from '../exit-codes.ts';
import { demoFiles, demoGoal, renderDemoConfig } from '../demo-files.ts';
import { run as runArgv } from '../run.ts';
import type { Settings } from '../output/streams.ts';

const runId = 'demo';

export async function run(settings: Settings): Promise<number> {
  const { streams } = settings;
  const say = (text: string): void => {
    if (!settings.quiet) streams.err(`${text}\n`);
  };
  const repository = await demoRepository(settings.env);
  const { directory } = repository;
  const common = [
    '-C',
    directory,
    ...(settings.json ? ['--json'] : []),
    ...(settings.quiet ? ['--quiet'] : []),
  ];
  const call = async (name: string): Promise<number> => {
    say(`\n$ runner ${name}`);
    return runArgv([name, ...common], settings);
  };
  say(`A small project with a failing test, in ${directory}`);
  await repository.commit(demoFiles, 'A slug library with a failing test');
  const made = await call('init');
  if (made !== exitCodes.ok) return made;
  const guard = guardOf(settings);
  const files = {
    '.runner/GOAL.md': setGoalId(demoGoal, runId),
    '.runner/state/config.toml': renderDemoConfig(guard),
  };
  await repository.commit(files, 'Describe the goal and choose the agent');
  const started = await call('start');
  if (started !== exitCodes.ok) return started;
  const code = await call('loop');
  const log = await repository.git(['log', '--reverse', '--format=%h %s']);
  say(`\n$ git log --reverse --oneline\n${log}`);
  say(renderEnd(directory, guard));
  return code;
}

/** Who has one executable file may have no Node: the program then runs the tests itself. */
function guardOf({ entryFile }: Settings): readonly string[] {
  return entryFile === null ? [process.execPath, 'run-demo-tests'] : ['node', '--test'];
}

function renderEnd(directory: string, guard: readonly string[]): string {
  return `
What happened: the root was decomposed; the first leaf failed its guard, asked for a retry, broke the tree, the tree was
repaired, and both leaves passed only after \`${guard.join(' ')}\` was green. Each line above is one iteration, one commit.

The repository stays in ${directory}
Look at:
  git -C ${directory} show --stat HEAD                        why the last task counted as done (trailers)
  cat ${directory}/.runner/state/tree.json                    the task tree
  ls ${directory}/.runner/iterations/${runId}/2/                     prompt, answer, guard log of a failed iteration
Your own project: runner init, describe the goal in .runner/GOAL.md, runner start, runner loop.`;
}
