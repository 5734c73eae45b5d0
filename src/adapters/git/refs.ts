/** Reading and moving refs: branch tips, compare-and-swap, rescue refs that are never overwritten (§5). */
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gitError } from './errors.ts';
import { moveBranchFile } from './ref-file.ts';
import { textOf } from './repo.ts';
import type { Repo } from './repo.ts';
import { stampFile } from '../files/look-at.ts';

export interface Ref {
  readonly name: string;
  readonly commit: string;
  /** The ref it points to when it is symbolic, else empty. */
  readonly symref: string;
}

/** Nothing that opens an object: one broken ref would stop them all. */
const refFormat = ['refname', 'objectname', 'symref'].map((field) => `%(${field})`).join('%00');

export async function listRefs(repo: Repo, patterns: readonly string[]): Promise<readonly Ref[]> {
  const { stdout } = await repo.git(['for-each-ref', `--format=${refFormat}`, ...patterns]);
  return stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', commit = '', symref = ''] = line.split('\0');
      return { name, commit, symref };
    });
}

/** Refs a person could miss: all but remotes and our own. */
const watchedRefs = ['refs/heads/', 'refs/tags/', 'refs/stash'];
/** With more than these, asking git is quicker. */
const looseRefsMax = 2000;

export interface KnownRefs {
  readonly list: readonly Ref[];
  /** What all watched refs but the run's own looked like in the git folder; null: that cannot be told. */
  readonly stamp: string | null;
}

/** Without a process when nothing but the tip of the run's branch has changed since `known`. */
export async function loadWatchedRefs(
  repo: Repo,
  { branch, known }: { readonly branch: string | null; readonly known: KnownRefs | null },
): Promise<KnownRefs> {
  const own = `refs/heads/${branch ?? ''}`;
  const stamp = branch === null ? null : stampRefs(repo, own);
  const commit = readTip(repo, own);
  const entry = known?.list.find(({ name }) => name === own);
  const isKnown = known !== null && stamp !== null && known.stamp === stamp && entry?.symref === '';
  if (!isKnown || commit === null) {
    return { list: await listRefs(repo, watchedRefs), stamp };
  }
  return { list: known.list.map((ref) => (ref === entry ? { ...ref, commit } : ref)), stamp };
}

/** Names and contents of loose refs, and the state of the packed ones. */
function stampRefs(repo: Repo, except: string): string | null {
  const { commonDir } = repo;
  if (lstatSync(join(commonDir, 'reftable'), { throwIfNoEntry: false }) !== undefined) {
    return null;
  }
  const lines = [stampFile(join(commonDir, 'packed-refs'))];
  const pending = ['refs/heads', 'refs/tags', 'refs/stash'];
  try {
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      const path = join(commonDir, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found?.isDirectory() === true) {
        pending.push(...readdirSync(path).map((entry) => `${name}/${entry}`));
      } else if (found !== undefined && name !== except) {
        lines.push(`${name} ${found.isFile() ? readFileSync(path, 'latin1') : 'odd'}`);
      }
      if (lines.length > looseRefsMax) {
        return null;
      }
    }
    return lines.toSorted().join('\n');
  } catch {
    // Removed meanwhile, or not for us to read: git knows better.
    return null;
  }
}

function readTip(repo: Repo, ref: string): string | null {
  try {
    const text = readFileSync(join(repo.commonDir, ref), 'latin1');
    return /^[0-9a-f]{40,64}\n$/.test(text) ? text.trimEnd() : null;
  } catch {
    return null;
  }
}

export async function isAncestor(
  repo: Repo,
  { ancestor, descendant }: { readonly ancestor: string; readonly descendant: string },
): Promise<boolean> {
  if (ancestor === descendant) {
    return true;
  }
  const args = ['merge-base', '--is-ancestor', ancestor, descendant];
  const answer = await repo.git(args, { accept: [1, 128] });
  // A commit that is gone is no ancestor of anything.
  if (answer.code === 128 && !/Not a valid (?:commit|object) name/.test(answer.stderr)) {
    throw gitError({ args, cwd: repo.top, stderr: answer.stderr, reason: null });
  }
  return answer.code === 0;
}

export interface RefMove {
  readonly ref: string;
  readonly to: string;
  /** Where it must still point; empty: it must not exist; null: anywhere. */
  readonly from: string | null;
  /** For the reflog. */
  readonly reason: string;
}

/** Never follows a symbolic ref, which could move another branch. */
export async function moveRef(repo: Repo, move: RefMove): Promise<void> {
  if (moveBranchFile(repo, move)) {
    return;
  }
  const guard = move.from === null ? [] : [move.from];
  try {
    await repo.git(
      ['update-ref', '--no-deref', '--create-reflog', '-m', move.reason, move.ref, move.to, ...guard],
      { writes: true },
    );
  } catch (error) {
    // A call that was interrupted may have done it, and the second try then finds it done.
    if ((await refCommit(repo, move.ref)) !== move.to) {
      throw error;
    }
  }
}

export async function refCommit(repo: Repo, ref: string): Promise<string | null> {
  const answer = await repo.git(['rev-parse', '--quiet', '--verify', `${ref}^{commit}`], {
    accept: [1, 128],
  });
  return answer.code === 0 ? textOf(answer.stdout) : null;
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
  const held = refs.find((ref) => ref.commit === request.commit);
  if (held !== undefined) {
    return { ref: held.name, isNew: false };
  }
  const taken = new Set(refs.map((ref) => ref.name));
  let ref = base;
  for (let k = 2; taken.has(ref); k += 1) {
    ref = `${base}-${k}`;
  }
  await moveRef(repo, { ref, to: request.commit, from: '', reason: 'runner: work kept' });
  return { ref, isNew: true };
}
