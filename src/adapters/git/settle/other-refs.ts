/**
 * Refs and stash entries that are not the run's (§14): left as found. What one held before and no longer leads to is saved under rescue,
 * and a rescue ref that is gone is made again.
 */
import type { RefTip, SettleRequest } from '../../../ports/git.ts';
import { isOff } from '../../files/test-switch.ts';
import { linesOf } from '../quoted-path.ts';
import { isAncestor, listRefs } from '../refs.ts';
import { shortId } from '../repo.ts';
import type { Repo } from '../repo.ts';

/** Held by other runs for a moment, or by git for an operation in this work tree. */
const passing = /^refs\/(?:runner\/hold|bisect|rewritten|worktree)\//;
const stashEntry = /^stash@\{/;

/** Every ref, and each entry of the stash as a ref of its own: `git stash drop` moves none. */
export async function listWatchedRefs(repo: Repo): Promise<readonly RefTip[]> {
  const refs = (await listRefs(repo, [])).filter(({ name }) => !passing.test(name));
  if (!refs.some(({ name }) => name === 'refs/stash')) return refs;

  const { stdout } = await repo.git.run(['log', '-g', '--format=%H', 'refs/stash', '--'], { accept: [128] });
  const entries = [...new Set(linesOf(stdout.toString('latin1')))];
  return [...refs, ...entries.map((id) => ({ name: `stash@{${id}}`, id, symref: '', is_head: false }))];
}

interface Change {
  readonly name: string;
  /** Null: was not there. */
  readonly old: string | null;
  /** Null: is not there. */
  readonly now: string | null;
}

export async function reportOthers(
  repo: Repo,
  { request, refs }: { readonly request: SettleRequest; readonly refs: readonly RefTip[] },
): Promise<readonly string[]> {
  if (request.refs_before === null || isOff('refs')) return [];

  const before = new Map(request.refs_before.map(({ name, id }) => [name, id]));
  const now = new Map(refs.map(({ name, id }) => [name, id]));
  const changes = [...new Set([...before.keys(), ...now.keys()])]
    .filter((name) => name !== `refs/heads/${request.branch}` && before.get(name) !== now.get(name))
    .map((name): Change => ({ name, old: before.get(name) ?? null, now: now.get(name) ?? null }));
  // Of a run that was finished or abandoned meanwhile.
  const archived = new Set(refs.filter(({ name }) => isArchive(name)).map(({ id }) => id));
  const lost: Change[] = [];
  for (const change of changes) {
    const isKept = change.now === null && archived.has(change.old ?? '');
    if (!isKept && (await isLost(repo, { request, change }))) lost.push(change);
  }

  const told = changes.filter((change) => isPersons(change.name) || lost.includes(change));
  const isRemade = ({ name, now: id }: Change): boolean => isRescue(name) && id === null;
  return [
    ...told
      .filter((change) => !stashEntry.test(change.name) && !isRemade(change))
      .map((change) => `${describeRef(change.name)} ${whatOf(change)} meanwhile and is left as found`),
    ...(await saveLost(repo, { request, lost })),
  ];
}

/** What people make themselves is told in any case; remotes and other runs move while a session runs. */
function isPersons(name: string): boolean {
  return /^refs\/(?:heads\/(?!runner\/)|tags\/|stash$)/.test(name);
}

function isArchive(name: string): boolean {
  return name.startsWith('refs/runner/archive/');
}

function isRescue(name: string): boolean {
  return name.startsWith('refs/runner/rescue/');
}

/** Whether nothing of the same name leads to what it held. The stash is looked at entry by entry. */
async function isLost(
  repo: Repo,
  { request, change }: { readonly request: SettleRequest; readonly change: Change },
): Promise<boolean> {
  const { name, old, now } = change;
  if (old === null || name === 'refs/stash') return false;

  // A tag may be an object of its own, and a rescue ref is all that keeps its commit.
  if (stashEntry.test(name) || isRescue(name) || name.startsWith('refs/tags/')) return true;

  const descendant = now ?? (name.startsWith('refs/heads/') ? request.baseline : null);
  return descendant === null || !(await isBelow(repo, { ancestor: old, descendant }));
}

/** False also for what is no commit, or no longer there. */
async function isBelow(
  repo: Repo,
  pair: { readonly ancestor: string; readonly descendant: string },
): Promise<boolean> {
  return isAncestor(repo, pair).catch(() => false);
}

/** All in one transaction: a session may delete a thousand tags. */
async function saveLost(
  repo: Repo,
  { request, lost }: { readonly request: SettleRequest; readonly lost: readonly Change[] },
): Promise<readonly string[]> {
  if (lost.length === 0) return [];

  const held = await listRefs(repo, ['refs/runner/rescue/']);
  const there = await listThere(repo, [...new Set(lost.map(({ old }) => old ?? ''))]);
  const taken = new Set(held.map(({ name }) => name));
  const safe = new Map(
    held
      .filter(({ name }) => name.startsWith(`refs/runner/rescue/${request.run_id}/`))
      .map(({ name, id }) => [id, name]),
  );
  const notes: string[] = [];
  const updates: string[] = [];
  const save = (ref: string, id: string): void => {
    updates.push(`create ${ref} ${id}\n`);
    taken.add(ref);
    safe.set(id, ref);
  };
  for (const { name, old, now } of lost) {
    const id = old ?? '';
    if (!there.has(id)) {
      notes.push(`${describeRef(name)} had ${shortId(id)}, which git no longer has`);
    } else if (isRescue(name) && now === null) {
      save(name, id);
      notes.push(`${name} was removed meanwhile and was made again`);
    } else if (!safe.has(id)) {
      const ref = freeName(`refs/runner/rescue/${request.run_id}/${request.iter}`, taken);
      save(ref, id);
      notes.push(`the commit ${shortId(id)} was saved as ${ref}`);
    }
  }
  if (updates.length > 0)
    await repo.git.run(['update-ref', '--stdin'], { input: Buffer.from(updates.join('')), writes: true });

  return notes;
}

function freeName(base: string, taken: ReadonlySet<string>): string {
  let ref = base;
  for (let k = 2; taken.has(ref); k += 1) ref = `${base}-${k}`;

  return ref;
}

/** Ids of objects that git has. */
async function listThere({ git }: Repo, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(''));
  const { stdout } = await git.run(['cat-file', '--batch-check'], { input });
  const lines = linesOf(stdout.toString('latin1')).filter((line) => !line.endsWith(' missing'));
  return new Set(lines.map((line) => line.split(' ')[0] ?? ''));
}

function whatOf({ old, now }: Change): string {
  return old === null ? 'was made' : now === null ? 'was removed' : 'was moved';
}

function describeRef(name: string): string {
  return name
    .replace(/^refs\/heads\//, 'the branch ')
    .replace(/^refs\/tags\//, 'the tag ')
    .replace(/^refs\/stash$/, 'the stash')
    .replace(/^stash@\{.*$/, 'a stash entry')
    .replace(/^refs\//, 'the ref refs/');
}
