/**
 * Reports changes in a project, at most ten times a second and at the latest after two seconds. The system's file watches only
 * say that a look is due; changes are found by comparing two looks, so a lost or repeated hint does no harm.
 */
import { statSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { emptyLook, listChanges } from '../core/views/watch-diff.ts';
import type { ProjectLook } from '../core/views/watch-diff.ts';
import type { UiChange } from '../core/views/event-ring.ts';
import type { RunsSource } from './control.ts';
import { findPlace } from './place.ts';
import { lookTaker } from './project-look.ts';
import type { LookTaker, WatchedFolder } from './project-look.ts';
import type { UiSource } from './source.ts';

const batchMs = 100;
const pollMs = 2000;
/** Polls after which it is asked again who is at work, where nobody could be found. */
const askAgainPolls = 8;

export interface WatchRequest {
  readonly directory: string;
  readonly source: UiSource;
  /** Null: background runs are not followed. */
  readonly control: Pick<RunsSource, 'stamps' | 'folders'> | null;
  readonly onChanges: (changes: readonly UiChange[]) => void;
  /** The folder is another one now: nothing that was known holds any more. */
  readonly onMoved: () => void;
}

export interface ProjectWatcher {
  close(): void;
}

/** What is known of the folder that was found last; null: none was there. */
interface Known extends Ground {
  readonly projectDir: string;
  readonly taker: LookTaker;
  readonly look: ProjectLook;
}

/** What belongs to the project and is in the git folder. */
interface Ground {
  readonly privateFiles: readonly string[];
  readonly recordFolders: readonly string[];
}

/** Resolves after the first look; changes are reported from then on. */
export async function watchProject(request: WatchRequest): Promise<ProjectWatcher> {
  const due = batches(lookAgain);
  let touched = new Set<string>();
  let polls = 0;
  const watches = folderWatches((iteration) => {
    if (iteration !== null) touched.add(iteration);
    due.hint();
  });

  async function takeNext(before: Known | null): Promise<Known | null> {
    const now = touched;
    touched = new Set();
    return takeLook(request, watches, { before, touched: now, isAskDue: polls % askAgainPolls === 0 });
  }

  let known = await takeNext(null);

  async function lookAgain(): Promise<void> {
    const before = known;
    known = await takeNext(before);
    const isMoved = before?.projectDir !== known?.projectDir;
    if (isMoved) request.onMoved();
    const changes = listChanges(before?.look ?? emptyLook, known?.look ?? emptyLook);
    // In another folder everything is new. A client that loads everything needs no list of changes.
    const told = isMoved ? changes.filter(({ data }) => !('iter' in data)) : changes;
    if (told.length > 0) request.onChanges(told);
  }

  const poll = setInterval(() => {
    polls += 1;
    due.hint();
  }, pollMs);
  return {
    close: () => {
      clearInterval(poll);
      due.close();
      watches.keep([]);
    },
  };
}

/** The first hint starts the timer, so constant writing cannot delay the work. */
function batches(work: () => Promise<void>): { readonly hint: () => void; readonly close: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let isAtWork = false;
  let isDue = false;
  let isClosed = false;

  function hint(): void {
    if (isAtWork) isDue = true;
    else if (!isClosed) timer ??= setTimeout(() => void carryOut(), batchMs);
  }

  async function carryOut(): Promise<void> {
    timer = null;
    isAtWork = true;
    // A look that fails is made again with the next hint, at the latest with the next poll.
    await work().catch(() => {});
    isAtWork = false;
    if (isDue) hint();
    isDue = false;
  }

  return {
    hint,
    close: () => {
      isClosed = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

async function takeLook(
  request: WatchRequest,
  watches: FolderWatches,
  last: {
    readonly before: Known | null;
    readonly touched: ReadonlySet<string>;
    readonly isAskDue: boolean;
  },
): Promise<Known | null> {
  const place = findPlace(request.directory);
  if (place === null) {
    watches.keep([]);
    return null;
  }
  const { projectDir } = place;
  const same = last.before?.projectDir === projectDir ? last.before : null;
  const isAsked = same === null || (same.privateFiles.length === 0 && last.isAskDue);
  const ground = isAsked ? await findGround(request, projectDir) : same;
  const { privateFiles, recordFolders } = ground;
  const background = await (request.control?.stamps(projectDir) ?? noStamps).catch(() => new Map());
  const taker = same?.taker ?? lookTaker(place);
  const look = { ...taker.look(last.touched, privateFiles), background };
  watches.keep([
    ...taker.folders(),
    ...recordFolders.map((path) => ({ path, iteration: null, names: null })),
  ]);
  return { projectDir, taker, look, privateFiles, recordFolders };
}

async function findGround({ source, control }: WatchRequest, projectDir: string): Promise<Ground> {
  return {
    privateFiles: await source.privateFiles(projectDir).catch(() => []),
    recordFolders: await (control?.folders(projectDir) ?? noFolders).catch(() => []),
  };
}

const noFolders: Promise<readonly string[]> = Promise.resolve([]);
const noStamps: Promise<ProjectLook['background']> = Promise.resolve(new Map());

interface Held {
  readonly watcher: FSWatcher;
  readonly identity: string;
}

interface FolderWatches {
  /** Contract: exactly these are watched from now on, as far as the system allows. */
  readonly keep: (folders: readonly WatchedFolder[]) => void;
}

function folderWatches(onHint: (iteration: string | null) => void): FolderWatches {
  const held = new Map<string, Held>();

  function drop(path: string): void {
    held.get(path)?.watcher.close();
    held.delete(path);
  }

  function add({ path, iteration, names }: WatchedFolder, identity: string): void {
    try {
      const watcher = watch(path, { persistent: false }, (_event, name) => {
        if (names === null || name === null || names.includes(name)) onHint(iteration);
      });
      watcher.on('error', () => drop(path));
      held.set(path, { watcher, identity });
      // What came before the watch was there.
      onHint(iteration);
    } catch {
      // No watch is possible, or the folder is gone already: polling notices it.
    }
  }

  return {
    keep: (folders) => {
      const wanted = new Set(folders.map(({ path }) => path));
      for (const path of [...held.keys()].filter((each) => !wanted.has(each))) drop(path);
      for (const folder of folders) {
        const identity = identityOf(folder.path);
        // A folder that was removed and made again has another identity, and the old watch sees nothing of it.
        if (held.get(folder.path)?.identity === identity) continue;
        drop(folder.path);
        if (identity !== '') add(folder, identity);
      }
    },
  };
}

function identityOf(path: string): string {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev} ${ino}`;
  } catch {
    return '';
  }
}
