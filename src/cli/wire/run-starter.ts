/** Starts the process of a background run. */
import { RunnerError } from '../../core/errors.ts';
import type { RunStarter } from '../../ports/runs.ts';
import type { Settings } from '../output/streams.ts';

export function runStarter(_settings: Settings): RunStarter {
  return {
    start: async () => {
      throw new RunnerError({ code: 'INTERNAL', message: 'not built yet', hint: 'runner runs' });
    },
  };
}
