/** Tree ids without `.runner/`, made from tree objects alone: no index, no work tree, names as bytes. */
import { splitNul } from './status.ts';
import { textOf } from './repo.ts';
import type { Repo } from './repo.ts';
import { runnerFolder } from '../files/layout.ts';

interface TreeEntry {
  /** `<mode> <type> <id>`. */
  readonly head: string;
  readonly name: Buffer;
}

/** Everything of a commit outside `.runner/` (§2 `base`, §5); null stands for no commit: the empty tree. */
export async function loadCommitTree(repo: Repo, commit: string | null): Promise<string> {
  if (commit === null) {
    return (await saveTree(repo, [])) ?? '';
  }
  const folders = repo.prefix.split('/').filter((part) => part !== '');
  const levels: (readonly TreeEntry[])[] = [];
  for (let depth = 0; depth <= folders.length; depth += 1) {
    const entries = await loadEntries(repo, `${commit}:${folders.slice(0, depth).join('/')}`);
    levels.push(entries);
    const next = findEntry(entries, folders[depth] ?? runnerFolder);
    if (next === undefined || (depth < folders.length && !next.head.startsWith('040000 '))) {
      // Neither project folder nor `.runner` there: nothing to leave out.
      return textOf((await repo.git(['rev-parse', '--verify', `${commit}^{tree}`])).stdout);
    }
  }
  return rebuild(repo, { levels, names: [...folders, runnerFolder] });
}

/** From the innermost folder up; git keeps no empty folder, so one that held only `.runner` goes too. */
async function rebuild(
  repo: Repo,
  {
    levels,
    names,
  }: { readonly levels: readonly (readonly TreeEntry[])[]; readonly names: readonly string[] },
): Promise<string> {
  let replacement: string | null = null;
  for (let depth = levels.length - 1; depth >= 0; depth -= 1) {
    const gone = findEntry(levels[depth] ?? [], names[depth] ?? '');
    const kept = (levels[depth] ?? []).filter((entry) => entry !== gone);
    const added = gone === undefined || replacement === null ? [] : [treeEntry(replacement, gone.name)];
    replacement = await saveTree(repo, [...kept, ...added], depth === 0);
  }
  return replacement ?? '';
}

function treeEntry(id: string, name: Buffer): TreeEntry {
  return { head: `040000 tree ${id}`, name };
}

function findEntry(entries: readonly TreeEntry[], name: string): TreeEntry | undefined {
  return entries.find((entry) => entry.name.equals(Buffer.from(name)));
}

async function loadEntries(repo: Repo, treeish: string): Promise<readonly TreeEntry[]> {
  const { stdout } = await repo.git(['ls-tree', '-z', '--full-tree', treeish]);
  return splitNul(stdout).map((record) => {
    const tab = record.indexOf(0x09);
    return { head: record.subarray(0, tab).toString('latin1'), name: record.subarray(tab + 1) };
  });
}

/** Null for an empty folder below the top. */
async function saveTree(repo: Repo, entries: readonly TreeEntry[], isTop = true): Promise<string | null> {
  if (entries.length === 0 && !isTop) {
    return null;
  }
  const input = Buffer.concat(
    entries.flatMap((entry) => [Buffer.from(`${entry.head}\t`), entry.name, Buffer.from([0])]),
  );
  const { stdout } = await repo.git(['mktree', '-z', '--missing'], { input, writes: true });
  return textOf(stdout);
}
