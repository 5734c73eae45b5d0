/** The built pages of `runner ui`: in `dist/web`, or inside the single executable. Reads only; a name is looked up in a listing. */
import { readFile, readdir, realpath } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { getAsset, isSea } from 'node:sea';

export interface PageFile {
  readonly bytes: Uint8Array;
  /** For the `content-type` header. */
  readonly type: string;
}

export interface PageFiles {
  /** Contract: names, sorted; none when the pages were not built. */
  list(): Promise<readonly string[]>;
  /** Contract: null when no file of this name is listed. */
  load(name: string): Promise<PageFile | null>;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
};

const plainType = 'application/octet-stream';

/** `entryFile`: program file of the runner, beside whose folder `dist/` is; null: the one executable file. */
export async function pageFiles(entryFile: string | null): Promise<PageFiles> {
  const store = entryFile === null ? executableStore() : folderStore(await webFolder(entryFile));
  return {
    list: () => store.list(),
    load: async (name) => {
      if (!(await store.list()).includes(name)) return null;
      return { bytes: await store.read(name), type: types[extname(name)] ?? plainType };
    },
  };
}

interface PageStore {
  list(): Promise<readonly string[]>;
  read(name: string): Promise<Uint8Array>;
}

/** The file may be called through a link, as package managers make them. */
async function webFolder(entryFile: string): Promise<string> {
  const file = await realpath(entryFile).catch(() => entryFile);
  return join(dirname(file), '..', 'dist', 'web');
}

function folderStore(folder: string): PageStore {
  return {
    list: async () => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      return entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).toSorted();
    },
    read: (name) => readFile(join(folder, name)),
  };
}

/** `scripts/build-binary.mjs` puts the files in, and a list of their names. */
function executableStore(): PageStore {
  const names = isSea() ? parseNames(getAsset('web/files.json', 'utf8')) : [];
  return {
    list: async () => names,
    read: async (name) => new Uint8Array(getAsset(`web/${name}`)),
  };
}

function parseNames(text: string): readonly string[] {
  const names: unknown = JSON.parse(text);
  return Array.isArray(names) ? names.map(String) : [];
}
