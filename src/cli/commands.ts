/** One function a command: wires the adapters, calls the app, prints the outcome, returns the exit code. */
import { init } from '../app/init.ts';
import type { StepOutcome, StepRecord } from '../app/iteration.ts';
import type { LoopOutcome } from '../app/loop.ts';
import { runLoop, runStep } from '../app/loop.ts';
import { select } from '../app/select.ts';
import { start } from '../app/start.ts';
import { validate } from '../app/validate.ts';
import { cleanLine } from '../core/terminal-text.ts';
import { exitCodes, exitOfStop } from './exit-codes.ts';
import type { CommandCall } from './program.ts';
import {
  errorOfLimit,
  errorOfStop,
  printLine,
  printLoopEnd,
  printLoopStep,
  printSelection,
  printStep,
  printValidation,
} from './report.ts';
import type { Settings } from './streams.ts';
import { renderSummary } from './summary.ts';
import { openFiles, openProject } from './wire.ts';

export async function runInit(settings: Settings, call: CommandCall): Promise<number> {
  const files = await openFiles(settings);
  const release = await files.lockForWriting('runner init');
  try {
    const made = await init(files, { force: call.force });
    if (made.warning !== null && !settings.quiet) settings.streams.err(`warning: ${made.warning}\n`);
    printLine(settings, 'initialized .runner/', {
      command: 'init',
      files: made.files.map((path) => `.runner/${path}`),
      guard_command: made.guardCommand,
      warning: made.warning,
    });
    return exitCodes.ok;
  } finally {
    await release();
  }
}

export async function runStart(settings: Settings, call: CommandCall): Promise<number> {
  const project = await openProject(settings, call.overrides);
  try {
    const started = await start(project.ports, { isNew: call.isNew });
    if (!settings.quiet) {
      if (started.credential !== null) {
        settings.streams.err(`agent ${started.agent}, login: ${cleanLine(started.credential)}\n`);
      }
      for (const warning of started.warnings) settings.streams.err(`warning: ${cleanLine(warning)}\n`);
    }
    printLine(settings, `started run=${started.run_id} branch=${started.branch}`, {
      command: 'start',
      ...started,
    });
    return exitCodes.ok;
  } finally {
    project.close();
  }
}

export async function runValidate(settings: Settings): Promise<number> {
  printValidation(settings, await validate(await openFiles(settings)));
  return exitCodes.ok;
}

export async function runSelect(settings: Settings): Promise<number> {
  const selection = await select(await openFiles(settings));
  printSelection(settings, selection);
  if (selection.kind === 'complete') return exitCodes.complete;
  return selection.kind === 'stuck' ? exitCodes.stuck : exitCodes.ok;
}

export async function runStepCommand(settings: Settings, call: CommandCall): Promise<number> {
  const project = await openProject(settings, call.overrides);
  try {
    const outcome = await runStep(project.ports);
    project.closeLive();
    printStep(settings, outcome);
    return exitOfOutcome(outcome);
  } finally {
    project.close();
  }
}

export async function runLoopCommand(settings: Settings, call: CommandCall): Promise<number> {
  const project = await openProject(settings, call.overrides);
  try {
    const records: StepRecord[] = [];
    const outcome = await runLoop(project.ports, (record) => {
      records.push(record);
      printLoopStep(settings, record);
    });
    project.closeLive();
    if (!settings.quiet) {
      const state = await project.ports.runStates.load().catch(() => null);
      for (const line of renderSummary(records, state?.totals ?? null)) settings.streams.err(`${line}\n`);
    }
    printLoopEnd(settings, outcome);
    return exitOfLoop(outcome);
  } finally {
    project.close();
  }
}

/** Throws what is an error, so that it is printed in one place. */
function exitOfOutcome(outcome: StepOutcome): number {
  const limit = errorOfLimit(outcome);
  if (limit !== null) throw limit;
  if (outcome.kind === 'complete') return exitCodes.complete;
  if (outcome.kind === 'stuck') return exitCodes.stuck;
  return 'stop' in outcome && outcome.stop !== null ? exitOfStopOrThrow(outcome.stop) : exitCodes.ok;
}

function exitOfLoop(outcome: LoopOutcome): number {
  const limit = errorOfLimit(outcome);
  if (limit !== null) throw limit;
  if (outcome.kind === 'stuck') return exitCodes.stuck;
  return outcome.kind === 'stopped' ? exitOfStopOrThrow(outcome.stop) : exitCodes.ok;
}

function exitOfStopOrThrow(stop: Parameters<typeof exitOfStop>[0]): number {
  const error = errorOfStop(stop);
  if (error !== null) throw error;
  return exitOfStop(stop);
}
