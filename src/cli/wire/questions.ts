/** Questions of background runs, read in the work tree of each as it was committed last. */
import { resolve } from 'node:path';
import { loadQuestions } from '../../app/person/questions.ts';
import type { AskedQuestion } from '../../app/person/questions.ts';
import { endedStatuses } from '../../core/runs/record.ts';
import type { FoundRecord } from '../../ports/runs.ts';
import type { Settings } from '../output/streams.ts';
import { openPersonProject } from './person.ts';
import { openRuns } from './runs.ts';

export interface RunQuestions {
  readonly run_id: string;
  /** The project in the work tree of the run. */
  readonly directory: string;
  readonly questions: readonly AskedQuestion[];
}

/** Of the runs that work elsewhere and have not ended: what they asked themselves, not what they found. */
export async function questionsOfRuns(settings: Settings, here: string): Promise<readonly RunQuestions[]> {
  const { records } = await openRuns(settings);
  const found: RunQuestions[] = [];
  for (const one of await records.list()) {
    const directory = folderOf(one);
    if (one.kind !== 'record' || directory === null || directory === here) continue;
    const { run_id, status } = one.record;
    if (endedStatuses.has(status)) continue;
    const asked = await questionsIn({ ...settings, directory });
    found.push({ run_id, directory, questions: asked.filter(({ id }) => !id.startsWith('0.')) });
  }
  return found;
}

/** Where its work tree is; null: it has none. */
export function folderOf(found: FoundRecord): string | null {
  if (found.kind !== 'record' || found.record.worktree === null) return null;
  return resolve(found.record.worktree, found.record.prefix);
}

/** None where there is no run. */
export async function questionsIn(settings: Settings): Promise<readonly AskedQuestion[]> {
  try {
    return await loadQuestions(await openPersonProject({ ...settings, quiet: true }));
  } catch {
    return [];
  }
}
