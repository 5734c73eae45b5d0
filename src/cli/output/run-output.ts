/** How `step` and `loop` report: lines or JSON, `--events`, `--reporter github`, and the closing words for people. */
import { systemClock } from '../../adapters/files/clock.ts';
import { appendStepSummary } from '../../adapters/files/step-summary.ts';
import type { StepOutcome, StepRecord } from '../../app/iteration.ts';
import type { LoopOutcome } from '../../app/loop.ts';
import { RunnerError } from '../../core/errors.ts';
import { fittingHint } from '../../core/config/setting-hint.ts';
import { describeEnd } from '../../core/runs/loop-end.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Reporter } from '../../ports/reporter.ts';
import { eventStream } from './event-stream.ts';
import { disarmedStreams, githubReporter, renderOutcomeNote } from './github.ts';
import { renderJobSummary } from './github-text.ts';
import type { CommandCall } from '../program.ts';
import { printLoopEnd, printLoopStep, printStep } from './report.ts';
import type { Settings } from './streams.ts';
import { renderNext, renderSummary, summaryRows } from './summary.ts';
import type { Fit, Known } from './summary.ts';

export interface RunOutput {
  /** The given settings, with streams whose text GitHub cannot take for a command. */
  readonly settings: Settings;
  readonly reporters: readonly Reporter[];
  loopStep(record: StepRecord): void;
  /** `end`: the hint of the error that ended the loop, which is reported afterwards; else how it ended. */
  loopEnd(records: readonly StepRecord[], end: LoopOutcome | string, known: Known): Promise<void>;
  stepEnd(outcome: StepOutcome): Promise<void>;
}

export function openOutput(settings: Settings, call: CommandCall): RunOutput {
  const isEvents = call.options['events'] === true;
  const isGithub = call.options['reporter'] === 'github';
  const given = [
    ...(settings.json ? ['--json'] : []),
    ...(isEvents ? ['--events'] : []),
    ...(isGithub ? ['--reporter'] : []),
  ];
  if (given.length > 1) {
    throw new RunnerError({
      code: 'USAGE',
      message: `${given.join(' and ')} cannot be combined: each defines stdout`,
      hint: `runner ${call.name} --help`,
    });
  }
  const fit = fittingHint({ env: settings.env, flags: call.overrides });
  if (isEvents) return eventsOutput(settings, fit);
  return isGithub ? githubOutput(settings, fit) : linesOutput(settings, fit);
}

function linesOutput(settings: Settings, fit: Fit): RunOutput {
  return {
    settings,
    reporters: [],
    loopStep: (record) => {
      if (!isShownToPeople(settings)) printLoopStep(settings, record);
    },
    loopEnd: async (records, end, known) => {
      sayEnd(settings, renderSummary(records, end, known, fit));
      ringBell(settings, end);
      if (typeof end !== 'string') printLoopEnd(settings, end);
    },
    stepEnd: async (outcome) => {
      if (outcome.kind !== 'recorded' || !isShownToPeople(settings)) printStep(settings, outcome);
      if (outcome.kind === 'complete' || outcome.kind === 'stuck')
        sayEnd(settings, [`next: ${fit(describeEnd(outcome).hint)}`]);
    },
  };
}

/** Where both streams are one terminal, the lines for people have told of the iteration already. */
function isShownToPeople({ json, quiet, streams }: Settings): boolean {
  return !json && !quiet && streams.columns() !== null && streams.outColumns() !== null;
}

function eventsOutput(settings: Settings, fit: Fit): RunOutput {
  const clock = systemClock();
  const stream = eventStream({ out: settings.streams.out, nowIso: () => clock.nowIso() });
  return {
    settings,
    reporters: [stream],
    loopStep: () => {},
    loopEnd: async (records, end, known) => {
      sayEnd(settings, renderSummary(records, end, known, fit));
      if (typeof end !== 'string') stream.ended(end);
    },
    stepEnd: async (outcome) => stream.ended(outcome),
  };
}

function githubOutput(given: Settings, fit: Fit): RunOutput {
  const { out } = given.streams;
  const settings = { ...given, streams: disarmedStreams(given.streams) };
  const lines = linesOutput(settings, fit);
  const github = githubReporter(out, given);
  return {
    ...lines,
    reporters: [github],
    loopEnd: async (records, end, known) => {
      github.ended();
      await lines.loopEnd(records, end, known);
      const isError = typeof end === 'string';
      const next = renderNext(end, fit);
      if (!isError) out(renderOutcomeNote(end, next));
      const rows = [...summaryRows(records, known), ...(next === '' ? [] : [['next', next] as const])];
      const title = `runner loop: ${isError ? 'error' : end.kind.replace('_', ' ')}`;
      await addJobSummary(settings, renderJobSummary({ title, records, rows }));
    },
    stepEnd: async (outcome) => {
      github.ended();
      await lines.stepEnd(outcome);
      const records = outcome.kind === 'recorded' ? [outcome.record] : [];
      const title = `runner step: ${outcome.kind.replace('_', ' ')}`;
      await addJobSummary(
        settings,
        renderJobSummary({ title, records, rows: summaryRows(records, { totals: null, questions: null }) }),
      );
    },
  };
}

async function addJobSummary(settings: Settings, text: string): Promise<void> {
  const file = settings.env['GITHUB_STEP_SUMMARY'] ?? '';
  const warning = file === '' ? null : await appendStepSummary(file, text);
  if (warning !== null && !settings.quiet) settings.streams.err(`warning: ${cleanLine(warning)}\n`);
}

function sayEnd({ quiet, streams }: Settings, lines: readonly string[]): void {
  if (!quiet) streams.err(lines.map((line) => `${line}\n`).join(''));
}

/** Once, and only where somebody may be waiting: a person who pressed Ctrl-C knows. */
function ringBell({ quiet, streams, env }: Settings, end: LoopOutcome | string): void {
  if (quiet || streams.columns() === null || (env['RUNNER_NO_BELL'] ?? '') !== '') return;
  if (typeof end !== 'string' && end.kind === 'stopped' && end.stop.kind === 'interrupted') return;
  streams.err('\u0007');
}
