/**
 * Index files made without git where the repository is of the plain kind: the tree of an index, and the index of a commit. Everything
 * else is done by git, with the same result.
 */
import { readFileSync } from 'node:fs';
import { copyIndex } from './index-lock.ts';
import { replaceIndex } from './index-replace.ts';
import { addEntries, parseIndex, renderIndex } from './index-bytes.ts';
import type { IndexView } from './index-bytes.ts';
import { foldersIn, gitObject, treesOf } from './index-trees.ts';
import type { GitObject, IndexTrees } from './index-trees.ts';
import { saveObjects } from './objects.ts';
import { textOf } from './repo.ts';
import type { Repo } from './repo.ts';
import { readRunnerFiles, stageRunnerFiles } from './runner-files.ts';
import type { StagedFile } from './runner-files.ts';
import { loadSetup } from './setup.ts';

/** As many folders are made again sooner than an index is replaced. */
const remadeMax = 3;

export interface WrittenTree {
  readonly tree: string;
  /** Folders with files in them, as latin1 text; null when git was asked, which does not say. */
  readonly folders: readonly string[] | null;
}

/** The tree of an index, its objects written. */
export async function writeTree(repo: Repo, index: string): Promise<WrittenTree> {
  const view = await viewIndex(repo, index);
  if (view === null) {
    const { stdout } = await repo.git(['write-tree'], { index, writes: true });
    return { tree: textOf(stdout), folders: null };
  }
  const trees = treesOf(view);
  saveObjects(repo, trees.made);
  if (trees.made.length > remadeMax) {
    // So that the same folders need not be made again. It keeps its time, by which git knows which entries not to trust.
    replaceIndex(index, { like: index, bytes: renderIndex(view, trees.known), isDurable: false });
  }
  return { tree: trees.root, folders: foldersIn(trees.known) };
}

export interface ComposedIndex {
  readonly tree: string;
  /** What of `.runner/` is in it; null when that is not known. */
  readonly files: readonly StagedFile[] | null;
}

export interface ComposeRequest {
  readonly from: string;
  readonly to: string;
  /** Files of `.runner/` in the commit that will be the parent, whose objects are there for that. */
  readonly held?: readonly StagedFile[];
}

/** In `to` the entries of `from`, which has none of `.runner/`, and the files of `.runner/` as they are on disk. */
export async function composeIndex(
  repo: Repo,
  { from, to, held = [] }: ComposeRequest,
): Promise<ComposedIndex> {
  const view = await viewIndex(repo, from);
  const found = view === null ? null : readRunnerFiles(repo, { idBytes: view.idBytes, held });
  if (view === null || found === null) {
    if (from !== to) {
      await copyIndex(from, to);
    }
    const files = await stageRunnerFiles(repo, to);
    return { tree: (await writeTree(repo, to)).tree, files };
  }
  const { files, blobs } = found;
  const whole = addEntries(view, { folder: latin1(repo.runnerPath), entries: files });
  const trees: IndexTrees = treesOf(whole);
  saveObjects(repo, [...blobs, ...trees.made]);
  replaceIndex(to, { like: from, bytes: renderIndex(whole, trees.known), isDurable: true });
  return { tree: trees.root, files };
}

export interface Preparation {
  /** As for `composeIndex`. */
  readonly held: readonly StagedFile[];
  /** What some of them will be; relative to the project folder. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

/** Writes what `composeIndex` will find it needs, if all comes as expected; if not, nothing refers to it. Throws DISK. */
export async function prepareObjects(repo: Repo, { held, files }: Preparation): Promise<void> {
  const view = await viewIndex(repo, repo.files.index);
  if (view === null) {
    return;
  }
  const texts = new Map(files.map(({ path, text }) => [latin1(`${repo.prefix}${path}`), text]));
  const blobs: GitObject[] = [];
  const entries = held.map((file) => {
    const text = texts.get(file.path);
    if (text === undefined) {
      return file;
    }
    const blob = gitObject('blob', Buffer.from(text), view.idBytes);
    blobs.push(blob);
    return { ...file, oid: blob.oid };
  });
  const { made } = treesOf(addEntries(view, { folder: latin1(repo.runnerPath), entries }));
  saveObjects(repo, [...blobs, ...made]);
}

function latin1(path: string): string {
  return Buffer.from(path).toString('latin1');
}

/** Null when git must do it. */
async function viewIndex(repo: Repo, index: string): Promise<IndexView | null> {
  const { idBytes, isPlain } = await loadSetup(repo);
  return isPlain ? readView(index, idBytes) : null;
}

/** Null when there is none, or none that we can read. */
export function readView(index: string, idBytes: number): IndexView | null {
  try {
    return parseIndex(readFileSync(index), idBytes);
  } catch {
    return null;
  }
}
