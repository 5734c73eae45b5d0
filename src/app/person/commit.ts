/**
 * A commit that a person asks for between two iterations (`config set`, `retry`, `edit`): the runner's files, on the run's own
 * branch, nothing else: a commit from the user's index would include whatever is staged. It refuses while an iteration is open, whose
 * verdict it would cost, and puts files back if the commit fails.
 */
import { RunnerError } from '../../core/errors.ts';
import { checkRunIdentity } from '../../core/iteration/run-id.ts';
import type { GitPort, GitSnapshot } from '../../ports/git.ts';
import type { GoalStore, Journal, RunStateStore, Workspace } from '../../ports/stores.ts';
import { requireReady } from '../preflight.ts';

export interface PersonPorts {
  readonly workspace: Workspace;
  readonly runStates: RunStateStore;
  readonly goals: GoalStore;
  /** Both null outside a git repository. */
  readonly git: GitPort | null;
  readonly journal: Journal | null;
}

/** The run's own branch, checked out. */
export interface RunPlace {
  readonly git: GitPort;
  readonly journal: Journal;
  readonly run_id: string;
  readonly branch: string;
  readonly head: string;
  readonly snapshot: GitSnapshot;
}

/** Null: there is no run here, or another branch is checked out. */
export async function findRun(ports: PersonPorts): Promise<RunPlace | null> {
  const { run_id } = await ports.runStates.load();
  if (ports.git === null || run_id === null) return null;
  const snapshot = await ports.git.snapshot();
  return snapshot.branch === `runner/${run_id}` ? requireRun(ports) : null;
}

/** Contract: the lock is held. Throws with the command that helps when this is no place for a person's commit. */
export async function requireRun(ports: PersonPorts): Promise<RunPlace> {
  const { git, journal } = requireRepository(ports);
  const { run_id } = await ports.runStates.load();
  const goal = await ports.goals.load();
  await git.checkSetup();
  const snapshot = await requireReady({ git });
  const { branch, commit: head } = snapshot;
  const identity = checkRunIdentity({ goalId: goal.id, stateId: run_id, branch });
  if (!identity.ok) throw new RunnerError(identity);
  await requireClosed(journal);
  return { git, journal, run_id: String(run_id), branch, head, snapshot };
}

export function requireRepository({ git, journal }: PersonPorts): Pick<RunPlace, 'git' | 'journal'> {
  if (git !== null && journal !== null) return { git, journal };
  throw new RunnerError({
    code: 'GIT_NOT_A_REPO',
    message: 'this is not inside a git work tree, so there is no run to change',
    hint: 'git init, then: runner start',
  });
}

/** A commit on top of an open iteration would make recovery give up its verdict (§7), and a file would become part of it. */
export async function requireClosed(journal: Journal): Promise<void> {
  const entry = await journal.load();
  if (entry === null) return;
  const isIteration = entry.kind === 'iteration';
  throw new RunnerError({
    code: 'RUN_UNFINISHED',
    message: isIteration
      ? `iteration ${entry.iter} of run ${entry.run_id} was interrupted and is not finished`
      : `the ${entry.kind === 'finish' ? 'finish' : 'start'} of run ${entry.run_id} was interrupted and is not finished`,
    hint: isIteration
      ? 'runner step'
      : entry.kind === 'finish'
        ? `runner finish ${entry.run_id}`
        : 'runner start',
  });
}

/** `path` is relative to the project folder. */
export async function requireCleanFile({ git, snapshot }: RunPlace, path: string): Promise<void> {
  const { prefix } = await git.locate();
  const dirty = snapshot.dirty.find((entry) => entry.path === `${prefix}${path}`);
  if (dirty === undefined) return;
  throw new RunnerError({
    code: 'GIT_DIRTY',
    message: `${path} has changes that are not committed (${dirty.code})`,
    hint: `git commit -m "change ${path}" -- ${path}, or take them back: git restore --staged --worktree -- ${path}`,
  });
}

/** Files by path relative to `.runner/`; null: it is not there. */
type Texts = Readonly<Record<string, string | null>>;

/**
 * Writes the files and commits exactly them. The entry in the journal lets the next command finish what a crash left between branch
 * and index (§7); a commit that fails leaves the files as they were.
 */
export async function saveAndCommit(
  ports: PersonPorts,
  place: RunPlace,
  change: { readonly files: Texts; readonly message: string; readonly sign: boolean },
): Promise<string> {
  const { message, sign } = change;
  const { git, journal, branch, head: parent, run_id } = place;
  const before = await loadTexts(ports, Object.keys(change.files));
  // A file that is not there needs no removing.
  const after = Object.entries(change.files).filter(([path, text]) => text !== null || before[path] !== null);
  const files = Object.fromEntries(after.map(([path, text]) => [`.runner/${path}`, text]));
  const commit = await git.buildFileCommit({ parent, files, message, sign });
  try {
    await saveTexts(ports, after);
    await journal.save({ version: 1, kind: 'start', run_id, branch, commit });
    await git.installFileCommit({ parent, paths: Object.keys(files), branch, commit });
  } catch (error) {
    await saveTexts(ports, Object.entries(before));
    throw error;
  } finally {
    await journal.close();
  }
  return commit;
}

async function loadTexts({ workspace }: PersonPorts, paths: readonly string[]): Promise<Texts> {
  const texts: Record<string, string | null> = {};
  for (const path of paths) {
    const source = await workspace.load(path);
    texts[path] = source.kind === 'text' ? source.text : null;
  }
  return texts;
}

async function saveTexts(
  { workspace }: PersonPorts,
  texts: readonly (readonly [path: string, text: string | null])[],
): Promise<void> {
  for (const [path, text] of texts)
    await (text === null ? workspace.remove(path) : workspace.save(path, text));
}
