/**
 * The house rules as data: what each looks for, and violations planted to prove that it still sees. Reads no files; it is
 * given the tree as texts.
 */
import path from 'node:path';
import { transform } from 'esbuild';
import { checkImports, type SourceTree } from './house-imports.ts';
import { findEffects } from './house-purity.ts';

export interface HouseRule {
  readonly name: string;
  /** Contract: one line for each violation, naming the file. */
  readonly check: (tree: SourceTree) => Promise<readonly string[]>;
  /** Small trees that each break the rule. */
  readonly planted: readonly Readonly<Record<string, string>>[];
  /** A small tree that keeps it and comes close to breaking it. */
  readonly clean: Readonly<Record<string, string>>;
  /** The rule has nothing to look at until this file exists. */
  readonly needs?: string;
}

const rootEntries = [
  'tools',
  '.ci .editorconfig .gitattributes .gitignore .npmrc .oxfmtrc.json .oxlintrc.json knip.json justfile LICENSE',
  'README.md ARCHITECTURE.md DECISIONS.md VISION.md CONTRIBUTING.md CHANGELOG.md bench bin docs eval schemas scripts',
  'packaging src test package.json package-lock.json tsconfig.json vitest.config.ts',
].flatMap((line) => line.split(' '));

function isCode(file: string): boolean {
  return /\.tsx?$/.test(file) && !file.endsWith('.d.ts');
}

function isIn(...folders: readonly string[]): (file: string) => boolean {
  return (file) => folders.some((folder) => file.startsWith(`${folder}/`)) && /\.[cm]?[jt]sx?$/.test(file);
}

function forEachFile(
  applies: (file: string) => boolean,
  check: (file: string, text: string) => readonly string[],
): HouseRule['check'] {
  return (tree) =>
    Promise.resolve(
      [...tree].flatMap(([file, text]) =>
        applies(file) ? check(file, text).map((violation) => `${file}: ${violation}`) : [],
      ),
    );
}

function forbid(applies: (file: string) => boolean, pattern: RegExp): HouseRule['check'] {
  return forEachFile(applies, (_file, text) =>
    text
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`line ${index + 1}: ${line.trim()}`] : [])),
  );
}

async function checkPurity(tree: SourceTree): Promise<readonly string[]> {
  const checked = [...tree].filter(
    ([file]) =>
      isIn(
        'src/core',
        'src/app',
        'src/eval/cases',
        'src/eval/report',
        'src/eval/fleet',
        'src/eval/tasks',
      )(file) && isCode(file),
  );
  const found = await Promise.all(
    checked.map(async ([file, text]) => {
      const effects = await findEffects(text, { allowAsync: file.startsWith('src/app/') });
      return effects.map((effect) => `${file}: uses ${effect}`);
    }),
  );
  return found.flat();
}

/** Constants and types need no test of their own; whatever can be called does. */
async function checkCoreTests(tree: SourceTree): Promise<readonly string[]> {
  const untested = [...tree].filter(
    ([file]) =>
      isIn('src/core', 'src/eval/cases', 'src/eval/report', 'src/eval/fleet', 'src/eval/tasks')(file) &&
      isCode(file) &&
      !tree.has(file.replace(/^src\//, 'test/').replace(/\.ts$/, '.test.ts')),
  );
  const codes = await Promise.all(untested.map(([, text]) => transform(text, { loader: 'ts' })));
  return untested.flatMap(([file], index) =>
    /\bfunction\b|=>/.test(codes[index]?.code ?? '') ? [`${file}: has no test of the same name`] : [],
  );
}

const mapFile = 'ARCHITECTURE.md';

/** What the overview names must exist; rooms are listed by their READMEs. */
function checkNamedPaths(tree: SourceTree): Promise<readonly string[]> {
  const text = tree.get(mapFile) ?? '';
  const named = new Set(
    [...text.matchAll(/(?<![\w./-])(?:bin|bench|docs|schemas|scripts|src|test)\/[\w./-]*/g)].map((match) =>
      match[0].replace(/[./]+$/, ''),
    ),
  );
  const files = [...tree.keys()];
  const exists = (name: string): boolean =>
    /^src\/core\/(?:settings|shipped|tree-validator|version)\.js$/.test(name) ||
    files.some((file) => file === name || file.startsWith(`${name}/`));
  return Promise.resolve(
    [...named].filter((name) => !exists(name)).map((name) => `${mapFile} names ${name}: not there`),
  );
}

const readmeLinesMax = 25;
const roomFilesMax = 30;

/** Every room explains itself, names only files that it has, and stays small enough to be learned. */
function checkRooms(tree: SourceTree): Promise<readonly string[]> {
  const code = [...tree.keys()].filter((file) => file.startsWith('src/') && isCode(file));
  const rooms = [...new Set(code.map((file) => path.posix.dirname(file)))]
    .map((room) => [room, code.filter((file) => path.posix.dirname(file) === room)] as const)
    .filter(([, files]) => files.length >= 3);
  return Promise.resolve(
    rooms.flatMap(([room, files]) => {
      const text = tree.get(`${room}/README.md`);
      const lines = text?.trimEnd().split('\n').length ?? 0;
      const named = [...(text ?? '').matchAll(/`([\w-]+\.tsx?)`/g)].map((match) => match[1] ?? '');
      return [
        ...(text === undefined ? [`${room} has no README.md`] : []),
        ...(lines > readmeLinesMax ? [`${room}/README.md has ${lines} lines`] : []),
        ...named
          .filter((name) => !tree.has(`${room}/${name}`))
          .map((name) => `${room}/README.md names ${name}: not there`),
        ...(files.length > roomFilesMax && room !== 'src/cli/commands'
          ? [`${room} has ${files.length} files`]
          : []),
      ];
    }),
  );
}

/** Words that make a reader stop; the documents have the same rule. */
const stilted = /\b(?:stands?|stood|whoever|(?:is|are) meant|(?:its|theirs) to say)\b/i;

/** Their words are part of prompts, whose bytes the recordings fix. */
const hasFixedWords = (file: string): boolean =>
  file.startsWith('src/core/prompt/') || file === 'src/core/text/strict-json.ts';

/** A phrase may go over a line break, so the lines of a comment are joined first. */
function checkComments(_file: string, text: string): readonly string[] {
  const comments = text.match(/\/\*[^]*?\*\/|\/\/ .*(?:\n\s*\/\/ .*)*/g) ?? [];
  return comments
    .map((comment) => comment.replaceAll(/\n\s*(?:\*(?!\/)|\/\/)?\s*/g, ' '))
    .filter((comment) => stilted.test(comment));
}

/** A registry that lacks a platform's build makes `npm install` leave the entry out without a word. */
function checkPlatforms(_file: string, text: string): readonly string[] {
  const { packages } = JSON.parse(text) as { packages: Record<string, { optionalDependencies?: object }> };
  const wanted = Object.values(packages).flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}));
  return wanted.filter((name) => !(`node_modules/${name}` in packages)).map((name) => `${name} is missing`);
}

const isShipped = isIn('src', 'scripts', 'bin');
const isTest = isIn('test');
const isSource = isIn('src');
const header = '/** Says what it is. */\n';

function roomOf(count: number, readme: string | null): Readonly<Record<string, string>> {
  const files = Array.from({ length: count }, (_, index) => [`src/core/tree/a${index}.ts`, header]);
  return Object.fromEntries([...files, ...(readme === null ? [] : [['src/core/tree/README.md', readme]])]);
}

/** Put together here so that the rules do not find their own examples. */
const switchedOff = ['test.only', 'test.skip', 'describe.todo', 'vi.mock', 'vi.doMock'].map((call) => ({
  'test/a.test.ts': `${call}('x', () => {});`,
}));
const machinePath = ['', 'work', 'main'].join('/');
const unfinished = ['TODO', 'FIXME', 'XXX', 'HACK', 'For now', 'not implemented'];

export const houseRules: readonly HouseRule[] = [
  {
    name: 'imports follow the table',
    check: checkImports,
    planted: [
      { 'src/core/a.ts': "import { readFileSync } from 'node:fs';" },
      { 'src/core/a.ts': "import type {\n  A,\n  B,\n} from '../ports/ports.ts';" },
      { 'src/core/a.ts': "export { a } from '../adapters/files.ts';" },
      { 'src/core/a.ts': "export type { A } from '../ports/ports.ts';" },
      { 'src/core/a.ts': "import { execa } from 'execa';" },
      { 'src/core/a.ts': "type A = import('node:fs').Stats;" },
      { 'src/ports/a.ts': "import '../app/step.ts';" },
      { 'src/ports/a.ts': "import { z } from 'zod';" },
      { 'src/app/a.ts': "import { files } from '../adapters/files.ts';" },
      { 'src/app/a.ts': "const a = await import('../cli/main.ts');" },
      { 'src/app/a.ts': "import path from 'node:path';" },
      { 'src/adapters/a.ts': "import { step } from '../app/step.ts';" },
      { 'src/adapters/a.ts': "import { main } from '../cli/main.ts';" },
      { 'src/core/text/a.ts': "import { b } from '../tree/b.ts';" },
      { 'src/core/tree/a.ts': "import type { B } from '../config/b.ts';" },
      { 'src/core/config/a.ts': "import { b } from '../agents/b.ts';" },
      { 'src/core/sandbox/a.ts': "import { b } from '../agents/b.ts';" },
      { 'src/core/agents/a.ts': "import { b } from '../config/b.ts';" },
      { 'src/core/guard/a.ts': "import { b } from '../prompt/b.ts';" },
      { 'src/core/prompt/a.ts': "import { b } from '../iteration/b.ts';" },
      { 'src/core/iteration/a.ts': "import { b } from '../views/b.ts';" },
      { 'src/core/other/a.ts': "import { b } from '../text/b.ts';" },
      { 'src/core/types.ts': "import { b } from './text/b.ts';" },
      { 'src/adapters/files/a.ts': "import { b } from '../processes/b.ts';" },
      { 'src/adapters/processes/a.ts': "import { b } from '../agents/executors/b.ts';" },
      { 'src/adapters/project/a.ts': "import { b } from '../git/b.ts';" },
      { 'src/adapters/git/a.ts': "import { b } from '../agents/b.ts';" },
      { 'src/adapters/agents/a.ts': "import { b } from '../git/b.ts';" },
      { 'src/eval/cases/a.ts': "import { b } from '../report/b.ts';" },
      { 'src/eval/cases/a.ts': "import { readFileSync } from 'node:fs';" },
      { 'src/eval/report/a.ts': "import { b } from '../../adapters/files/files.ts';" },
      { 'src/eval/fleet/a.ts': "import { readFileSync } from 'node:fs';" },
      { 'src/eval/tasks/a.ts': "import { readFileSync } from 'node:fs';" },
      { 'src/adapters/a.ts': "import { Command } from 'commander';" },
      { 'src/adapters/processes/a.ts': "import { spawn } from 'node:child_process';" },
      { 'src/adapters/agents/a.ts': "const { spawn } = await import('node:child_process');" },
      { 'src/eval/harness/a.ts': "import type { ChildProcess } from 'node:child_process';" },
      { 'src/eval/harness/a.ts': "import { execa } from 'execa';" },
      { 'src/eval/harness/a.ts': "import writeFileAtomic from 'write-file-atomic';" },
      { 'src/cli/a.ts': "import { readFile } from 'node:fs/promises';" },
      { 'src/cli/a.ts': "import { execa } from 'execa';" },
      { 'src/cli/a.ts': "import pkg from '../../package.json';" },
      { 'src/ui/a.ts': "import { step } from '../app/step.ts';" },
      { 'src/ui/a.ts': "import { saveFile } from '../adapters/files.ts';" },
      { 'src/ui/a.ts': "import { spawn } from 'node:child_process';" },
      { 'src/web/a.tsx': "import { a } from '../ui/a.ts';\nexport const b = <a />;" },
      { 'src/web/a.ts': "import { readFileSync } from 'node:fs';" },
      { 'src/cli/a.ts': "import { a } from '../web/a.ts';" },
      { 'src/other/a.ts': "import { a } from '../core/a.ts';" },
    ],
    clean: {
      'src/core/a.ts': "import { z } from 'zod';\nimport { b } from './b.ts';\nexport type A = 'from';\n",
      'src/core/iteration/a.ts':
        "import { b } from '../tree/b.ts';\nimport { c } from '../types.ts';\nimport { d } from './d.ts';",
      'src/adapters/git/commit.ts':
        "import { b } from './index.ts';\nimport { run } from '../processes/process.ts';",
      'src/eval/report/a.ts': "import { b } from '../cases/b.ts';\nimport { c } from '../../core/text/c.ts';",
      'src/cli/a.ts': "export const text = `\nimport fs from 'node:fs';\n`;",
      'src/ui/a.ts':
        "import { createServer } from 'node:http';\nimport { layout } from '../adapters/layout.ts';\nimport type { TreeNode } from '../core/types.ts';",
      'src/web/a.tsx':
        "import { signal } from '@preact/signals';\nimport { b } from '../core/b.ts';\nexport const c = <b />;",
      'src/adapters/agents/a.ts':
        "import { b } from './b.ts';\nimport { c } from '../../core/c.ts';\nimport { d } from './executors/d.ts';",
    },
  },
  {
    name: 'core is pure, and app reads no clock',
    check: checkPurity,
    planted: [
      { 'src/core/a.ts': 'export const a = new Date();' },
      { 'src/core/a.ts': 'export const a = () => Math.random();' },
      { 'src/core/a.ts': 'export const a = process.env;' },
      { 'src/core/a.ts': 'setTimeout(() => {}, 1);' },
      { 'src/core/a.ts': 'export async function a(): Promise<void> {}' },
      { 'src/core/a.ts': 'export const a = async () => 1;' },
      { 'src/core/a.ts': 'await 1;' },
      { 'src/core/a.ts': "export const a = 'a'.localeCompare('b');" },
      { 'src/app/a.ts': 'export const a = Date.now();' },
    ],
    clean: {
      'src/core/a.ts':
        "// new Date(), async\nexport const a = (process: string) => [process, 'Date.now() async', a.Date];",
    },
  },
  {
    name: 'the server of the pages writes no file',
    check: forbid(
      isIn('src/ui'),
      /\b(?:(?:write|append|copy)File|writev?Sync|createWriteStream|mkdir|mkdtemp|rename|rmdir|rm|unlink|truncate|symlink|link|chmod|chown|utimes|saveFile)(?:Sync)?\(|\bO_(?:WRONLY|RDWR|CREAT)\b/,
    ),
    planted: [
      { 'src/ui/a.ts': "await promises.writeFile(path, '');" },
      { 'src/ui/a.ts': 'mkdirSync(path);' },
      { 'src/ui/a.ts': 'open(path, constants.O_RDWR);' },
    ],
    clean: { 'src/ui/a.ts': 'response.write(text); await readlink(path); // writes no file' },
  },
  {
    name: 'text never becomes markup in the pages',
    check: forbid(
      isIn('src/web'),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|\beval\(|\bnew Function\b|createContextualFragment|DOMParser/i,
    ),
    planted: [
      { 'src/web/a.tsx': 'a.innerHTML = text;' },
      { 'src/web/a.tsx': '<p dangerouslySetInnerHTML={{ __html: text }} />' },
      { 'src/web/a.ts': 'eval(text);' },
    ],
    clean: { 'src/web/a.tsx': 'a.textContent = text;' },
  },
  {
    name: 'files have at most 300 lines',
    check: forEachFile(isShipped, (_file, text) => {
      const lines = text.replace(/\n$/, '').split('\n').length;
      return lines > 300 ? [`${lines} lines`] : [];
    }),
    planted: [{ 'src/core/a.ts': 'a;\n'.repeat(301) }],
    clean: { 'src/core/a.ts': 'a;\n'.repeat(300) },
  },
  {
    name: 'every room has a short README and at most 30 files',
    check: checkRooms,
    planted: [
      roomOf(3, null),
      roomOf(3, 'a\n'.repeat(26)),
      roomOf(3, '`a3.ts` is gone'),
      roomOf(31, '# tree\n'),
    ],
    clean: {
      ...roomOf(30, `${'a\n'.repeat(24)}\`a29.ts\`, \`../a.ts\`, \`b-*.ts\`\n`),
      'src/a/a.ts': header,
    },
  },
  {
    name: 'every source file says what it is',
    check: forEachFile(isSource, (_file, text) =>
      /^(?:\/\*\*|\/\/)/.test(text) ? [] : ['has no header comment'],
    ),
    planted: [{ 'src/core/a.ts': 'export const a = 1;' }],
    clean: { 'src/core/a.ts': header },
  },
  {
    name: 'comments are plain English',
    check: forEachFile((file) => isSource(file) && !hasFixedWords(file), checkComments),
    planted: [
      { 'src/core/a.ts': '/** What stands in the file. */' },
      { 'src/core/a.ts': '/**\n * Which of them is\n * meant.\n */' },
      { 'src/web/a.tsx': 'a(); // whoever asks' },
      { 'src/cli/a.ts': '// The parser comes later: what is wrong is its\n// to say.' },
    ],
    clean: {
      'src/core/a.ts': "/** Understands standards. */\nconst a = 'stands';\n",
      'src/core/prompt/a.ts': '/** As it stands in the prompt. */',
      'src/core/text/strict-json.ts': '// What stands without quotes.',
    },
  },
  {
    name: 'messages cite no §',
    check: forbid(isSource, /^(?!\s*(?:\/?\*|\/\/))(?:(?!\/\/ ).)*['"`](?:(?!\/\/ )[^'"`])*§/),
    planted: [{ 'src/core/a.ts': "fail('has passed (§1)');" }, { 'src/cli/a.ts': 'const a = `see §5`;' }],
    clean: { 'src/core/a.ts': "/** As '§5' says. */\n// '§5'\nfail('x'); // §5\n" },
  },
  {
    name: 'no default exports, no barrels',
    check: async (tree) => [
      ...(await forbid(
        isIn('src', 'scripts', 'bin', 'test'),
        /^\s*export\s+(?:default\b|\{[^}]*\bas default\b)/,
      )(tree)),
      ...[...tree.keys()].filter((file) => /^src\/(?:.*\/)?index\.[jt]s$/.test(file)),
    ],
    planted: [
      { 'src/core/a.ts': 'export default 1;' },
      { 'src/core/a.ts': 'export { a as default };' },
      { 'src/core/index.ts': header },
    ],
    clean: { 'src/core/a.ts': "import { default as a } from 'a';\nexport { a };" },
  },
  {
    name: 'no class but RunnerError',
    check: forbid(isSource, /^\s*(?:export\s+)?(?:abstract\s+)?class\s+(?!RunnerError\b)\w|[=(]\s*class\b/),
    planted: [{ 'src/core/a.ts': 'export class Store {}' }, { 'src/core/a.ts': 'const a = class {};' }],
    clean: { 'src/core/a.ts': 'export class RunnerError extends Error {}\n// class Store' },
  },
  {
    name: 'nothing is left unfinished',
    check: async (tree) => [
      ...(await forbid(isSource, /\b(?:TODO|FIXME|XXX|HACK)\b/)(tree)),
      ...(await forbid(isSource, /\bnot implemented\b|\bfor now\b/i)(tree)),
    ],
    planted: unfinished.map((words) => ({ 'src/core/a.ts': `// ${words}: later` })),
    clean: { 'src/core/a.ts': '// marks of unfinished work, such as todo, have no place here nowadays' },
  },
  {
    name: 'tests replace no modules and none is switched off',
    check: forbid(
      isTest,
      /\bvi\.(?:mock|doMock)\(|\.(?:skip|todo)\(|\b(?:test|it|describe)(?:\.\w+)*\.only[.(]/,
    ),
    planted: switchedOff,
    clean: { 'test/a.test.ts': 'test.skipIf(isWindows)(name, () => {}); only.todo;' },
  },
  {
    // Workers keep modules from file to file, and what such a call makes goes with the first of them.
    name: 'a module of test/support prepares nothing when it is loaded',
    check: forbid(isIn('test/support'), /^\S.*(?<!function )\b(?:template|bundleAdapters)\(/),
    planted: [
      { 'test/support/a.ts': 'const started = template(() => project());' },
      { 'test/support/a.ts': "export const bundle = await bundleAdapters(['git/git']);" },
    ],
    clean: { 'test/support/a.ts': 'export function template(): void {\n  const one = template();\n}' },
  },
  {
    name: 'everything callable in core has a test of the same name',
    check: checkCoreTests,
    planted: [{ 'src/core/a.ts': 'export function a(): void {}', 'test/core/b.test.ts': '' }],
    clean: {
      'src/core/a.ts': 'export const a = 1;',
      'src/core/b.ts': 'f(() => 1);',
      'test/core/b.test.ts': '',
    },
  },
  {
    name: 'no paths of one machine',
    check: async (tree) => [
      ...(await forbid(() => true, /(?<![\w.$}-])\/(?:work|farm|home\/\w+|Users\/\w+)\//)(tree)),
      ...(await forbid(isShipped, /(?<![\w.$}-])\/(?:root|tmp)\/\w/)(tree)),
    ],
    planted: [
      { 'docs/a.md': `cd ${machinePath}/src` },
      { 'package.json': `"a": "${machinePath}/x"` },
      { 'src/core/a.ts': "const a = '/tmp/a';" },
    ],
    clean: { 'src/core/a.ts': "const a = 'root/work/api', b = `${top}/tmp/a`;" },
  },
  {
    name: 'the lockfile holds no addresses',
    check: forbid((file) => file === 'package-lock.json', /"resolved": "https?:/),
    planted: [{ 'package-lock.json': '"resolved": "https://registry.example/a.tgz"' }],
    clean: { 'package-lock.json': '"resolved": "packages/a"' },
  },
  {
    name: 'the lockfile names every platform, or npm ci refuses it',
    check: forEachFile((file) => file === 'package-lock.json', checkPlatforms),
    planted: [{ 'package-lock.json': '{"packages":{"a":{"optionalDependencies":{"b":"1"}}}}' }],
    clean: {
      'package-lock.json': '{"packages":{"a":{"optionalDependencies":{"b":"1"}},"node_modules/b":{}}}',
    },
  },
  {
    name: 'everything is bundled: no runtime dependencies',
    check: forbid((file) => file === 'package.json', /"(?:optionalD|peerD|d)ependencies"/),
    planted: [{ 'package.json': '{\n"dependencies": {}\n}' }],
    clean: { 'package.json': '"devDependencies": {}' },
  },
  {
    name: 'the root folder stays small',
    check: (tree) => {
      const entries = new Set([...tree.keys()].map((file) => file.split('/')[0] ?? ''));
      return Promise.resolve([...entries].filter((entry) => !rootEntries.includes(entry)));
    },
    planted: [{ 'notes.txt': '' }, { 'lib/a.ts': '' }],
    clean: { 'package.json': '', 'src/lib/a.ts': '' },
  },
  {
    name: 'what the overview names is there',
    check: checkNamedPaths,
    planted: [{ [mapFile]: '`src/core/gone.ts` is not there' }],
    clean: { [mapFile]: 'src/core/a.ts decides one thing. See src/core/.', 'src/core/a.ts': '' },
    needs: mapFile,
  },
];
