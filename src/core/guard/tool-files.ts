/**
 * Files of a repository that other programs execute, or that agents obey, as soon as somebody opens the checkout or pushes it. A session
 * that changes one is marked, so that a person looks first; nothing is refused.
 */
import picomatch from 'picomatch/posix.js';

export interface ToolFileRule {
  readonly by: string;
  /** In every folder; a name without `/` is a file. */
  readonly globs: readonly string[];
}

export const toolFileRules: readonly ToolFileRule[] = [
  {
    by: 'agents',
    globs: [
      ...['.claude/**', '.mcp.json', '.codex/**', '.cursor/**', '.cursorrules', '.gemini/**', '.qwen/**'],
      ...['.opencode/**', 'opencode.json', 'opencode.jsonc', '.factory/**', '.pi/**'],
      ...['AGENTS.md', 'CLAUDE.md', 'CLAUDE.local.md', 'GEMINI.md', 'QWEN.md'],
      '.github/copilot-instructions.md',
    ],
  },
  {
    by: 'editors',
    globs: [
      ...['.vscode/tasks.json', '.vscode/settings.json', '.vscode/launch.json', '.vscode/extensions.json'],
      ...['*.code-workspace', '.idea/**', '.zed/**', '.devcontainer/**', '.devcontainer.json'],
      ...['.exrc', '.nvimrc', '.nvim.lua', '.dir-locals.el'],
    ],
  },
  { by: 'shells', globs: ['.envrc', '.mise.toml', 'mise.toml'] },
  {
    by: 'git hooks',
    globs: [
      ...['.husky/**', '.githooks/**', '.pre-commit-config.yaml', '.pre-commit-hooks.yaml'],
      ...['lefthook.{yml,yaml,toml,json}', '.lefthook.{yml,yaml,toml,json}', '.overcommit.yml'],
    ],
  },
  {
    by: 'continuous integration',
    globs: [
      ...['.github/workflows/**', '.github/actions/**', '.gitlab-ci.yml', '.circleci/**', 'Jenkinsfile'],
      ...['azure-pipelines.yml', 'bitbucket-pipelines.yml', '.travis.yml', '.drone.yml', '.buildkite/**'],
      '.woodpecker/**',
    ],
  },
];

/** Some file systems ignore case, and so do the programs there. */
const matches = picomatch(
  toolFileRules.flatMap(({ globs }) => globs.flatMap((glob) => [glob, `**/${glob}`])),
  { dot: true, nocase: true },
);

/** The paths among them, in the same order. */
export function selectToolFiles(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => matches(path));
}
