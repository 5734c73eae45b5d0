/**
 * `--events`: everything that happens, as JSON lines on stdout (schemas/output/v1/events.schema.json). Every line has its
 * version, time, run and iteration, so that none needs the lines before it.
 */
import type { StepOutcome } from '../../app/iteration.ts';
import type { LoopOutcome } from '../../app/loop.ts';
import { fitEvent } from '../../core/agents/agent-events.ts';
import type { RunnerError } from '../../core/errors.ts';
import { packageVersion } from '../../core/version.js';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Reporter, RunEvent } from '../../ports/reporter.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface EventStream extends Reporter {
  ended(outcome: StepOutcome | LoopOutcome): void;
}

export function eventStream(options: {
  readonly out: (text: string) => void;
  readonly nowIso: () => string;
}): EventStream {
  const { out, nowIso } = options;
  let run: string | null = null;
  let iter: number | null = null;
  const write = (type: string, fields: Fields): void =>
    out(renderEventObject({ at: nowIso(), type, run_id: run, iter, ...fields }));
  return {
    wants: { everyActivity: false, agentEvents: true },
    report: (event) => {
      if (event.type === 'run_started' || event.type === 'iteration_started') run = event.run_id;
      if (event.type === 'iteration_started') iter = event.iter;
      const fields = fieldsOf(event);
      if (fields !== null) write(event.type === 'activity' ? 'guard_output' : event.type, fields);
      if (event.type === 'iteration_ended') iter = null;
    },
    ended: (outcome) => {
      iter = null;
      write('run_ended', endFields(outcome));
    },
  };
}

/** What made the command give up, as the last line. */
export function renderErrorEvent(error: RunnerError, at: string): string {
  const { code, message, details, hint } = error;
  return renderEventObject({
    at,
    type: 'error',
    run_id: null,
    iter: null,
    error: { code, message, details, hint },
  });
}

function renderEventObject(fields: Fields): string {
  return `${JSON.stringify({ v: 1, ...fields })}\n`;
}

/** Null: another line reports it. A wait is reported when it begins and when it ends, not every second. */
function fieldsOf(event: RunEvent): Fields | null {
  switch (event.type) {
    case 'run_started':
      return { command: event.command, version: packageVersion };
    case 'recovering': {
      const { run_id, iter, phase } = event;
      return { run_id, iter, phase };
    }
    case 'recovered': {
      const { run_id, iter, message } = event;
      return { run_id, iter, message: cleanLine(message) };
    }
    case 'iteration_started': {
      const { type: _type, title, credential, ...fields } = event;
      return {
        ...fields,
        title: cleanLine(title),
        credential: credential === null ? null : cleanLine(credential),
      };
    }
    case 'phase':
      return { phase: event.phase };
    case 'agent_event': {
      const { seq, at, session, role } = event.place;
      return { at, session, role, seq, event: fitEvent(event.event) };
    }
    case 'activity':
      return event.source === 'guard' ? { line: cleanLine(event.line) } : null;
    case 'waiting':
      return event.reason === null ? null : { reason: cleanLine(event.reason), wait_ms: event.left_ms };
    case 'waited':
      return { waited_ms: Math.round(event.waited_ms) };
    case 'note':
      return { message: cleanLine(event.message) };
    case 'iteration_ended':
      return { ...event.record, message: cleanLine(event.record.message), progress: event.progress };
    case 'baseline_started':
    case 'baseline_ended':
      return null;
  }
}

const noEnd = { node_id: null, limit: null, stop: null };

function endFields(outcome: StepOutcome | LoopOutcome): Fields {
  const isLoop = 'steps' in outcome;
  const counts = {
    command: isLoop ? 'loop' : 'step',
    steps: isLoop ? outcome.steps : Number(outcome.kind === 'recorded'),
    ...(outcome.kind === 'recorded' ? {} : { run_id: outcome.run_id }),
  };
  switch (outcome.kind) {
    case 'complete':
    case 'paused':
      return { ...counts, status: outcome.kind, ...noEnd };
    case 'stuck':
      return { ...counts, status: 'stuck', ...noEnd, node_id: outcome.leaf.node.id };
    case 'limit': {
      const { next_iter, max_iterations } = outcome;
      const limit = { setting: 'max_iterations', used: next_iter - 1, max: max_iterations };
      return { ...counts, status: 'limit', ...noEnd, limit };
    }
    case 'run_limit': {
      const { limit, used, max } = outcome;
      return { ...counts, status: 'limit', ...noEnd, limit: { setting: `limits.${limit}`, used, max } };
    }
    case 'recorded':
    case 'not_recorded':
    case 'stopped': {
      const { stop } = outcome;
      const status = stop === null ? 'recorded' : stop.kind;
      return { ...counts, status, ...noEnd, stop: stop === null ? null : { ...stop } };
    }
  }
}
