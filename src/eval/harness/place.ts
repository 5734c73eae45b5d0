/** Where the eval harness keeps things below a folder, and the files that keep them out of the user's repository. */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { ensureDir, loadText } from '../../adapters/files/files.ts';
import { replaceFile } from '../../adapters/files/replace-file.ts';
import { suffixOf } from '../cases/names.ts';
import type { NameSeed } from '../cases/names.ts';

export interface EvalFolders {
  /** The folder the command works in; everything but the cases is below it. */
  readonly root: string;
  readonly casesDir: string;
  readonly workspacesDir: string;
  readonly resultsDir: string;
  readonly recordingsDir: string;
}

/** What it takes to read and write results. */
export type ResultsFolders = Pick<EvalFolders, 'resultsDir' | 'root'>;

/** `root` is absolute and without links; `cases` is what `--cases` said. */
export function evalPlace({
  root,
  cases,
}: {
  readonly root: string;
  readonly cases: string | null;
}): EvalFolders {
  const inEval = (name: string): string => join(root, 'eval', name);
  return {
    root,
    casesDir: cases === null ? inEval('cases') : resolve(root, cases),
    workspacesDir: inEval('workspaces'),
    resultsDir: inEval('results'),
    recordingsDir: inEval('recordings'),
  };
}

const ignoreAll = '*\n';

/** A git that changes ends of lines would change what was recorded. */
const keepBytes = '* -text\n';

/** Makes the folder of recordings, which are there to be committed. Throws DISK, LAYOUT_INVALID. */
export async function makeRecordings({ root, recordingsDir }: EvalFolders): Promise<void> {
  await ensureDir(recordingsDir, { root });
  await saveFirst(join(recordingsDir, '.gitattributes'), keepBytes, root);
}

/** Makes the folders of workspaces and results, which git shall not see. Throws DISK, LAYOUT_INVALID. */
export async function makeEvalFolders({ root, workspacesDir, resultsDir }: EvalFolders): Promise<void> {
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
