/** The hidden command that is the demo's guard where there may be no Node: runs the tests of the project inside this process. */
import { loadDemoTests } from '../../adapters/demo-tests.ts';
import type { Settings } from '../streams.ts';

/** Node's test runner says by the exit code of its process how the tests went, and only once all of them are over. */
export async function run(settings: Settings): Promise<number> {
  const over = new Promise<number>((resolve) => {
    process.once('beforeExit', () => resolve(Number(process.exitCode ?? 0)));
  });
  await loadDemoTests(settings.directory);
  return over;
}
