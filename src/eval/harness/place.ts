/** Where the eval harness keeps things below a folder, and the files that keep them out of the user's repository. */
import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { ensureDir, loadText } from '../../adapters/files/files.ts';
import { makePrivateFolder } from '../../adapters/files/folders.ts';
import { isFolder, lookAt } from '../../adapters/files/look-at.ts';
import { placeName, stateHome } from '../../adapters/files/state-home.ts';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import type { Env } from '../../core/types.ts';
import { suffixOf } from '../cases/names.ts';
import type { NameSeed } from '../cases/names.ts';

export interface EvalFolders {
  /** The folder the command works in; everything but the cases is below it. */
  readonly root: string;
  readonly casesDir: string;
  /** Links to the folders of trials, for people. */
  readonly workspacesDir: string;
  /** The folders of trials: outside `root`, so that no parent folder of an agent leads to cases and results. */
  readonly trialsDir: string;
  readonly resultsDir: string;
  readonly recordingsDir: string;
}

/** What it takes to read and write results. */
export type ResultsFolders = Pick<EvalFolders, 'resultsDir' | 'root'>;

/** `root` is absolute and without links; `cases` is what `--cases` said. */
export function evalPlace({
  root,
  cases,
  env = {},
}: {
  readonly root: string;
  readonly cases: string | null;
  readonly env?: Env;
}): EvalFolders {
  const inEval = (name: string): string => join(root, 'eval', name);
  return {
    root,
    casesDir: cases === null ? inEval('cases') : resolve(root, cases),
    trialsDir: join(trialsBase(root, env), placeName(root)),
    workspacesDir: inEval('workspaces'),
    resultsDir: inEval('results'),
    recordingsDir: inEval('recordings'),
  };
}

/** The cases that ship with the program, for a folder that has none of its own; null: it has, or there are none. */
export async function shippedCases(root: string, entryFile: string | null): Promise<string | null> {
  if (entryFile === null || lookAt(join(root, 'eval', 'cases')) !== null) return null;
  // A package manager links to the program from a folder of its own.
  const program = await realpath(entryFile).catch(() => entryFile);
  const folder = join(dirname(program), '..', 'eval', 'cases');
  return isFolder(folder) ? folder : null;
}

/** The user's state folder; if that is below `root` itself, as with a home folder, the system's folder for temporary files. */
function trialsBase(root: string, env: Env): string {
  const usual = join(stateHome(env), 'eval');
  if (!isBelow(usual, root)) return usual;
  const other = join(tmpdir(), `runner-eval-${process.getuid?.() ?? 0}`);
  return isBelow(other, root) ? usual : other;
}

/** Also of the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way.split('/')[0] !== '..' && !isAbsolute(way));
}

const ignoreAll = '*\n';

/** A git that changes ends of lines would change what was recorded. */
const keepBytes = '* -text\n';

/** Makes the folder of recordings, which are there to be committed. Throws DISK, LAYOUT_INVALID. */
export async function makeRecordings({ root, recordingsDir }: EvalFolders): Promise<void> {
  await ensureDir(recordingsDir, { root });
  await saveFirst(join(recordingsDir, '.gitattributes'), keepBytes, root);
}

/** Makes the folders of workspaces and results, which git shall not see, and that of the trials. Throws DISK, LAYOUT_INVALID. */
export async function makeEvalFolders(place: EvalFolders): Promise<void> {
  const { root, workspacesDir, resultsDir, trialsDir } = place;
  makePrivateFolder(trialsDir);
  for (const folder of [workspacesDir, resultsDir]) {
    await ensureDir(folder, { root });
    await saveFirst(join(folder, '.gitignore'), ignoreAll, root);
  }
}

/** What a person put there stays. */
async function saveFirst(path: string, text: string, root: string): Promise<void> {
  const found = await loadText(path, { bytesMax: 1_000_000, root });
  if (found.kind === 'missing') await replaceFile(path, text, { root });
}

/** For a name that must be the only one, even within one second. */
export function nameSeed(): NameSeed {
  return { epochMs: Date.now(), suffix: suffixOf(randomBytes(8)) };
}
