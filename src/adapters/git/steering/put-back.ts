/**
 * Puts back what steers git, from copies (§14), before git is asked anything: byte for byte, with mode and kind. What a session had made
 * of it is kept in the git folder and told; objects that only a planted store holds are taken over first.
 */
import { lstatSync, renameSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { RunnerError } from '../../../core/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { diskError } from '../../files/disk-error.ts';
import { moveAside } from '../../files/files.ts';
import { listNames } from '../../files/folders.ts';
import { privateLayout } from '../../files/layout.ts';
import { lookAt } from '../../files/look-at.ts';
import type { Git } from '../client.ts';
import { mergeConfig, selectHarmless } from './config-merge.ts';
import type { ConfigTools } from './config-merge.ts';
import { loadKept, putBackPath, writeKept } from './kept.ts';
import type { Copy, Kept, Place } from './kept.ts';
import { listDifferences, listModules, listPlaces } from './places.ts';
import type { Difference } from './places.ts';

export interface GitPlace {
  readonly top: string;
  readonly gitDir: string;
  readonly commonDir: string;
  /** Device and number of the folder `.git` of the work tree; null where it is a file or a link. */
  readonly gitFolder: string | null;
}

export interface RestoreRequest {
  readonly where: GitPlace;
  readonly copies: readonly Copy[];
  /** Folder name below the quarantine. */
  readonly place: string;
  readonly tools: ConfigTools;
  /** For the check of borrowed objects; pinned, and without a look at the settings of its own. */
  readonly git: Git;
}

export interface Restored {
  readonly notes: readonly string[];
  /** Contents that count from now on: a `config` with a person's new remotes. */
  readonly accepted: ReadonlyMap<string, Kept>;
}

export function gitFolderId(top: string): string | null {
  const found = lookAt(join(top, '.git'));
  return found?.isDirectory() === true ? `${found.dev} ${found.ino}` : null;
}

export async function restoreSteering(request: RestoreRequest): Promise<Restored> {
  const notes = [...(await restoreGitFolder(request))];
  const accepted = new Map<string, Kept>();
  const borrowed: string[] = [];
  for (const copy of request.copies) {
    const now = placesNow(request.where, copy);
    for (const difference of listDifferences(copy, now)) {
      if (basename(difference.path) === 'alternates') borrowed.push(...storesOf(difference));
      const { note, kept } = await putBackOne(request, difference);
      if (note !== null) notes.push(note);
      if (kept !== null) accepted.set(difference.path, kept);
    }
  }
  notes.push(...(await tameModules(request)), ...(await keepBorrowed(request, borrowed)));
  return { notes, accepted };
}

/** Only the folders that the copy is about. */
function placesNow({ gitDir, commonDir }: GitPlace, copy: Copy): ReadonlyMap<string, Place> {
  const roots = [...copy.keys()].filter((path) => basename(path) === 'HEAD').map((path) => dirname(path));
  const known = [gitDir, commonDir].filter((folder) => copy.has(join(folder, 'HEAD')));
  return new Map([...new Set([...known, ...roots])].flatMap((folder) => [...listPlaces(folder)]));
}

async function putBackOne(
  request: RestoreRequest,
  { path, before }: Difference,
): Promise<{ readonly note: string | null; readonly kept: Kept | null }> {
  const { where, place, tools } = request;
  const now = loadKept(path, 'whole');
  const isConfig = basename(path) === 'config' && before.kind === 'file' && before.bytes !== null;
  const merged =
    isConfig && now.kind === 'file' && now.bytes !== null && isInside(path, where.commonDir)
      ? await mergeConfig(tools, { before: before.bytes, now: now.bytes })
      : null;
  const kept: Kept =
    merged === null || before.kind !== 'file'
      ? (loadLinkedRefs(path, now) ?? before)
      : { ...before, bytes: merged.bytes };
  if (merged !== null && merged.undone.length === 0 && now.kind === 'file') {
    // Only remotes and branches: a person's doing. What is there is taken as it is.
    return { note: null, kept: now };
  }
  const moved = await putBackPath({ path, before: kept, ...keepIn(where, { path, place }) });
  const why = merged === null ? '' : ` (${merged.undone.join(', ')})`;
  const name = shownName(where, path);
  const whereTo =
    moved === null ? '' : `; what a session had made of it is kept as ${shownName(where, moved)}`;
  const note =
    before.kind === 'absent'
      ? `took away ${name}, which was not there before${whereTo}`
      : `put back ${name}${why}${whereTo}`;
  return { note, kept: merged === null ? null : kept };
}

/** Refs that were packed during the session are only there: behind a link they are taken as they are, in a file of their own. */
function loadLinkedRefs(path: string, now: Kept): Kept | null {
  if (basename(path) !== 'packed-refs' || now.kind !== 'link') return null;

  const refs = loadKept(resolve(dirname(path), now.target), 'whole');
  const isPacked =
    refs.kind === 'file' &&
    /^(?:# pack-refs |[0-9a-f]{40,64} refs\/)/.test(refs.bytes?.toString('latin1') ?? '');
  return isPacked ? { ...refs, mode: 0o644 } : null;
}

/** Beside the private folder for what was in its own place. */
function keepIn(
  { gitDir }: GitPlace,
  { path, place }: { readonly path: string; readonly place: string },
): { readonly toDir: string; readonly root: string } {
  const own = privateLayout(gitDir);
  const isOwn = path === own.root || dirname(path) === own.root;
  if (isOwn) return { toDir: join(gitDir, 'runner.moved'), root: gitDir };

  const inside = relative(gitDir, dirname(path));
  const parts = inside.split(sep).map((part) => (part === '..' ? 'above' : part));
  return { toDir: join(own.quarantine(place), 'git', ...parts), root: gitDir };
}

function shownName({ top, gitDir, commonDir }: GitPlace, path: string): string {
  if (isInside(path, commonDir)) return join('.git', relative(commonDir, path));

  return isInside(path, gitDir) || isInside(path, top) ? relative(top, path) : path;
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

/** A `.git` that was renamed or covered comes back; one that is gone is named. */
async function restoreGitFolder({ where, place }: RestoreRequest): Promise<readonly string[]> {
  const { top, gitDir, gitFolder } = where;
  if (gitFolder === null || gitFolderId(top) === gitFolder) return [];

  const path = join(top, '.git');
  const found = findFolder([top, dirname(top)], gitFolder);
  if (found === null) {
    throw new RunnerError({
      code: 'GIT_NOT_A_REPO',
      message: `the git folder ${path} was moved away or removed during a session`,
      hint: `put it back, then run the same command again: mv <where it is now> ${shellWord(path)}`,
    });
  }
  const aside = join(top, `.git-other-${process.pid}`);
  try {
    if (lookAt(path) !== null) renameSync(path, aside);
    renameSync(found, path);
  } catch (cause) {
    throw diskError({ action: 'put back', path, cause });
  }
  await moveAside({ from: aside, toDir: privateLayout(gitDir).quarantine(place), root: gitDir });
  return [`put back .git, which had been moved to ${found}`];
}

function findFolder(places: readonly string[], id: string): string | null {
  for (const place of places) {
    const names = listNames(place);
    const name = names.find((entry) => {
      const found = lstatSync(join(place, entry), { throwIfNoEntry: false });
      return found?.isDirectory() === true && `${found.dev} ${found.ino}` === id;
    });
    if (name !== undefined) return join(place, name);
  }
  return null;
}

/** Submodules that a session made have settings of their own, which no copy knows: only harmless ones stay. */
async function tameModules({ where, copies, place, tools }: RestoreRequest): Promise<readonly string[]> {
  const notes: string[] = [];
  const modules = [...new Set([where.gitDir, where.commonDir])].flatMap(listModules);
  const isKnown = (folder: string): boolean => copies.some((copy) => copy.has(join(folder, 'HEAD')));
  for (const folder of modules.filter((module) => !isKnown(module))) {
    const path = join(folder, 'config');
    const now = loadKept(path, 'whole');
    const bytes =
      now.kind === 'file' && now.bytes !== null ? await selectHarmless(tools, now.bytes) : Buffer.alloc(0);
    if (bytes !== null && now.kind !== 'absent') {
      await putBackPath({ path, before: { kind: 'absent' }, ...keepIn(where, { path, place }) });
      await writeKept(path, { kind: 'file', mode: 0o644, bytes });
      notes.push(`took settings that could run a program out of ${shownName(where, path)}`);
    }
  }
  return notes;
}

/** Object stores that were added, as absolute paths. */
function storesOf({ path, before }: Difference): readonly string[] {
  const folder = dirname(dirname(path));
  const lines = (kept: Kept): readonly string[] =>
    kept.kind === 'file' && kept.bytes !== null
      ? kept.bytes
          .toString('utf8')
          .split('\n')
          .filter((line) => line !== '' && !line.startsWith('#'))
      : [];
  const known = new Set(lines(before));
  return lines(loadKept(path, 'whole'))
    .filter((line) => !known.has(line))
    .map((line) => resolve(folder, line));
}

/** What refs need and only a planted store has is packed into our own: the store may be gone tomorrow. */
async function keepBorrowed({ git }: RestoreRequest, stores: readonly string[]): Promise<readonly string[]> {
  const real = stores.filter((store) => lookAt(store)?.isDirectory() === true);
  const isWhole = async (): Promise<boolean> =>
    (await git.run(['rev-list', '--objects', '--quiet', '--all'], { accept: [1, 128] })).code === 0;
  if (real.length === 0 || (await isWhole())) return [];

  await git.run(['repack', '-a', '-q'], { alternates: real, writes: true, accept: [1, 128] });
  return (await isWhole())
    ? [`objects that only ${real.join(', ')} had were taken over`]
    : [`objects are missing that ${real.join(', ')} does not have either`];
}
