/** The house rules, held against this repository; each rule first has to catch what is planted for it. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SourceTree } from './support/house-imports.ts';
import { houseRules } from './support/house-rules.ts';

const root = path.dirname(import.meta.dirname);

/** What .gitignore keeps out of the repository. */
const ignored = new Set([
  '.git',
  'node_modules',
  'dist',
  'coverage',
  '.cache',
  'eval/results',
  'eval/workspaces',
  'src/core/shipped.js',
  'src/core/tree-validator.js',
]);

function listFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (ignored.has(file) || file.endsWith('.tgz')) return [];
    return entry.isDirectory() ? listFiles(file) : [file];
  });
}

function treeOf(files: Readonly<Record<string, string>>): SourceTree {
  return new Map(Object.entries(files));
}

const repository: SourceTree = new Map(
  listFiles('.').map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
);

test('the rules look at the whole repository', () => {
  const count = (prefix: string): number =>
    [...repository.keys()].filter((file) => file.startsWith(prefix)).length;
  expect(count('src/core/')).toBeGreaterThan(20);
  expect(count('src/')).toBeGreaterThan(40);
  expect(count('test/')).toBeGreaterThan(20);
  expect([...repository.keys()]).toEqual(
    expect.arrayContaining(['package.json', 'package-lock.json', '.ci/run']),
  );
});

describe.each(houseRules)('$name', (rule) => {
  test.each(rule.planted)('catches planted %j', async (files) => {
    expect(await rule.check(treeOf(files))).not.toEqual([]);
  });

  test('lets pass what is fine', async () => {
    expect(await rule.check(treeOf(rule.clean))).toEqual([]);
  });

  test.skipIf(rule.needs !== undefined && !repository.has(rule.needs))('holds here', async () => {
    expect(await rule.check(repository)).toEqual([]);
  });
});
