/** What happens in a background run, as changes of its record and as lines of its readable log (§13.4, §13.6). */
import { addSpent } from '../../core/agents/usage.ts';
import type { RunRecord } from '../../core/runs/record.ts';
import type { ProgressLog } from '../../ports/run-work.ts';
import type { Reporter, RunEvent } from '../../ports/reporter.ts';
import type { RecordChange, RecordKeeper } from './record-keeper.ts';

export function followWork(keeper: RecordKeeper, log: ProgressLog): Reporter {
  return {
    wants: { everyActivity: false, agentEvents: false },
    report: (event) => {
      const isChatter = event.type === 'activity';
      const line = lineOf(event);
      if (line !== null) log.write(line, { isChatter });
      const change = changeOf(keeper.current(), event);
      if (change !== null) keeper.change(change, { isMinor: isChatter });
    },
  };
}

/** Null: the record says nothing of it. */
function changeOf(record: RunRecord, event: RunEvent): RecordChange | null {
  switch (event.type) {
    case 'iteration_started': {
      const { iter, max_iterations, node_id, title, totals, progress, agent } = event;
      return {
        status: 'running',
        reason: null,
        iterations: { used: iter - 1, max: max_iterations },
        node: { id: node_id, title },
        leaves: { passed: progress.passed, all: progress.total },
        agent: agent.name,
        model: agent.model,
        tokens: totals.tokens,
        cost_usd: totals.cost_usd,
      };
    }
    case 'iteration_ended': {
      const { iter, message } = event.record;
      return {
        iterations: { ...record.iterations, used: iter },
        leaves: { passed: event.progress.passed, all: event.progress.total },
        last_message: message,
        ...addSpent(record, event.record),
      };
    }
    case 'activity':
      return event.source === 'agent' ? { last_message: event.line } : null;
    case 'waiting':
      return event.reason === null ? null : { status: 'waiting', reason: event.reason };
    case 'waited':
      return { status: 'running', reason: null };
    case 'run_started':
    case 'recovering':
    case 'recovered':
    case 'baseline_started':
    case 'baseline_ended':
    case 'phase':
    case 'agent_event':
    case 'note':
      return null;
  }
}

/** Null: another line tells it. */
function lineOf(event: RunEvent): string | null {
  switch (event.type) {
    case 'run_started':
      return `loop started`;
    case 'recovering':
      return `recovering iteration ${event.iter}, cut off in phase ${event.phase}`;
    case 'recovered':
      return `recovered iteration ${event.iter}: ${event.message}`;
    case 'iteration_started': {
      const { iter, node_id, title, purpose, agent } = event;
      return `iteration ${iter} ${purpose} node ${node_id} (${title}) with ${agent.name}`;
    }
    case 'baseline_started':
      return `guard before the run: ${event.command}`;
    case 'baseline_ended':
      return `guard before the run: ${event.result}: ${event.message}`;
    case 'phase':
      return `phase ${event.phase}`;
    case 'activity':
      return `${event.source}: ${event.line}`;
    case 'waiting':
      return event.reason === null ? null : `waiting ${Math.ceil(event.left_ms / 1000)} s: ${event.reason}`;
    case 'waited':
      return `waited ${Math.round(event.waited_ms / 1000)} s`;
    case 'note':
      return `note: ${event.message}`;
    case 'iteration_ended': {
      const { iter, status, guard, message } = event.record;
      const { passed, total } = event.progress;
      return `iteration ${iter} status=${status} guard=${guard} leaves=${passed}/${total}: ${message}`;
    }
    case 'agent_event':
      return null;
  }
}
