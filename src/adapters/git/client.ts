/**
 * The one place that starts git. simple-git asks questions whose answer is text; execa runs what changes the repository, needs stdin,
 * bytes or a cap. Both share the fixed settings, the environment, the time limit and the errors. Nothing a repository configures runs
 * here but its filters and, when asked for, the user's hooks.
 */
import { statSync } from 'node:fs';
import { RunnerError } from '../../core/errors.ts';
import type { Env } from '../../core/types.ts';
import { errorText } from '../files/disk-error.ts';
import { failpoint } from '../files/failpoint.ts';
import { findProgram } from '../processes/program-path.ts';
import { startLimit } from './call-limit.ts';
import type { GitLimits } from './call-limit.ts';
import { selectEnvironment } from './call-environment.ts';
import { gitError } from './errors.ts';
import { transportSettings } from './remote/transport.ts';
import type { Transport } from './remote/transport.ts';
import type { Pins } from './steering/pins.ts';

export interface AskCall {
  /** Index file instead of the user's own. */
  readonly index?: string;
  /** Exit codes that are answers, beside 0. */
  readonly accept?: readonly number[];
  readonly timeoutMs?: number;
}

export interface RunCall extends AskCall {
  readonly input?: Buffer;
  /** Writes objects, refs or an index: everything is synced to disk before git returns. `many`: see `syncMethods`. */
  readonly writes?: true | 'many';
  /** The user's hooks run, with the user's environment. */
  readonly hooks?: boolean;
  /** Marks the call's processes, so that a hook that outlives us is found (§7). */
  readonly cookie?: string;
  /** Another folder as the work tree: its attributes and files count instead. */
  readonly workTree?: string;
  /** Past this many bytes of output git is stopped; the answer says `cut`. */
  readonly stdoutBytesMax?: number;
  /** Other repositories it may reach; all transports are off without it. */
  readonly transport?: Transport;
  /** Object stores to read besides the repository's own. */
  readonly alternates?: readonly string[];
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly cut: boolean;
}

export interface Git {
  /** Contract: the text of a question. Bytes that are not UTF-8 arrive only in quoted paths (`unquotePath`). A silent answer costs 50 ms. */
  ask(args: readonly string[], call?: AskCall): Promise<string>;
  /** Contract: exit code and bytes; throws for an exit code that is not accepted. */
  run(args: readonly string[], call?: RunCall): Promise<GitAnswer>;
}

export interface GitOptions {
  readonly cwd: string;
  /** Null: git looks for the repository by itself. */
  readonly gitDir: string | null;
  readonly env: Env;
  readonly limits?: GitLimits;
  /** Asked before every call: what it must use besides the fixed settings (§14). */
  readonly pins?: () => Promise<Pins | null>;
}

/** A filter's own child may hold the pipe; its output is not waited for. */
const drainMs = 2000;
/** A Ctrl-C in the terminal reaches git too, not only the runner, which goes on to keep the work (§5). */
const triesMax = 5;
/** Another git, which packs objects, removed the folder just when this one was about to write to it. */
const lostFolder = /unable to create temporary file: No such file or directory/;

/** Nothing here may start a program, hide a change or touch another repository (§5); gc would run in the background. */
const fixedConfig = [
  'core.fsmonitor=false',
  'core.quotePath=true',
  'core.ignoreStat=false',
  'core.checkStat=default',
  'core.trustctime=true',
  'core.safecrlf=false',
  'core.splitIndex=false',
  'core.untrackedCache=false',
  // Both are files of the object store that say what others hold.
  ...['core.commitGraph=false', 'core.multiPackIndex=false'],
  'core.pager=cat',
  ...['gc.auto=0', 'maintenance.auto=false'],
  'diff.external=',
  'submodule.recurse=false',
  'commit.gpgsign=false',
  'log.showSignature=false',
  ...['i18n.commitEncoding=utf-8', 'i18n.logOutputEncoding=utf-8'],
  'advice.detachedHead=false',
];
const noHooks = 'core.hooksPath=/dev/null';
/**
 * `batch` is for many objects: one sync for all of them. It moves them into place at the end, and does not say so when another git, which
 * packs objects, removed a folder just then; so what follows must notice a missing object (`git write-tree` does).
 */
const syncMethods = { true: 'core.fsyncMethod=fsync', many: 'core.fsyncMethod=batch' } as const;

/** simple-git refuses settings and variables that could run a program; these switch ours on, which all turn something off. */
const unsafe = {
  allowUnsafeConfigPaths: true,
  allowUnsafeDiffExternal: true,
  allowUnsafeEditor: true,
  allowUnsafeFsMonitor: true,
  allowUnsafeGpgProgram: true,
  allowUnsafeHooksPath: true,
  allowUnsafePager: true,
  allowUnsafeProtocolOverride: true,
};

interface Ended {
  /** Null: ended by a signal, or stopped by us. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly cut: boolean;
  /** Why it was stopped or did not start; null when it ended by itself. */
  readonly reason: string | null;
}

export function gitClient(options: GitOptions): Git {
  return {
    ask: async (args, call = {}) => (await repeat(options, { args, call, start: askOnce })).stdout.toString(),
    run: (args, call = {}) => repeat(options, { args, call, start: runOnce }),
  };
}

interface Turn {
  readonly args: readonly string[];
  readonly call: RunCall;
  readonly start: (options: GitOptions, turn: PinnedTurn) => Promise<Ended>;
}

interface PinnedTurn extends Turn {
  readonly pins: Pins | null;
}

async function repeat(options: GitOptions, turn: Turn): Promise<GitAnswer> {
  const { args, call } = turn;
  const name = args[0] ?? '';
  requireFolder(options.cwd);
  for (let left = triesMax; ; left -= 1) {
    const pins = (await options.pins?.()) ?? null;
    failpoint(`git:before:${name}`);
    const ended = await turn.start(options, { ...turn, pins });
    failpoint(`git:after:${name}`);
    const wasKilled = ended.code === null && ended.reason === null && !ended.cut;
    const isWorthAnother = (wasKilled && call.hooks !== true) || lostFolder.test(ended.stderr);
    if (isWorthAnother && left > 1) continue;

    if (ended.cut || (ended.code !== null && [0, ...(call.accept ?? [])].includes(ended.code)))
      return { ...ended, code: ended.code ?? 0 };

    const reason = wasKilled ? 'it was ended by a signal' : ended.reason;
    throw gitError({ args, cwd: options.cwd, stderr: ended.stderr, reason });
  }
}

async function askOnce(options: GitOptions, turn: PinnedTurn): Promise<Ended> {
  const { simpleGit } = await import('simple-git');
  const limit = startLimit(options.limits, turn.call);
  const env = selectEnvironment(options, turn);
  let [code, stderr, hasEnded]: [number | null, string, boolean] = [null, '', false];
  const git = simpleGit({
    baseDir: options.cwd,
    config: selectConfig(turn),
    completion: { onClose: true, onExit: drainMs },
    abort: limit.signal,
    unsafe,
    allowEnvironment: Object.keys(env),
    errors: (error, result) => {
      [code, stderr, hasEnded] = [result.exitCode, Buffer.concat(result.stdErr).toString(), true];
      return code === 0 || turn.call.accept?.includes(code) === true
        ? undefined
        : (error ?? Buffer.from(`exit code ${code}`));
    },
  });
  try {
    const stdout = Buffer.from(await git.env(env).raw([...turn.args]));
    return { code, stdout, stderr, cut: false, reason: limit.reason() };
  } catch (error) {
    const didNotStart = /spawn \S+ E[A-Z]+/.exec(errorText(error))?.[0] ?? null;
    const reason = limit.reason() ?? didNotStart ?? (hasEnded ? null : errorText(error));
    // Of a program that did not start it is a stack.
    const words = didNotStart === null ? stderr : '';
    return { code, stdout: Buffer.alloc(0), stderr: words, cut: false, reason };
  } finally {
    limit.end();
  }
}

/** `-c` for the call: the fixed settings, then the pinned ones. */
function selectConfig({ call, pins }: PinnedTurn): string[] {
  return [
    ...fixedConfig,
    ...(pins?.config ?? []),
    ...(call.hooks === true ? [] : [noHooks, ...(pins?.quiet ?? [])]),
    ...transportSettings(call.transport),
    ...(call.writes === undefined ? [] : ['core.fsync=all', syncMethods[`${call.writes}`]]),
  ];
}

async function runOnce(options: GitOptions, turn: PinnedTurn): Promise<Ended> {
  const { execa } = await import('execa');
  const { args, call } = turn;
  const limit = startLimit(options.limits, call);
  // What looks for programs in the work tree, as hooks do, must not find git there.
  const program = await findProgram('git', { cwd: '/', pathEnv: options.env['PATH'] });
  const child = execa(
    program ?? 'git',
    [...selectConfig(turn).flatMap((setting) => ['-c', setting]), ...args],
    {
      cwd: call.workTree ?? options.cwd,
      env: selectEnvironment(options, turn),
      extendEnv: false,
      ...(call.input === undefined ? { stdin: 'ignore' } : { input: call.input }),
      encoding: 'buffer',
      stripFinalNewline: false,
      reject: false,
      maxBuffer: { stdout: call.stdoutBytesMax ?? Infinity, stderr: Infinity },
      cancelSignal: limit.signal,
      forceKillAfterDelay: drainMs,
    },
  );
  let drain: NodeJS.Timeout | null = null;
  child.once('exit', () => {
    drain = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), drainMs);
  });
  const result = await child;
  clearTimeout(drain ?? undefined);
  limit.end();
  const failed = result.exitCode === undefined && result.signal === undefined;
  return {
    code: result.exitCode ?? null,
    stdout: Buffer.from(result.stdout),
    stderr: Buffer.from(result.stderr).toString(),
    cut: result.isMaxBuffer,
    reason: limit.reason() ?? (failed ? (result.originalMessage ?? 'it did not start') : null),
  };
}

function requireFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new RunnerError({
      code: 'GIT_NOT_A_REPO',
      message: `${path} is not a folder`,
      hint: 'run it in the project folder, or name one with -C <dir>',
    });
  }
}
