/**
 * "Who may import whom" as a table: folders of ours, packages, and modules of Node. Uses esbuild as the parser; reads and
 * runs nothing but the texts it is given.
 */
import path from 'node:path';
import { build } from 'esbuild';

/** Path from the top of the repository, with `/`, to text. */
export type SourceTree = ReadonlyMap<string, string>;

interface FolderRow {
  readonly folders: readonly string[];
  readonly packages: readonly string[];
  readonly node: (module: string) => boolean;
}

const noNode = (): boolean => false;
/** Programs are started through execa. */
const noChildProcess = (module: string): boolean => module !== 'child_process';

/** "Who may import whom": folders of ours, packages, and modules of Node. */
const importTable: Readonly<Record<string, FolderRow>> = {
  core: {
    folders: [],
    packages: ['fast-json-stable-stringify', 'picomatch/posix.js', 'yaml', 'zod'],
    node: noNode,
  },
  ports: { folders: ['core'], packages: [], node: noNode },
  app: { folders: ['core', 'ports'], packages: [], node: noNode },
  adapters: {
    folders: ['core', 'ports'],
    packages: ['execa', 'simple-git', 'smol-toml', 'write-file-atomic', 'zod'],
    node: noChildProcess,
  },
  eval: { folders: ['core', 'ports', 'adapters'], packages: [], node: noChildProcess },
  ui: {
    folders: ['core', 'ports', 'adapters'],
    packages: [],
    node: (module) => !/^(?:child_process|worker_threads|cluster)\b/.test(module),
  },
  web: {
    folders: ['core'],
    packages: ['preact', 'preact/hooks', '@preact/signals', 'd3-hierarchy'],
    node: noNode,
  },
  cli: {
    folders: ['core', 'ports', 'app', 'adapters', 'eval', 'ui'],
    packages: ['commander'],
    node: (module) => !/^(?:fs|child_process)\b/.test(module),
  },
};

/** The rooms of a folder and the rooms each may import; files directly in core are open to all of them. */
const roomTable: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  core: {
    text: [],
    tree: ['text'],
    config: ['text', 'tree'],
    sandbox: ['text'],
    agents: ['text', 'tree', 'sandbox'],
    guard: ['text', 'tree', 'config', 'agents'],
    prompt: ['text', 'tree', 'config', 'sandbox', 'agents'],
    iteration: ['text', 'tree', 'config', 'sandbox', 'agents', 'guard', 'prompt'],
    proof: ['text', 'tree', 'config', 'agents', 'guard', 'prompt', 'iteration'],
    runs: ['text', 'tree', 'config', 'agents', 'guard', 'prompt', 'iteration'],
    views: ['text', 'tree', 'config', 'sandbox', 'agents', 'guard', 'prompt', 'iteration', 'runs'],
  },
  adapters: {
    files: [],
    processes: ['files'],
    project: ['files'],
    runs: ['files', 'processes', 'project'],
    git: ['files', 'processes', 'project'],
    agents: ['files', 'processes', 'project'],
  },
  eval: {
    cases: [],
    report: ['cases'],
    fleet: ['cases'],
    tasks: ['cases'],
    harness: ['cases', 'report', 'tasks'],
  },
};

/** Pure rooms outside core: their imports follow the row of core. */
const pureRooms = ['src/eval/cases/', 'src/eval/report/', 'src/eval/fleet/', 'src/eval/tasks/'];

/** Adapters that only read, which the server of the pages may use: it never writes. */
const readingAdapters = [
  'common-git-dir',
  'disk-error',
  'folders',
  'iteration-reader',
  'layout',
  'look-at',
  'page-files',
  'regular-file',
  'small-file',
];

/** esbuild sees code and not the insides of texts; types, which it would drop, are first made to look like values. */
async function listImports(text: string): Promise<readonly string[]> {
  const found = [...text.matchAll(/\bimport\(['"]([^'"]+)['"]\)\./g)].map((match) => match[1] ?? '');
  await build({
    stdin: { contents: text.replaceAll(/^(import|export) type (?=[^;=]*\bfrom\b)/gm, '$1 '), loader: 'tsx' },
    bundle: true,
    write: false,
    format: 'esm',
    logLevel: 'silent',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    plugins: [
      {
        name: 'list',
        setup: (pass) => {
          pass.onResolve({ filter: /^/ }, ({ path: specifier, kind }) => {
            if (kind !== 'entry-point') found.push(specifier);
            return { path: specifier, external: true };
          });
        },
      },
    ],
  });
  return found;
}

/** The room of a file, `''` for one directly in its folder. */
function roomOf(file: string): string {
  const [, , room = '', ...below] = file.split('/');
  return below.length === 0 ? '' : room;
}

function checkRoomImport(file: string, target: string): readonly string[] {
  const [, folder = ''] = file.split('/');
  const rooms = roomTable[folder];
  const [from, to] = [roomOf(file), roomOf(target)];
  if (rooms === undefined || from === to || (to === '' && folder === 'core')) return [];

  const isKnown = from === '' || from in rooms;
  if (!isKnown) return [`src/${folder}/${from} has no row in the table of rooms`];

  return rooms[from]?.includes(to) ? [] : [`${folder}/${from} may not import ${folder}/${to} (${target})`];
}

function checkOwnImport(file: string, target: string): readonly string[] {
  const [, from = ''] = file.split('/');
  const [top, to = ''] = target.split('/');
  if (top !== 'src') return [`imports ${target}, which is outside src/`];

  if (from === 'ui' && to === 'adapters' && !readingAdapters.includes(path.basename(target, '.ts')))
    return [`ui may import only adapters that read, not ${target}`];

  if (to === from) return checkRoomImport(file, target);

  return rowOf(file)?.folders.includes(to) ? [] : [`${from} may not import ${to} (${target})`];
}

function rowOf(file: string): FolderRow | undefined {
  const isPure = pureRooms.some((room) => file.startsWith(room));
  const row = importTable[isPure ? 'core' : (file.split('/')[1] ?? '')];
  return isPure && row !== undefined ? { ...row, folders: ['core'] } : row;
}

function checkImport(file: string, specifier: string): readonly string[] {
  const folder = file.split('/')[1] ?? '';
  const row = rowOf(file);
  if (row === undefined) return [`src/${folder} has no row in the import table`];

  if (specifier.startsWith('.')) return checkOwnImport(file, path.posix.join(path.dirname(file), specifier));

  if (specifier.startsWith('node:'))
    return row.node(specifier.slice('node:'.length)) ? [] : [`${folder} may not import ${specifier}`];

  return row.packages.includes(specifier) ? [] : [`${folder} may not import the package ${specifier}`];
}

export async function checkImports(tree: SourceTree): Promise<readonly string[]> {
  const sources = [...tree].filter(([file]) => /^src\/.*\.tsx?$/.test(file) && !file.endsWith('.d.ts'));
  const listed = await Promise.all(
    sources.map(async ([file, text]) => [file, await listImports(text)] as const),
  );
  return listed.flatMap(([file, specifiers]) =>
    specifiers.flatMap((specifier) => checkImport(file, specifier).map((fault) => `${file}: ${fault}`)),
  );
}
