/** Loads and saves run_state.json, the runner's own memory of a run. Core decides whether it is valid. */
import { RunnerError } from '../../core/errors.ts';
import { parseRunState } from '../../core/iteration/run-state-schema.ts';
import { defaultRunState, renderRunState } from '../../core/iteration/run-state.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { withPath } from '../../core/text/text-place.ts';
import type { RunStateStore } from '../../ports/stores.ts';
import { saveFile } from '../files/files.ts';
import type { Layout } from '../files/layout.ts';
import { loadStateText } from '../files/state-text.ts';

export function runStateStore(place: Layout): RunStateStore {
  const root = place.projectDir;
  return {
    load: async () => {
      const text = await loadStateText({ path: place.runState, root, code: 'RUN_STATE_INVALID' });
      if (text === null) return defaultRunState;

      const parsed = parseRunState(text);
      if (parsed.ok) return parsed.state;

      throw new RunnerError({
        code: 'RUN_STATE_INVALID',
        message: `${place.runState} is not a valid run state`,
        details: parsed.problems.map((problem) => withPath(place.runState, problem)),
        hint: `git restore -- ${shellWord(place.runState)}`,
      });
    },
    save: (state) => saveFile(place.runState, renderRunState(state), { root }),
  };
}
