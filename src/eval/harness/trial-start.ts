/** Makes the workspace of a trial ready for `runner start`: files, setup, `runner init`, goal and settings, two commits. */
import { join, relative, resolve } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import { agentTable, trialSettings } from '../cases/case-config.ts';
import { mapCommand } from '../cases/path-map.ts';
import type { SetupStep } from '../cases/types.ts';
import { runLogged } from './logged-run.ts';
import { runRunner } from './runner-calls.ts';
import type { RunnerCall, RunnerEnd } from './runner-calls.ts';
import { caseVariables } from './trial-env.ts';
import { emptyRun } from './trial-record.ts';
import type { OpenTrial, TrialRun } from './trial-record.ts';
import type { TrialRoom } from './trial-room.ts';
import type { TrialScript } from './trial-script.ts';
import type { TrialWorld } from './trial-world.ts';
import { commitConfig, commitStart, configureWorkspace, linkWorkspace, makeWorkspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

const logBytesMax = 1_000_000;
const diskBytesMax = 256 * 1024 * 1024;
const graceMs = 2000;

export interface StartRequest {
  readonly trial: OpenTrial;
  readonly room: TrialRoom;
  readonly script: Extract<TrialScript, { readonly ok: true }>;
}

export interface ReadyWorkspace extends Workspace {
  /** The link by which people find it. */
  readonly link: string;
  /** The `agent` table of its config.toml. */
  readonly agent: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, string>>;
}

/** The result of the trial when it cannot begin. Null: a signal came. */
export async function prepareWorkspace(
  world: TrialWorld,
  request: StartRequest,
): Promise<ReadyWorkspace | TrialRun | null> {
  const { folder, map } = request.room;
  const { env, job } = request.trial;
  const { case: evalCase, file } = job.loaded;
  const beside = (path: string | null): string | null => (path === null ? null : resolve(file, '..', path));
  try {
    const link = await linkWorkspace(world.place.workspacesDir, {
      case_id: evalCase.id,
      name: folder.name,
      dir: folder.workspace,
    });
    const made = await makeWorkspace({
      dir: folder.workspace,
      evalCase,
      fixtureDir: beside(evalCase.fixture),
      bundle: beside(evalCase.history),
      map,
      env,
    });
    const problem = await runSetup(world, request);
    if (problem === 'interrupted') return null;
    const workspace = relative(world.place.root, link);
    if (problem !== null) return { ...emptyRun, workspace, failure: 'setup_failed', errors: [problem] };
    await commitStart(made);
    const init = await initWorkspace(world, request, made);
    if (init.end !== null) return initFailed(workspace, init.end);
    await commitConfig(made);
    return { ...made, link, agent: init.agent, settings: init.settings };
  } catch (error) {
    if (!(error instanceof RunnerError)) throw error;
    // Ctrl-C in a terminal reaches git as well: what it then says is no finding.
    if (world.interrupts.current() !== null) return null;
    return { ...emptyRun, failure: 'workspace_failed', errors: [error.message] };
  }
}

export function callOf(
  trial: OpenTrial,
  { folder }: TrialRoom,
): Omit<RunnerCall, 'command' | 'flags' | 'onStep' | 'hide' | 'agent'> {
  const { env, cookie, deadlineMs } = trial;
  return { folder, resultsDir: trial.dir, env, cookie, deadlineMs };
}

/** `end` is how `runner init` failed; null: it did not. */
async function initWorkspace(
  world: TrialWorld,
  { trial, room, script }: StartRequest,
  made: Workspace,
): Promise<Pick<ReadyWorkspace, 'agent' | 'settings'> & { readonly end: RunnerEnd | null }> {
  const { key, loaded } = trial.job;
  const { case: evalCase } = loaded;
  const call = { ...callOf(trial, room), hide: null, agent: { words: [], bringsSandbox: false } };
  const typed = key.variant.settings ?? {};
  const { command } = script;
  const agent = agentTable(evalCase, key.variant, {
    script: script.script,
    ...(command === undefined ? {} : { command }),
    envNames: Object.keys(caseVariables({ evalCase, repeat: key.repeat })),
  });
  const settings = trialSettings(evalCase, agent, typed);
  const init = await runRunner(world, { ...call, command: 'init' });
  if (init.exit_code !== 0) return { end: init, agent, settings };
  await configureWorkspace(made, { evalCase, agent, settings: typed });
  if ('max_attempts_default' in settings) {
    // The tree was made before the setting was there: without this the root would have the usual attempts.
    const redone = await runRunner(world, { ...call, command: 'init', flags: ['--force'] });
    if (redone.exit_code !== 0) return { end: redone, agent, settings };
  }
  return { end: null, agent, settings };
}

/** What went wrong; null: nothing. */
async function runSetup(world: TrialWorld, request: StartRequest): Promise<string | null> {
  const steps = request.trial.job.loaded.case.setup;
  for (const [index, step] of steps.entries()) {
    const problem = await runStep(world, request, { step, number: index + 1 });
    if (problem !== null) return problem;
  }
  return null;
}

async function runStep(
  world: TrialWorld,
  { trial, room }: StartRequest,
  { step, number }: { readonly step: SetupStep; readonly number: number },
): Promise<string | null> {
  const mapped = mapCommand(step, room.map);
  const log = `setup.${number}.log`;
  const result = await runLogged({
    argv: mapped.cmd,
    cwd: room.folder.workspace,
    outputDir: room.folder.output,
    env: { ...trial.env, ...mapped.env },
    log: join(trial.dir, log),
    root: trial.dir,
    logBytesMax,
    diskBytesMax,
    deadlineMs: Infinity,
    timeoutMs: step.timeout_secs * 1000,
    graceMs,
    cookie: trial.cookie,
    clock: world.clock,
    interrupts: world.interrupts,
    isOneStream: true,
  });
  if (result.end === 'interrupted') return 'interrupted';
  const told = `setup step ${number} (${log})`;
  if (result.startError !== null) return `${told} could not be started: ${result.startError}`;
  if (result.end === 'timeout') return `${told} took longer than ${step.timeout_secs} s`;
  return result.exitCode === 0
    ? null
    : `${told} ended with ${result.exitCode ?? result.signal ?? 'a signal'}`;
}

/** No agent has worked yet, so running out of time says nothing about it. */
function initFailed(workspace: string, { kind, message }: RunnerEnd): TrialRun | null {
  if (kind === 'interrupted') return null;
  return { ...emptyRun, workspace, failure: 'start_failed', errors: message === null ? [] : [message] };
}
