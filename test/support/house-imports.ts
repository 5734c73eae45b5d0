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
    packages: ['execa', 'smol-toml', 'zod'],
    node: () => true,
  },
  eval: { folders: ['core', 'ports', 'adapters'], packages: [], node: () => true },
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

/** Adapters that others may stand on although they speak of a port. */
const foundations = ['failpoint', 'files', 'layout', 'process', 'sweep'];

/** Adapters that only read, which the server of the pages may use: it never writes. */
const readingAdapters = [
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

/** Parts of one adapter share their sub-folder or their first word. */
function isSameAdapter(file: string, target: string): boolean {
  const folder = path.dirname(file);
  const firstWord = (name: string): string => path.basename(name).split(/[-.]/)[0] ?? '';
  return (
    folder === path.dirname(target) && (folder !== 'src/adapters' || firstWord(file) === firstWord(target))
  );
}

/** One port each: an adapter may stand on the foundations and on files that speak of no port, never on another port's. */
function checkAdapterImport(file: string, target: string, speaksOfPort: boolean): readonly string[] {
  const isFine =
    !speaksOfPort || foundations.includes(path.basename(target, '.ts')) || isSameAdapter(file, target);
  return isFine ? [] : [`an adapter may not import another (${target})`];
}

type Imports = ReadonlyMap<string, readonly string[]>;

function checkOwnImport(imports: Imports, file: string, target: string): readonly string[] {
  const [, from = ''] = file.split('/');
  const [top, to = ''] = target.split('/');
  if (top !== 'src') return [`imports ${target}, which is outside src/`];
  if (from === 'ui' && to === 'adapters' && !readingAdapters.includes(path.basename(target, '.ts'))) {
    return [`ui may import only adapters that read, not ${target}`];
  }
  if (to !== from)
    return importTable[from]?.folders.includes(to) ? [] : [`${from} may not import ${to} (${target})`];
  const speaksOfPort = imports.get(target)?.some((name) => name.includes('/ports/')) ?? false;
  return from === 'adapters' ? checkAdapterImport(file, target, speaksOfPort) : [];
}

function checkImport(imports: Imports, file: string, specifier: string): readonly string[] {
  const folder = file.split('/')[1] ?? '';
  const row = importTable[folder];
  if (row === undefined) return [`src/${folder} has no row in the import table`];
  if (specifier.startsWith('.')) {
    return checkOwnImport(imports, file, path.posix.join(path.dirname(file), specifier));
  }
  if (specifier.startsWith('node:')) {
    return row.node(specifier.slice('node:'.length)) ? [] : [`${folder} may not import ${specifier}`];
  }
  return row.packages.includes(specifier) ? [] : [`${folder} may not import the package ${specifier}`];
}

export async function checkImports(tree: SourceTree): Promise<readonly string[]> {
  const sources = [...tree].filter(([file]) => /^src\/.*\.tsx?$/.test(file) && !file.endsWith('.d.ts'));
  const listed = await Promise.all(
    sources.map(async ([file, text]) => [file, await listImports(text)] as const),
  );
  const imports: Imports = new Map(listed);
  return listed.flatMap(([file, specifiers]) =>
    specifiers.flatMap((specifier) =>
      checkImport(imports, file, specifier).map((fault) => `${file}: ${fault}`),
    ),
  );
}
