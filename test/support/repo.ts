/** A real git repository in a temporary folder: local identity, one README commit, no configuration from outside. */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CommitRequest, SettleRequest } from '../../src/ports/git.ts';
import { runProgramNow } from './spawner-now.ts';
import { gitattributesText, gitignoreText } from '../../src/core/iteration/initial-files.ts';

export type Environment = Readonly<Record<string, string>>;

export interface TestRepo {
  /** Holds the repository and the isolated home folder. */
  readonly base: string;
  readonly dir: string;
  readonly env: Environment;
  /** Trimmed output; throws with git's words. */
  readonly git: (...args: readonly string[]) => string;
  /** The same in another folder, relative to the repository. */
  readonly gitIn: (folder: string, ...args: readonly string[]) => string;
  /** Exit code only. */
  readonly tryGit: (...args: readonly string[]) => number | null;
  readonly write: (path: string, text: string | Uint8Array) => void;
  readonly read: (path: string) => string;
  readonly has: (path: string) => boolean;
  readonly remove: (path: string) => void;
  readonly head: () => string;
  /** `git status`, one line per change. */
  readonly dirty: () => readonly string[];
}

/** Call it inside a test: the folder goes when the test ends. */
export function makeRepo(): TestRepo {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'runner-test-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const dir = join(base, 'repo');
  const home = join(base, 'home');
  mkdirSync(dir);
  mkdirSync(home);
  const env = isolatedEnvironment(home);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', dir], { env });
  const repo = openTestRepo({ base, dir, env });
  setIdentity(repo);
  repo.write('README.md', '# test\n');
  repo.git('add', '-A');
  repo.git('commit', '--quiet', '-m', 'first commit');
  return repo;
}

function isolatedEnvironment(home: string): Environment {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
  };
}

export function setIdentity(repo: TestRepo): void {
  repo.git('config', 'user.name', 'Test Person');
  repo.git('config', 'user.email', 'test@example.invalid');
}

export function openTestRepo({ base, dir, env }: Pick<TestRepo, 'base' | 'dir' | 'env'>): TestRepo {
  const gitIn = (folder: string, ...args: readonly string[]): string => {
    const { code, stdout, stderr } = runProgramNow({ program: 'git', args, cwd: join(dir, folder), env });
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code ?? 'a signal'}: ${stderr}`);
    return stdout.trimEnd();
  };
  const git = (...args: readonly string[]): string => gitIn('.', ...args);
  return {
    base,
    dir,
    env,
    git,
    gitIn,
    tryGit: (...args) => runProgramNow({ program: 'git', args, cwd: dir, env }).code,
    write: (path, text) => {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    read: (path) => readFileSync(join(dir, path), 'utf8'),
    has: (path) => existsSync(join(dir, path)),
    remove: (path) => rmSync(join(dir, path), { recursive: true, force: true }),
    head: () => git('rev-parse', 'HEAD'),
    dirty: () =>
      git('status', '--porcelain', '--untracked-files=all')
        .split('\n')
        .filter((line) => line !== ''),
  };
}

/** Files of `.runner/` below the project folder (`''` or ending in `/`), and the branch `runner/<id>` with a commit of them. */
export function startTestRun(repo: TestRepo, { prefix = '', runId = 'r1' } = {}): string {
  repo.write(`${prefix}.runner/.gitignore`, gitignoreText);
  repo.write(`${prefix}.runner/.gitattributes`, gitattributesText);
  repo.write(`${prefix}.runner/GOAL.md`, `---\nid: ${runId}\n---\ngoal\n`);
  repo.write(`${prefix}.runner/state/tree.json`, '{}\n');
  repo.git('checkout', '--quiet', '-b', `runner/${runId}`);
  repo.git('add', '--force', '-A', '--', `${prefix}.runner`);
  repo.git('commit', '--quiet', '-m', `chore(loop): start run ${runId}`);
  return repo.head();
}

/** Tree id of everything outside `.runner/` in a commit. */
export function commitTreeId(repo: TestRepo, commit: string, prefix = ''): string {
  const env = { ...repo.env, GIT_INDEX_FILE: join(repo.base, 'commit-tree-index') };
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: repo.dir, env, encoding: 'utf8' }).trimEnd();
  git('read-tree', commit);
  git('rm', '-r', '--cached', '--quiet', '--ignore-unmatch', '--', `:(top,literal)${prefix}.runner`);
  return git('write-tree');
}

/** A commit of run r1 with nothing decided. */
export function commitRequest(
  parent: string,
  work_tree: string,
  more: Partial<CommitRequest> = {},
): CommitRequest {
  return {
    run_id: 'r1',
    is_held: true,
    is_pass: true,
    branch: 'runner/r1',
    parent,
    work_tree,
    control: parent,
    files: {},
    message: 'm\n',
    run_hooks: false,
    cookie: 'c',
    sign: false,
    ...more,
  };
}

/** After a session of run r1 whose refs before it are not known. */
export function settling(baseline: string, iter = 1): SettleRequest {
  return { run_id: 'r1', iter, branch: 'runner/r1', baseline, refs_before: null };
}
