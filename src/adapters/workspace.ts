/** `.runner/` and the project folder as plain files, for commands that make or check the layout. Never follows a link. */
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { stateFileBytesMax } from '../core/limits.ts';
import { ownerOf } from '../core/ownership.ts';
import { RunnerError } from '../core/errors.ts';
import type { Workspace } from '../ports/stores.ts';
import { ensureDir, listDir, readText, removeFile, saveFile, walkFiles } from './files.ts';
import { runnerFolder } from './layout.ts';

export function workspace(projectDir: string): Workspace {
  const root = projectDir;
  const inside = (path: string): string => join(projectDir, runnerFolder, path);
  return {
    kind: () => kindOf(join(projectDir, runnerFolder)),
    read: (path) => readText(inside(path), { bytesMax: stateFileBytesMax, root }),
    save: async (path, text) => {
      await ensureDir(join(inside(path), '..'), { root });
      await saveFile(inside(path), text, { root });
    },
    remove: (path) => removeFile(inside(path), { root }),
    makeFolder: (path) => ensureDir(inside(path), { root }),
    listLinks: () => listLinks(join(projectDir, runnerFolder)),
    listProject: async () => (await listDir(projectDir)).map((entry) => entry.name).toSorted(),
    readProject: (name) => readText(join(projectDir, name), { bytesMax: stateFileBytesMax }),
  };
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

async function kindOf(path: string): Promise<'missing' | 'folder' | 'other'> {
  try {
    return (await lstat(path)).isDirectory() ? 'folder' : 'other';
  } catch {
    return 'missing';
  }
}

/** The folder a command works in, without links, so that git and we name it alike. Throws USAGE. */
export async function realFolder(directory: string): Promise<string> {
  try {
    return await realpath(directory);
  } catch (cause) {
    throw new RunnerError({
      code: 'USAGE',
      message: `there is no folder ${directory}`,
      hint: 'runner -C <dir> with a folder that exists',
      cause,
    });
  }
}
