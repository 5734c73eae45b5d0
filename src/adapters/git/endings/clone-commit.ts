/**
 * The commit that a finished run becomes (§12), made by git in the judge's clone with the user's hooks and signing. Only a commit with
 * exactly the expected files and parents gets into the repository.
 */
import { join } from 'node:path';
import { listPaths } from '../../../core/text/path-list.ts';
import type { CloneCommit } from '../../../ports/endings.ts';
import type { CommitResult } from '../../../ports/git.ts';
import type { Git } from '../client.ts';
import { gitError } from '../errors.ts';
import { linesOf } from '../quoted-path.ts';
import { gitElsewhere, textOf } from '../repo.ts';
import type { Repo } from '../repo.ts';

const hooksTimeoutMs = 30 * 60 * 1000;
const signKeys = String.raw`^(user\.signingkey|gpg\..*)$`;

export async function commitInClone(repo: Repo, request: CloneCommit): Promise<CommitResult> {
  const { clone, parents, tree } = request;
  const [first = '', second] = parents;
  const git = gitElsewhere(repo, { cwd: clone.top, gitDir: join(clone.top, '.git') });
  // Whatever ran in the clone: files and index are the checked tree again, on top of the target.
  await git.run(['checkout', '--quiet', '--force', '--detach', first]);
  // Not forward, even where it could be: the commit is a merge.
  if (second !== undefined)
    await git.run(['merge', '--quiet', '-s', 'ours', '--no-ff', '--no-commit', second]);
  await git.run(['read-tree', '--reset', '-u', clone.commit]);
  const refused = await runHooks(repo, git, request);
  if (refused !== null) return { kind: 'hook_refused', output: refused };

  const [made = '', foundParents, foundTree = ''] = textOf(
    (await git.run(['log', '-1', '--format=%H%x00%P%x00%T', 'HEAD'])).stdout,
  ).split('\0');
  if (foundParents !== parents.join(' '))
    return { kind: 'hook_refused', output: 'a git hook made other commits' };

  if (foundTree !== tree) {
    const { stdout } = await git.run(['diff-tree', '-r', '--name-only', tree, foundTree]);
    const names = linesOf(stdout.toString('utf8'));
    const why = 'a git hook changed the files of the commit, which must be exactly the checked ones';
    return { kind: 'hook_refused', output: `${why}: ${listPaths(names)}` };
  }
  return { kind: 'committed', commit: await bringOver(repo, git, made) };
}

/** The repository has its tree and parents already, so the commit alone is missing. */
async function bringOver(repo: Repo, git: Git, commit: string): Promise<string> {
  const { stdout } = await git.run(['cat-file', 'commit', commit]);
  const args = ['hash-object', '-t', 'commit', '-w', '--stdin'];
  return textOf((await repo.git.run(args, { input: stdout, writes: true })).stdout);
}

/** Null when git made a commit, else what the hooks said. */
async function runHooks(repo: Repo, git: Git, request: CloneCommit): Promise<string | null> {
  const sign = request.sign || (await isSigning(repo));
  const settings = [
    `core.hooksPath=${await hooksFolder(repo)}`,
    ...(sign ? await signSettings(repo) : []),
  ].flatMap((setting) => ['-c', setting]);
  const commit = ['commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '--file', '-'];
  const args = [...settings, ...commit, ...(sign ? ['-S'] : [])];
  const answer = await git.run(args, {
    input: Buffer.from(request.message),
    hooks: true,
    cookie: request.cookie,
    accept: [1, 128],
    timeoutMs: hooksTimeoutMs,
  });
  if (answer.code === 128 && !/aborted by hook/.test(answer.stderr))
    throw gitError({ args: commit, cwd: request.clone.top, stderr: answer.stderr, reason: null });
  const output = `${answer.stdout.toString('utf8')}${answer.stderr}`.trim();
  return answer.code === 0 ? null : output === '' ? 'a git hook silently refused the commit' : output;
}

/** A relative setting means a folder of the work tree, and the clone has it as well. */
async function hooksFolder(repo: Repo): Promise<string> {
  const args = ['config', '--get', '--type=path', 'core.hooksPath'];
  const { stdout } = await repo.git.run(args, { hooks: true, accept: [1] });
  return textOf(stdout) || join(repo.commonDir, 'hooks');
}

/** As the user set it; our own calls switch it off. */
async function isSigning({ git }: Repo): Promise<boolean> {
  const args = ['config', '--show-scope', '--type=bool', '--get-all', 'commit.gpgsign'];
  const { stdout } = await git.run(args, { accept: [1] });
  const set = linesOf(stdout.toString('utf8')).filter((line) => !line.startsWith('command\t'));
  return set.at(-1)?.endsWith('\ttrue') === true;
}

async function signSettings({ git }: Repo): Promise<readonly string[]> {
  const { stdout } = await git.run(['config', '-z', '--get-regexp', signKeys], { accept: [1] });
  const entries = stdout
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '');
  return entries.map((entry) => entry.replace('\n', '='));
}
