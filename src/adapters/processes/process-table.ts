/**
 * What the system says about processes: which ones carry a session's cookie, and who a pid belongs to. Read-only; a zombie does
 * not count as a process. Linux answers from /proc, everything else from ps.
 */
import { closeSync, lstatSync, openSync, readFileSync, readSync, readdirSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { RunnerError } from '../../core/errors.ts';

export const cookieVariable = 'RUNNER_COOKIE';
const commandShownMax = 200;

export interface SessionMarks {
  readonly cookie: string;
  /** Process group whose members count too, cookie or not. */
  readonly groupId: number | null;
}

export interface ProcessTable {
  /** Contract: pids, ascending, that carry the cookie or are in the group; never this process. */
  listSession(marks: SessionMarks): Promise<readonly number[]>;
  /** Contract: pids, ascending, that have this `NAME=value` in their environment; never this process. */
  listMarked(entry: string): Promise<readonly number[]>;
  /** Contract: tells this process from any other that ever had its pid; null when there is no such process. */
  processStart(pid: number): Promise<string | null>;
  /** Contract: `pid (command)` in one line without control characters, for messages. */
  describeProcess(pid: number): Promise<string>;
}

/** Names the set of processes that pids of this process can mean: another host or container is another origin. */
export function processOrigin(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Not Linux: there the host is the whole of it.
    return hostname();
  }
}

/** A process as it notes itself in a file. */
export interface NotedProcess {
  readonly pid: number;
  /** With the pid it names one process for ever, see `processStart`. */
  readonly start: string;
  /** Where the pid has a meaning, see `processOrigin`. */
  readonly origin: string;
}

/** A process of another host or container cannot be seen from here, so it counts as alive. */
export async function mayBeAlive({ origin, pid, start }: NotedProcess): Promise<boolean> {
  return origin !== processOrigin() || (await processTable().processStart(pid)) === start;
}

export function processTable(platform: string = process.platform): ProcessTable {
  return platform === 'linux' ? procTable : psTable(platform);
}

const procTable: ProcessTable = {
  listSession: async ({ cookie, groupId }) => listProc(`${cookieVariable}=${cookie}`, groupId),
  listMarked: async (entry) => listProc(entry, null),
  processStart: async (pid) => {
    const stat = readStat(pid);
    return stat === null ? null : `${readProc('sys/kernel/random/boot_id')?.trim() ?? ''} ${stat.startTime}`;
  },
  describeProcess: async (pid) =>
    renderProcess(pid, (readProc(`${pid}/cmdline`) ?? '').replaceAll('\0', ' ')),
};

/** Of a process that is just starting another program nothing can be read for a moment; this often it is looked at again. */
const looksMax = 100;
const lookAgainMs = 2;

/** Asked of every process of the machine after every session: one look each, as long as none is ours. */
async function listProc(wanted: string, groupId: number | null): Promise<readonly number[]> {
  const entry = Buffer.from(`\0${wanted}\0`);
  const found: number[] = [];
  const before = new Map<number, Told>();
  let pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid);
  for (let look = 0; pids.length > 0 && look < looksMax; look += 1) {
    if (look > 0) await sleep(lookAgainMs);
    pids = pids.filter((pid) => {
      const told = isInGroup(pid, groupId) ? 'held' : lookFor(pid, entry);
      if (told === 'held') found.push(pid);
      // While a program starts its environment is empty for a moment, too.
      const isSettled =
        told === 'held' || told === 'not held' || (told !== 'starting' && told === before.get(pid));
      before.set(pid, told);
      return !isSettled;
    });
  }
  return found.toSorted((a, b) => a - b);
}

function isInGroup(pid: number, groupId: number | null): boolean {
  return groupId !== null && readStat(pid)?.groupId === groupId;
}

/**
 * Processes known to have no cookie, by pid, with the number of their folder in /proc: as long as that is the same, so is the process.
 * A cookie is handed on from parent to child, so that one that was there without it never gets one.
 */
const strangers = new Map<number, number>();
/** At this size the map is cleared: most of its processes are gone by then. */
const strangersMax = 10_000;
const cookieStart = Buffer.from(`\0${cookieVariable}=`);

/** `starting`: what it has cannot be read yet; `bare`: it has no environment, and where in its memory that would be. */
type Told = 'held' | 'not held' | 'starting' | `bare ${string}`;

/** A zombie holds nothing. */
function lookFor(pid: number, entry: Buffer): Told {
  const isAboutCookie = entry.subarray(0, cookieStart.length).equals(cookieStart);
  const folder = isAboutCookie ? lstatSync(`/proc/${pid}`, { throwIfNoEntry: false })?.ino : undefined;
  if (folder !== undefined && strangers.get(pid) === folder) return 'not held';

  const environment = readEnvironment(pid);
  if (environment === null) return 'not held';
  if (environment.includes(entry)) return readStat(pid) === null ? 'not held' : 'held';

  const isEmpty = environment.length <= 2;
  const stat = isEmpty ? readStat(pid) : null;
  if (stat !== null && !stat.isKernel) return stat.emptyAt === null ? 'starting' : `bare ${stat.emptyAt}`;

  const isStranger = isEmpty ? stat !== null : !environment.includes(cookieStart);
  if (folder !== undefined && isStranger) {
    if (strangers.size >= strangersMax) strangers.clear();

    strangers.set(pid, folder);
  }
  return 'not held';
}

/** A whole environment fits in most of the time; a longer one is read again into more room. */
let environ = Buffer.alloc(64 * 1024);

/**
 * NUL before, between and after the variables; empty where they cannot be read now. Valid only until the next call. Null: the process is gone
 * or another user's.
 */
function readEnvironment(pid: number): Buffer | null {
  let fd: number;
  try {
    fd = openSync(`/proc/${pid}/environ`, 'r');
  } catch {
    return null;
  }
  try {
    let end = 1 + readSync(fd, environ, 1, environ.length - 2, null);
    // All that is there comes at once, as far as there is room.
    while (end === environ.length - 1) {
      environ = Buffer.concat([environ, Buffer.alloc(environ.length)]);
      end += readSync(fd, environ, end, environ.length - 1 - end, null);
    }
    // Byte 0 is always NUL, so the first variable has a NUL on both sides, too.
    environ[end] = 0;
    return environ.subarray(0, end + 1);
  } catch {
    return environ.subarray(0, 0);
  } finally {
    closeSync(fd);
  }
}

/** PF_KTHREAD: a thread of the kernel, which has no environment and never starts a program. */
const kernelFlag = 0x0020_0000;

interface Stat {
  readonly groupId: number;
  readonly startTime: string;
  readonly isKernel: boolean;
  /** The place of an environment without variables; null: it has some, or is just starting a program. */
  readonly emptyAt: string | null;
}

/** Null when the process is gone or only waits to be reaped. */
function readStat(pid: number): Stat | null {
  const text = readProc(`${pid}/stat`) ?? '';
  // The name in parentheses may hold anything, parentheses and blanks included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , groupId] = fields;
  const startTime = fields[19];
  const isKernel = (Number(fields[6]) & kernelFlag) !== 0;
  if (groupId === undefined || startTime === undefined || state === 'Z' || state === 'X') return null;

  // Where its environment starts and ends (fields 50 and 51); 0 until it is in place.
  const [from = '', to = ''] = fields.slice(47, 49);
  const emptyAt = from === to && to !== '0' ? to : null;
  return { groupId: Number(groupId), startTime, isKernel, emptyAt };
}

function readProc(path: string): string | null {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    // Gone meanwhile, or another user's.
    return null;
  }
}

function psTable(platform: string): ProcessTable {
  const withEnvironment = platform === 'darwin' ? ['-axEww'] : ['axeww'];
  const list = async (wanted: string, group: number | null): Promise<readonly number[]> => {
    const lines = await runPs([...withEnvironment, '-o', 'pid=,pgid=,stat=,command=']);
    return lines
      .map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [])
      .filter(([, , groupId, state, words]) => {
        // The value of a variable may hold blanks.
        const isMember = Number(groupId) === group || ` ${words} `.includes(` ${wanted} `);
        return isMember && state?.startsWith('Z') === false;
      })
      .map(([, pid]) => Number(pid))
      .filter((pid) => pid !== process.pid)
      .toSorted((a, b) => a - b);
  };
  return {
    listSession: ({ cookie, groupId }) => list(`${cookieVariable}=${cookie}`, groupId),
    listMarked: (entry) => list(entry, null),
    processStart: async (pid) => {
      const [line] = await runPs(['-o', 'stat=,lstart=', '-p', String(pid)]);
      const [, state, start] = /^(\S+)\s+(.*)$/.exec(line?.trim() ?? '') ?? [];
      return state === undefined || state.startsWith('Z') ? null : (start ?? null);
    },
    describeProcess: async (pid) => {
      const [line] = await runPs(['-o', 'command=', '-p', String(pid)]);
      return renderProcess(pid, line ?? '');
    },
  };
}

/** Lines of output; none when ps says there is no such process. Fixed locale and zone keep its dates comparable. */
async function runPs(args: readonly string[]): Promise<readonly string[]> {
  const { execa } = await import('execa');
  const result = await execa('ps', args, {
    env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    reject: false,
    stdin: 'ignore',
    stderr: 'ignore',
  });
  if (result.exitCode === undefined) {
    // Without it every process would look gone.
    throw new RunnerError({
      code: 'INTERNAL',
      message: `the program ps cannot be run: ${result.shortMessage}`,
      hint: 'install ps and see that it is in PATH: command -v ps',
    });
  }
  return result.stdout.split('\n').filter((line) => line !== '');
}

function renderProcess(pid: number, command: string): string {
  const clean = command.replaceAll(/[\p{Cc}\p{Cf}\p{Co}]/gu, ' ').trim();
  return `${pid} (${clean === '' ? 'command unknown' : clean.slice(0, commandShownMax)})`;
}
