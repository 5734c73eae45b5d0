/** The hidden command that serves as the demo's guard without Node: runs the tests of the project inside this process. */
import { loadDemoTests } from '../../adapters/project/demo-tests.ts';
import type { Settings } from '../output/streams.ts';

/**
 * Node's test runner sets the exit code when all tests are over, at an instant that differs from version to version. So
 * this gives none of its own and never settles; a process with nothing left to do ends.
 */
export async function run(settings: Settings): Promise<number> {
  await loadDemoTests(settings.directory);
  return new Promise(() => {});
}
