/**
 * What the system says about processes: who carries a session's cookie, who a pid belongs to. Read-only; a zombie does
 * not count as a process. Linux answers from /proc, everything else from ps.
 */
import { closeSync, openSync, readFileSync, readSync, readdirSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { RunnerError } from '../core/errors.ts';

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

function listProc(wanted: string, groupId: number | null): readonly number[] {
  const entry = Buffer.from(`\0${wanted}\0`);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isSessionPid({ pid, entry, groupId }))
    .toSorted((a, b) => a - b);
}

/** Asked of every process of the machine after every session: one file each, as long as none is ours. */
function isSessionPid(request: {
  readonly pid: number;
  /** Between NULs, as it stands in the environment. */
  readonly entry: Buffer;
  readonly groupId: number | null;
}): boolean {
  const { pid, entry, groupId } = request;
  if (holdsEntry(pid, entry)) {
    return readStat(pid) !== null;
  }
  return groupId !== null && readStat(pid)?.groupId === groupId;
}

/** A whole environment fits in most of the time; a longer one is read again into more room. */
let environ = Buffer.alloc(64 * 1024);

function holdsEntry(pid: number, entry: Buffer): boolean {
  let fd: number;
  try {
    fd = openSync(`/proc/${pid}/environ`, 'r');
  } catch {
    // Gone meanwhile, or another user's.
    return false;
  }
  try {
    let end = 1;
    for (let bytes = -1; bytes !== 0; end += bytes) {
      if (end === environ.length - 1) {
        environ = Buffer.concat([environ, Buffer.alloc(environ.length)]);
      }
      bytes = readSync(fd, environ, end, environ.length - 1 - end, null);
    }
    // Byte 0 is always NUL, so the first variable stands between two as well.
    environ[end] = 0;
    return environ.subarray(0, end + 1).includes(entry);
  } catch {
    return false;
  } finally {
    closeSync(fd);
  }
}

/** Null when the process is gone or only waits to be reaped. */
function readStat(pid: number): { readonly groupId: number; readonly startTime: string } | null {
  const text = readProc(`${pid}/stat`) ?? '';
  // The name in parentheses may hold anything, parentheses and blanks included.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , groupId] = fields;
  const startTime = fields[19];
  if (groupId === undefined || startTime === undefined || state === 'Z' || state === 'X') {
    return null;
  }
  return { groupId: Number(groupId), startTime };
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
    env: { LC_ALL: 'C', TZ: 'UTC' },
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
