/**
 * What would be lost with a work tree (§12): files, a commit, and work in its submodules, whose git folders go with it. Reads only.
 */
import { join, sep } from 'node:path';
import type { UnsavedWork } from '../../../ports/endings.ts';
import { lookAt } from '../../files/look-at.ts';
import type { Git } from '../client.ts';
import { refCommit } from '../refs.ts';
import { gitElsewhere } from '../repo.ts';
import type { Repo } from '../repo.ts';

export async function isKept({ git }: Pick<Repo, 'git'>, commit: string): Promise<boolean> {
  const args = ['for-each-ref', '--count=1', '--format=%(refname)', `--contains=${commit}`];
  // A commit that is not here is held by nothing.
  return (await git.run(args, { accept: [128, 129] })).stdout.length > 0;
}

export async function findUnsaved(repo: Repo, path: string): Promise<UnsavedWork> {
  const git = gitElsewhere(repo, { cwd: path, gitDir: null });
  const own = isRepository(path) ? await findGitDir(git) : '';
  // Removed in part: what was in it was saved then.
  if (own === '') return { files: [], commit: null, submodules: [] };
  const head = await refCommit({ ...repo, git }, 'HEAD');
  const place = { repo, top: path, from: join(own, 'modules'), to: join(repo.commonDir, 'modules') };
  return {
    files: (await loadStatus(git)).map(pathOf),
    commit: head === null || (await isKept(repo, head)) ? null : head,
    submodules: await findIn(place, ''),
  };
}

function isRepository(folder: string): boolean {
  return lookAt(join(folder, '.git')) !== null;
}

/** Empty: git knows nothing of it. */
async function findGitDir(git: Git): Promise<string> {
  return (await git.ask(['rev-parse', '--absolute-git-dir'], { accept: [128] })).trimEnd();
}

async function loadStatus(git: Git): Promise<readonly string[]> {
  const args = ['status', '--porcelain=v2', '-z', '--no-renames', '--ignore-submodules=none'];
  const { stdout } = await git.run(args);
  const lines = stdout.toString('utf8').split('\0');
  return lines.filter((line) => line !== '');
}

/** Fields before the path, by the kind of line. */
const fieldCounts: Readonly<Record<string, number>> = { '1': 8, u: 10 };

function pathOf(line: string): string {
  return line
    .split(' ')
    .slice(fieldCounts[line.charAt(0)] ?? 1)
    .join(' ');
}

interface Modules {
  readonly repo: Repo;
  readonly top: string;
  /** Git folders of submodules: those of the work tree, and those that stay. */
  readonly from: string;
  readonly to: string;
}

/** Submodules below a folder of the work tree, those in submodules as well. */
async function findIn(modules: Modules, below: string): Promise<readonly string[]> {
  const git = gitElsewhere(modules.repo, { cwd: join(modules.top, below), gitDir: null });
  const { stdout } = await git.run(['ls-files', '-z', '--stage', '--', ':/']);
  const links = stdout
    .toString('utf8')
    .split('\0')
    .filter((line) => line.startsWith('160000 '))
    .map((line) => join(below, line.slice(line.indexOf('\t') + 1)));
  const found: string[] = [];
  for (const folder of new Set(links)) {
    if (!isRepository(join(modules.top, folder))) continue;
    if (await isUnsaved(modules, folder)) found.push(folder);
    found.push(...(await findIn(modules, folder)));
  }
  return found;
}

/** Its own remote-tracking refs say what other repositories have. */
async function isUnsaved({ repo, top, from, to }: Modules, folder: string): Promise<boolean> {
  const git = gitElsewhere(repo, { cwd: join(top, folder), gitDir: null });
  if ((await loadStatus(git)).length > 0) return true;
  const own = await findGitDir(git);
  const stays = own.startsWith(`${from}${sep}`) ? join(to, own.slice(from.length)) : null;
  const other =
    stays !== null && lookAt(stays)?.isDirectory() === true
      ? gitElsewhere(repo, { cwd: stays, gitDir: stays })
      : null;
  for (const commit of await listTips(git)) {
    const away = ['for-each-ref', '--count=1', `--contains=${commit}`, 'refs/remotes/'];
    if ((await git.run(away)).stdout.length > 0) continue;
    if (other === null || !(await isHeld(other, commit))) return true;
  }
  return false;
}

async function listTips(git: Git): Promise<readonly string[]> {
  const refs = ['for-each-ref', '--format=%(objectname)', 'refs/heads/', 'refs/stash'];
  const head = await git.ask(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { accept: [1, 128] });
  const all = `${await git.ask(refs)}\n${head}`.split('\n').map((line) => line.trim());
  return [...new Set(all)].filter((line) => line !== '');
}

/** What is checked out there counts: a submodule is mostly on no branch. */
async function isHeld(git: Git, commit: string): Promise<boolean> {
  if (await isKept({ git }, commit)) return true;
  const args = ['merge-base', '--is-ancestor', commit, 'HEAD'];
  return (await git.run(args, { accept: [1, 128] })).code === 0;
}
