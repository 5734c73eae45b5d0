/** Makes the throw-away git repository of `runner demo` in the system's temporary folder. Touches nothing else. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { RunnerError } from '../../core/errors.ts';
import type { Env } from '../../core/types.ts';
import { saveFile } from '../files/files.ts';
import { makeTempFolder } from '../files/temp-folder.ts';

export interface DemoRepository {
  readonly directory: string;
  /** Contract: replaces project files, then commits everything. */
  commit(files: Readonly<Record<string, string>>, message: string): Promise<void>;
  /** Contract: what git prints, without the final newline. */
  git(args: readonly string[]): Promise<string>;
}

/** The identity is local to the repository: a fresh machine has none, and the user's own stays out of a demo. */
const identity = ['-c', 'user.name=runner demo', '-c', 'user.email=demo@runner.invalid'];

export async function demoRepository(env: Env): Promise<DemoRepository> {
  const directory = await realpath(await makeTempFolder('runner-demo-'));
  const git = async (args: readonly string[]): Promise<string> => {
    const result = await execa('git', [...identity, ...args], {
      cwd: directory,
      env: { ...withoutGit(env), GIT_TERMINAL_PROMPT: '0' },
      extendEnv: false,
      stdin: 'ignore',
      reject: false,
      timeout: 60_000,
    });
    if (result.exitCode === 0) return result.stdout;
    throw new RunnerError({
      code: result.code === 'ENOENT' ? 'GIT_MISSING' : 'GIT_FAILED',
      message: `git ${args.join(' ')} failed in ${directory}: ${result.stderr === undefined ? '' : result.stderr}`,
      hint: 'install git (https://git-scm.com), then: runner demo',
    });
  };
  await git(['init', '-q', '-b', 'main']);
  await git(['config', 'user.name', 'runner demo']);
  await git(['config', 'user.email', 'demo@runner.invalid']);
  return {
    directory,
    git,
    commit: async (files, message) => {
      for (const [path, text] of Object.entries(files))
        await saveFile(join(directory, path), text, { root: directory });

      await git(['add', '-A']);
      await git(['-c', 'core.hooksPath=/dev/null', 'commit', '-q', '--no-gpg-sign', '-m', message]);
    },
  };
}

function withoutGit(env: Env): Record<string, string> {
  const kept = Object.entries(env).filter(([name, value]) => value !== undefined && !name.startsWith('GIT_'));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}
