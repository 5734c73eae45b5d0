/** Which paths of a git folder steer git, and which may only be real files and folders (§14). Lists names; opens no file. */
import { readdirSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { lookAt, realPath } from '../../files/look-at.ts';
import type { Repo } from '../repo.ts';
import { isSameKept, loadKept } from './kept.ts';
import type { Copy, Kept, Place } from './kept.ts';

/** Their bytes decide what git does. */
const wholeFiles = [
  'config',
  'config.worktree',
  'commondir',
  'gitdir',
  'shallow',
  'objects/info/alternates',
  'objects/info/http-alternates',
];
const wholeFolders = ['info', 'hooks'];
/** Git writes them as it works; only a pipe, link or folder in their place is wrong. */
const kindFiles = ['HEAD', 'packed-refs'];
const shapes = ['runner', 'index', 'objects', 'objects/info', 'objects/pack', 'refs', 'refs/heads', 'logs'];
/** What git reads or writes below these: a link leads out of the git folder, and opening a pipe never ends. */
const walkedFolders = ['objects', 'refs', 'logs'];
/** Written by `git update-server-info` for other machines to read, by way of a temporary file. */
const notSteering = /^info\/refs(?:_\w+)?$/;
/** The socket of git's own watcher. */
const expectedSockets = new Set(['fsmonitor--daemon.ipc']);

/** Its reader opens only a plain file, and says what is there instead. */
const answerName = 'answer.json';

type Places = Map<string, Place>;

/** The paths that count now; whatever else a copy names was there before. */
export function listPlaces(gitDir: string): Places {
  const places: Places = new Map();
  const add = (names: readonly string[], place: Place): void =>
    names.forEach((name) => places.set(join(gitDir, name), place));
  add(shapes, 'shape');
  add(wholeFiles, 'whole');
  add(kindFiles, 'kind');
  for (const folder of wholeFolders) addTree(places, { gitDir, folder });
  addOddIn(places, gitDir);
  // `git worktree list` opens what it finds there, also in one that a session made up.
  for (const entry of list(join(gitDir, 'worktrees')))
    addOddIn(places, join(gitDir, 'worktrees', entry.name));
  // Not deeper: what was moved aside before is kept there.
  for (const entry of list(join(gitDir, 'runner')))
    if (isOdd(entry) && entry.name !== answerName) places.set(join(gitDir, 'runner', entry.name), 'shape');

  for (const folder of walkedFolders) addOdd(places, join(gitDir, folder));
  return places;
}

function addTree(
  places: Places,
  { gitDir, folder }: { readonly gitDir: string; readonly folder: string },
): void {
  const path = join(gitDir, folder);
  places.set(path, 'whole');
  if (lookAt(path)?.isDirectory() !== true) return;

  for (const entry of list(path)) {
    const inside = `${folder}/${entry.name}`;
    if (entry.isDirectory()) addTree(places, { gitDir, folder: inside });
    else if (!notSteering.test(inside)) places.set(join(gitDir, inside), 'whole');
  }
}

/** Links, pipes, sockets and devices in one folder. */
function addOddIn(places: Places, folder: string): void {
  for (const entry of list(folder)) {
    const path = join(folder, entry.name);
    if (isOdd(entry) && !expectedSockets.has(entry.name) && !places.has(path)) places.set(path, 'shape');
  }
}

/** The same, however deep. */
function addOdd(places: Places, folder: string): void {
  if (lookAt(folder)?.isDirectory() !== true) return;

  for (const entry of list(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) addOdd(places, path);
    else if (isOdd(entry) && !places.has(path)) places.set(path, 'shape');
  }
}

function isOdd(entry: Dirent): boolean {
  return !entry.isFile() && !entry.isDirectory();
}

function list(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Git folders of submodules below a git folder: `modules/<name>`, where a name may have slashes. */
export function listModules(gitDir: string): readonly string[] {
  const found: string[] = [];
  const pending = [join(gitDir, 'modules')];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    if (lookAt(folder)?.isDirectory() !== true) continue;

    const isGit = lookAt(join(folder, 'HEAD')) !== null;
    if (isGit) {
      found.push(folder);
      pending.push(join(folder, 'modules'));
    } else {
      pending.push(
        ...list(folder).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : [])),
      );
    }
  }
  return found.toSorted();
}

function copyPlaces(places: ReadonlyMap<string, Place>): Copy {
  return new Map([...places].map(([path, place]) => [path, { place, kept: loadKept(path, place) }] as const));
}

export interface Difference {
  readonly path: string;
  readonly before: Kept;
}

/** What is not as in the copy, parents first. `now`: the paths that count now. */
export function* listDifferences(copy: Copy, now: ReadonlyMap<string, Place>): Generator<Difference> {
  for (const path of [...new Set([...copy.keys(), ...now.keys()])].toSorted()) {
    const { place, kept: before } = copy.get(path) ?? {
      place: now.get(path) ?? 'shape',
      kept: { kind: 'absent' as const },
    };
    const found = loadKept(path, place);
    if (!isFine({ before, found, place })) yield { path, before };
  }
}

function isFine(look: { readonly before: Kept; readonly found: Kept; readonly place: Place }): boolean {
  const { before, found, place } = look;
  if (isSameKept(before, found, place) || before.kind === 'unreadable') return true;

  const isPlain = found.kind === 'file' || found.kind === 'folder';
  // Git makes these as it works, and what has no copy can only be missed.
  if (place !== 'whole' && before.kind === 'absent') return isPlain;

  return (
    found.kind === 'absent' &&
    (before.kind === 'special' || (before.kind === 'file' && before.bytes === null))
  );
}

function placesOf(gitDir: string): readonly (readonly [string, Place])[] {
  return [gitDir, ...listModules(gitDir)].flatMap((each) => [...listPlaces(each)]);
}

/** What all work trees share, with the user's own files. */
export function copyShared(commonDir: string, sources: readonly string[]): Copy {
  const users = sources.flatMap((path) => [path, realPath(path)]).map((path) => [path, 'whole'] as const);
  return copyPlaces(new Map([...placesOf(commonDir), ...users]));
}

/** What belongs to one work tree alone. */
export function copyOwn(where: Pick<Repo, 'top' | 'gitDir' | 'commonDir'>): Copy {
  const { top, gitDir, commonDir } = where;
  const gitFile = join(top, '.git');
  const isFolder = lookAt(gitFile)?.isDirectory() === true;
  return copyPlaces(
    new Map([
      ...(isFolder ? [] : [[gitFile, 'whole'] as const]),
      ...(gitDir === commonDir ? [] : placesOf(gitDir)),
    ]),
  );
}
