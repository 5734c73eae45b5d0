/** Runs in work trees of their own, brought to an end through the built `runner`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RunState } from '../../src/core/types.ts';
import type { Project, ProjectOptions, Ran } from './project.ts';
import { answer, entryFile, project, write } from './project.ts';
import { runProgram } from './spawner.ts';

/** The hands on one work tree of a project. */
export function handsOn({ env }: Pick<Project, 'env'>, dir: string) {
  const git = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await runProgram({ program: 'git', args, cwd: dir, env });
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  const runWith = async (
    extra: Readonly<Record<string, string>>,
    ...args: readonly string[]
  ): Promise<Ran> => {
    const program = process.execPath;
    const all = { ...env, ...extra };
    const ran = await runProgram({ program, args: [entryFile, ...args], cwd: dir, env: all });
    return { code: ran.code ?? undefined, signal: ran.signal ?? undefined, out: ran.stdout, err: ran.stderr };
  };
  return {
    dir,
    git,
    runWith,
    run: (...args: readonly string[]) => runWith({}, ...args),
    put: (path: string, text: string) => writeFileSync(join(dir, path), text),
    read: (path: string) => readFileSync(join(dir, path), 'utf8'),
  };
}
export type Hands = ReturnType<typeof handsOn>;

/** A work tree of its own with a started run of this id; `goal` is the text of GOAL.md. */
export async function runIn(p: Project, id: string, goal: string): Promise<Hands> {
  const dir = join(p.base, id);
  await p.git('worktree', 'add', '-q', '--detach', dir, 'main');
  const hands = handsOn(p, dir);
  await hands.git('checkout', '-q', '-b', `from-${id}`);
  hands.put('.runner/GOAL.md', `---\nid: ${id}\n---\n\n${goal}`);
  const started = await hands.run('start', '--no-baseline', '--new');
  expect(started, started.err).toMatchObject({ code: 0 });
  await recordBase(hands, 'main');
  await hands.git('branch', '-q', '-D', `from-${id}`);
  return hands;
}

/** Where the run came from, as a run that was started on that branch knows it. */
export async function recordBase({ git, read, put }: Hands, branch: string): Promise<void> {
  const path = '.runner/state/run_state.json';
  const state = JSON.parse(read(path)) as RunState;
  const base = { base_branch: branch, base_commit: await git('rev-parse', branch) };
  put(path, `${JSON.stringify({ ...state, ...base }, null, 2)}\n`);
  if ((await git('status', '--porcelain')) !== '') await git('commit', '-qam', 'where it came from');
}

/** One iteration that passes: files as `path=text`. */
export function onePass(files: Readonly<Record<string, string>>, memory: string): string {
  const writes = Object.entries(files).map(([path, text]) => `printf '%s' '${text}' > '${path}'`);
  return [...writes, `printf '%s\\n' '- ${memory}' >> .runner/state/assumptions.md`, 'answer done'].join(
    '\n',
  );
}

/** A run in the only checkout that is complete after one iteration: its work is `work.txt`. */
export async function completeRun(options: ProjectOptions = {}): Promise<Project> {
  const works = { actions: [write('work.txt', 'work\n')], answer: answer('done') };
  const p = await project({ script: [works], ...options });
  // The guard of the test may not be there yet.
  const ran = await p.runWith({ RUNNER_GUARD_COMMAND: '["true"]' }, 'loop', '--quiet');
  expect(ran.code, ran.err).toBe(0);
  await recordBase(handsOn(p, p.dir), 'main');
  return p;
}
