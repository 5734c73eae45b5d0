/**
 * One trial as a straight line: workspace, `runner init`, configure, `runner start`, `runner loop`, artefacts, checks, outcome,
 * record. Every failure becomes a record; only a signal leaves none, so that the trial is run again.
 */
import { rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { findProgram } from '../../adapters/processes/program-path.ts';
import { RunnerError } from '../../core/errors.ts';
import { evalRunId, variantLabel } from '../cases/names.ts';
import { replayMisses } from '../cases/recording-text.ts';
import { bringsSandbox, isShellLine } from '../cases/case-config.ts';
import { parseSessionFact } from '../cases/session-facts.ts';
import type { TrialRecord } from '../cases/types.ts';
import type { IterationMeta } from '../../core/agents/session.ts';
import { batchVariables } from './batch-lock.ts';
import { collectArtefacts } from './artefacts.ts';
import { runChecks } from './checks.ts';
import { makeRecordings, nameSeed } from './place.ts';
import { saveRecording } from './recording.ts';
import { recordingPath } from './replay.ts';
import { listRunLogs } from './results.ts';
import { runRunner } from './runner-calls.ts';
import type { RunnerCall } from './runner-calls.ts';
import { trialEnv } from './trial-env.ts';
import { emptyRun, trialRecord } from './trial-record.ts';
import type { OpenTrial, TrialRun } from './trial-record.ts';
import { layHidden, removeHidden, trialRoom } from './trial-room.ts';
import type { TrialRoom } from './trial-room.ts';
import { prepareScript } from './trial-script.ts';
import { callOf, prepareWorkspace } from './trial-start.ts';
import type { ReadyWorkspace } from './trial-start.ts';
import { cookieMark, workTreeMark } from './trial-world.ts';
import type { TrialJob, TrialWorld } from './trial-world.ts';
import { makeTrialFolder } from './workspace.ts';
import type { Workspace } from './workspace.ts';

/** Null when a signal came before it ended. Throws DISK and PROCESS_ALIVE, when the harness itself cannot go on. */
export async function runTrial(world: TrialWorld, job: TrialJob): Promise<TrialRecord | null> {
  const trial = await openTrial(world, job);
  const marks = [cookieMark(trial.cookie)];
  marks.forEach((mark) => world.active.add(mark));
  try {
    const run = await carryOut(world, trial);
    if (run === null) {
      await rm(trial.dir, { recursive: true, force: true });
      return null;
    }
    const record = trialRecord(world, trial, { run, logs: await listRunLogs(trial.dir) });
    await world.results.saveTrial(record);
    return record;
  } finally {
    marks.forEach((mark) => world.active.delete(mark));
  }
}

async function openTrial(world: TrialWorld, job: TrialJob): Promise<OpenTrial> {
  const { key, loaded } = job;
  const startMs = world.clock.monotonicMs();
  const eval_run_id = evalRunId(nameSeed());
  return {
    job,
    eval_run_id,
    dir: await world.results.makeTrialDir(key.case_id, eval_run_id),
    env: {
      ...trialEnv(world.env, { evalCase: loaded.case, repeat: key.repeat }, world.place),
      ...batchVariables(world.place, world.batch),
    },
    cookie: world.hasher.cookie(),
    start_time: world.clock.nowIso(),
    startMs,
    deadlineMs: startMs + loaded.case.timeout_secs * 1000,
  };
}

async function carryOut(world: TrialWorld, trial: OpenTrial): Promise<TrialRun | null> {
  const { job } = trial;
  const missing = await missingPrograms(trial);
  if (missing.length > 0) return { ...emptyRun, missing };
  world.onEvent({ type: 'phase', key: job.key, phase: 'workspace' });
  const folder = await makeTrialFolder(world.place.trialsDir, job.key.case_id, nameSeed);
  const room = trialRoom(folder, job.loaded);
  const script = await prepareScript(world, job, room);
  if (!script.ok) {
    await rm(folder.dir, { recursive: true, force: true });
    return { ...emptyRun, failure: script.failure, errors: [script.message] };
  }
  const made = await prepareWorkspace(world, { trial, room, script });
  if (made === null) return null;
  if ('failure' in made) return made;
  const mark = workTreeMark(made.dir);
  world.active.add(mark);
  try {
    const ran = await runLoop(world, trial, { made, room });
    if (ran === null) return null;
    const replay_misses =
      script.recording === null
        ? null
        : replayMisses(
            script.recording,
            ran.artefacts.metas.map((meta) => meta?.task_sha256 ?? ''),
          );
    const recorded = await recordRun(world, trial, { run: ran, workspace: made });
    return { ...ran, replay_misses, isRecorded: recorded.ok, errors: [...ran.errors, ...recorded.errors] };
  } finally {
    world.active.delete(mark);
    await removeHidden(room);
  }
}

async function missingPrograms({ job, env }: OpenTrial): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const name of job.loaded.case.requires) {
    if ((await findProgram(name, { cwd: dirname(job.loaded.file), pathEnv: env['PATH'] })) === null)
      missing.push(name);
  }
  return missing;
}

/** `start`, `loop`, what they left, and the checks on it. Null: a signal came. */
async function runLoop(
  world: TrialWorld,
  trial: OpenTrial,
  { made, room }: { readonly made: ReadyWorkspace; readonly room: TrialRoom },
): Promise<TrialRun | null> {
  const { key, loaded } = trial.job;
  // Who plays a solution or a recording reads it where it is.
  const hide = key.variant.kind === 'agent' ? world.hide : null;
  const call = { ...callOf(trial, room), hide, agent: hiddenAgent(trial, made.agent) };
  world.onEvent({ type: 'phase', key, phase: 'start' });
  const started = await runRunner(world, { ...call, command: 'start' });
  if (started.kind === 'interrupted') return null;
  const base = started.exit_code === 0 ? await headOf(made) : null;
  world.onEvent({ type: 'phase', key, phase: 'loop' });
  const steps: Readonly<Record<string, unknown>>[] = [];
  const loop =
    base === null
      ? null
      : await runRunner(world, {
          ...call,
          command: 'loop',
          onStep: (step) => {
            steps.push(step);
            world.onEvent({ type: 'iteration', key, step });
          },
        });
  if (loop?.kind === 'interrupted') return null;
  const artefacts = await collectArtefacts(made.dir, trial.dir);
  world.onEvent({ type: 'phase', key, phase: 'checks' });
  await layHidden(room, loaded);
  const checks = await runChecks(loaded.case.checks, {
    workspace: made.dir,
    outputDir: room.folder.output,
    map: room.map,
    resultsDir: trial.dir,
    env: trial.env,
    loop: { exit_code: loop?.exit_code ?? null },
    iterations: artefacts.metas.length,
    tree: artefacts.tree,
    cookie: trial.cookie,
    clock: world.clock,
    interrupts: world.interrupts,
  });
  if (checks === null) return null;
  const ended = loop ?? started;
  return {
    ...emptyRun,
    workspace: relative(world.place.root, made.link),
    settings: made.settings,
    isHidden: hide !== null,
    failure: failureOf(loop),
    loop: {
      exit_code: loop?.exit_code ?? null,
      end: loop?.last ?? null,
      error_code: loop?.error_code ?? null,
      is_late: loop?.kind === 'timeout',
      is_killed: loop?.kind === 'exited' && loop.exit_code === null,
      has_session: loop?.has_session ?? false,
    },
    sessions: steps.map((step) => parseSessionFact(step, artefacts.metas)),
    is_shell_line: key.variant.kind === 'agent' && isShellLine(made.agent),
    artefacts,
    checks,
    base,
    errors: [...(ended.message === null ? [] : [ended.message]), ...artefacts.errors],
  };
}

function hiddenAgent({ env, job }: OpenTrial, agent: ReadyWorkspace['agent']): RunnerCall['agent'] {
  const typed = job.key.variant.settings ?? {};
  const words = [...Object.values(agent).flat(), ...Object.values(typed)].filter(isText);
  return { words, bringsSandbox: bringsSandbox(agent, { typed, env }) };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function failureOf(loop: { readonly kind: string } | null): TrialRun['failure'] {
  if (loop === null) return 'start_failed';
  return loop.kind === 'failed' ? 'loop_failed' : null;
}

async function headOf({ git }: Workspace): Promise<string> {
  return (await git.ask(['rev-parse', 'HEAD'])).trim();
}

/** Only what ran through by itself is worth playing again. */
async function recordRun(
  world: TrialWorld,
  trial: OpenTrial,
  what: { readonly run: TrialRun; readonly workspace: Workspace },
): Promise<{ readonly ok: boolean; readonly errors: readonly string[] }> {
  const { job } = trial;
  const { run, workspace } = what;
  const { kind } = job.key.variant;
  if (!job.isRecorded || (kind !== 'agent' && kind !== 'oracle')) return { ok: false, errors: [] };
  const metas = run.artefacts.metas.filter((meta): meta is IterationMeta => meta !== null);
  const isWhole =
    run.base !== null && run.loop.exit_code !== null && metas.length === run.artefacts.metas.length;
  if (run.failure !== null || run.base === null || run.loop.is_late || !isWhole)
    return { ok: false, errors: ['not recorded: the run did not end by itself'] };

  if (metas.some(({ review }) => review !== null))
    return { ok: false, errors: ['not recorded: a run with [review] cannot be replayed'] };

  try {
    await makeRecordings(world.place);
    await saveRecording({
      dir: join(world.place.recordingsDir, recordingPath(job.key)),
      root: world.place.root,
      workspace: workspace.dir,
      git: workspace.git,
      base: run.base,
      metas,
      head: {
        case_id: job.key.case_id,
        variant: variantLabel(job.key.variant),
        repeat: job.key.repeat,
        recorded_at: trial.start_time,
        runner_version: world.runnerVersion,
      },
    });
    return { ok: true, errors: [] };
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    return { ok: false, errors: [`not recorded: ${error.message}`] };
  }
}
