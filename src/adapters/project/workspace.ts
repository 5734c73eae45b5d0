/** `.runner/` and the project folder as plain files, for commands that make or check the layout. Never follows a link. */
import { lstatSync, realpathSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stateFileBytesMax } from '../../core/limits.ts';
import { ownerOf } from '../../core/iteration/ownership.ts';
import { RunnerError } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { Workspace } from '../../ports/stores.ts';
import { ensureDir, listDir, loadText, removeFile, saveFile, walkFiles } from '../files/files.ts';
import { privateLayout, runnerFolder } from '../files/layout.ts';
import { sweepStages } from '../files/stage-sweep.ts';

export function workspace(projectDir: string, gitDir: string | null = null): Workspace {
  const root = projectDir;
  const inside = (path: string): string => join(projectDir, runnerFolder, path);
  return {
    kind: async () => kindOf(join(projectDir, runnerFolder)),
    load: (path) => loadText(inside(path), { bytesMax: stateFileBytesMax, root }),
    save: async (path, text) => {
      await ensureDir(join(inside(path), '..'), { root });
      await saveFile(inside(path), text, { root });
    },
    remove: async (path) => {
      await removeFile(inside(path), { root });
      removeEmpty(dirname(inside(path)));
    },
    makeFolder: (path) => ensureDir(inside(path), { root }),
    sweep: async () => {
      await sweepStages(join(projectDir, runnerFolder), { skip: ['iterations'] });
      if (gitDir !== null)
        await sweepStages(privateLayout(gitDir).root, { skip: ['nested', 'quarantine', 'queue'] });
    },
    listLinks: () => listLinks(join(projectDir, runnerFolder)),
    listProject: async () => (await listDir(projectDir)).map((entry) => entry.name).toSorted(),
    loadProject: (name) => loadText(join(projectDir, name), { bytesMax: stateFileBytesMax }),
  };
}

/** git keeps no empty folders, so none is left behind. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Other files in it.
  }
}

/** The local-only folders hold many logs and nothing the runner reads back: they are not walked. */
async function listLinks(folder: string): Promise<readonly string[]> {
  const links: string[] = [];
  for (const { name, kind } of await listDir(folder)) {
    if (kind === 'link') links.push(name);
    if (kind !== 'folder' || ownerOf(`${name}/x`) === 'local') continue;
    const found = await walkFiles(join(folder, name));
    links.push(...found.links.map((path) => `${name}/${path}`));
  }
  return links.toSorted();
}

function kindOf(path: string): 'missing' | 'folder' | 'other' {
  try {
    return lstatSync(path).isDirectory() ? 'folder' : 'other';
  } catch {
    return 'missing';
  }
}

/** A folder that was named, without links, so that git and we name it alike. Throws USAGE; the hint says where it was named. */
export async function realFolder(
  directory: string,
  hint = 'runner -C <dir> with a folder that exists',
): Promise<string> {
  const folder = realPath(directory);
  if (folder !== null && kindOf(folder) === 'folder') return folder;
  throw new RunnerError({
    code: 'USAGE',
    message: `there is no folder ${directory}`,
    hint,
  });
}

/** The folder of a file that a person named and that is to be written. Throws USAGE, and LAYOUT_INVALID where a folder has its name. */
export async function folderOfNamed(path: string): Promise<string> {
  const folder = dirname(path);
  const found = await realFolder(folder, `mkdir -p ${shellWord(folder)}`);
  if (kindOf(path) !== 'folder') return found;
  throw new RunnerError({
    code: 'LAYOUT_INVALID',
    message: `${path} is a folder, and a file is to be written`,
    hint: `name a file: ${shellWord(join(path, 'report.html'))}`,
  });
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** The nearest folder above, up to the top of the work tree, that holds a `.runner/`; null when there is none or it is here. */
export async function findProjectAbove(directory: string, top: string): Promise<string | null> {
  for (let folder = directory; ; folder = dirname(folder)) {
    if (kindOf(join(folder, runnerFolder)) !== 'missing') return folder === directory ? null : folder;
    if (folder === top || folder === dirname(folder)) return null;
  }
}
