/**
 * The one place that starts git: fixed settings, an allow-listed environment, bounded time, bytes in and out. It never
 * lets a repository's own configuration run a program, except filters and, when asked for, the user's hooks.
 */
import { delimiter, isAbsolute, join } from 'node:path';
import { failpoint } from '../files/failpoint.ts';
import { cookieVariable } from '../processes/process-table.ts';
import { gitError } from './errors.ts';
import { isFolder, runGit } from './process.ts';
import type { Ended } from './process.ts';
import type { RunInShell } from './shell.ts';
import { isProgram } from '../processes/program-path.ts';

export interface GitCall {
  /** Index file instead of the user's own. */
  readonly index?: string;
  readonly input?: Buffer;
  /** Writes objects, refs or an index: everything is synced to disk before git returns; an index of ours, which can be made again, is not. */
  readonly writes?: boolean | 'objects';
  /** The user's hooks run, with the user's environment. */
  readonly hooks?: boolean;
  /** Marks the call's processes, so that a hook that outlives us is found (§7). */
  readonly cookie?: string;
  /** Part of every iteration: started by a shell that is kept for it, see `git-shell.ts`. Not with `input`, `hooks` or `cookie`. */
  readonly isRoutine?: boolean;
  /** Exit codes that are answers, beside 0. */
  readonly accept?: readonly number[];
  /** Past this many bytes of output git is stopped; the answer says `cut`. */
  readonly stdoutBytesMax?: number;
  readonly timeoutMs?: number;
  /** Calls it off; then it is not tried again. */
  readonly signal?: AbortSignal;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly cut: boolean;
}

export type Git = (args: readonly string[], call?: GitCall) => Promise<GitAnswer>;

export interface GitPlace {
  readonly cwd: string;
  /** Null: git looks for the repository by itself. */
  readonly gitDir: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const timeoutMsDefault = 10 * 60 * 1000;
/** A Ctrl-C in the terminal reaches git too, not only the runner, which goes on to keep the work (§5). */
const triesMax = 3;

/** Nothing here may start a program, hide a change or touch another repository (§5); gc would run in the background. */
const fixedConfig = [
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.ignoreStat=false',
  'core.checkStat=default',
  'core.trustctime=true',
  'core.safecrlf=false',
  'core.splitIndex=false',
  'core.pager=cat',
  'gc.auto=0',
  'maintenance.auto=false',
  'diff.external=',
  'submodule.recurse=false',
  'commit.gpgsign=false',
  'i18n.commitEncoding=utf-8',
  'i18n.logOutputEncoding=utf-8',
  'advice.detachedHead=false',
];

const inheritedNames = [
  ...['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USER', 'LOGNAME', 'TMPDIR'],
  ...['SSH_AUTH_SOCK', 'GPG_TTY', 'GNUPGHOME'],
  ...['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL'],
  ...['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'],
];

/** No hook needs them without a terminal. */
const guardedNames = ['EDITOR', 'VISUAL', 'PAGER', 'SSH_ASKPASS', 'PREFIX'];

const fixedEnvironment = {
  LC_ALL: 'C',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  // What a commit stands on is written in it: a name that cannot be one, for git remarks on files that are there.
  GIT_GRAFT_FILE: '/dev/null/none',
  GIT_EDITOR: 'true',
};

const calledOff: Ended = {
  code: null,
  stdout: Buffer.alloc(0),
  stderr: '',
  cut: false,
  reason: 'it was called off',
};

export function gitCommand(place: GitPlace): Git {
  const program = findGit(place);
  let inShell: RunInShell | null = null;
  const run = async (args: readonly string[], call: GitCall): Promise<Ended> => {
    if (call.signal?.aborted === true) {
      return calledOff;
    }
    const request = {
      program,
      args: [...selectConfig(call), ...args],
      cwd: place.cwd,
      stdoutBytesMax: call.stdoutBytesMax ?? Infinity,
      timeoutMs: call.timeoutMs ?? timeoutMsDefault,
      signal: call.signal,
    };
    // A folder that is gone is told by the usual way.
    if (call.isRoutine === true && isFolder(place.cwd)) {
      inShell ??= (await import('./shell.ts')).shellPool(await selectEnvironment(place, {}));
      const ended = await inShell({ ...request, env: indexVariable(call) });
      if (ended !== null) {
        return ended;
      }
    }
    return runGit({ ...request, env: await selectEnvironment(place, call), input: call.input });
  };
  return async (args, call = {}) => {
    const name = args[0] ?? '';
    for (let left = triesMax; ; left -= 1) {
      failpoint(`git:before:${name}`);
      const ended = await run(args, call);
      failpoint(`git:after:${name}`);
      if (ended.cut || (ended.code !== null && [0, ...(call.accept ?? [])].includes(ended.code))) {
        return { ...ended, code: ended.code ?? 0 };
      }
      const wasKilled = ended.code === null && ended.reason === null;
      if (!wasKilled || call.hooks === true || call.signal?.aborted === true || left <= 1) {
        const reason = wasKilled ? 'it was ended by a signal' : ended.reason;
        throw gitError({ args, cwd: place.cwd, stderr: ended.stderr, reason });
      }
    }
  };
}

/** Whether a call would find git, as far as that can be told without one. */
export function hasGit(place: Pick<GitPlace, 'env'>): boolean {
  return isAbsolute(findGit(place));
}

/** Looked for once: every start would else try each folder of PATH. A PATH that depends on the folder is left to the system. */
function findGit({ env }: Pick<GitPlace, 'env'>): string {
  const folders = (env['PATH'] ?? '').split(delimiter);
  const at = folders.findIndex((folder) => !isAbsolute(folder) || isProgram(join(folder, 'git')));
  const folder = folders[at] ?? '';
  return isAbsolute(folder) ? join(folder, 'git') : 'git';
}

function selectConfig(call: GitCall): readonly string[] {
  const config = [
    ...fixedConfig,
    ...(call.hooks === true ? [] : ['core.hooksPath=/dev/null']),
    ...(call.writes === true ? ['core.fsync=all', 'core.fsyncMethod=batch'] : []),
    // A batch makes folders of its own and removes them, which pays for many files; a session changes few.
    ...(call.writes === 'objects' ? ['core.fsync=objects', 'core.fsyncMethod=fsync'] : []),
  ];
  return config.flatMap((setting) => ['-c', setting]);
}

/** A hook or parent may have set GIT_DIR or GIT_INDEX_FILE for its own repository: only known names come through. */
async function selectEnvironment(place: GitPlace, call: GitCall): Promise<Record<string, string>> {
  const known = inheritedNames.flatMap((name) => {
    const value = place.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...(call.hooks === true ? await hookEnvironment(place.env) : {}),
    ...Object.fromEntries(known),
    ...fixedEnvironment,
    ...(call.cookie === undefined ? {} : { [cookieVariable]: call.cookie }),
    // Given, not looked for: `core.worktree` or a nested repository must not lead git elsewhere (§5).
    ...(place.gitDir === null ? {} : { GIT_DIR: place.gitDir, GIT_WORK_TREE: place.cwd }),
    ...indexVariable(call),
  };
}

function indexVariable({ index }: GitCall): Record<string, string> {
  return index === undefined ? {} : { GIT_INDEX_FILE: index };
}

/** What a guard gets: no agent's credentials, nothing a program that started us set for itself. */
async function hookEnvironment(env: GitPlace['env']): Promise<Record<string, string>> {
  const { userEnv } = await import('../processes/session-env.ts');
  const passed = Object.entries(userEnv(env)).filter(([name]) => !guardedNames.includes(name.toUpperCase()));
  return Object.fromEntries(passed);
}
