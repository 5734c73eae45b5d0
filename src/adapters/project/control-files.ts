/**
 * Puts back the files under `.runner/` that the agent does not own (§2): files that differ from the baseline commit, a missing
 * tree.json or `.runner`, links and other things that are not plain files. The agent's versions go into the iteration log
 * first.
 */
import { chmod, copyFile, readlink, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { assert } from '../../core/errors.ts';
import { stateFileBytesMax } from '../../core/limits.ts';
import { ownerOf } from '../../core/iteration/ownership.ts';
import type { ControlFiles } from '../../ports/stores.ts';
import { clearFolders, listCleared } from '../files/clear-way.ts';
import type { Places } from '../files/clear-way.ts';
import { diskError } from '../files/disk-error.ts';
import { ensureDir, listDir, moveAside, loadBytes, saveFile, walkFiles } from '../files/files.ts';
import { runnerFolder } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';

export interface BaselineFile {
  /** Relative to `.runner/`. */
  readonly path: string;
  readonly oid: string;
  /** As git has it, `100644` or `100755`. */
  readonly mode: string;
}

/** As the git port has them. */
export interface BaselineReader {
  listRunnerFiles(commit: string): Promise<readonly BaselineFile[]>;
  loadBlobs(oids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>;
}

export interface ControlFilesOptions extends Places {
  /** Top of the work tree. */
  readonly top: string;
  readonly git: BaselineReader;
}

/** What a commit holds of `.runner/`, with the bytes of what is not the agent's. */
interface Baseline {
  readonly commit: string;
  readonly files: ReadonlyMap<string, BaselineFile>;
  readonly bytes: ReadonlyMap<string, Uint8Array>;
}

interface Turn extends ControlFilesOptions {
  readonly keptDir: string;
  readonly baseline: Baseline;
  /** Paths relative to `.runner/` that were put back or moved out of the way. */
  readonly touched: Set<string>;
}

export function controlFiles(options: ControlFilesOptions): ControlFiles {
  const { place } = options;
  // An iteration asks several times for the same commit, which never changes.
  let known: Baseline | null = null;
  const baselineOf = async (commit: string): Promise<Baseline> => {
    known = known?.commit === commit ? known : await loadBaseline(options.git, commit);
    return known;
  };
  return {
    restore: async (request) => {
      const { dir, keptDir } = place.iteration(request);
      const baseline = await baselineOf(request.commit);
      const turn: Turn = { ...options, keptDir, baseline, touched: new Set() };
      // Not `.runner` itself: the session's log has been saved below it by now.
      const isMissing = [...baseline.files.keys()].every((path) => lookAt(join(place.root, path)) === null);
      for (const folder of [dir, place.contextDir, place.stateDir, place.nodesDir])
        await clearFolders(folder, options);

      await ensureDir(dir, { root: place.iterationsRoot });
      await keepCleared(turn);
      await keepStrangers(turn);
      await restoreFiles(turn, { all: isMissing });
      return [...turn.touched].toSorted();
    },
    keep: async (request) => {
      const { keptDir } = place.iteration(request);
      for (const path of request.paths)
        await copyAside(join(options.top, path), { to: join(keptDir, path), root: place.iterationsRoot });
    },
  };
}

async function loadBaseline(git: BaselineReader, commit: string): Promise<Baseline> {
  const files = new Map((await git.listRunnerFiles(commit)).map((file) => [file.path, file]));
  const compared = [...files.values()].filter(({ path }) => isControlled(path) || ownerOf(path) === 'tree');
  return { commit, files, bytes: await git.loadBlobs(compared.map(({ oid }) => oid)) };
}

/** Folders that were links, files or pipes until the way was cleared, by this call or by the session's log. */
async function keepCleared(turn: Turn): Promise<void> {
  const root = turn.place.iterationsRoot;
  for (const { from, path } of await listCleared(turn.own)) {
    await moveAside({ from, toDir: join(turn.keptDir, dirname(path)), root });
    turn.touched.add(path === runnerFolder ? '.' : path.slice(runnerFolder.length + 1));
  }
}

/** Links, pipes and unreadable folders: git would follow, skip or choke on them. */
async function keepStrangers(turn: Turn): Promise<void> {
  const { root } = turn.place;
  for (const { name, kind } of await listDir(root)) {
    if (kind === 'link' || kind === 'other') {
      await moveOut(turn, name);
    } else if (kind === 'folder' && ownerOf(`${name}/x`) !== 'local') {
      const found = await walkFiles(join(root, name));
      for (const path of [...found.links, ...found.others])
        await moveOut(turn, path === '' ? name : `${name}/${path}`);
    }
  }
}

async function moveOut(turn: Turn, path: string): Promise<void> {
  const { place, keptDir } = turn;
  await moveAside({
    from: join(place.root, path),
    toDir: join(keptDir, runnerFolder, dirname(path)),
    root: place.iterationsRoot,
  });
  turn.touched.add(path);
}

async function restoreFiles(turn: Turn, { all }: { readonly all: boolean }): Promise<void> {
  const gone = [...turn.touched];
  for (const path of await listOwned(turn))
    if (!(await isAsBefore(turn, path))) await restoreFile(turn, path);

  for (const path of turn.baseline.files.keys()) {
    const wasInside = gone.some((folder) => path === folder || path.startsWith(`${folder}/`));
    if ((all || wasInside || ownerOf(path) === 'tree') && !(await isPlainFile(turn, path)))
      await restoreFile(turn, path);
  }
}

/** What is on disk or in the baseline and not the agent's. Ignore and attribute files decide what git stores, wherever they are. */
async function listOwned(turn: Turn): Promise<readonly string[]> {
  const { root } = turn.place;
  const paths = new Set(turn.baseline.files.keys());
  for (const { name, kind } of await listDir(root)) {
    if (kind !== 'folder') {
      paths.add(name);
    } else if (ownerOf(`${name}/x`) !== 'local') {
      const { files } = await walkFiles(join(root, name));
      files.forEach((path) => paths.add(`${name}/${path}`));
    }
  }
  return [...paths].filter(isControlled).toSorted();
}

function isControlled(path: string): boolean {
  const owner = ownerOf(path);
  return owner === 'runner' || owner === 'human' || ['.gitignore', '.gitattributes'].includes(basename(path));
}

async function isPlainFile(turn: Turn, path: string): Promise<boolean> {
  const file = join(turn.place.root, path);
  const found = lookAt(file);
  if (found?.isFile() !== true) return false;

  if ((found.mode & 0o600) !== 0o600) {
    // An agent must not be able to lock the runner out of its own tree.
    await chmod(file, found.mode | 0o600);
  }
  return true;
}

async function isAsBefore(turn: Turn, path: string): Promise<boolean> {
  const { files, bytes } = turn.baseline;
  const file = join(turn.place.root, path);
  const found = lookAt(file);
  const before = files.get(path);
  if (before === undefined || found?.isFile() !== true) return before === undefined && found === null;

  const isExecutable = (found.mode & 0o100) !== 0;
  if (isExecutable !== (before.mode === '100755')) return false;

  const source = await loadBytes(file, { bytesMax: stateFileBytesMax, root: turn.place.projectDir });
  return source.kind === 'bytes' && source.bytes.equals(bytes.get(before.oid) ?? Buffer.alloc(0));
}

/** Moved first, written then: a crash in between leaves a missing file, which the next call restores. */
async function restoreFile(turn: Turn, path: string): Promise<void> {
  const { place, git, baseline } = turn;
  const file = join(place.root, path);
  await clearFolders(dirname(file), turn);
  await keepCleared(turn);
  await moveOut(turn, path);
  const before = baseline.files.get(path);
  if (before === undefined) return;

  const bytes = baseline.bytes.get(before.oid) ?? (await git.loadBlobs([before.oid])).get(before.oid);
  assert(bytes !== undefined, `${path} is in the commit it was listed from`);
  await saveFile(file, bytes, { root: place.projectDir });
  if (before.mode === '100755') await chmod(file, 0o755);
}

/** A copy, because git puts the original back; a deleted file leaves nothing to keep. */
async function copyAside(
  from: string,
  { to, root }: { readonly to: string; readonly root: string },
): Promise<void> {
  const found = lookAt(from);
  if (found === null || found.isDirectory()) return;

  await ensureDir(dirname(to), { root });
  await moveAside({ from: to, toDir: join(dirname(to), '.earlier'), root });
  try {
    if (found.isSymbolicLink()) await symlink(await readlink(from), to);
    else if (found.isFile()) await copyFile(from, to);
  } catch (cause) {
    throw diskError({ action: 'write', path: to, bytesNeeded: found.size, cause });
  }
}
