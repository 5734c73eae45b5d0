/** A command of the built runner on a pseudo terminal, through `script`; where that is not installed, tests that need it are skipped. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { expect } from 'vitest';
import type { Project } from './project.ts';
import { entryFile } from './project.ts';

export const hasPseudoTerminal = (process.env['PATH'] ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'script')));

/** Everything the terminal got. */
export async function runOnTerminal(p: Project, args: string, columns: number): Promise<string> {
  const command = `stty cols ${columns}; '${process.execPath}' '${entryFile}' ${args}`;
  const { stdout, exitCode } = await execa('script', ['-qec', command, '/dev/null'], {
    cwd: p.dir,
    env: { ...p.env, TERM: 'xterm', SHELL: '/bin/sh' },
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
  });
  expect(exitCode, stdout).toBe(0);
  return stdout;
}
