/**
 * The judge's own clone (§14), at a candidate that no branch has. Nothing of the work tree is read but names, and nothing in it is changed.
 * Made by hand, as `git clone --shared` starts `upload-pack`, which ignores our fixed settings and fails where git doubts who owns the folder.
 */
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import type { CloneRequest, Judge, JudgeClone } from '../../ports/judge.ts';
import { diskError } from '../files/disk-error.ts';
import { lookAt } from '../files/look-at.ts';
import { foreignOwner, giveTo } from '../files/owner.ts';
import { makeCloneFolder, removeCloneFolder, sweepCloneFolders } from '../processes/clone-folder.ts';
import type { Git } from './client.ts';
import { withScratch, writeTree } from './index-lock.ts';
import { linesOf, shownPath, unquotePath } from './quoted-path.ts';
import { makeCommit } from './record.ts';
import { holdTree, listRefs } from './refs.ts';
import { gitElsewhere } from './repo.ts';
import type { Repo } from './repo.ts';
import { runRestore } from './restore.ts';
import { stageCommitted } from './runner-files.ts';
import { listPersonsCommits } from './history/persons-commits.ts';
import { isSound, requireSound, setForgedAside } from './sound.ts';
import { workIndex } from './work-index.ts';
import type { WorkIndex } from './work-index.ts';

/** Settings that decide which bytes a checkout writes; after a session they have been put back (§14). */
const byteSettings = String.raw`^(core\.(autocrlf|eol|symlinks|filemode|ignorecase|precomposeunicode)|filter\..*|lfs\..*)$`;

interface Place {
  readonly repo: Repo;
  readonly work: WorkIndex;
}

export function judgeClone(open: () => Promise<Place>): Judge {
  return {
    open: async (request) => openClone(await open(), request),
    workTreeId: async (clone) => {
      const index = workIndex(inClone((await open()).repo, clone));
      return (await index.load({ commit: clone.commit, iter: 0 })).tree;
    },
    layBack: async (clone, { tree, paths }) =>
      runRestore(inClone((await open()).repo, clone), { commit: tree, paths }),
    listMissing: async (clone) => listMissing((await open()).repo, clone),
    remove: async ({ folder }) => removeCloneFolder(folder),
    sweep: async () => sweepCloneFolders((await open()).repo),
  };
}

async function openClone({ repo, work }: Place, request: CloneRequest): Promise<JudgeClone> {
  const commit = await makeTrueCandidate({ repo, work }, request);
  // A recovered iteration comes here before its command has swept.
  await sweepCloneFolders(repo);
  const folder = await makeCloneFolder(repo, request.run_id);
  try {
    // Of the same name as the work tree: tools name their projects by it.
    const top = join(folder, 'work', basename(repo.top));
    const notes: string[] = [];
    const git = await makeRepository(repo, { source: repo, top });
    notes.push(...(await copyRefs(repo, git)));
    await git.run(['checkout', '--quiet', '--force', '-B', request.branch, commit]);
    const known = await listPersonsCommits(repo, request);
    notes.push(...(await fillSubmodules(repo, { source: repo, top, git, known })));
    const owner = foreignOwner(repo.top);
    if (owner !== null) giveTo(folder, owner);
    return { folder, commit, top, projectDir: join(top, repo.prefix), notes };
  } catch (error) {
    removeCloneFolder(folder);
    throw error;
  }
}

/** A clone reads the repository's object store, which a session may have written to. */
async function makeTrueCandidate({ repo, work }: Place, request: CloneRequest): Promise<string> {
  const first = { roots: [await makeCandidate(repo, request)] };
  const [commit = ''] = first.roots;
  if (await isSound(repo, first)) return commit;

  await setForgedAside(repo, first);
  await work.rewrite(request.work_tree);
  const again = await makeCandidate(repo, request);
  await requireSound(repo, { roots: [again] });
  return again;
}

/** The work, with `.runner/` as at the baseline; held until the iteration's commit is made. */
async function makeCandidate(repo: Repo, { run_id, work_tree, baseline }: CloneRequest): Promise<string> {
  const tree = await withScratch(repo, async (folder) => {
    const index = join(folder, 'index');
    await repo.git.run(['read-tree', work_tree], { index, writes: true });
    await stageCommitted(repo, { index, commit: baseline });
    return writeTree(repo, index);
  });
  const message = `runner: candidate of run ${run_id}\n`;
  const commit = await makeCommit(repo, { tree, parent: baseline, sign: false, message });
  await holdTree(repo, { run_id, workTree: commit });
  return commit;
}

/** A repository whose objects a clone can use. */
interface Source {
  readonly git: Git;
  readonly top: string;
  readonly commonDir: string;
}

/** An empty repository that finds the source's objects; hooks, settings and identity of the source stay behind. */
async function makeRepository(
  repo: Repo,
  { source, top }: { readonly source: Source; readonly top: string },
): Promise<Git> {
  const format = (await source.git.ask(['rev-parse', '--show-object-format'])).trim();
  makeFolder(top);
  const args = ['init', '--quiet', '--template=', `--object-format=${format}`, '--initial-branch=runner'];
  await gitElsewhere(repo, { cwd: top, gitDir: null }).run(args);
  const gitDir = join(top, '.git');
  makeFolder(join(gitDir, 'objects', 'info'));
  saveOwn(join(gitDir, 'objects', 'info', 'alternates'), `${join(source.commonDir, 'objects')}\n`);
  const shallow = join(source.commonDir, 'shallow');
  if (lookAt(shallow)?.isFile() === true) copyFileSync(shallow, join(gitDir, 'shallow'));
  const git = gitElsewhere(repo, { cwd: top, gitDir });
  const asked = ['config', '--local', '-z', '--get-regexp', byteSettings];
  const { stdout } = await source.git.run(asked, { accept: [1] });
  for (const line of stdout
    .toString('utf8')
    .split('\0')
    .filter((part) => part !== '')) {
    const [name = '', ...value] = line.split('\n');
    await git.run(['config', '--add', name, value.length === 0 ? 'true' : value.join('\n')]);
  }
  return git;
}

/** Guards ask for branches and tags (`git describe`, `git diff main`). Returns a note when they could not be had. */
async function copyRefs(repo: Repo, git: Git): Promise<readonly string[]> {
  const refs = await listRefs(repo, ['refs/heads/', 'refs/tags/', 'refs/remotes/']);
  const input = Buffer.from(refs.map(({ name, id }) => `create ${name} ${id}\n`).join(''));
  try {
    await git.run(['update-ref', '--stdin'], { input });
    return [];
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    return [`the clone has no branches and tags but its own: ${error.message}`];
  }
}

/**
 * Submodules of the work tree, from the repositories it has. One that a session
 * made or moved stays empty: nobody else may have its commits. Returns notes.
 */
async function fillSubmodules(
  repo: Repo,
  place: {
    readonly source: Source;
    readonly top: string;
    readonly git: Git;
    /** Commits that no session made, one of which must have the submodule as it is. */
    readonly known: readonly string[];
  },
): Promise<readonly string[]> {
  const { source, top, git, known } = place;
  if (lookAt(join(top, '.gitmodules')) === null) return [];
  const notes: string[] = [];
  for (const { path, id } of await listLinks(git, 'HEAD')) {
    const folder = join(source.top, path);
    if (lookAt(join(folder, '.git')) === null) continue;
    if (!(await hasLink(source.git, { known, path, id }))) {
      notes.push(
        `a session made or moved the submodule ${JSON.stringify(path)}, so the clone does not have it`,
      );
      continue;
    }
    try {
      const inner = await openSource(repo, folder);
      const made = { source: inner, top: join(top, path) };
      const innerGit = await makeRepository(repo, made);
      await innerGit.run(['checkout', '--quiet', '--force', '--detach', id]);
      notes.push(...(await fillSubmodules(repo, { ...made, git: innerGit, known: [id] })));
    } catch (error) {
      if (!(error instanceof RunnerError)) throw error;
      notes.push(`the submodule ${JSON.stringify(path)} could not be cloned: ${error.message}`);
    }
  }
  return notes;
}

async function hasLink(
  git: Git,
  { known, path, id }: { readonly known: readonly string[]; readonly path: string; readonly id: string },
): Promise<boolean> {
  for (const commit of known) if ((await listLinks(git, commit, path))[0]?.id === id) return true;

  return false;
}

async function openSource(repo: Repo, top: string): Promise<Source> {
  const git = gitElsewhere(repo, { cwd: top, gitDir: null });
  const commonDir = (await git.ask(['rev-parse', '--git-common-dir'])).replace(/\n$/, '');
  return { git, top, commonDir: resolve(top, commonDir) };
}

async function listLinks(
  git: Git,
  commit: string,
  ...paths: readonly string[]
): Promise<readonly { readonly path: string; readonly id: string }[]> {
  const answer = await git.ask(['ls-tree', '-r', '--full-tree', commit, '--', ...paths]);
  return linesOf(answer).flatMap((line) => {
    const tab = line.indexOf('\t');
    const [mode, , id = ''] = line.slice(0, tab).split(' ');
    return mode === '160000' ? [{ path: shownPath(unquotePath(line.slice(tab + 1))), id }] : [];
  });
}

/** The repository as it would be with its work tree in the clone: objects go to the repository, files come from the clone. */
function inClone(repo: Repo, { folder, top }: JudgeClone): Repo {
  return {
    ...repo,
    top,
    files: { ...repo.files, index: join(folder, 'index') },
    git: gitElsewhere(repo, { cwd: top, gitDir: repo.gitDir }),
  };
}

/** The private index has the whole work, so what it lacks is ignored, or nothing that git can store. */
async function listMissing(repo: Repo, { top }: JudgeClone): Promise<readonly string[]> {
  const paths = ['--', ':/', `:(top,exclude,literal)${repo.runnerPath}`];
  const answer = await repo.git.ask(['ls-files', '--others', '--directory', ...paths], {
    index: repo.files.index,
  });
  const names = linesOf(answer).map((line) => shownPath(unquotePath(line)));
  return names.filter((name) => lookAt(join(top, name.replace(/\/$/, ''))) === null).toSorted();
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (cause) {
    throw diskError({ action: 'make the folder', path, cause });
  }
}

function saveOwn(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw diskError({ action: 'write', path, cause });
  }
}
