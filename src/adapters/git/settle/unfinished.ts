/**
 * Merges, rebases and the like that a session left unfinished: their state is moved into the quarantine, so that git forgets
 * them, and work they had stashed is kept under rescue (§5).
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SettleRequest } from '../../../ports/git.ts';
import { moveAside } from '../../files/files.ts';
import { lookAt } from '../../files/look-at.ts';
import { refCommit, saveRescue } from '../refs.ts';
import { shortId } from '../repo.ts';
import type { Repo } from '../repo.ts';
const statePattern =
  /^(?:MERGE_(?:HEAD|MSG|MODE|RR|AUTOSTASH)|AUTO_MERGE|SQUASH_MSG|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|rebase-merge|rebase-apply|sequencer|BISECT_\w+|NOTES_MERGE_\w+)$/;

/** Files that name a commit with changes git had put away for later. */
const autostashFiles = ['MERGE_AUTOSTASH', 'rebase-merge/autostash', 'rebase-apply/autostash'];

export async function endUnfinished(repo: Repo, request: SettleRequest): Promise<readonly string[]> {
  const names = readdirSync(repo.gitDir)
    .filter((name) => statePattern.test(name))
    .toSorted();
  if (names.length === 0) return [];

  const notes: string[] = [];
  for (const file of autostashFiles) notes.push(...(await saveAutostash(repo, { file, request })));

  const place = String(request.iter);
  for (const name of names) {
    await moveAside({
      from: join(repo.gitDir, name),
      toDir: repo.files.quarantine(place),
      root: repo.gitDir,
    });
  }
  return [
    ...notes,
    `an unfinished git operation was ended; its state (${names.join(', ')}) is kept in the git folder under runner/quarantine/${place}`,
  ];
}

async function saveAutostash(
  repo: Repo,
  { file, request }: { readonly file: string; readonly request: SettleRequest },
): Promise<readonly string[]> {
  const path = join(repo.gitDir, file);
  if (lookAt(path)?.isFile() !== true) return [];

  const named = readFileSync(path, 'utf8').trim();
  const commit = /^[0-9a-f]{40,64}$/.test(named) ? await refCommit(repo, named) : null;
  if (commit === null) return [];

  const { ref } = await saveRescue(repo, { run_id: request.run_id, name: String(request.iter), commit });
  return [`changes that git had put away (${shortId(commit)}) were saved as ${ref}`];
}
