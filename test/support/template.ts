/**
 * One prepared project for a whole test file, copied for every test that wants one: making one costs seconds, copying it
 * milliseconds. Call it at the top of a file.
 */
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import type { Project } from './project.ts';
import { openProject, tempFolder } from './project.ts';

export function template(make: () => Promise<Project>): () => Promise<Project> {
  const store = realpathSync(mkdtempSync(join(tmpdir(), 'runner-template-')));
  let made: Promise<string> | null = null;
  afterAll(() => {
    rmSync(store, { recursive: true, force: true });
  });
  const build = async (): Promise<string> => {
    const { base, top, dir } = await make();
    cpSync(base, store, { recursive: true, preserveTimestamps: true });
    return dir.slice(top.length + 1);
  };
  return async () => {
    made ??= build();
    const prefix = await made;
    const base = tempFolder('copy');
    cpSync(store, base, { recursive: true, preserveTimestamps: true });
    return openProject({ base, prefix });
  };
}
