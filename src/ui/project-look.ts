/**
 * Looks at a project: which state files and iterations there are, and how long their files are. Anything that cannot have
 * changed is not looked at again, so a run of thousands of iterations stays cheap. Follows no link below the project and never
 * throws.
 */
import { lstatSync, readdirSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { basename, join } from 'node:path';
import { iterationLayout } from '../adapters/files/layout.ts';
import type { Layout } from '../adapters/files/layout.ts';
import type { IterationLook, ProjectLook, Stamp } from '../core/views/watch-diff.ts';

/** How many unfinished iterations of a run are followed: one is at work, others were left by crashes. */
const openFollowedMax = 8;
/** A file system may give two writes the same time, so a more recent time proves nothing yet. */
const settledMs = 50;

export interface LookTaker {
  /** `touched`: `<run>/<iter>` of iterations that something was written to. `privateFiles`: see UiSource. */
  readonly look: (
    touched: ReadonlySet<string>,
    privateFiles: readonly string[],
  ) => Omit<ProjectLook, 'background'>;
  /** Folders in which something may happen next. */
  readonly folders: () => readonly WatchedFolder[];
}

export interface WatchedFolder {
  readonly path: string;
  /** Which iteration its files belong to, `<run>/<iter>`. */
  readonly iteration: string | null;
  /** Only these names in it matter; null: all. */
  readonly names: readonly string[] | null;
}

interface RunLook {
  readonly stamp: Stamp;
  readonly looks: ReadonlyMap<number, IterationLook>;
}

export function lookTaker(place: Layout): LookTaker {
  let runs = new Map<string, RunLook>();
  let watched: readonly WatchedFolder[] = [];

  function lookAtRuns(touched: ReadonlySet<string>): ProjectLook['runs'] {
    const found = new Map<string, RunLook>();
    const names = place.logPlaces.flatMap(({ iterationsDir }) => listFolders(iterationsDir));
    for (const name of new Set(names.filter((each) => plainName.test(each)).toSorted()))
      found.set(name, lookAtRun(place, { run: name, before: runs.get(name), touched }));

    runs = found;
    return new Map([...found].map(([name, { looks }]) => [name, looks]));
  }

  return {
    folders: () => watched,
    look: (touched, privateFiles) => {
      const isThere = isFolder(place.root) && isFolder(place.stateDir);
      const stampOf = (...paths: readonly string[]): Stamp => paths.map(stampFile).join('|');
      const look = {
        tree: isThere ? stampOf(place.tree) : '',
        run_state: `${isThere ? stampOf(place.runState) : ''}|${stampOf(...privateFiles)}`,
        config: isThere ? stampOf(place.config) : '',
        memory: isThere ? stampOf(...Object.values(place.memory)) : '',
        runs: isFolder(place.root) ? lookAtRuns(touched) : new Map(),
      };
      watched = listWatched(place, { runs, privateFiles });
      return look;
    },
  };
}

const plainName = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const iterationName = /^[1-9][0-9]{0,14}$/;

function lookAtRun(
  place: Layout,
  {
    run,
    before,
    touched,
  }: {
    readonly run: string;
    readonly before: RunLook | undefined;
    readonly touched: ReadonlySet<string>;
  },
): RunLook {
  const iterationsDir = logsOf(place, run);
  const dir = join(iterationsDir, run);
  const stamp = stampFile(dir);
  const isKnown = before !== undefined && before.stamp === stamp && !stamp.endsWith(unsettled);
  const numbers = isKnown
    ? [...before.looks.keys()]
    : listFolders(dir)
        .filter((name) => iterationName.test(name))
        .map(Number)
        .toSorted((a, b) => a - b);
  const isOpen = (iter: number): boolean => before?.looks.get(iter)?.is_complete !== true;
  const open = new Set(numbers.filter(isOpen).slice(-openFollowedMax));
  if (isKnown && open.size === 0 && !numbers.some((iter) => touched.has(`${run}/${iter}`))) return before;
  const looks = new Map<number, IterationLook>();
  for (const iter of numbers) {
    const known = before?.looks.get(iter);
    const isDue = open.has(iter) || touched.has(`${run}/${iter}`);
    const { dir: folder, meta } = iterationLayout(iterationsDir, { run_id: run, iter });
    const is_complete = isDue || known === undefined ? lstat(meta)?.isFile() === true : known.is_complete;
    // The files of an iteration that was complete when first seen are not followed.
    const files = isDue && (known !== undefined || !is_complete) ? listSizes(folder) : known?.files;
    const look = { is_complete, files: files ?? new Map<string, number>() };
    looks.set(iter, known !== undefined && isSame(known, look) ? known : look);
  }
  const isUnchanged =
    before?.looks.size === looks.size && [...looks].every(([n, l]) => before.looks.get(n) === l);
  return { stamp, looks: isUnchanged ? before.looks : looks };
}

/** Where the run's logs are; one that was worked on in two places is followed in the first. */
function logsOf(place: Layout, run: string): string {
  const found = place.logPlaces.find(({ iterationsDir }) => isFolder(join(iterationsDir, run)));
  return (found ?? place).iterationsDir;
}

function isSame(a: IterationLook, b: IterationLook): boolean {
  if (a.is_complete !== b.is_complete || a.files.size !== b.files.size) return false;
  return [...a.files].every(([name, bytes]) => b.files.get(name) === bytes);
}

function listSizes(folder: string): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const name of list(folder)) {
    const stats = lstat(join(folder, name));
    if (stats?.isFile() === true) sizes.set(name, Number(stats.size));
  }
  return sizes;
}

const unsettled = '~';

/** Nobody can write to a file, or replace it, and leave this as it was, but for two writes in one instant: then it ends in a mark. */
function stampFile(path: string): Stamp {
  const found = lstat(path);
  if (found === null) return '';
  const ageMs = Date.now() - Number(found.mtimeMs);
  const stamp = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
  return ageMs >= 0 && ageMs < settledMs ? `${stamp}${unsettled}` : stamp;
}

function listWatched(
  place: Layout,
  {
    runs,
    privateFiles,
  }: { readonly runs: ReadonlyMap<string, RunLook>; readonly privateFiles: readonly string[] },
): readonly WatchedFolder[] {
  const all = { iteration: null, names: null };
  const latest = [...runs].slice(-runsWatchedMax);
  const open = [...runs].flatMap(([run, { looks }]) =>
    [...looks]
      .filter(([, look]) => !look.is_complete)
      .slice(-openFollowedMax)
      .map(([iter]) => ({ run, iter })),
  );
  const own = privateFiles[0];
  return [
    { path: place.projectDir, iteration: null, names: [basename(place.root)] },
    { path: place.root, ...all },
    { path: place.stateDir, ...all },
    ...place.logPlaces.map(({ iterationsDir }) => ({ path: iterationsDir, ...all })),
    ...latest.map(([run]) => ({ path: join(logsOf(place, run), run), ...all })),
    ...open.slice(-runsWatchedMax).map(({ run, iter }) => ({
      path: iterationLayout(logsOf(place, run), { run_id: run, iter }).dir,
      iteration: `${run}/${iter}`,
      names: null,
    })),
    ...(own === undefined
      ? []
      : [{ path: join(own, '..'), iteration: null, names: privateFiles.map((file) => basename(file)) }]),
  ];
}

/** Watches are scarce on some machines; the others are seen by the looks that come all the time anyway. */
const runsWatchedMax = 32;

function lstat(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch {
    return null;
  }
}

function isFolder(path: string): boolean {
  return lstat(path)?.isDirectory() === true;
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function listFolders(path: string): readonly string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  } catch {
    return [];
  }
}
