/** One repository: its paths, and how git is called there. Immutable. */
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { Env } from '../../core/types.ts';
import { privateLayout, runnerFolder } from '../files/layout.ts';
import type { PrivateLayout } from '../files/layout.ts';
import { realPath } from '../files/look-at.ts';
import type { GitLimits } from './call-limit.ts';
import { gitClient } from './client.ts';
import type { Git, GitOptions } from './client.ts';

export interface Repo {
  /** Top of the work tree. */
  readonly top: string;
  /** The work tree's own git folder. */
  readonly gitDir: string;
  /** The one that all work trees share: refs and objects. */
  readonly commonDir: string;
  /** Project folder inside the work tree, `''` or ending in `/`. */
  readonly prefix: string;
  /** `.runner` of the project, relative to the top. */
  readonly runnerPath: string;
  readonly files: PrivateLayout;
  readonly env: Env;
  /** How long a call may take; for a repository inside this one, too. */
  readonly limits: GitLimits | undefined;
  /** The pinned settings, for a repository inside this one, too. */
  readonly pins: PinsOf | undefined;
  /** When the session began whose work is looked at; null: not known. */
  readonly sinceMs: (() => number | null) | undefined;
  readonly git: Git;
}

export type PinsOf = NonNullable<GitOptions['pins']>;

export interface RepoRequest {
  readonly projectDir: string;
  readonly env: Env;
  readonly limits?: GitLimits;
  readonly pins?: PinsOf;
  readonly sinceMs?: () => number | null;
}

export async function loadRepo(request: RepoRequest): Promise<Repo> {
  const found = await discover(request);
  return (await findHiddenOuter(found, request)) ?? found;
}

const questions = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir', '--show-prefix'];

async function discover(request: RepoRequest): Promise<Repo> {
  const cwd = resolve(request.projectDir);
  const git = gitClient({ ...request, cwd, gitDir: null });
  const ask = async (asked: readonly string[]): Promise<string> =>
    (await git.ask(['rev-parse', ...asked])).replace(/\n$/, '');
  const lines = (await ask(questions)).split('\n');
  // A path with a line break in it needs a call of its own.
  const isPlain = lines.length === questions.length;
  const answers = isPlain ? lines : await Promise.all(questions.map((question) => ask([question])));
  const [top = '', gitDir = '', commonDir = '', prefix = ''] = answers;
  checkTop({ top, gitDir });
  return openRepo({ top, gitDir, commonDir: resolve(cwd, commonDir), prefix }, request);
}

function openRepo(
  found: Pick<Repo, 'top' | 'gitDir' | 'commonDir' | 'prefix'>,
  { env, limits, pins, sinceMs }: RepoRequest,
): Repo {
  const { top, gitDir, commonDir, prefix } = found;
  return {
    top,
    gitDir,
    commonDir,
    prefix,
    runnerPath: `${prefix}${runnerFolder}`,
    files: privateLayout(gitDir),
    env,
    limits,
    pins,
    sinceMs,
    git: gitClient({
      cwd: top,
      gitDir,
      env,
      ...(limits === undefined ? {} : { limits }),
      ...(pins === undefined ? {} : { pins }),
    }),
  };
}

/** `core.worktree`, which an agent can set, makes any folder the top; a real top holds the `.git` that leads here. */
function checkTop(found: Pick<Repo, 'top' | 'gitDir'>): void {
  if (realPath(gitFolderOf(found.top)) === realPath(found.gitDir)) return;

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

/**
 * An agent that ran `git init` in a project sub-folder hides the repository whose iteration is open. After a crash the
 * open journal above, which names this very folder, tells which one to use (§7).
 */
async function findHiddenOuter(found: Repo, request: RepoRequest): Promise<Repo | null> {
  if (readJournal(found.files.journal) !== '') return null;

  const project = realpathSync(join(found.top, found.prefix));
  for (let folder = dirname(found.top); folder !== dirname(folder); folder = dirname(folder)) {
    const prefix = await journalPrefix(readJournal(privateLayout(gitFolderOf(folder)).journal));
    const outer = prefix === null ? null : await discoverQuietly({ ...request, projectDir: folder });
    if (outer !== null && prefix !== null && join(outer.top, prefix) === join(project, sep)) {
      const inside = `${relative(outer.top, project).split(sep).join('/')}/`;
      return openRepo({ ...outer, prefix: inside }, request);
    }
  }
  return null;
}

/** Empty: there is none, or it is closed. */
function readJournal(path: string): string {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}

async function discoverQuietly(request: RepoRequest): Promise<Repo | null> {
  try {
    return await discover(request);
  } catch {
    // Problems of a repository further up are not ours to report.
    return null;
  }
}

/** Null: no journal, one of a project at the top, or one that its own reader will report. */
async function journalPrefix(text: string): Promise<string | null> {
  if (text === '') return null;

  // Loaded only here: hardly ever is there one, and its schema is large.
  const { parseJournal } = await import('../../core/iteration/journal.ts');
  const parsed = parseJournal(text);
  const prefix = parsed?.ok === true && parsed.entry.kind === 'iteration' ? parsed.entry.prefix : '';
  return prefix === '' ? null : prefix;
}

/** Null: no commit yet. */
export async function headCommit({ git }: Repo): Promise<string | null> {
  const answer = await git.ask(['rev-parse', '--quiet', '--verify', 'HEAD^{commit}'], { accept: [1, 128] });
  return answer.trimEnd() || null;
}

/** The branch HEAD is on, as a full ref name; null when detached. */
export async function headRef({ git }: Repo): Promise<string | null> {
  return (await git.ask(['symbolic-ref', '--quiet', 'HEAD'], { accept: [1] })).trimEnd() || null;
}

export function branchOf(ref: string | null): string | null {
  return ref === null ? null : ref.replace(/^refs\/heads\//, '');
}

/** A path of the work tree as bytes; `path` is latin1 text, relative to the top. */
export function workPath({ top }: Repo, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${top}/`), Buffer.from(path, 'latin1')]);
}

/** A path of ours as the latin1 text that paths of git are compared in. */
export function asBytes(path: string): string {
  return Buffer.from(path).toString('latin1');
}

export function textOf(stdout: Buffer): string {
  return stdout.toString('utf8').trimEnd();
}

/** For messages and notes. */
export function shortId(commit: string): string {
  return commit.slice(0, 8);
}

/** git in another folder, with the limits and the pinned settings of this repository. `gitDir` null: git looks for it. */
export function gitElsewhere(
  { env, limits, pins }: Pick<Repo, 'env' | 'limits' | 'pins'>,
  where: { readonly cwd: string; readonly gitDir: string | null },
): Git {
  return gitClient({
    ...where,
    env,
    ...(limits === undefined ? {} : { limits }),
    ...(pins === undefined ? {} : { pins }),
  });
}
