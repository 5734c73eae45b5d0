/**
 * A journal that is gone, unreadable or not what the runner wrote (§7). It is moved aside and the work is kept; nothing in it is
 * believed. With what the runner remembers elsewhere the iteration is closed, without it the work is saved under rescue.
 */
import type { JournalEntry } from '../core/agents/session.ts';
import type { Anchor } from '../core/iteration/anchor.ts';
import { defaultConfig } from '../core/config/default-config.ts';
import { defaultRunState } from '../core/iteration/run-state.ts';
import type { Ports } from '../ports/ports.ts';
import type { Recalled } from '../ports/stores.ts';
import { unjudged } from './recover-facts.ts';
import { locateBranch, requireSameProject, rescueUnbased } from './recover-place.ts';

type Lost = Extract<Recalled, { kind: 'lost' }>;

/** Null: there is nothing to close. */
export async function recoverLost(
  ports: Ports,
  { anchor, problems }: Lost,
): Promise<Extract<JournalEntry, { phase: 'agent' }> | null> {
  if (anchor === null) {
    await setAside(ports, problems);
    return null;
  }
  await ports.sweeper.end(anchor.cookie);
  await ports.git.remember();
  const entry = entryOf(ports, anchor);
  await requireSameProject(ports, { ...entry, what: `iteration ${entry.iter}`, command: 'step' });
  const { head, branch, dirty } = await ports.git.snapshot();
  if (head === anchor.baseline && branch === anchor.branch && dirty.length === 0) {
    // The agent was not started, or left nothing.
    await ports.journal.setAside();
    await ports.journal.close();
    return null;
  }
  if ((await locateBranch(ports, entry)) === 'gone') return rescueUnbased(ports, entry);
  const closed = await unjudged(ports, entry);
  report(ports, {
    problems,
    aside: await ports.journal.setAside(),
    kept: 'the session is not judged, its work is kept',
  });
  await ports.journal.save(closed);
  return closed;
}

/** Without knowing where the iteration began. */
export async function setAside(ports: Ports, problems: readonly string[]): Promise<void> {
  const { head, branch, dirty } = await ports.git.snapshot();
  const run_id = branch?.startsWith('runner/') === true ? branch.slice('runner/'.length) : 'lost';
  const ref =
    head === null || dirty.length === 0
      ? null
      : await ports.git.rescueWork({ run_id, iter: 0, parent: head });
  const aside = await ports.journal.setAside();
  await ports.journal.close();
  const kept = ref === null ? 'there was no work to keep' : `the work is saved as ${ref}`;
  report(ports, { problems, aside, kept });
}

function report(
  ports: Ports,
  told: { readonly problems: readonly string[]; readonly aside: string | null; readonly kept: string },
): void {
  const where = told.aside === null ? '' : ', and was moved to runner/quarantine in the git folder';
  const why = told.problems.join('; ');
  const message = `the journal of an unfinished iteration is not valid (${why})${where}; ${told.kept}`;
  ports.reporter.report({ type: 'note', message });
}

/** What B decides is filled in by `unjudged`. */
function entryOf(ports: Ports, anchor: Anchor): Extract<JournalEntry, { phase: 'agent' }> {
  const { run_id, iter, branch, baseline, prefix, cookie, dirty_submodules_before } = anchor;
  return {
    version: 1,
    kind: 'iteration',
    run_id,
    iter,
    branch,
    baseline,
    prefix,
    cookie,
    dirty_submodules_before,
    node_id: '',
    node_path: '',
    purpose: 'execute',
    baseline_tree: '',
    config: defaultConfig,
    run_state: defaultRunState,
    agent: { name: 'unknown', version: null, model: null, effort: null },
    started_at: ports.clock.nowIso(),
    prompt_sha256: 'unknown',
    task_sha256: '',
    prompt_cut: [],
    phase: 'agent',
  };
}
