/**
 * A commit with the user's hooks (§5 `git.run_hooks`). What git commit made counts only when its bytes, parent and
 * subject are the expected ones; anything else is taken back and kept under rescue.
 */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { dirtyPathsShownMax } from '../../core/limits.ts';
import type { CommitRequest, CommitResult } from '../../ports/git-manager.ts';
import { saveFile } from '../files/files.ts';
import { gitError } from './errors.ts';
import { lockIndex } from './index-lock.ts';
import { withRefMark } from './locks.ts';
import { moveRef, refCommit, saveRescue } from './refs.ts';
import type { Repo } from './repo.ts';
import { textOf } from './repo.ts';
import { splitNul } from './status.ts';
import { loadWorkTree } from './work-index.ts';

const hooksTimeoutMs = 30 * 60 * 1000;

/** A commit whose index, tree and message are ready. */
export interface PreparedCommit extends CommitRequest {
  readonly index: string;
  readonly tree: string;
}

interface Expected {
  readonly branch: string;
  readonly parent: string;
  readonly tree: string;
  readonly subject: string;
}

/** Says, durably, what the commit must be while hooks run, so that a crash cannot let another one through (§1). */
function expectedFile(repo: Repo): string {
  return join(repo.files.root, 'hook-commit.json');
}

/** The commit it speaks of has been looked at. */
export async function dropExpected(repo: Repo): Promise<void> {
  await rm(expectedFile(repo), { force: true });
}

export async function runHookCommit(repo: Repo, prepared: PreparedCommit): Promise<CommitResult> {
  const { branch, parent, tree } = prepared;
  const expected = { branch, parent, tree, subject: prepared.message.split('\n')[0] ?? '' };
  await saveFile(expectedFile(repo), JSON.stringify(expected), { root: repo.gitDir });
  try {
    const refusal = await runHooks(repo, prepared);
    const oddity =
      refusal === null ? await findOddity(repo, { expected, workTree: prepared.work_tree }) : null;
    if (refusal !== null || oddity !== null) {
      await takeBack(repo, expected);
      return { kind: 'hook_refused', output: refusal ?? oddity ?? '' };
    }
    const commit = (await refCommit(repo, `refs/heads/${branch}`)) ?? '';
    await (await lockIndex(repo, prepared.index)).install();
    await dropExpected(repo);
    return { kind: 'committed', commit };
  } catch (error) {
    await takeBack(repo, expected);
    throw error;
  }
}

/** Null when git made a commit, else what the hooks said. */
async function runHooks(repo: Repo, prepared: PreparedCommit): Promise<string | null> {
  const args = [
    ...['commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '--file', '-'],
    ...(prepared.sign ? ['-S'] : []),
  ];
  const answer = await withRefMark(repo, () =>
    repo.git(args, {
      index: prepared.index,
      input: Buffer.from(prepared.message),
      writes: true,
      hooks: true,
      cookie: prepared.cookie,
      accept: [1, 128],
      timeoutMs: hooksTimeoutMs,
    }),
  );
  if (answer.code === 128 && !/aborted by hook/.test(answer.stderr)) {
    throw gitError({ args, cwd: repo.top, stderr: answer.stderr, reason: null });
  }
  const output = `${answer.stdout.toString('utf8')}${answer.stderr}`.trim();
  return answer.code === 0 ? null : output === '' ? 'a git hook refused the commit without a word' : output;
}

/** What is wrong with the commit the hooks left, or null. */
async function findOddity(
  repo: Repo,
  { expected, workTree }: { readonly expected: Expected; readonly workTree: string },
): Promise<string | null> {
  const { stdout } = await repo.git([
    'log',
    '-1',
    '--format=%P%x00%T%x00%s',
    `refs/heads/${expected.branch}`,
  ]);
  const [parents, tree = '', subject] = textOf(stdout).split('\0');
  if (parents !== expected.parent) {
    return 'a git hook made other commits';
  }
  if (tree !== expected.tree) {
    const changed = await listChanged(repo, { from: expected.tree, to: tree });
    return `a git hook changed the files of the commit, which must be exactly the checked ones: ${changed}`;
  }
  if (subject !== expected.subject) {
    return `a git hook changed the first line of the commit message to: ${subject ?? ''}`;
  }
  const left = await loadWorkTree(repo, null);
  if (left !== workTree) {
    const changed = await listChanged(repo, { from: workTree, to: left });
    return `a git hook changed files of the work tree without committing them: ${changed}`;
  }
  return null;
}

async function listChanged(
  repo: Repo,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<string> {
  const { stdout } = await repo.git(['diff-tree', '-r', '-z', '--no-renames', '--name-only', from, to]);
  const names = splitNul(stdout).map((name) => name.toString('utf8'));
  const more = names.length > dirtyPathsShownMax ? `, and ${names.length - dirtyPathsShownMax} more` : '';
  return `${names.slice(0, dirtyPathsShownMax).join(', ')}${more}`;
}

/** The branch is where it was; what the hooks had made of the commit is kept. */
async function takeBack(repo: Repo, expected: Expected): Promise<void> {
  const ref = `refs/heads/${expected.branch}`;
  const tip = await refCommit(repo, ref);
  if (tip !== null && tip !== expected.parent) {
    await saveRescue(repo, { ...rescueName(expected), commit: tip });
    await moveRef(repo, { ref, to: expected.parent, from: tip, reason: 'runner: hooked commit taken back' });
  }
  await dropExpected(repo);
}

function rescueName(expected: Expected): { readonly run_id: string; readonly name: string } {
  const iter = /^chore\(loop\): run \S+ iter (\d+) /.exec(expected.subject)?.[1];
  return { run_id: expected.branch.replace(/^runner\//, ''), name: iter ?? 'hook' };
}

function loadExpected(repo: Repo): Expected | null {
  try {
    return JSON.parse(readFileSync(expectedFile(repo), 'utf8')) as Expected;
  } catch {
    return null;
  }
}

/** After a crash while hooks ran: a commit that was never looked at, and is not the expected one, is taken back. */
export async function undoOddCommit(repo: Repo): Promise<void> {
  const expected = loadExpected(repo);
  if (expected === null) {
    return;
  }
  const answer = await repo.git(
    ['log', '-1', '--format=%H%x00%P%x00%T%x00%s', `refs/heads/${expected.branch}`],
    {
      accept: [128],
    },
  );
  const [, parents, tree, subject] = textOf(answer.stdout).split('\0');
  const isOurs = parents === expected.parent && subject === expected.subject;
  if (answer.code === 0 && isOurs && tree !== expected.tree) {
    await takeBack(repo, expected);
  }
  await dropExpected(repo);
}

/** Whether hooks made this commit something else than what was asked for, and a crash came before that was seen. */
export function isOddCommit(
  repo: Repo,
  commit: { readonly subject: string; readonly tree: string },
): boolean {
  const expected = loadExpected(repo);
  return expected !== null && expected.subject === commit.subject && expected.tree !== commit.tree;
}
