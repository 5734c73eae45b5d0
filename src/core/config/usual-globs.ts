/** Globs that are used where a setting is not set. This file holds no behaviour. */

/** Usual places and names of tests. */
export const testGlobs: readonly string[] = [
  ...['test/**', 'tests/**', '**/test/**', '**/tests/**', '**/__tests__/**', 'spec/**', '**/spec/**'],
  ...['**/*.test.*', '**/*.spec.*', '**/*_test.*', '**/test_*.py', '**/conftest.py'],
];
/** Lockfiles and manifests. */
export const setupInputs: readonly string[] = [
  ...[
    '**/package.json',
    '**/package-lock.json',
    '**/npm-shrinkwrap.json',
    '**/pnpm-lock.yaml',
    '**/yarn.lock',
    '**/bun.lock',
  ],
  ...['**/pyproject.toml', '**/uv.lock', '**/poetry.lock', '**/requirements*.txt', '**/Pipfile.lock'],
  ...[
    '**/Cargo.toml',
    '**/Cargo.lock',
    '**/go.mod',
    '**/go.sum',
    '**/Gemfile.lock',
    '**/composer.lock',
    '**/pom.xml',
  ],
];
