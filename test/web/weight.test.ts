/** What a browser loads: one page, one script, one style sheet, small, and nothing in the page itself that runs. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { repositoryRoot } from '../support/project.ts';

const folder = join(repositoryRoot, 'dist', 'web');
const files = readdirSync(folder).toSorted();
const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8');

test('three files, at most 120 KB together', () => {
  expect(files).toEqual(['app.css', 'app.js', 'index.html']);
  const bytes = files.reduce((sum, file) => sum + gzipSync(textOf(file)).length, 0);
  expect(bytes).toBeLessThan(120 * 1024);
});

test('no code in the page, and no address outside', () => {
  expect(textOf('index.html')).not.toMatch(/<script(?![^>]*\bsrc=)|\bon\w+=|style=|javascript:/i);
  for (const file of files) {
    const addresses = [...textOf(file).matchAll(/https?:\/\/[^\s"'`)]+/g)].map(([address]) => address);
    // Names of kinds of markup, not places.
    expect(addresses.filter((address) => !address.startsWith('http://www.w3.org/'))).toEqual([]);
  }
});
