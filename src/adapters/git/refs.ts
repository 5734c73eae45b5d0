/** Reading and moving refs: compare-and-set by `git update-ref`, rescue refs that are never overwritten (§5). */
import { constants, copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import type { RefTip } from '../../ports/git.ts';
import { diskError } from '../files/disk-error.ts';
import { lookAt } from '../files/look-at.ts';
import { gitError } from './errors.ts';
import { linesOf } from './quoted-path.ts';
import type { Repo } from './repo.ts';

/** Nothing that opens an object: one broken ref would stop them all. */
const refFormat = ['refname', 'objectname', 'symref', 'HEAD'].map((field) => `%(${field})`).join('%00');

export async function listRefs({ git }: Repo, patterns: readonly string[]): Promise<readonly RefTip[]> {
  const answer = await git.ask(['for-each-ref', `--format=${refFormat}`, ...patterns]);
  return linesOf(answer).map((line) => {
    const [name = '', id = '', symref = '', mark = ''] = line.split('\0');
    return { name, id, symref, is_head: mark === '*' };
  });
}

export async function isAncestor(
  { git, top }: Repo,
  { ancestor, descendant }: { readonly ancestor: string; readonly descendant: string },
): Promise<boolean> {
  if (ancestor === descendant) return true;

  const args = ['merge-base', '--is-ancestor', ancestor, descendant];
  const answer = await git.run(args, { accept: [1, 128] });
  // A commit that is gone is no ancestor of anything.
  if (answer.code === 128 && !/Not a valid (?:commit|object) name/.test(answer.stderr))
    throw gitError({ args, cwd: top, stderr: answer.stderr, reason: null });

  return answer.code === 0;
}

export interface RefMove {
  readonly ref: string;
  readonly to: string;
  /** Where it must still point; empty: it must not exist. */
  readonly from: string;
  /** For the reflog. */
  readonly reason: string;
  /** Another ref, which goes in the same transaction if it can; it stays otherwise. */
  readonly drop?: string;
}

/** Never follows a symbolic ref, which could move another branch. */
export async function moveRef(repo: Repo, { drop, ...move }: RefMove): Promise<void> {
  const { ref, to, from, reason } = move;
  [join(repo.gitDir, 'logs', 'HEAD'), join(repo.commonDir, 'logs', ref)].forEach(unlinkReflog);
  const args = ['update-ref', '--no-deref', '--create-reflog', '-m', reason];
  try {
    if (drop === undefined) {
      await repo.git.run([...args, ref, to, from], { writes: true });
    } else {
      const input = Buffer.from(`update ${ref} ${to} ${from}\ndelete ${drop}\n`);
      await repo.git.run([...args, '--stdin'], { input, writes: true });
    }
  } catch (error) {
    // A call that was interrupted may have done it, and the second try then finds it done.
    if ((await refCommit(repo, ref)) === to) return;
    if (drop === undefined) throw error;

    await moveRef(repo, move);
  }
}

/** git appends to a reflog in place; a second hard link could lead out of the git folder (§14). */
function unlinkReflog(path: string): void {
  const found = lookAt(path);
  if (found?.isFile() !== true || found.nlink === 1) return;

  const copy = `${path}.runner-${process.pid}`;
  try {
    copyFileSync(path, copy, constants.COPYFILE_EXCL);
    renameSync(copy, path);
  } catch (cause) {
    throw diskError({ action: 'replace', path, cause });
  }
}

export async function removeRef({ git }: Repo, { ref, from }: { ref: string; from: string }): Promise<void> {
  await git.run(['update-ref', '--no-deref', '-d', ref, from], { writes: true });
}

export async function refCommit({ git }: Repo, ref: string): Promise<string | null> {
  const answer = await git.ask(['rev-parse', '--quiet', '--verify', `${ref}^{commit}`], { accept: [1, 128] });
  return answer.trimEnd() || null;
}

export async function treeOf({ git }: Repo, commit: string): Promise<string> {
  return (await git.ask(['rev-parse', '--verify', `${commit}^{tree}`])).trimEnd();
}

/** Whether everything that a tree holds is there; what HEAD holds is not looked at. */
export async function isWhole({ git }: Repo, tree: string): Promise<boolean> {
  const args = ['rev-list', '--objects', '--quiet', tree, '^HEAD^{tree}'];
  return (await git.run(args, { accept: [128] })).code === 0;
}

export function holdRef(runId: string): string {
  return `refs/runner/hold/${runId}`;
}

/** Keeps objects that no commit holds yet from being pruned while other programs run. */
export async function holdTree(
  { git }: Repo,
  { run_id, workTree }: { readonly run_id: string; readonly workTree: string },
): Promise<void> {
  await git.run(['update-ref', '--no-deref', holdRef(run_id), workTree], { writes: true });
}

export async function dropHold({ git }: Repo, runId: string): Promise<void> {
  await git.run(['update-ref', '--no-deref', '-d', holdRef(runId)], { writes: true });
}

export interface RescueRequest {
  readonly run_id: string;
  /** The iteration's number, or a word when there is none. */
  readonly name: string;
  readonly commit: string;
}

export async function saveRescue(
  repo: Repo,
  request: RescueRequest,
): Promise<{ readonly ref: string; readonly isNew: boolean }> {
  const base = `refs/runner/rescue/${request.run_id}/${request.name}`;
  const refs = await listRefs(repo, [`refs/runner/rescue/${request.run_id}/`]);
  const held = refs.find(({ id }) => id === request.commit);
  if (held !== undefined) return { ref: held.name, isNew: false };

  const taken = new Set(refs.map(({ name }) => name));
  let ref = base;
  for (let k = 2; taken.has(ref); k += 1) ref = `${base}-${k}`;

  await moveRef(repo, { ref, to: request.commit, from: '', reason: 'runner: work kept' });
  return { ref, isNew: true };
}
