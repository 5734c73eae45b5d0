import fc from 'fast-check';
import { expect, test } from 'vitest';
import { selectToolFiles } from '../../../src/core/guard/tool-files.ts';

const toolFiles = [
  ...[
    '.claude/settings.json',
    '.claude/hooks/a/b.sh',
    '.mcp.json',
    '.codex/config.toml',
    'AGENTS.md',
    'CLAUDE.md',
  ],
  ...['.cursor/mcp.json', '.gemini/settings.json', '.qwen/x', '.opencode/plugin/x.ts', 'opencode.json'],
  ...['.vscode/tasks.json', '.vscode/settings.json', '.idea/workspace.xml', 'x.code-workspace', '.envrc'],
  ...['.husky/pre-commit', '.githooks/pre-push', '.pre-commit-config.yaml', 'lefthook.yml', '.lefthook.yaml'],
  ...[
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'Jenkinsfile',
    '.VSCode/Tasks.json',
  ],
];
const others = [
  ...[
    'src/index.ts',
    'package.json',
    '.vscode/snippets.json',
    '.github/CODEOWNERS',
    'docs/claude.txt',
    'envrc',
  ],
  ...['claude/settings.json', 'README.md', '.gitignore', 'workflows/ci.yml', 'my.envrc.md'],
];

test.each(toolFiles)('%s is one, in any folder', (path) => {
  expect(selectToolFiles([path, `packages/a b/${path}`])).toHaveLength(2);
});

test.each(others)('%s is none', (path) => expect(selectToolFiles([path])).toEqual([]));

test('every path is judged for itself, and the order stays', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...toolFiles, ...others)), (paths) => {
      expect(selectToolFiles(paths)).toEqual(paths.filter((path) => toolFiles.includes(path)));
    }),
  );
});
