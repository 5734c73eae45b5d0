/**
 * Runs the checks of a case on what its run left. Every check gets a result, whatever the others did; its output goes to a
 * file, so it never blocks.
 */
import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { loadBytes } from '../../adapters/files/files.ts';
import type { Clock, Interrupts } from '../../ports/sessions.ts';
import { checkLabel, checkResult, patternFlags } from '../cases/check-rules.ts';
import { judgeCompleted, judgeFileContains, judgeIterations, judgeTree } from '../cases/check-rules.ts';
import type { CheckJudgement } from '../cases/check-rules.ts';
import { mapCommand } from '../cases/path-map.ts';
import type { PathMap } from '../cases/path-map.ts';
import type { CheckResult, EvalCheck } from '../cases/types.ts';
import type { TreeNode } from '../../core/types.ts';
import { runLogged } from './logged-run.ts';
import type { LoggedResult } from './logged-run.ts';
import { isBelow } from './place.ts';

const logBytesMax = 100_000;
const diskBytesMax = 256 * 1024 * 1024;
const fileBytesMax = 64 * 1024 * 1024;
const graceMs = 2000;
const patternMsMax = 5000;

export interface CheckContext {
  readonly workspace: string;
  /** Folder of the trial's results; logs go below it. */
  readonly resultsDir: string;
  /** For what programs print. */
  readonly outputDir: string;
  readonly map: PathMap;
  readonly env: Readonly<Record<string, string>>;
  readonly loop: { readonly exit_code: number | null };
  readonly iterations: number;
  readonly tree: TreeNode | null;
  /** By which the programs of the trial are known. */
  readonly cookie: string;
  readonly clock: Clock;
  readonly interrupts: Interrupts;
}

/** In the order of the case; null when a signal came in between. */
export async function runChecks(
  checks: readonly EvalCheck[],
  place: CheckContext,
): Promise<readonly CheckResult[] | null> {
  const results: CheckResult[] = [];
  for (const [index, check] of checks.entries()) {
    if (place.interrupts.current() !== null) return null;
    const result = await runCheck(check, place, index + 1);
    if (result === null) return null;
    results.push(result);
  }
  return results;
}

async function runCheck(check: EvalCheck, place: CheckContext, number: number): Promise<CheckResult | null> {
  switch (check.type) {
    case 'file_exists':
      return checkResult(check, await lookForFile(check.path, place));
    case 'file_contains':
      return checkResult(check, judgeFileContains(check, await loadFile(check.path, place), matchInTime));
    case 'runner_completed':
      return checkResult(check, judgeCompleted(place.loop.exit_code));
    case 'max_iterations_used':
      return checkResult(check, judgeIterations(check, place.iterations));
    case 'tree':
      return checkResult(check, judgeTree(check, place.tree));
    case 'command_succeeds':
    case 'command_fails':
      return runCommand(check, place, number);
  }
}

/** The real path; null when there is nothing, or when a link of the agent's leads out of the workspace. */
async function findInside(path: string, { workspace }: CheckContext): Promise<string | null> {
  const found = await realpath(join(workspace, path)).catch(() => null);
  if (found === null) return null;
  const below = relative(await realpath(workspace), found);
  return below === '..' || below.startsWith('../../') || isAbsolute(below) ? null : found;
}

async function lookForFile(path: string, place: CheckContext): Promise<CheckJudgement> {
  const found = await findInside(path, place);
  const isThere =
    found !== null &&
    (await stat(found).then(
      () => true,
      () => false,
    ));
  return isThere ? { passed: true, detail: null } : { passed: false, detail: `there is no ${path}` };
}

/** Bytes that are no UTF-8 are replaced: a text can still be found among them. */
async function loadFile(path: string, place: CheckContext): Promise<string | null> {
  const found = await findInside(path, place);
  const source = found === null ? null : await loadBytes(found, { bytesMax: fileBytesMax });
  return source?.kind === 'bytes' ? source.bytes.toString('utf8') : null;
}

/** Some patterns take years on some texts, and nothing else of the harness would go on meanwhile. */
function matchInTime(pattern: string, content: string): boolean | null {
  try {
    const given = { pattern, flags: patternFlags, content };
    const code = 'new RegExp(pattern, flags).test(content)';
    return runInNewContext(code, given, { timeout: patternMsMax }) === true;
  } catch (error) {
    // The Error belongs to the other context, so `instanceof Error` is false here.
    if (Object(error).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return null;
    throw error;
  }
}

type CommandCheck = Extract<EvalCheck, { readonly type: 'command_succeeds' | 'command_fails' }>;

async function runCommand(
  check: CommandCheck,
  place: CheckContext,
  number: number,
): Promise<CheckResult | null> {
  const log = `checks/${number}.log`;
  const mapped = mapCommand(check, place.map);
  const result = await runLogged({
    argv: mapped.cmd,
    cwd: place.workspace,
    outputDir: place.outputDir,
    env: { ...place.env, ...mapped.env },
    log: join(place.resultsDir, log),
    root: place.resultsDir,
    logBytesMax,
    diskBytesMax,
    deadlineMs: Infinity,
    timeoutMs: check.timeout_secs * 1000,
    graceMs,
    cookie: place.cookie,
    clock: place.clock,
    interrupts: place.interrupts,
    isOneStream: true,
  });
  if (result.end === 'interrupted') return null;
  const detail = faultOf(check, result);
  return {
    type: check.type,
    label: checkLabel(check),
    passed: detail === null,
    detail,
    command: {
      exit_code: result.exitCode,
      timed_out: result.end === 'timeout',
      start_error: result.startError,
      ...(result.startError !== null && isOwnProgram(mapped.cmd[0] ?? '', place) ? { is_own: true } : {}),
      log,
      duration_ms: result.durationMs,
    },
  };
}

/** A program that is named by a path in the workspace is the agent's to make. */
function isOwnProgram(program: string, { workspace }: CheckContext): boolean {
  return program.includes('/') && isBelow(resolve(workspace, program), workspace);
}

/** Only an exit code is an answer: a command that was ended, or never ran, neither succeeded nor failed as it was meant to. */
function faultOf(check: CommandCheck, result: LoggedResult): string | null {
  if (result.startError !== null) return `it could not be started: ${result.startError}`;
  if (result.end === 'timeout') return `it took longer than ${check.timeout_secs} s`;
  if (result.end === 'disk_cap') return `it printed more than ${diskBytesMax} bytes`;
  if (result.exitCode === null) return `it was ended by ${result.signal ?? 'a signal'}`;
  const hasFailed = result.exitCode !== 0;
  return hasFailed === (check.type === 'command_fails') ? null : `it ended with exit code ${result.exitCode}`;
}
