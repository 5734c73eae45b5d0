/** `--reporter github`: a group for each iteration, annotations for what went wrong, and the job summary. */
import { isAbsolute, join, relative } from 'node:path';
import type { StepRecord } from '../../app/iteration.ts';
import type { LoopOutcome } from '../../app/loop.ts';
import type { RunnerError } from '../../core/errors.ts';
import type { Reporter } from '../../ports/reporter.ts';
import { named } from './fields.ts';
import { disarm, findFilePosition, renderCommand } from './github-text.ts';
import type { Properties } from './github-text.ts';
import type { Settings, Streams } from './streams.ts';

export interface GithubReporter extends Reporter {
  /** An iteration that was not recorded leaves its group open. */
  ended(): void;
}

/** GitHub shows ten annotations of a kind for each step. */
const placesMax = 5;

type Surroundings = Pick<Settings, 'directory' | 'env'>;

/** `out` must be the real stdout; everything else a process prints goes through `disarmedStreams`. */
export function githubReporter(out: (text: string) => void, around: Surroundings): GithubReporter {
  let isOpen = false;
  let guardLines: string[] = [];
  const close = (): void => {
    if (isOpen) out(renderCommand('endgroup', ''));
    isOpen = false;
  };
  return {
    wants: { everyActivity: false, agentEvents: false },
    ended: close,
    report: (event) => {
      if (event.type === 'iteration_started') {
        close();
        isOpen = true;
        guardLines = [];
        out(
          renderCommand(
            'group',
            `iter ${event.iter}: ${named(event.node_path, event.title)}, with ${event.agent.name}`,
          ),
        );
      }
      if (event.type === 'phase' && event.phase === 'guard') guardLines = [];
      if (event.type === 'activity' && event.source === 'guard' && guardLines.length < placesMax)
        if (findFilePosition(event.line) !== null) guardLines.push(event.line);

      if (event.type !== 'iteration_ended') return;
      close();
      out(renderRecord(event.record, guardLines, around));
      guardLines = [];
    },
  };
}

/** Work that is not there yet is a warning: the run goes on. */
function renderRecord(record: StepRecord, guardLines: readonly string[], around: Surroundings): string {
  if (record.guard !== 'fail' && record.failure === null) return '';
  const title = `iter ${record.iter} node ${named(record.node_id, record.title)}`;
  const placed = guardLines.map((line) =>
    renderCommand('warning', line, { ...placeOf(line, around), title }),
  );
  return [renderCommand('warning', record.message, { title }), ...placed].join('');
}

export function renderOutcomeNote(outcome: LoopOutcome, next: string): string {
  const { run_id } = outcome;
  if (outcome.kind === 'complete') return renderCommand('notice', `run ${run_id} is complete; ${next}`);
  if (outcome.kind !== 'stuck') return '';
  return renderCommand(
    'error',
    `run ${run_id} is stuck at ${named(outcome.leaf.path, outcome.leaf.node.title)}; ${next}`,
    {
      title: 'stuck',
    },
  );
}

export function renderErrorNote(error: RunnerError, around: Surroundings): string {
  const { code, message, details, hint } = error;
  const text = [message, ...details.slice(0, placesMax), ...(hint === '' ? [] : [`hint: ${hint}`])].join(
    '; ',
  );
  return renderCommand('error', text, { ...placeOf([message, ...details].join(' '), around), title: code });
}

/** Paths are relative to the project folder; GitHub needs them relative to the top of its checkout. */
function placeOf(text: string, { directory, env }: Surroundings): Properties {
  const place = findFilePosition(text);
  const top = env['GITHUB_WORKSPACE'] ?? '';
  if (place === null || top === '') return place === null ? {} : { ...place };
  const file = relative(top, join(directory, place.file));
  return file.startsWith('..') || isAbsolute(file) ? {} : { file, line: place.line };
}

/** What an agent, a guard or a file name says is shown, and never obeyed. */
export function disarmedStreams(streams: Streams): Streams {
  return {
    ...streams,
    out: (text) => streams.out(disarm(text)),
    err: (text) => streams.err(disarm(text)),
  };
}
