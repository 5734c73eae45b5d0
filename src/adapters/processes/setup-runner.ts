/**
 * Runs `[automation] setup` in a fresh clone (§14): shell commands, each by the rules of a session and with its own time limit. What
 * they did is a value.
 */
import type { CloneEnd } from '../../core/guard/clone-verdict.ts';
import { logDiskBytesMax } from '../../core/limits.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { SetupRunner } from '../../ports/judge.ts';
import { appendLine } from '../files/append-line.ts';
import { clearFile } from '../files/clear-way.ts';
import { ensureDir } from '../files/files.ts';
import { lineReader } from '../files/line-reader.ts';
import { guardEnvironment, loadOutput, saveLog } from './guard-runner.ts';
import type { GuardRunnerOptions } from './guard-runner.ts';
import { runProcess } from './process.ts';
import type { ProcessResult } from './process.ts';
import { openSandbox } from './sandbox/sandbox.ts';

type SetupRequest = Parameters<SetupRunner['run']>[0];

export function setupRunner(options: GuardRunnerOptions): SetupRunner {
  return { run: (request) => runSetup(options, request) };
}

async function runSetup(options: GuardRunnerOptions, request: SetupRequest): ReturnType<SetupRunner['run']> {
  const { own } = options;
  const { setup } = request.config.automation;
  if (setup.length === 0) return { end: { kind: 'passed' }, duration_ms: 0 };

  await ensureDir(own.root, { root: own.gitDir });
  await clearFile(own.stdout, own);
  let duration_ms = 0;
  let failed: Exclude<CloneEnd, { kind: 'passed' }> | null = null;
  for (const command of setup) {
    const result = await runCommand(options, request, command);
    duration_ms += result.durationMs;
    failed = judgeSetup(result, { command, timeoutSecs: request.config.automation.setup_timeout_secs });
    if (failed !== null) break;
  }
  await options.afterEnd?.(request);
  const log = await saveLog(options, { ...request, name: 'setup.log' });
  await clearFile(own.stdout, own);
  if (failed === null) return { end: { kind: 'passed' }, duration_ms };

  const output = await loadOutput(options, { log, config: request.config });
  return { end: failed.kind === 'failed' ? { ...failed, output } : failed, duration_ms };
}

async function runCommand(
  options: GuardRunnerOptions,
  request: SetupRequest,
  command: string,
): Promise<ProcessResult> {
  const { own, clock } = options;
  const { clone, config } = request;
  const { redact } = options.redactor();
  await appendLine(own.stdout, `$ ${command}`, { root: own.gitDir });
  const { run_id } = request;
  const inside = await openSandbox(options.sandbox, { config, run_id, role: 'setup', clone: clone.top });
  const result = await runProcess({
    inside,
    argv: ['sh', '-c', command],
    cwd: clone.projectDir,
    env: guardEnvironment(options, { ...request, top: clone.top }),
    stdinFile: null,
    stdoutFile: own.stdout,
    stderrFile: own.stdout,
    deadlineMs: clock.monotonicMs() + config.automation.setup_timeout_secs * 1000,
    idleTimeoutMs: null,
    diskBytesMax: logDiskBytesMax,
    cookie: request.cookie,
    clock,
    interrupts: options.interrupts,
    onChunk: lineReader((line) => {
      const shown = cleanLine(redact(line)).trim();
      if (shown !== '') request.onActivity({ line: shown });
    }),
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
  });
  await inside?.close();
  return result;
}

function judgeSetup(
  { end, exitCode, signal, interruptSignal, startError }: ProcessResult,
  { command, timeoutSecs }: { readonly command: string; readonly timeoutSecs: number },
): Exclude<CloneEnd, { kind: 'passed' }> | null {
  if (end === 'exited' && exitCode === 0) return null;
  if (end === 'interrupted') return { kind: 'interrupted', signal: interruptSignal ?? 'SIGTERM' };
  const how =
    end === 'deadline'
      ? `took longer than ${timeoutSecs} s (automation.setup_timeout_secs)`
      : (startError ?? `ended with ${signal === null ? `exit code ${exitCode}` : `signal ${signal}`}`);
  return { kind: 'failed', reason: `setup failed: ${JSON.stringify(command)} ${how}`, output: '' };
}
