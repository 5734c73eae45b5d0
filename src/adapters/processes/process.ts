/**
 * Runs one program with files instead of pipes, in its own process group, and ends it and all it started (§5, §8). What
 * the program did is a value, never an error; this never returns while a process of the session lives.
 */
import { fstatSync } from 'node:fs';
import type { execa as Execa } from 'execa';
import { assert } from '../../core/errors.ts';
import type { SignalName } from '../../core/types.ts';
import type { Clock, Interrupts } from '../../ports/sessions.ts';
import { errorText } from '../files/disk-error.ts';
import { follow } from '../files/follow.ts';
import type { FollowRequest, Follower } from '../files/follow.ts';
import { loadTail } from '../files/log-cut.ts';
import type { Enclosure } from './sandbox/enclosure.ts';
import { closeFiles, openFiles } from './output-files.ts';
import type { OutputFiles } from './output-files.ts';
import { cookieVariable, processTable } from './process-table.ts';
import { killWaitMs, processAlive, sessionGraceMs, signalProcess, sweepSession } from './sweep.ts';

const pollMs = 100;
/** Children that end together with their leader are not left behind. */
const settleMs = 200;
/** What is read of the output to see why nothing started. */
const startErrorBytes = 4096;
const answerGraceMsDefault = 10_000;

export interface ProcessSpec {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment but for the cookie. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdinFile: string | null;
  /** Appended to; its folder must exist. */
  readonly stdoutFile: string;
  /** May equal `stdoutFile`. */
  readonly stderrFile: string;
  /** On `clock`. */
  readonly deadlineMs: number;
  /** From the start; an outcome of its own (`guard.timeout_secs`). */
  readonly softTimeoutMs?: number | null;
  readonly idleTimeoutMs: number | null;
  /** Silence is not counted while this is true. */
  readonly isBusy?: () => boolean;
  readonly diskBytesMax: number;
  readonly cookie: string;
  /** Null: it runs on the machine itself. */
  readonly inside?: Enclosure | null;
  /** Between TERM and KILL. */
  readonly graceMs?: number;
  readonly clock: Clock;
  readonly interrupts: Interrupts;
  /** Gets stdout live, whole characters; a reader more than 1 MiB behind skips to the last 64 KiB unless `followAll`. */
  readonly onChunk?: (text: string) => void;
  readonly followAll?: boolean;
  readonly skipping?: FollowRequest['skipping'];
  /** A session that has answered but does not exit is ended after this grace and counts as exit 0 (§5). */
  readonly hasAnswered?: () => boolean;
  readonly answerGraceMs?: number;
  /** The agent makes no progress: it is ended at once. */
  readonly isHopeless?: () => boolean;
}

export type ProcessEnd =
  | 'exited'
  | 'not_started'
  | 'interrupted'
  | 'deadline'
  | 'timeout'
  | 'idle'
  | 'hopeless'
  | 'disk_cap'
  | 'answered';

export interface ProcessResult {
  readonly end: ProcessEnd;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly interruptSignal: SignalName | null;
  readonly startError: string | null;
  readonly durationMs: number;
  readonly leftovers: readonly string[];
}

/** What the watcher and the callbacks share; `wake` cuts the current wait short. */
interface Session {
  readonly startMs: number;
  exit: (Pick<ProcessResult, 'exitCode' | 'signal'> & { readonly endedMs: number }) | null;
  interruptSignal: SignalName | null;
  wake: () => void;
}

export async function runProcess(spec: ProcessSpec): Promise<ProcessResult> {
  // Loaded before anything is asked: a signal that arrives meanwhile still prevents the start.
  const { execa } = await import('execa');
  const startMs = spec.clock.monotonicMs();
  const notRun = { exitCode: null, signal: null, startError: null, durationMs: 0, leftovers: [] };
  const interruptSignal = spec.interrupts.current();
  if (interruptSignal !== null) return { ...notRun, end: 'interrupted', interruptSignal };

  if (startMs >= spec.deadlineMs) return { ...notRun, end: 'deadline', interruptSignal };

  const session: Session = { startMs, exit: null, interruptSignal, wake: () => undefined };
  const files = openFiles(spec);
  try {
    const position = bytesIn(files.stdout);
    const started = await start(execa, { spec, session, files });
    if (typeof started === 'string')
      return { ...notRun, end: 'not_started', interruptSignal, startError: started };

    const { onChunk, followAll = false, skipping } = spec;
    const handle = { fd: files.stdout };
    const follower =
      onChunk === undefined ? null : follow({ handle, position, onChunk, followAll, skipping });
    return await runSession(spec, { pid: started, session, files, follower });
  } finally {
    closeFiles(files);
  }
}

/**
 * The pid, or why there is none. The program has files and no pipe, so its end is known at once even while its children live.
 * Ending it and its group is our part: execa ends no descendants.
 */
async function start(
  execa: typeof Execa,
  { spec, session, files }: Pick<Running, 'session' | 'files'> & { readonly spec: ProcessSpec },
): Promise<number | string> {
  const marked = { ...spec.env, [cookieVariable]: spec.cookie };
  const { argv, env, user, ...enclosed } = spec.inside?.enclose({
    ...spec,
    env: marked,
    hasInput: files.stdin !== null,
  }) ?? { argv: spec.argv, env: marked, user: null, files: [] };
  const [program, ...args] = argv;
  assert(program !== undefined, 'a command has at least one word');
  try {
    const subprocess = execa(program, args, {
      cwd: spec.cwd,
      env: { ...env },
      extendEnv: false,
      // Any descriptor will do; execa's types end at 9.
      stdio: [files.stdin ?? 'ignore', files.stdout, files.stderr ?? files.stdout, ...enclosed.files] as [
        3,
        3,
        3,
        ...3[],
      ],
      detached: true,
      cleanup: false,
      buffer: false,
      reject: false,
      stripFinalNewline: false,
      ...user,
    });
    if (subprocess.pid === undefined) return (await subprocess).originalMessage ?? 'it did not start';

    const onEnd = ({ exitCode, signal }: Awaited<typeof subprocess>): void => {
      session.exit = {
        exitCode: exitCode ?? null,
        signal: signal ?? null,
        endedMs: spec.clock.monotonicMs(),
      };
      session.wake();
    };
    void subprocess.then(onEnd);
    return subprocess.pid;
  } catch (error) {
    return errorText(error);
  }
}

interface Running {
  readonly pid: number;
  readonly session: Session;
  readonly files: OutputFiles;
  readonly follower: Follower | null;
}

async function runSession(spec: ProcessSpec, running: Running): Promise<ProcessResult> {
  const { session, files, follower } = running;
  const unsubscribe = spec.interrupts.subscribe((signal) => {
    session.interruptSignal = signal;
    session.wake();
  });
  let end: ProcessEnd;
  let leftovers: readonly string[];
  try {
    end = await watch(spec, running);
  } finally {
    unsubscribe();
    leftovers = await endSession(spec, running);
  }
  await follower?.finish(bytesIn(files.stdout));
  const { exit } = session;
  assert(exit !== null, 'a session ends only after its process has');
  const startError = end === 'exited' ? await loadStartError(spec, exit.exitCode) : null;
  return {
    end: startError === null ? end : 'not_started',
    exitCode: end === 'answered' ? 0 : exit.exitCode,
    signal: end === 'answered' ? null : exit.signal,
    interruptSignal: end === 'interrupted' ? session.interruptSignal : null,
    startError,
    durationMs: Math.round(exit.endedMs - session.startMs),
    leftovers,
  };
}

/** What runs inside fails to start only when the program around it has started. */
async function loadStartError(
  { inside, stderrFile }: ProcessSpec,
  exitCode: number | null,
): Promise<string | null> {
  if (inside === undefined || inside === null) return null;
  return inside.findStartError(exitCode, await loadTail(stderrFile, startErrorBytes));
}

async function watch(spec: ProcessSpec, { session, files, follower }: Running): Promise<ProcessEnd> {
  let bytes = -1;
  let activeMs = session.startMs;
  let answeredMs: number | null = null;
  for (;;) {
    const stdoutBytes = bytesIn(files.stdout);
    const bytesNow = stdoutBytes + (files.stderr === null ? 0 : bytesIn(files.stderr));
    const isBehind = (await follower?.readSome(stdoutBytes)) ?? false;
    const nowMs = spec.clock.monotonicMs();
    if (bytesNow !== bytes || spec.isBusy?.() === true) {
      bytes = bytesNow;
      activeMs = nowMs;
    }
    if (answeredMs === null && spec.hasAnswered?.() === true) answeredMs = nowMs;

    const end = judgeEnd(spec, { session, nowMs, bytes, activeMs, answeredMs });
    if (end !== null) return end;

    await waitForWake(session, isBehind ? 0 : pollMs);
  }
}

function bytesIn(fd: number): number {
  return fstatSync(fd).size;
}

/** The first that applies; a process that has ended by itself is never called anything else. */
function judgeEnd(
  spec: ProcessSpec,
  now: {
    readonly session: Session;
    readonly nowMs: number;
    readonly bytes: number;
    readonly activeMs: number;
    readonly answeredMs: number | null;
  },
): ProcessEnd | null {
  const { session, nowMs } = now;
  if (session.exit !== null) return 'exited';

  if (session.interruptSignal !== null) return 'interrupted';

  if (nowMs >= spec.deadlineMs) return 'deadline';

  if (nowMs - session.startMs >= (spec.softTimeoutMs ?? Infinity)) return 'timeout';

  if (now.bytes > spec.diskBytesMax) return 'disk_cap';

  if (spec.isHopeless?.() === true) return 'hopeless';

  if (nowMs - (now.answeredMs ?? Infinity) >= (spec.answerGraceMs ?? answerGraceMsDefault)) return 'answered';

  return nowMs - now.activeMs >= (spec.idleTimeoutMs ?? Infinity) ? 'idle' : null;
}

/** The leader first, so that it can end its own children; then whatever is left, by group and by cookie. */
async function endSession(spec: ProcessSpec, { pid, session }: Running): Promise<readonly string[]> {
  const graceMs = spec.graceMs ?? sessionGraceMs;
  const steps = [
    { signal: 'SIGTERM', waitMs: graceMs },
    { signal: 'SIGKILL', waitMs: killWaitMs },
  ] as const;
  for (const step of steps) {
    if (session.exit === null) {
      signalProcess(-pid, step.signal);
      await waitForWake(session, step.waitMs);
    }
  }
  if (session.exit === null) throw processAlive([pid], [await processTable().describeProcess(pid)]);

  await spec.inside?.end(spec.cookie);
  return sweepSession({ cookie: spec.cookie, groupId: pid, graceMs, settleMs });
}

function waitForWake(session: Session, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, timeoutMs);
    session.wake = done;
  });
}
