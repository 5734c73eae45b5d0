/**
 * Turns git's failure into our error: its own words, the command, and the one command that helps. Pure; it starts nothing and
 * never guesses beyond git's text.
 */
import { dirname, join, resolve } from 'node:path';
import { RunnerError } from '../../core/errors.ts';
import type { RunnerErrorInit } from '../../core/errors.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { outOfTime } from './call-limit.ts';

export interface GitFailure {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly stderr: string;
  /** Set when the call ended without an exit code: killed, out of time, or never started. */
  readonly reason: string | null;
}

const identityHint = 'git config user.name "Your Name" && git config user.email "you@example.com"';
const installHint =
  'install git, for example: sudo apt install git, brew install git, or https://git-scm.com/downloads';

export function gitError(failure: GitFailure): RunnerError {
  const lines = failure.stderr.split('\n').map((line) => line.trimEnd());
  const words = lines.filter((line) => line !== '' && !line.startsWith('hint:'));
  const command = ['git', ...failure.args].map(shellWord).join(' ');
  const first = failure.reason ?? mainLine(words);
  return new RunnerError({
    details: [...words, `command: ${command}`],
    ...selectMeaning({ failure, first }),
  });
}

/** A call that was stopped would only take as long again. */
export function isOutOfTime({ message }: RunnerError): boolean {
  return message.includes(outOfTime);
}

/** The line that says what is wrong: git puts warnings before it and advice after it. */
function mainLine(words: readonly string[]): string {
  const told = words.find((line) => /^(?:fatal|error): /.test(line)) ?? words[0] ?? 'no message';
  return told.replace(/^(?:fatal|error): /, '');
}

function selectMeaning({
  failure,
  first,
}: {
  readonly failure: GitFailure;
  readonly first: string;
}): RunnerErrorInit {
  const { stderr, cwd } = failure;
  if (/spawn \S+ ENOENT/.test(first))
    return { code: 'GIT_MISSING', message: 'git is not installed or not on PATH', hint: installHint };

  const ownership = /git config --global --add safe\.directory .+/.exec(stderr);
  if (ownership !== null)
    return { code: 'GIT_FAILED', message: `git refuses to work here: ${first}`, hint: ownership[0] };

  if (/not a git repository/.test(stderr))
    return { code: 'GIT_NOT_A_REPO', message: `${cwd} is not in a git repository`, hint: 'git init' };

  if (/must be run in a work tree/.test(stderr)) {
    return {
      code: 'GIT_NOT_A_REPO',
      message: `${cwd} has no work tree: it is a bare repository or a git folder`,
      hint: 'go to the project folder, or make one with git init',
    };
  }
  if (/tell me who you are|empty ident name|name consists only of disallowed characters/.test(stderr))
    return { code: 'GIT_IDENTITY', message: `git has no identity for commits: ${first}`, hint: identityHint };

  const lock = /Unable to create '(.+\.lock)': File exists/.exec(stderr);
  if (lock !== null) return lockedInit([lock[1] ?? '']);

  const meant = fileMeaning({ stderr, cwd, first }) ?? branchMeaning(stderr);
  if (meant !== null) return meant;

  // The programs that sign say in many ways what they lack.
  if (failure.args.includes('-S')) return unsignedInit(first);

  return {
    code: 'GIT_FAILED',
    message: `git ${failure.args[0] ?? ''} failed: ${first}`,
    hint: `see what git says about the repository: git -C ${shellWord(cwd)} status`,
  };
}

/** Files git cannot take, and signatures it cannot make. */
function fileMeaning({
  stderr,
  cwd,
  first,
}: {
  readonly stderr: string;
  readonly cwd: string;
  readonly first: string;
}): RunnerErrorInit | null {
  if (
    /index file (?:smaller than expected|corrupt)|bad (?:index file sha1 )?signature|bad index version/.test(
      stderr,
    )
  ) {
    return {
      code: 'GIT_FAILED',
      message: `the index of git is damaged: ${first}`,
      hint: `rm "$(git -C ${shellWord(cwd)} rev-parse --absolute-git-dir)/index" && git -C ${shellWord(cwd)} reset -q (no file of yours changes)`,
    };
  }
  if (/out of disk ?space|No space left on device|Disk quota exceeded/i.test(stderr)) {
    return {
      code: 'DISK',
      message: `git ran out of disk space: ${first}`,
      hint: `free some space, then run the same command again: df -h ${shellWord(cwd)}`,
    };
  }
  const closed = unreadableFile(stderr);
  if (closed !== undefined) {
    return {
      code: 'GIT_FAILED',
      message: `git cannot read the file ${closed}`,
      hint: `chmod u+r ${shellWord(join(cwd, closed))}, then the same command again`,
    };
  }
  const [, line, settings] = /bad config line (\d+) in file (.+)$/m.exec(stderr) ?? [];
  if (settings !== undefined) {
    return {
      code: 'GIT_FAILED',
      message: `git cannot read its settings: line ${line} of ${settings}`,
      hint: `correct that line: "\${EDITOR:-vi}" +${line} ${shellWord(resolve(cwd, settings))}`,
    };
  }
  const encoded = /(?:failed to encode|BOM is (?:required|prohibited) in) '(.+?)'/.exec(stderr)?.[1];
  if (encoded !== undefined) {
    return {
      code: 'GIT_FAILED',
      message: `git cannot store ${encoded} in the encoding that .gitattributes names: ${first}`,
      hint: `correct the file, or working-tree-encoding in .gitattributes: git -C ${shellWord(cwd)} check-attr working-tree-encoding ${shellWord(encoded)}`,
    };
  }
  const odd = /invalid path '(.+)'/.exec(stderr)?.[1];
  if (odd !== undefined) {
    const [path, other] = [join(cwd, odd), join(cwd, odd.replaceAll(/\.?git/gi, 'renamed'))];
    return {
      code: 'GIT_FAILED',
      message: `git cannot store a file of this name: ${odd}`,
      hint: `mkdir -p ${shellWord(dirname(other))} && mv -n ${shellWord(path)} ${shellWord(other)}, then the same command again`,
    };
  }
  return /failed to sign|gpg failed|cannot run .*gpg/i.test(stderr) ? unsignedInit(first) : null;
}

function unsignedInit(first: string): RunnerErrorInit {
  return {
    code: 'GIT_FAILED',
    message: `git could not sign the commit: ${first}`,
    hint: 'RUNNER_GIT_SIGN=false runner loop (goes on without signing; or fix signing, then the same command again)',
  };
}

function branchMeaning(stderr: string): RunnerErrorInit | null {
  const [, taken, place] =
    /'([^']+)' is already (?:checked out|used by worktree) at '([^']+)'/.exec(stderr) ?? [];
  if (place !== undefined) {
    return {
      code: 'GIT_WRONG_BRANCH',
      message: `branch ${taken} is checked out in another work tree: ${place}`,
      hint: `cd ${shellWord(place)} && runner start`,
    };
  }
  const [, standing, wanted] =
    /'refs\/heads\/([^']+)' exists; cannot create 'refs\/heads\/([^']+)'/.exec(stderr) ?? [];
  if (standing !== undefined) {
    return {
      code: 'GIT_FAILED',
      message: `the branch '${standing}' is in the way of '${wanted}'`,
      hint: `git branch -m ${shellWord(standing)} ${shellWord(`${standing}-old`)}`,
    };
  }
  return null;
}

/** `owners`: processes that may have made the locks; null: not known on this system. */
function lockedInit(paths: readonly string[], owners: readonly string[] | null = null): RunnerErrorInit {
  const rm = `rm ${paths.map(shellWord).join(' ')}`;
  return owners === null || owners.length === 0
    ? {
        code: 'GIT_LOCKED',
        message: `another git process is at work here, or one died and left a lock: ${paths.join(', ')}`,
        hint: `when no other git is running: ${rm}`,
      }
    : {
        code: 'GIT_LOCKED',
        message: `another git process is at work here: ${owners.join(', ')}; it holds ${paths.join(', ')}`,
        hint: 'let it finish (a git commit may wait for its editor), then run the same command again',
      };
}

export function lockedError(paths: readonly string[], owners?: readonly string[] | null): RunnerError {
  return new RunnerError(lockedInit(paths, owners));
}

/** The file that git may not read, in the words of `git add` and of `git hash-object`. */
function unreadableFile(stderr: string): string | undefined {
  const [, added, hashed] =
    /open\("(.+)"\): Permission denied|could not open '(.+)' for reading: Permission denied/.exec(stderr) ??
    [];
  return added ?? hashed;
}
