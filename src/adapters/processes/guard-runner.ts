/**
 * Runs the guard (§5): the configured program without a shell, no input, its output in one file. Only exit code 0 without a
 * signal passes; what the guard did is a value.
 */
import { RunnerError } from '../../core/errors.ts';
import { isInside } from '../../core/sandbox/sandbox.ts';
import { logDiskBytesMax } from '../../core/limits.ts';
import type { GuardEnded, GuardRun } from '../../core/agents/session.ts';
import type { Redactor } from '../../core/text/redact.ts';
import { cleanLine, renderTerminal } from '../../core/text/terminal-text.ts';
import type { Config, Env } from '../../core/types.ts';
import type { Clock, GuardRequest, GuardRunner, Interrupts } from '../../ports/sessions.ts';
import { clearFile, clearFolders } from '../files/clear-way.ts';
import { ensureDir } from '../files/files.ts';
import type { Layout, PrivateLayout } from '../files/layout.ts';
import { lineReader } from '../files/line-reader.ts';
import { composeLog, loadTail, sha256File } from '../files/log-cut.ts';
import { openLiveLog } from './live-log.ts';
import type { LiveLog } from './live-log.ts';
import { runProcess } from './process.ts';
import type { ProcessResult } from './process.ts';
import { findProgram } from './program-path.ts';
import { pathInClone } from './search-path.ts';
import { imageHint, isFromImage, openSandbox } from './sandbox/sandbox.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { guardEnv } from './session-env.ts';
import type { SessionIdentity } from './session-env.ts';

export interface GuardRunnerOptions {
  readonly place: Layout;
  readonly own: PrivateLayout;
  /** Top of the work tree. */
  readonly top: string;
  /** Name of the repository (`placeName` of its common git folder). */
  readonly repository: string;
  readonly env: Env;
  readonly clock: Clock;
  readonly interrupts: Interrupts;
  /** For everything that is kept or shown of its output. */
  readonly redactor: () => Redactor;
  /** What it runs in, where the settings ask for that. */
  readonly sandbox?: Sandbox;
  /** Between TERM and KILL; tests shorten it. */
  readonly graceMs?: number;
  /** Called when its processes have ended, before anything they left is read (§14). */
  readonly afterEnd?: (place: { readonly iter: number }) => Promise<void>;
}

/** Limit of the live log. */
const liveBytesMax = 1_000_000;

export function guardRunner(options: GuardRunnerOptions): GuardRunner {
  return {
    check: (config) => checkGuardProgram(options, config),
    run: (request) => runGuard(options, request),
  };
}

export async function checkGuardProgram(
  { place, env, sandbox }: Pick<GuardRunnerOptions, 'place' | 'env' | 'sandbox'>,
  config: Config,
): Promise<void> {
  const name = config.guard.command[0] ?? '';
  if (isFromImage(config, name) && isInside(config, 'guard')) {
    if (sandbox === undefined || (await sandbox.hasProgram(config, name))) return;
    throw new RunnerError({
      code: 'GUARD_MISSING',
      message: `the image '${config.sandbox.image}' has no program '${name}', which guard.command names`,
      hint: imageHint,
    });
  }
  const found = await findProgram(name, { cwd: place.projectDir, pathEnv: env['PATH'] });
  if (found === null) {
    throw new RunnerError({
      code: 'GUARD_MISSING',
      message: `the program '${name}' of guard.command was not found`,
      hint: installHint(name),
    });
  }
  await sandbox?.checkSame(config, { role: 'guard', name, path: found });
}

function installHint(name: string): string {
  const set = 'set guard.command in .runner/state/config.toml to your own check and commit it';
  return name === 'just'
    ? `install just (npm install -g rust-just, or your package manager), or ${set}`
    : set;
}

async function runGuard(
  options: GuardRunnerOptions,
  request: GuardRequest,
): Promise<GuardRun & { readonly end: GuardEnded }> {
  const { place, own } = options;
  const { config } = request;
  const below = { root: own.gitDir };
  await ensureDir(own.root, below);
  await clearFile(own.stdout, own);
  const timeoutSecs = config.guard.timeout_secs;
  const { redact } = options.redactor();
  const name = request.log ?? request.clone?.log ?? 'guard.log';
  const live = await openLive(options, { ...request, name });
  const inside = await openSandbox(options.sandbox, {
    config,
    run_id: request.run_id,
    role: 'guard',
    clone: request.clone?.place.top ?? null,
  });
  const readLines = lineReader((line) => {
    const shown = cleanLine(redact(line)).trim();
    if (shown !== '') request.onActivity({ line: shown });
  });
  const result = await runProcess({
    inside,
    argv: config.guard.command,
    cwd: request.clone?.place.projectDir ?? place.projectDir,
    env: guardEnvironment(options, { ...request, top: request.clone?.place.top ?? options.top }),
    stdinFile: null,
    stdoutFile: own.stdout,
    stderrFile: own.stdout,
    deadlineMs: request.deadlineMs,
    softTimeoutMs: timeoutSecs === null ? null : timeoutSecs * 1000,
    idleTimeoutMs: null,
    diskBytesMax: logDiskBytesMax,
    cookie: request.cookie,
    clock: options.clock,
    interrupts: options.interrupts,
    onChunk: (chunk) => {
      live.add(chunk);
      readLines(chunk);
    },
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
  });
  live.close();
  await inside?.close();
  await options.afterEnd?.(request);
  const log = await saveLog(options, { ...request, name });
  await clearFile(own.stdout, own);
  return {
    end: judgeGuardEnd(result, config),
    exit_code: result.exitCode,
    duration_ms: result.durationMs,
    output: await loadOutput(options, { log, config }),
    log_sha256: await sha256File(log),
  };
}

/** In a clone `top` is the clone's: a guard must not find its way to the work tree by it. */
export function guardEnvironment(
  options: Pick<GuardRunnerOptions, 'env' | 'repository' | 'top'>,
  { run_id, iter, node_id, top, config }: Omit<SessionIdentity, 'repository'> & Pick<GuardRequest, 'config'>,
): Record<string, string> {
  const { repository } = options;
  const env = top === options.top ? options.env : pathInClone(options.env, { top: options.top, clone: top });
  return guardEnv(env, { place: { run_id, iter, node_id, top, repository }, names: config.guard.env });
}

/** What it prints, to be followed by others while it runs. */
async function openLive(
  options: GuardRunnerOptions,
  request: Pick<GuardRequest, 'run_id' | 'iter' | 'config'> & { readonly name: string },
): Promise<LiveLog> {
  const { place } = options;
  const { dir, file } = place.iteration(request);
  await clearFolders(dir, options);
  await ensureDir(dir, { root: place.iterationsRoot });
  const bytesMax = Math.min(request.config.guard_output_limit_bytes, liveBytesMax);
  return openLiveLog({ file: file(request.name), redactor: options.redactor(), bytesMax });
}

/** What the program printed becomes a log of the iteration. Returns its path. */
export async function saveLog(
  options: Pick<GuardRunnerOptions, 'place' | 'own' | 'top' | 'redactor'>,
  request: Pick<GuardRequest, 'run_id' | 'iter' | 'config'> & { readonly name: string },
): Promise<string> {
  const { place } = options;
  const { dir, file } = place.iteration(request);
  const target = file(request.name);
  await clearFolders(dir, options);
  await composeLog({
    stdout: options.own.stdout,
    stderr: null,
    target,
    root: place.iterationsRoot,
    bytesMax: request.config.guard_output_limit_bytes,
    redactor: options.redactor(),
    // Synced with the rest of the log; what counts of it is in the journal by then.
    isDurable: false,
  });
  return target;
}

/** The end of a log as plain lines. Redacted again: what acts in it, a backspace for example, may put a secret together. */
export async function loadOutput(
  { redactor }: Pick<GuardRunnerOptions, 'redactor'>,
  { log, config }: { readonly log: string; readonly config: Config },
): Promise<string> {
  const tail = await loadTail(log, config.guard_output_limit_bytes);
  return redactor().redact(renderTerminal(tail));
}

export function judgeGuardEnd(result: ProcessResult, config: Config): GuardEnded {
  switch (result.end) {
    case 'interrupted':
      return { kind: 'interrupted', signal: result.interruptSignal ?? 'SIGTERM' };
    case 'deadline':
      return { kind: 'out_of_time', seconds: Math.round(result.durationMs / 1000) };
    case 'not_started':
      return { kind: 'not_started', reason: result.startError ?? 'it did not start' };
    case 'timeout':
      return {
        kind: 'failed',
        reason: `the guard took longer than ${config.guard.timeout_secs ?? 0} s (guard.timeout_secs)`,
      };
    case 'disk_cap':
      return { kind: 'failed', reason: `the guard printed more than ${logDiskBytesMax} bytes` };
    case 'idle':
    case 'hopeless':
    case 'answered':
    case 'exited':
      return judgeExit(result);
  }
}

function judgeExit({ exitCode, signal }: ProcessResult): GuardEnded {
  if (exitCode === 0 && signal === null) return { kind: 'passed' };

  const how = signal === null ? `exit code ${exitCode}` : `signal ${signal}`;
  return { kind: 'failed', reason: `the guard ended with ${how}` };
}
