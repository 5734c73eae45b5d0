/**
 * Finds the repository of a project folder and opens it: top of the work tree, git folder, prefix. Reads only; it never
 * trusts `core.worktree`, which would lead every later call elsewhere.
 */
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../files/disk-error.ts';
import { gitCommand, hasGit } from './command.ts';
import type { Git, GitPlace } from './command.ts';
import { findPlainRepo } from './find.ts';
import type { CommitIdentity } from './identity.ts';
import type { WrittenTree } from './index-file.ts';
import type { GitSetup } from './setup.ts';
import type { KnownIndex } from './work-record.ts';
import type { KnownBlobs } from '../project/known-blobs.ts';
import { privateLayout, runnerFolder } from '../files/layout.ts';
import type { PrivateLayout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';

export interface Repo {
  readonly git: Git;
  readonly env: GitPlace['env'];
  readonly top: string;
  /** Of this work tree; linked work trees have their own. */
  readonly gitDir: string;
  /** Where branches and packed refs are; the same as `gitDir` outside linked work trees. */
  readonly commonDir: string;
  /** `''`, or the project folder inside the work tree, ending in `/`. */
  readonly prefix: string;
  /** `.runner` relative to the top. */
  readonly runnerPath: string;
  readonly files: PrivateLayout;
  readonly memory: RepoMemory;
}

/** A path relative to the top, as latin1 text, which holds every byte. */
export function workPath({ top }: Pick<Repo, 'top'>, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]);
}

/** What this process has found out; all of it can be found out again. */
export interface LookAhead {
  /** The index as it was before the look; null when that came to nothing. */
  readonly before: Promise<KnownIndex | null>;
  readonly stop: () => void;
  /** False: the work may have changed since it began. */
  isLatest: boolean;
}

export interface RepoMemory {
  setup: GitSetup | null;
  identity: CommitIdentity | null;
  index: KnownIndex | null;
  /** When the work was last looked at, in milliseconds. */
  lookedMs: number | null;
  /** A look at the work that was begun ahead, see `beginLook`; null: none that is still to be used. */
  look: LookAhead | null;
  /** Whether later processes find a record of the work index. */
  isIndexRecorded: boolean;
  /** The tree of the work index, as it was last written. */
  work: WrittenTree | null;
  /** Files of `.runner/` that were read; made with the first one, for commands that only look hash nothing. */
  blobs: KnownBlobs | null;
}

export interface RepoRequest {
  readonly projectDir: string;
  readonly env: GitPlace['env'];
}

export async function loadRepo({ projectDir, env }: RepoRequest): Promise<Repo> {
  const found = await discover({ projectDir, env });
  return (await findHiddenOuter(found)) ?? found;
}

const questions = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--show-prefix'];

async function discover({ projectDir, env }: RepoRequest): Promise<Repo> {
  const plain = hasGit({ env }) ? findPlainRepo(projectDir) : null;
  return plain === null ? askGit({ projectDir, env }) : openRepo({ ...plain, env });
}

async function askGit({ projectDir, env }: RepoRequest): Promise<Repo> {
  const git = gitCommand({ cwd: resolve(projectDir), gitDir: null, env });
  const ask = async (asked: readonly string[]): Promise<string> =>
    (await git(['rev-parse', ...asked])).stdout.toString('utf8').replace(/\n$/, '');
  const lines = (await ask(questions)).split('\n');
  // A path with a line break in it needs a call of its own.
  const isPlain = lines.length === questions.length;
  const answers = isPlain ? lines : await Promise.all(questions.map((question) => ask([question])));
  const [top = '', gitDir = '', commonDir = '', prefix = ''] = answers;
  checkTop({ top, gitDir });
  return openRepo({ top, gitDir, commonDir: resolve(projectDir, commonDir), prefix, env });
}

function openRepo(place: Pick<Repo, 'top' | 'gitDir' | 'commonDir' | 'prefix' | 'env'>): Repo {
  return {
    ...place,
    git: gitCommand({ cwd: place.top, gitDir: place.gitDir, env: place.env }),
    runnerPath: `${place.prefix}${runnerFolder}`,
    files: privateLayout(place.gitDir),
    memory: {
      setup: null,
      identity: null,
      index: null,
      lookedMs: null,
      look: null,
      isIndexRecorded: false,
      work: null,
      blobs: null,
    },
  };
}

/** `core.worktree`, which an agent can set, makes any folder the top; a real top holds the `.git` that leads here. */
function checkTop(found: Pick<Repo, 'top' | 'gitDir'>): void {
  if (realPath(gitFolderOf(found.top)) === realPath(found.gitDir)) {
    return;
  }
  throw new RunnerError({
    code: 'GIT_UNSUPPORTED',
    message: `the git folder ${found.gitDir} has its work tree elsewhere (core.worktree = ${found.top})`,
    hint: `git config --file ${shellWord(join(found.gitDir, 'config'))} --unset core.worktree`,
  });
}

/** A `.git` is the git folder, or a file that names it (linked work trees and submodules). */
function gitFolderOf(top: string): string {
  const path = join(top, '.git');
  try {
    const named = /^gitdir: (.+?)\n*$/s.exec(readFileSync(path, 'utf8'));
    return resolve(top, named?.[1] ?? '.git');
  } catch {
    return path;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * An agent that ran `git init` in a project sub-folder hides the repository whose iteration is open. After a crash the
 * open journal above, which names this very folder, tells which one is meant (§7).
 */
async function findHiddenOuter(found: Repo): Promise<Repo | null> {
  if (hasJournal(found.files.journal)) {
    return null;
  }
  const project = realpathSync(join(found.top, found.prefix));
  for (let folder = dirname(found.top); folder !== dirname(folder); folder = dirname(folder)) {
    // Without a journal it is not the one that is looked for, and git need not be asked.
    const isOuter = hasJournal(privateLayout(gitFolderOf(folder)).journal);
    const outer = isOuter ? await discoverQuietly(folder, found.env) : null;
    const prefix = outer === null ? null : await journalPrefix(outer.files.journal);
    if (outer !== null && prefix !== null && join(outer.top, prefix) === join(project, sep)) {
      const inside = `${relative(outer.top, project).split(sep).join('/')}/`;
      return openRepo({ ...outer, prefix: inside });
    }
  }
  return null;
}

/** An empty one is closed. */
function hasJournal(path: string): boolean {
  return (lookAt(path)?.size ?? 0) > 0;
}

async function discoverQuietly(projectDir: string, env: GitPlace['env']): Promise<Repo | null> {
  try {
    return await discover({ projectDir, env });
  } catch {
    // What stands above is not ours to complain about.
    return null;
  }
}

/** Null: no journal, one of a project at the top, or one that its own reader will report. */
async function journalPrefix(file: string): Promise<string | null> {
  const { parseJournal } = await import('../../core/iteration/journal.ts');
  const parsed = parseJournal(readSmall(file));
  const prefix = parsed?.ok === true && parsed.entry.kind === 'iteration' ? parsed.entry.prefix : '';
  return prefix === '' ? null : prefix;
}

/** Null: no commit yet. */
export async function headCommit(repo: Repo): Promise<string | null> {
  const answer = await repo.git(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { accept: [1, 128] });
  return answer.code === 0 ? textOf(answer.stdout) : null;
}

/**
 * The branch HEAD is on, as a full ref name; null when detached. The file usually says it all; another ref store or an
 * odd content is git's business.
 */
export async function headRef(repo: Repo): Promise<string | null> {
  const text = readSmall(join(repo.gitDir, 'HEAD'));
  if (/^[0-9a-f]{40,64}\n?$/.test(text)) {
    return null;
  }
  const named = /^ref: (refs\/heads\/[\w./-]+)\n?$/.exec(text)?.[1];
  if (named !== undefined && named !== 'refs/heads/.invalid') {
    return named;
  }
  const answer = await repo.git(['symbolic-ref', '--quiet', 'HEAD'], { accept: [1] });
  return answer.code === 0 ? textOf(answer.stdout) : null;
}

/** HEAD's commit without a process when it is a plain loose branch; only for comparing, since nothing is verified. */
export async function headCommitQuick(repo: Repo): Promise<string | null> {
  const ref = await headRef(repo);
  const text = ref === null ? '' : readSmall(join(repo.commonDir, ref));
  return /^[0-9a-f]{40,64}\n$/.test(text) ? text.trimEnd() : headCommit(repo);
}

function readSmall(path: string): string {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

export function textOf(stdout: Buffer): string {
  return stdout.toString('utf8').trimEnd();
}

/** For messages and notes. */
export function shortId(commit: string): string {
  return commit.slice(0, 8);
}
