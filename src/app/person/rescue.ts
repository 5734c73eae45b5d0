/** `runner rescue`: lists, shows and restores what was kept under `refs/runner/rescue/` (§14). It moves no ref and commits nothing. */
import { RunnerError } from '../../core/errors.ts';
import { listOverwritten, planRestore } from '../../core/iteration/rescue-plan.ts';
import { diffBytesMax } from '../../core/limits.ts';
import type { GitPort } from '../../ports/git.ts';
import type { RescueEntry } from '../../ports/git-history.ts';
import { requireClosed, requireRepository } from './commit.ts';
import type { PersonPorts } from './commit.ts';

export async function listRescue(ports: PersonPorts): Promise<readonly RescueEntry[]> {
  return requireRepository(ports).git.listRescues();
}

export async function showRescue(
  ports: PersonPorts,
  word: string,
): Promise<{ readonly entry: RescueEntry; readonly patch: string }> {
  const { git } = requireRepository(ports);
  const entry = await findEntry(git, word);
  const { parent, commit } = entry;
  const range = { from: parent, orFrom: parent, to: commit, whole: true };
  return { entry, patch: await git.loadDiff({ ...range, bytesMax: diffBytesMax }) };
}

export interface RestoreOutcome {
  readonly ref: string;
  readonly written: readonly string[];
  /** Those among them whose changes are gone, as `--force` allowed. */
  readonly overwritten: readonly string[];
  /** Deleted by the rescued commit; a restore removes nothing. */
  readonly deleted: readonly string[];
}

export interface RestoreRequest {
  readonly word: string;
  readonly paths: readonly string[];
  readonly isForced: boolean;
}

/** Contract: the lock is held. */
export async function restoreRescue(ports: PersonPorts, request: RestoreRequest): Promise<RestoreOutcome> {
  const { git, journal } = requireRepository(ports);
  await requireClosed(journal);
  const { ref, commit, parent } = await findEntry(git, request.word);
  const changed = await git.changedPaths({ from: parent, to: commit });
  const held = await git.listPaths(commit);
  const { write, deleted } = planRestore({ changed, held, wanted: request.paths });
  if (write.length + deleted.length === 0) {
    const where = request.paths.length === 0 ? 'outside .runner/' : `at ${request.paths.join(', ')}`;
    const hint = `runner rescue show ${shortRef(ref)}`;
    throw new RunnerError({ code: 'USAGE', message: `${shortRef(ref)} changed nothing ${where}`, hint });
  }
  const { head, dirty } = await git.snapshot();
  const overwritten = listOverwritten({
    write,
    differing: new Set(await git.differingPaths({ commit, paths: write })),
    dirty: new Set(dirty.map(({ path }) => path.replace(/\/$/, ''))),
    committed: head === null ? new Set() : await git.listPaths(head),
  });
  if (overwritten.length > 0 && !request.isForced) {
    const count = `${overwritten.length} ${overwritten.length === 1 ? 'file' : 'files'}`;
    throw new RunnerError({
      code: 'GIT_DIRTY',
      message: `nothing was written: ${count} in the work tree would lose changes that no commit has`,
      details: overwritten,
      hint: `commit them first, or give other files with --path, or overwrite them: runner rescue restore ${shortRef(ref)} --force`,
    });
  }
  await git.restorePaths({ commit, paths: write });
  return { ref, written: write, overwritten, deleted };
}

async function findEntry(git: GitPort, word: string): Promise<RescueEntry> {
  const entries = await git.listRescues();
  const found = entries.find(({ ref }) => ref === word || shortRef(ref) === word);
  if (found !== undefined) return found;
  throw new RunnerError({
    code: 'USAGE',
    message: `there is no rescue ref '${word}'`,
    hint: 'runner rescue list',
  });
}

/** How people type it: `<run>/<iteration>`. */
export function shortRef(ref: string): string {
  return ref.replace(/^refs\/runner\/rescue\//, '');
}
