/** Whether an unfinished iteration can be finished here: the same project, its branch, its baseline (§7). If not, its work is saved. */
import type { JournalEntry } from '../core/agents/session.ts';
import { RunnerError } from '../core/errors.ts';
import type { Ports } from '../ports/ports.ts';

async function closeJournal(ports: Ports, entry: JournalEntry, message: string): Promise<null> {
  await ports.journal.close();
  ports.reporter.report({ type: 'recovered', run_id: entry.run_id, iter: entry.iter, message });
  return null;
}

export async function requireSameProject(
  ports: Ports,
  entry: {
    readonly run_id: string;
    readonly prefix: string;
    readonly what: string;
    readonly command: string;
  },
): Promise<void> {
  const { prefix } = await ports.git.locate();
  if (prefix === entry.prefix) return;
  const folder = entry.prefix === '' ? 'the top of the work tree' : `the folder '${entry.prefix}'`;
  throw new RunnerError({
    code: 'RUN_UNFINISHED',
    message: `${entry.what} of run ${entry.run_id} in ${folder} is unfinished`,
    hint: `runner ${entry.command} -C "$(git rev-parse --show-toplevel)/${entry.prefix}"`,
  });
}

/** `gone`: B is no longer part of the run's branch. Throws when another branch is checked out: only the person may switch back (§7). */
export async function locateBranch(ports: Ports, entry: JournalEntry): Promise<'here' | 'gone'> {
  const { head, branch, dirty } = await ports.git.snapshot();
  const holdsBaseline =
    head !== null && (await ports.git.isAncestor({ ancestor: entry.baseline, descendant: head }));
  if (branch === entry.branch) return holdsBaseline ? 'here' : 'gone';
  // A session may have left the branch itself; what it built on B is put back on the branch as after any session.
  if (entry.phase === 'agent' && holdsBaseline) return 'here';
  if (!(await ports.git.hasBranch(entry.branch))) throw await makeBranchAgain(ports, entry);
  throw new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `iteration ${entry.iter} of run ${entry.run_id} is unfinished, but ${branch === null ? 'HEAD is detached' : `'${branch}' is checked out`}`,
    // Elsewhere a stash would take the agent's work out of the iteration; what a review began with is in the journal.
    hint: `${entry.phase === 'review' && dirty.length > 0 ? 'git stash -u && ' : ''}git switch ${entry.branch}`,
  });
}

export async function rescueUnbased(ports: Ports, entry: JournalEntry): Promise<null> {
  const { run_id, iter, baseline } = entry;
  const ref = await ports.git.rescueWork({ run_id, iter, parent: baseline });
  await ports.git.releaseWork(run_id);
  return closeJournal(
    ports,
    entry,
    `its start is no longer part of ${entry.branch}; the work is saved as ${ref}`,
  );
}

/** The work of the iteration is safe and its journal closed, so nothing is in the way of another run. */
async function makeBranchAgain(ports: Ports, entry: JournalEntry): Promise<RunnerError> {
  const { run_id, iter, branch, baseline } = entry;
  const ref = await ports.git.rescueWork({ run_id, iter, parent: baseline });
  await ports.git.makeBranch({ branch, commit: baseline });
  await ports.git.releaseWork(run_id);
  await ports.journal.close();
  const start = baseline.slice(0, 8);
  return new RunnerError({
    code: 'GIT_WRONG_BRANCH',
    message: `iteration ${iter} of run ${run_id} was unfinished and ${branch} was gone: the branch was made again at ${start}, the work is saved as ${ref}`,
    hint: `git switch ${branch}, or give the run up: runner abandon ${run_id}`,
  });
}
