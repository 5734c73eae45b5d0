/** The documents, held against the code; each rule first has to catch what is planted for it. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { ancestorTests } from './support/ancestor-tests.ts';
import { renderCliPage } from './support/cli-page.ts';
import { ancestorTable, documentRules, generatedTables, isDocument } from './support/document-rules.ts';
import type { TableRule } from './support/document-rules.ts';
import type { Texts } from './support/documents.ts';
import { findTable, listCodeBlocks, replaceTable } from './support/documents.ts';

const root = path.dirname(import.meta.dirname);
const ignored = new Set([
  '.git',
  '.cache',
  'node_modules',
  'dist',
  'coverage',
  'eval/results',
  'eval/workspaces',
]);

function listFiles(folder: string): string[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (ignored.has(file)) return [];
    return entry.isDirectory() ? listFiles(file) : [file];
  });
}

function loadTexts(): Map<string, string> {
  return new Map(listFiles('.').map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

/** A table's compared columns from the code, the others from the row of the same key, where there is one. */
function renewTable(text: string, { header, columns, key, rows }: TableRule): string {
  const table = findTable(text, header);
  if (table === null) return text;
  const made = rows().map((row) => {
    const known = table.rows.find((other) => other[key] === row[columns.indexOf(key)]);
    return header.map((_name, column) => row[columns.indexOf(column)] ?? known?.[column] ?? '');
  });
  return replaceTable(text, table, made);
}

/** On request the blocks that are made from the code are written anew, as snapshots are. */
function updateDocuments(known: Map<string, string>): void {
  const change = (file: string, renew: (text: string) => string): void => {
    const text = renew(known.get(file) ?? '');
    known.set(file, text);
    writeFileSync(path.join(root, file), text);
  };
  for (const rule of [...generatedTables, ancestorTable(known)])
    change(rule.file, (text) => renewTable(text, rule));
}

const texts = loadTexts();
if (process.env['RUNNER_DOCS_UPDATE'] !== undefined) updateDocuments(texts);

test('the rules look at all documents', () => {
  const documents = [...texts.keys()].filter(isDocument);
  expect(documents.length).toBeGreaterThanOrEqual(15);
  expect(documents).toEqual(expect.arrayContaining(['README.md', 'docs/cli.md', 'docs/contract.md']));
  expect(Object.values(ancestorTests).flat()).toHaveLength(95);
});

describe.each(documentRules)('$name', (rule) => {
  const found = rule.check(texts);

  test.each(rule.planted)('catches a planted $to', ({ file, from, to }) => {
    const text = texts.get(file) ?? '';
    expect(text.includes(from), `${file} has the text to change`).toBe(true);
    const changed: Texts = new Map([...texts, [file, text.replaceAll(from, () => to)]]);
    expect(rule.check(changed).filter((line) => !found.includes(line))).not.toEqual([]);
  });

  test('holds here', () => {
    expect(found).toEqual([]);
  });
});

test('docs/cli.md is what npm run docs writes', () => {
  const schemas = [...texts].flatMap(([file, text]) => {
    const name = /^schemas\/output\/v1\/(.+)\.schema\.json$/.exec(file)?.[1];
    return name === undefined ? [] : [[name, text] as const];
  });
  expect(texts.get('docs/cli.md'), 'run `npm run docs`').toBe(renderCliPage(new Map(schemas)));
});

describe('the session in README', () => {
  /** What differs from run to run: folder and commit ids. */
  const masked = (text: string): string =>
    text.replaceAll(/\S*runner-demo-\w+/g, '<folder>').replaceAll(/^[0-9a-f]{7,12} /gm, '<commit> ');
  let printed: readonly string[] = [];

  beforeAll(async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'runner-docs-'));
    try {
      const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home };
      // One file behind both streams, so that the lines stand in the order in which they were printed.
      const argv = ['-c', '"$0" "$1" demo 2>&1', process.execPath, path.join(root, 'bin/runner.js')];
      const { stdout } = await execa('sh', argv, { env, extendEnv: false });
      printed = masked(stdout).split('\n');
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  /** Lines that do not follow in this order; `[…]` stands for any number of lines left out. */
  function strayLines(session: string): string[] {
    let at = 0;
    let isGap = false;
    return masked(session)
      .split('\n')
      .filter((line) => {
        if (line === '[…]') {
          isGap = true;
          return false;
        }
        const found = isGap ? printed.indexOf(line, at) : printed[at] === line ? at : -1;
        isGap = false;
        if (found === -1) return true;
        at = found + 1;
        return false;
      });
  }

  test('is what runner demo prints', () => {
    const [session] = listCodeBlocks(texts.get('README.md') ?? '').filter(({ body }) =>
      body.startsWith('$ runner demo\n'),
    );
    const shown = (session?.body ?? '').split('\n').slice(1).join('\n');
    expect(shown).toContain('loop: status=complete');
    expect(strayLines(shown)).toEqual([]);
    expect(strayLines(shown.replace('guard=fail', 'guard=pass'))).not.toEqual([]);
  });
});
