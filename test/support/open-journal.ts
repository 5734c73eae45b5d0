import { statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether an iteration, or a start, is open in the work tree with this top: between them the journal is empty. */
export function hasOpenJournal(top: string): boolean {
  return (statSync(join(top, '.git/runner/journal.jsonl'), { throwIfNoEntry: false })?.size ?? 0) > 0;
}
