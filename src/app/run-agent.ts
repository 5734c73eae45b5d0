/** The agent's sessions of an iteration: own process group, fresh session, one deadline that the guard shares (§5.4). */
import type { SessionResult } from '../core/agents/session.ts';
import { selectModel } from '../core/agents/model-choice.ts';
import type { Ports } from '../ports/ports.ts';
import { collect } from './collect.ts';
import type { SessionSum } from './collect.ts';
import type { Ground } from './iteration.ts';
import { runSessions } from './sessions.ts';

export async function runAgent(
  ports: Ports,
  ground: Ground,
  prompt: string,
): Promise<SessionSum & { readonly deadlineMs: number }> {
  const { journal } = ground;
  const notes: string[] = [];
  const { config, run_state: runState, purpose, node_id: nodeId } = journal;
  await ports.journal.save({ ...journal, phase: 'agent' });
  ports.reporter.report({ type: 'phase', phase: 'agent' });
  const ended = await runSessions(ports, {
    session: {
      role: 'agent',
      run_id: journal.run_id,
      iter: journal.iter,
      node_id: journal.node_id,
      prompt,
      judged_sessions: journal.run_state.judged_sessions,
      cookie: journal.cookie,
      config: selectModel({ config, tree: ground.before, runState, purpose, nodeId }).config,
    },
    deadlineMs: ports.clock.monotonicMs() + journal.config.iteration_timeout_secs * 1000,
    waitedMs: 0,
    tidy: async (result, spent) => {
      notes.push(...(await tidy(ports, ground, result)));
      await ports.journal.save({ ...journal, phase: 'agent', spent });
      await ports.logs.keepSession('agent');
    },
  });
  return { ...ended, notes };
}

/** Before a further session of the iteration: everything in order, tree.json as at B, other work stays (§5). */
async function tidy(ports: Ports, ground: Ground, result: SessionResult): Promise<readonly string[]> {
  const { baseline, prefix } = ground.journal;
  // Refusals and leftovers of all sessions are reported once, after the last.
  const untold = { ...result, end: { kind: 'undone' } as const, denials: [], leftovers: [] };
  const { session } = await collect(ports, ground, {
    result: untold,
    sessions: 1,
    waited_secs: 0,
    notes: [],
  });
  await ports.git.restorePaths({ commit: baseline, paths: [`${prefix}.runner/state/tree.json`] });
  return session.notes;
}
