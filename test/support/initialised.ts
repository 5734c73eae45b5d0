/** `.runner` as the built program's `init` leaves it, made once for all tests that only want the files. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    initialised: string;
  }
}

export async function setup({ config, provide }: TestProject): Promise<() => void> {
  const folder = realpathSync(mkdtempSync(join(config.env['TMPDIR'] ?? tmpdir(), 'runner-init-')));
  const entry = fileURLToPath(new URL('../../bin/runner.js', import.meta.url));
  await execa(process.execPath, [entry, 'init'], { cwd: folder, env: { HOME: folder } });
  provide('initialised', join(folder, '.runner'));
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
