/**
 * The walls between the folders, as the compiler and the linter hold them: a copy of the sources gets one planted file for
 * each ban, and each must be refused by name. A setting that is silently ignored would otherwise look like a clean run.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = path.dirname(import.meta.dirname);
const folders = ['core', 'ports', 'app', 'adapters', 'ui', 'web', 'cli'];
const copies: string[] = [];

function copySources(): string {
  const copy = mkdtempSync(path.join(tmpdir(), 'runner-walls-'));
  copies.push(copy);
  for (const name of ['src', 'tsconfig.json', '.oxlintrc.json', 'package.json'])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true });

  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  return copy;
}

function plant(copy: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), text);
  }
}

function runTool(copy: string, args: readonly string[]): string {
  const result = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  expect(result.error).toBeUndefined();
  return result.stdout;
}

afterAll(() => {
  for (const copy of copies) rmSync(copy, { recursive: true, force: true });
});

describe('the compiler', () => {
  const node = "import { readFileSync as target } from 'node:fs';";
  const importOf = (folder: string): string => `import { target } from '../${folder}/target.ts';`;
  const unknownModule = 'TS2307|TS2591';
  const outside = 'TS6059|TS6307';
  const walls = [
    { name: 'core cannot see Node', folder: 'core', line: node, code: unknownModule },
    {
      name: 'core cannot see the process',
      folder: 'core',
      line: 'const target = process.env;',
      code: 'TS2591',
    },
    { name: 'core cannot see timers', folder: 'core', line: 'const target = setTimeout;', code: 'TS2304' },
    { name: 'core cannot import ports', folder: 'core', line: importOf('ports'), code: outside },
    { name: 'core cannot import adapters', folder: 'core', line: importOf('adapters'), code: outside },
    { name: 'ports cannot import app', folder: 'ports', line: importOf('app'), code: outside },
    { name: 'app cannot see Node', folder: 'app', line: node, code: unknownModule },
    { name: 'app cannot import adapters', folder: 'app', line: importOf('adapters'), code: outside },
    { name: 'adapters cannot import app', folder: 'adapters', line: importOf('app'), code: outside },
    { name: 'adapters cannot import cli', folder: 'adapters', line: importOf('cli'), code: outside },
    { name: 'adapters cannot import ui', folder: 'adapters', line: importOf('ui'), code: outside },
    { name: 'ui cannot import app', folder: 'ui', line: importOf('app'), code: outside },
    { name: 'ui cannot import cli', folder: 'ui', line: importOf('cli'), code: outside },
    { name: 'ui cannot see the page', folder: 'ui', line: 'const target = document;', code: 'TS2584' },
    { name: 'web cannot see Node', folder: 'web', line: node, code: unknownModule },
    { name: 'web cannot import ui', folder: 'web', line: importOf('ui'), code: outside },
    { name: 'web cannot import adapters', folder: 'web', line: importOf('adapters'), code: outside },
    { name: 'cli cannot import web', folder: 'cli', line: importOf('web'), code: outside },
    { name: 'web sees core', folder: 'web', line: importOf('core'), code: null },
    { name: 'web sees the page', folder: 'web', line: 'const target = document;', code: null },
    { name: 'ui sees adapters', folder: 'ui', line: importOf('adapters'), code: null },
    { name: 'cli sees ui', folder: 'cli', line: importOf('ui'), code: null },
    { name: 'app sees core', folder: 'app', line: importOf('core'), code: null },
    { name: 'adapters see Node', folder: 'adapters', line: node, code: null },
    { name: 'cli sees app', folder: 'cli', line: importOf('app'), code: null },
  ].map((wall, index) => ({ ...wall, file: `src/${wall.folder}/planted-${index}.ts` }));
  let errors: readonly string[] = [];

  beforeAll(() => {
    const copy = copySources();
    const planted = walls.map(({ file, line }) => [
      file,
      `${line}\nexport const planted: unknown = target;\n`,
    ]);
    const targets = folders.map((folder) => [
      `src/${folder}/target.ts`,
      'export const target: number = 1;\n',
    ]);
    plant(copy, Object.fromEntries([...planted, ...targets]));
    const projects = folders.map((folder) => `src/${folder}`);
    errors = runTool(copy, ['node_modules/typescript/bin/tsc', '-b', '--pretty', 'false', ...projects]).split(
      '\n',
    );
  });

  test.each(walls)('$name', ({ file, code }) => {
    const found = errors.filter((line) => line.includes(file));
    if (code === null) expect(found).toEqual([]);
    else expect(found).toContainEqual(expect.stringMatching(new RegExp(`error (?:${code}):`)));
  });
});

interface LintReport {
  readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
}

describe('the linter', () => {
  const long = (lines: number): string => 'a();\n'.repeat(lines);
  const imports = 'eslint(no-restricted-imports)';
  const globals = 'eslint(no-restricted-globals)';
  const bans = [
    ['src/core/p1.ts', "import { a } from 'node:fs';\na();\n", imports],
    ['src/core/p2.ts', "import type { A } from '../ports/ports.ts';\nexport type B = A;\n", imports],
    ['src/core/p3.ts', "import { execa } from 'execa';\nvoid execa;\n", imports],
    ['src/core/p11.ts', "import { a } from './text/a.ts';\na();\n", imports],
    ['src/core/p10.ts', "import picomatch from 'picomatch';\nvoid picomatch;\n", imports],
    ['src/core/p4.ts', 'export const a = new Date();\n', globals],
    ['src/core/p5.ts', 'export const a = performance.now();\n', globals],
    ['src/core/p6.ts', 'setTimeout(() => 1, 1);\n', globals],
    ['src/core/p7.ts', 'export const a = Math.random();\n', 'eslint(no-restricted-properties)'],
    ['src/core/p8.ts', 'export async function a(): Promise<void> {}\n', 'oxc(no-async-await)'],
    ['src/core/p9.ts', 'console.log(1);\n', 'eslint(no-console)'],
    ['src/ports/p1.ts', "import { a } from '../app/a.ts';\na();\n", imports],
    ['src/ports/p2.ts', "import { z } from 'zod';\nvoid z;\n", imports],
    ['src/app/p1.ts', "import { a } from 'node:path';\na();\n", imports],
    ['src/app/p2.ts', "import { a } from '../adapters/files.ts';\na();\n", imports],
    ['src/app/p3.ts', "import { a } from '../cli/main.ts';\na();\n", imports],
    ['src/app/p4.ts', 'export const a = Date.now();\n', globals],
    ['src/app/p5.ts', 'export const a = Math.random();\n', 'eslint(no-restricted-properties)'],
    ['src/app/p6.ts', 'setTimeout(() => 1, 1);\n', globals],
    ['src/app/p7.ts', "import { z } from 'zod';\nvoid z;\n", imports],
    ['src/adapters/p1.ts', "import { a } from '../app/a.ts';\na();\n", imports],
    ['src/adapters/p2.ts', "import { a } from '../cli/main.ts';\na();\n", imports],
    ['src/adapters/p3.ts', "import { Command } from 'commander';\nvoid Command;\n", imports],
    ['src/adapters/files/p4.ts', "import { a } from '../../app/a.ts';\na();\n", imports],
    ['src/core/text/p1.ts', "import { a } from '../tree/a.ts';\na();\n", imports],
    ['src/core/tree/p1.ts', "import { a } from '../config/a.ts';\na();\n", imports],
    ['src/core/config/p1.ts', "import { a } from '../agents/a.ts';\na();\n", imports],
    ['src/core/sandbox/p1.ts', "import { a } from '../agents/a.ts';\na();\n", imports],
    ['src/core/agents/p1.ts', "import { a } from '../config/a.ts';\na();\n", imports],
    ['src/core/guard/p1.ts', "import { a } from '../prompt/a.ts';\na();\n", imports],
    ['src/core/prompt/p1.ts', "import { a } from '../iteration/a.ts';\na();\n", imports],
    ['src/core/iteration/p1.ts', "import { a } from '../views/a.ts';\na();\n", imports],
    ['src/core/runs/p1.ts', "import { a } from '../views/a.ts';\na();\n", imports],
    ['src/core/views/p1.ts', "import { a } from 'node:fs';\na();\n", imports],
    ['src/adapters/files/p5.ts', "import { a } from '../processes/a.ts';\na();\n", imports],
    ['src/adapters/processes/p1.ts', "import { a } from '../agents/a.ts';\na();\n", imports],
    ['src/adapters/project/p1.ts', "import { a } from '../git/a.ts';\na();\n", imports],
    ['src/adapters/runs/p1.ts', "import { a } from '../git/a.ts';\na();\n", imports],
    ['src/adapters/git/p1.ts', "import { a } from '../agents/a.ts';\na();\n", imports],
    ['src/adapters/git/steering/p1.ts', "import { a } from '../../agents/a.ts';\na();\n", imports],
    ['src/adapters/git/history/p1.ts', "import { a } from '../steering/a.ts';\na();\n", imports],
    ['src/adapters/agents/p1.ts', "import { a } from '../git/a.ts';\na();\n", imports],
    ['src/adapters/agents/executors/p1.ts', "import { a } from '../../git/a.ts';\na();\n", imports],
    ['src/eval/cases/p1.ts', "import { a } from '../../adapters/a.ts';\na();\n", imports],
    ['src/eval/report/p1.ts', "import { a } from 'node:fs';\na();\n", imports],
    ['src/eval/fleet/p1.ts', "import { a } from 'node:fs';\na();\n", imports],
    ['src/eval/tasks/p1.ts', "import { a } from 'node:fs';\na();\n", imports],
    ['src/eval/harness/p1.ts', "import { a } from '../../app/a.ts';\na();\n", imports],
    ['src/eval/harness/p2.ts', "import { a } from 'node:child_process';\na();\n", imports],
    ['src/eval/harness/p3.ts', "import { execa } from 'execa';\nvoid execa;\n", imports],
    ['src/adapters/p7.ts', "import { a } from 'node:child_process';\na();\n", imports],
    ['src/adapters/files/p6.ts', "import { a } from 'node:child_process';\na();\n", imports],
    ['src/adapters/processes/p2.ts', "import { a } from 'node:child_process';\na();\n", imports],
    ['src/adapters/project/p2.ts', "import { a } from 'node:child_process';\na();\n", imports],
    ['src/adapters/agents/p2.ts', "import { a } from 'node:child_process';\na();\n", imports],
    ['src/adapters/p5.ts', 'process.exit(1);\n', 'unicorn(no-process-exit)'],
    ['src/adapters/p6.ts', 'console.log(1);\n', 'eslint(no-console)'],
    ['src/ui/p1.ts', "import { a } from '../app/a.ts';\na();\n", imports],
    ['src/ui/p2.ts', "import { a } from '../cli/main.ts';\na();\n", imports],
    ['src/ui/p3.ts', "import { a } from '../web/main.ts';\na();\n", imports],
    ['src/ui/p4.ts', "import { a } from 'node:child_process';\na();\n", imports],
    ['src/ui/p5.ts', "import { execa } from 'execa';\nvoid execa;\n", imports],
    ['src/ui/p6.ts', 'console.log(1);\n', 'eslint(no-console)'],
    ['src/web/p1.ts', "import { a } from 'node:fs';\na();\n", imports],
    ['src/web/p2.tsx', "import { a } from '../ui/a.ts';\na();\n", imports],
    ['src/web/p3.tsx', "import { z } from 'zod';\nvoid z;\n", imports],
    ['src/web/p4.tsx', long(301), 'eslint(max-lines)'],
    ['src/cli/p1.ts', "import { a } from 'node:fs/promises';\na();\n", imports],
    ['src/cli/p2.ts', "import { a } from 'node:fs';\na();\n", imports],
    ['src/cli/p3.ts', "import { execa } from 'execa';\nvoid execa;\n", imports],
    ['src/cli/p4.ts', long(301), 'eslint(max-lines)'],
    ['src/cli/p5.ts', `export function a(): void {\n${long(70)}}\n`, 'eslint(max-lines-per-function)'],
    [
      'src/cli/p6.ts',
      'export const a = (b: 1, c: 1, d: 1, e: 1, f: 1) => [b, c, d, e, f];\n',
      'eslint(max-params)',
    ],
    ['src/cli/p7.ts', 'export default 1;\n', 'import(no-default-export)'],
    ['src/cli/p8.ts', 'const a = async () => 1;\na();\n', 'typescript(no-floating-promises)'],
    [
      'src/cli/p9.ts',
      "export function a(b: 'c' | 'd'): number {\n  switch (b) {\n    case 'c':\n      return 1;\n    default:\n      return 2;\n  }\n}\n",
      'typescript(switch-exhaustiveness-check)',
    ],
    [
      'src/cli/cycle-a.ts',
      "import { b } from './cycle-b.ts';\nexport const a = () => b;\n",
      'import(no-cycle)',
    ],
    [
      'src/cli/cycle-b.ts',
      "import { a } from './cycle-a.ts';\nexport const b = () => a;\n",
      'import(no-cycle)',
    ],
    ['src/cli/notKebab.ts', 'export const a = 1;\n', 'unicorn(filename-case)'],
    ['src/cli/barrel.ts', "export * from './fine.ts';\n", 'oxc(no-barrel-file)'],
    ['test/p1.test.ts', `${['test', 'only'].join('.')}('a', () => {});\n`, 'vitest(no-focused-tests)'],
  ] as const;
  const allowed = {
    'src/core/fine.ts':
      "import picomatch from 'picomatch/posix.js';\nimport { z } from 'zod';\nimport { a } from './p4.ts';\nexport const fine = [picomatch, a, z.object({ Date: z.number() })];\n",
    'src/app/fine.ts':
      "import type { Clock } from '../ports/sessions.ts';\nimport { assert } from '../core/errors.ts';\nexport const fine = (clock: Clock) => assert(clock.monotonicMs() > 0, 'time');\n",
    'src/adapters/fine.ts':
      "import { readFile } from 'node:fs/promises';\nimport { execa } from 'execa';\nimport { fine as other } from './files/fine.ts';\nexport const fine = [readFile, execa, other];\n",
    'src/adapters/files/fine.ts':
      "import { assert } from '../../core/errors.ts';\nimport { parse } from 'smol-toml';\nexport const fine = [assert, parse, new Date()];\n",
    'src/ui/fine.ts':
      "import { createServer } from 'node:http';\nimport { open } from 'node:fs/promises';\nimport { fine as other } from '../adapters/fine.ts';\nexport const fine = [createServer, open, other, new Date()];\n",
    'src/web/fine.tsx':
      "import { fine as other } from '../core/fine.ts';\nimport { signal } from '@preact/signals';\nexport const fine = [signal, other];\n",
    'src/cli/fine.ts':
      "import process from 'node:process';\nimport { Command } from 'commander';\nimport { fine as other } from '../app/fine.ts';\nconsole.log(process.argv, Command, other);\n",
  };
  let report: LintReport = { diagnostics: [] };

  beforeAll(() => {
    const copy = copySources();
    plant(copy, { ...Object.fromEntries(bans.map(([file, text]) => [file, text])), ...allowed });
    report = JSON.parse(
      runTool(copy, ['node_modules/oxlint/bin/oxlint', '--type-aware', '-f', 'json', 'src', 'test']),
    );
  });

  const codesAt = (file: string): readonly string[] =>
    report.diagnostics
      .filter((diagnostic) => diagnostic.filename === file)
      .map((diagnostic) => diagnostic.code);

  test.each(bans)('%s is refused', (file, _text, code) => {
    expect(codesAt(file)).toContain(code);
  });

  test.each(Object.keys(allowed))('%s passes', (file) => {
    expect(codesAt(file)).toEqual([]);
  });
});
