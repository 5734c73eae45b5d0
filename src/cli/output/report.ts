/** Outcomes and errors as stable `key=value` lines or as JSON (§10). Renders text; writes through the given streams only. */
import { RunnerError } from '../../core/errors.ts';
import type { Stop } from '../../core/iteration/outcome-row.ts';
import type { SelectedLeaf, Selection } from '../../core/types.ts';
import type { StepOutcome, StepRecord } from '../../app/iteration.ts';
import type { LoopOutcome } from '../../app/loop.ts';
import { describeLimit, limitTexts } from '../../core/runs/loop-end.ts';
import type { Validated } from '../../app/views/validate.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Settings } from './streams.ts';

export function printLine(settings: Settings, line: string, value: unknown): void {
  settings.streams.out(settings.json ? `${JSON.stringify(value)}\n` : `${line}\n`);
}

/** Ids are checked by schema, so a line never needs quoting. */
function leafFields(leaf: SelectedLeaf): string {
  const { node, path } = leaf;
  return `id=${node.id} path=${path} attempts=${node.attempts}/${node.max_attempts}`;
}

function leafValue(leaf: SelectedLeaf): Record<string, unknown> {
  const { node, path } = leaf;
  return { id: node.id, path, attempts: node.attempts, max_attempts: node.max_attempts };
}

/** What comes next, as `select` says it: fields of a line, and the same as a value. */
export function selectionFields(selection: Selection): {
  readonly line: string;
  readonly value: Readonly<Record<string, unknown>>;
} {
  switch (selection.kind) {
    case 'complete':
      return { line: 'status=complete', value: { status: 'complete' } };
    case 'repair': {
      const id = selection.repair.node_id;
      return { line: `status=repair id=${id}`, value: { status: 'repair', id } };
    }
    case 'stuck': {
      const { leaf } = selection;
      return { line: `status=stuck ${leafFields(leaf)}`, value: { status: 'stuck', ...leafValue(leaf) } };
    }
    case 'leaf': {
      const { leaf, purpose } = selection;
      const planned = purpose === 'plan';
      return {
        line: `status=open ${planned ? 'mode=decompose ' : ''}${leafFields(leaf)}`,
        value: { status: 'open', ...(planned ? { mode: 'decompose' } : {}), ...leafValue(leaf) },
      };
    }
  }
}

export function printSelection(settings: Settings, selection: Selection): void {
  const { line, value } = selectionFields(selection);
  printLine(settings, `select: ${line}`, { command: 'select', ...value });
}

export function printValidation(settings: Settings, { run, warnings }: Validated): void {
  const { kind, ...fields } = run;
  if (!settings.quiet)
    for (const { message, fix } of warnings) settings.streams.err(`warning: ${message}; ${fix}\n`);
  if (settings.json) {
    const value = {
      command: 'validate',
      layout: 'ok',
      config: 'ok',
      tree: 'ok',
      run: { status: kind, ...fields },
      warnings,
    };
    return settings.streams.out(`${JSON.stringify(value)}\n`);
  }
  if (settings.quiet) return;
  const detail = run.kind === 'not-started' ? '' : ` id=${run.run_id} branch=${run.branch ?? '(none)'}`;
  const lines = ['layout=ok', 'config=ok', 'tree=ok', `run=${kind}${detail}`];
  settings.streams.out(lines.map((line) => `validate: ${line}\n`).join(''));
}

function recordFields(record: StepRecord): string {
  const { run_id, iter, node_id, status, guard } = record;
  return `run=${run_id} iter=${iter} node=${node_id} status=${status} guard=${guard}`;
}

export function printLoopStep(settings: Settings, record: StepRecord): void {
  printLine(settings, `loop: step ${recordFields(record)}`, { command: 'loop', event: 'step', ...record });
}

export function printStep(settings: Settings, outcome: StepOutcome): void {
  const say = (line: string, value: Record<string, unknown>): void =>
    printLine(settings, `step: ${line}`, { command: 'step', ...value });
  switch (outcome.kind) {
    case 'recorded':
      return say(recordFields(outcome.record), {
        event: 'step',
        ...outcome.record,
        stop: stopValue(outcome.stop),
      });
    case 'complete':
      return say(`status=complete run=${outcome.run_id}`, { status: 'complete', run_id: outcome.run_id });
    case 'stuck':
      return say(`status=stuck run=${outcome.run_id} ${leafFields(outcome.leaf)}`, {
        status: 'stuck',
        run_id: outcome.run_id,
        ...leafValue(outcome.leaf),
      });
    case 'not_recorded':
      if (outcome.stop.kind !== 'paused') return undefined;
      return say(`status=paused run=${outcome.run_id}`, { status: 'paused', run_id: outcome.run_id });
    case 'limit':
    case 'run_limit':
      return undefined;
  }
}

export function printLoopEnd(settings: Settings, outcome: LoopOutcome): void {
  const { run_id, steps, started_at_iter } = outcome;
  const counts = `steps=${steps} started_at_iter=${started_at_iter}`;
  const say = (line: string, value: Record<string, unknown>): void =>
    printLine(settings, `loop: ${line}`, {
      command: 'loop',
      event: 'end',
      ...value,
      run_id,
      steps,
      started_at_iter,
    });
  switch (outcome.kind) {
    case 'complete':
    case 'paused':
      return say(`status=${outcome.kind} run=${run_id} ${counts}`, { status: outcome.kind });
    case 'stuck':
      return say(`status=stuck run=${run_id} ${leafFields(outcome.leaf)} ${counts}`, {
        status: 'stuck',
        ...leafValue(outcome.leaf),
      });
    case 'limit': {
      const { next_iter, max_iterations } = outcome;
      return say(
        `status=limit run=${run_id} next_iter=${next_iter} max_iterations=${max_iterations} ${counts}`,
        {
          status: 'limit',
          next_iter,
          max_iterations,
        },
      );
    }
    case 'run_limit': {
      const { limit, used, max } = outcome;
      const { unit } = limitTexts[limit];
      return say(`status=limit run=${run_id} ${unit}=${used} ${limit}=${max} ${counts}`, {
        status: 'limit',
        [unit]: used,
        [limit]: max,
      });
    }
    case 'stopped':
      return say(
        `status=${outcome.stop.kind === 'interrupted' ? 'interrupted' : 'error'} run=${run_id} ${counts}`,
        {
          status: outcome.stop.kind === 'interrupted' ? 'interrupted' : 'error',
          stop: stopValue(outcome.stop),
        },
      );
  }
}

function stopValue(stop: Stop | null): Record<string, unknown> | null {
  return stop === null ? null : { ...stop };
}

/** One clear message: what is wrong, where, and the command that helps. */
export function printError(settings: Settings, error: RunnerError): void {
  const { code, message, details, hint } = error;
  const lines = [
    `error: ${cleanLine(message)} [${code}]`,
    ...details.map((line) => `  ${cleanLine(line)}`),
    `hint: ${cleanLine(hint)}`,
  ];
  settings.streams.err(`${lines.join('\n')}\n`);
  if (settings.json) settings.streams.out(`${JSON.stringify({ error: { code, message, details, hint } })}\n`);
}

export function errorOfStop(stop: Stop): RunnerError | null {
  if (stop.kind !== 'error') return null;
  return new RunnerError({ code: stop.code, message: stop.message, hint: stop.hint });
}

/** The limits of a run, as the error that `step` and `loop` end with. */
export function errorOfLimit(outcome: StepOutcome | LoopOutcome): RunnerError | null {
  if (outcome.kind !== 'limit' && outcome.kind !== 'run_limit') return null;
  const { code, sentence, hint, least } = describeLimit(outcome);
  return new RunnerError({ code, message: sentence, hint, least });
}
