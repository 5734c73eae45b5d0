/** What `doctor` asks of git: its version, the user's hooks, lock files. Reads only. */
import { constants } from 'node:fs';
import { access, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { HookFacts } from '../../../core/views/doctor.ts';
import { gitClient } from '../client.ts';
import { listLocks } from '../locks.ts';
import { branchOf, headRef, loadRepo } from '../repo.ts';
import type { RepoRequest } from '../repo.ts';

const askMs = 10_000;

/** Null: it cannot be run. */
export async function loadGitVersion({ projectDir, env }: RepoRequest): Promise<string | null> {
  const git = gitClient({ cwd: projectDir, gitDir: null, env });
  try {
    return (await git.ask(['version'], { timeoutMs: askMs })).trimEnd();
  } catch {
    return null;
  }
}

/** Names that git knows as hooks; samples and helper files do not count. */
const hookName =
  /^(?:pre|post|prepare|commit|applypatch|push|reference|sendemail|fsmonitor|update|proc)[a-z0-9-]*$/;

export async function loadHooks(request: RepoRequest): Promise<HookFacts> {
  const repo = await loadRepo(request);
  // With the user's own settings: `core.hooksPath` may lead elsewhere.
  const { stdout } = await repo.git.run(['rev-parse', '--git-path', 'hooks'], {
    hooks: true,
    timeoutMs: askMs,
  });
  const folder = resolve(repo.top, stdout.toString().trimEnd());
  const names = (await readdir(folder).catch(() => [])).filter((name) => hookName.test(name)).toSorted();
  const active: string[] = [];
  const dead: string[] = [];
  for (const name of names) {
    const isRun = await access(join(folder, name), constants.X_OK).then(
      () => true,
      () => false,
    );
    (isRun ? active : dead).push(name);
  }
  return { active, dead };
}

export async function listGitLocks(request: RepoRequest): Promise<readonly string[]> {
  const repo = await loadRepo(request);
  return listLocks(repo, branchOf(await headRef(repo)));
}
