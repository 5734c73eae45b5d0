/** Checks a guard for `doctor`: reads its script without running it and, if asked, runs the guard once without a log. */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { GuardSource } from '../../core/config/guard-ability.ts';
import { logDiskBytesMax, textFileBytesMax } from '../../core/limits.ts';
import type { GuardEnded } from '../../core/agents/session.ts';
import { cleanLine } from '../../core/text/terminal-text.ts';
import type { Config } from '../../core/types.ts';
import { loadText } from '../files/files.ts';
import { judgeGuardEnd } from './guard-runner.ts';
import type { GuardRunnerOptions } from './guard-runner.ts';
import { lineReader } from '../files/line-reader.ts';
import { runCaptured } from './captured-run.ts';
import { runProcess } from './process.ts';
import { findProgram } from './program-path.ts';
import { openSandbox } from './sandbox/sandbox.ts';
import { guardEnv, userEnv } from './session-env.ts';
import { makeTempFolder } from '../files/temp-folder.ts';

const showMs = 10_000;

export async function loadGuardText(
  options: GuardRunnerOptions,
  source: GuardSource,
  command: readonly string[],
): Promise<string | null> {
  const cwd = options.place.projectDir;
  switch (source.kind) {
    case 'always':
    case 'shell':
      return null;
    case 'package_script':
      return loadScript(join(cwd, 'package.json'), source.name);
    case 'just':
      return showRecipe(options, { program: command[0] ?? 'just', recipe: source.recipe });
    case 'file': {
      const path = await findProgram(command[0] ?? '', { cwd, pathEnv: options.env['PATH'] });
      // Programs of the system are not scripts of the project, whatever they are written in.
      return path === null || !path.startsWith(`${cwd}/`) ? null : loadShellScript(path);
    }
  }
}

async function loadScript(file: string, name: string): Promise<string | null> {
  const source = await loadText(file, { bytesMax: textFileBytesMax });
  try {
    const value =
      source.kind === 'text' ? (JSON.parse(source.text) as { scripts?: Record<string, unknown> }) : {};
    const script = value.scripts?.[name];
    return typeof script === 'string' ? script : null;
  } catch {
    // A package.json that cannot be read has no script either.
    return null;
  }
}

/** `just --show` prints a recipe and runs none. */
function showRecipe(
  { place, env, clock, interrupts }: GuardRunnerOptions,
  { program, recipe }: { readonly program: string; readonly recipe: string },
): Promise<string | null> {
  return runCaptured({
    argv: [program, '--show', recipe],
    cwd: place.projectDir,
    env: userEnv(env),
    timeoutMs: showMs,
    bytesMax: textFileBytesMax,
    clock,
    interrupts,
  });
}

async function loadShellScript(path: string): Promise<string | null> {
  const source = await loadText(path, { bytesMax: textFileBytesMax });
  return source.kind === 'text' && /^#!.*\b(?:ba|da|z|k)?sh\b/.test(source.text) ? source.text : null;
}

export async function tryGuard(
  options: GuardRunnerOptions,
  request: { readonly config: Config; readonly runId: string; readonly onLine: (line: string) => void },
): Promise<{ readonly end: GuardEnded; readonly duration_ms: number }> {
  const { config } = request;
  const folder = await makeTempFolder('runner-guard-');
  const output = join(folder, 'output');
  const timeoutSecs = config.guard.timeout_secs;
  const inside = await openSandbox(options.sandbox, {
    config,
    run_id: request.runId,
    role: 'guard',
    clone: null,
  });
  try {
    const result = await runProcess({
      inside,
      argv: config.guard.command,
      cwd: options.place.projectDir,
      env: guardEnv(options.env, {
        place: {
          run_id: request.runId,
          iter: 0,
          node_id: 'root',
          top: options.top,
          repository: options.repository,
        },
        names: config.guard.env,
      }),
      stdinFile: null,
      stdoutFile: output,
      stderrFile: output,
      deadlineMs: options.clock.monotonicMs() + config.iteration_timeout_secs * 1000,
      softTimeoutMs: timeoutSecs === null ? null : timeoutSecs * 1000,
      idleTimeoutMs: null,
      diskBytesMax: logDiskBytesMax,
      cookie: randomBytes(16).toString('hex'),
      clock: options.clock,
      interrupts: options.interrupts,
      onChunk: lineReader((line) => request.onLine(cleanLine(options.redactor().redact(line)))),
    });
    return { end: judgeGuardEnd(result, config), duration_ms: result.durationMs };
  } finally {
    await inside?.close();
    await rm(folder, { recursive: true, force: true });
  }
}
