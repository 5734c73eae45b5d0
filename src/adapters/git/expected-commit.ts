/** Stores the expected commit on disk while hooks run, so that after a crash no other commit is accepted (§1). */
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { saveFile } from '../files/files.ts';
import type { Repo } from './repo.ts';

export interface Expected {
  readonly branch: string;
  readonly parent: string;
  readonly tree: string;
  readonly subject: string;
}

function expectedFile(repo: Repo): string {
  return join(repo.files.root, 'hook-commit.json');
}

export async function saveExpected(repo: Repo, expected: Expected): Promise<void> {
  await saveFile(expectedFile(repo), JSON.stringify(expected), { root: repo.gitDir });
}

/** Call it after the commit has been checked. */
export async function dropExpected(repo: Repo): Promise<void> {
  await rm(expectedFile(repo), { force: true });
}

export function loadExpected(repo: Repo): Expected | null {
  try {
    return JSON.parse(readFileSync(expectedFile(repo), 'utf8')) as Expected;
  } catch {
    return null;
  }
}

/** Whether hooks made this commit something else than what was asked for, and a crash came before that was seen. */
export function isOddCommit(
  repo: Repo,
  commit: { readonly subject: string; readonly tree: string },
): boolean {
  const expected = loadExpected(repo);
  return expected !== null && expected.subject === commit.subject && expected.tree !== commit.tree;
}
