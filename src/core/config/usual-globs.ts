/** Globs that are used where a setting is missing. This file holds no behaviour. */

/** Usual places and names of tests. */
export const testGlobs: readonly string[] = [
  ...['test/**', 'tests/**', '**/test/**', '**/tests/**', '**/__tests__/**', 'spec/**', '**/spec/**'],
  ...['**/*.test.*', '**/*.spec.*', '**/*_test.*', '**/test_*.py', '**/conftest.py'],
];
