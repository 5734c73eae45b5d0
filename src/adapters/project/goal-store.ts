/** GOAL.md: a person's text; the runner writes only its front-matter id (§2, §11). */
import { RunnerError } from '../../core/errors.ts';
import { textFileBytesMax } from '../../core/limits.ts';
import { parseGoal, setGoalId } from '../../core/config/goal.ts';
import type { GoalStore } from '../../ports/stores.ts';
import { saveFile } from '../files/files.ts';
import type { Layout } from '../files/layout.ts';
import { lookAt } from '../files/look-at.ts';
import { loadStateText } from '../files/state-text.ts';

export function goalStore(place: Layout): GoalStore {
  const root = place.projectDir;
  const loadGoalText = async (): Promise<string> => {
    const text = await loadStateText({
      path: place.goal,
      root,
      code: 'GOAL_INVALID',
      bytesMax: textFileBytesMax,
    });
    if (text !== null) return text;

    throw new RunnerError({
      code: 'LAYOUT_MISSING',
      message: `there is no ${place.goal}`,
      // With a state there is a project, and `start` completes it.
      hint: lookAt(place.runState) === null ? 'runner init' : 'runner start',
    });
  };
  return {
    load: async () => parseGoal(await loadGoalText()),
    parse: async (text) => parseGoal(text),
    saveId: async (id) => {
      const text = await loadGoalText();
      const changed = setGoalId(text, id);
      if (changed !== text) await saveFile(place.goal, changed, { root });
    },
  };
}
