/** Loads the test files of a demo project, which then run inside this process. Starts nothing and writes nothing. */
import { readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { RunnerError } from '../../core/errors.ts';

/** `require` reads ES modules too; `import()` does not work inside one executable file. */
export async function loadDemoTests(projectDir: string): Promise<void> {
  const folder = join(projectDir, 'test');
  const names = await readdir(folder).catch(() => []);
  const tests = names.filter((name) => name.endsWith('.test.js')).toSorted();
  if (tests.length === 0) {
    throw new RunnerError({
      code: 'USAGE',
      message: `there are no tests in ${folder}`,
      hint: 'this command is the guard of: runner demo',
    });
  }
  // The tests change it; the command itself sets none.
  process.exitCode = 0;
  const load = createRequire(join(folder, 'tests.js'));
  for (const name of tests) load(join(folder, name));
}
