/** What the judge's clones leave behind: nothing. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Project } from './project.ts';

/** Clones that are still there. */
export function clonesOf({ home }: Pick<Project, 'home'>): readonly string[] {
  const root = join(home, '.local/state/runner/judge');
  if (!existsSync(root)) return [];
  return readdirSync(root).flatMap((repo) =>
    readdirSync(join(root, repo)).flatMap((run) => readdirSync(join(root, repo, run))),
  );
}

export async function expectNoTrace(p: Project): Promise<void> {
  expect(clonesOf(p)).toEqual([]);
  expect(await p.git('for-each-ref', 'refs/runner/hold')).toBe('');
  expect(await p.status()).toBe('');
}

/** Wraps shell text so that it runs only in a clone. */
export function inClone(script: string): string {
  return `case "$PWD" in */judge/*) ${script} ;; esac`;
}
