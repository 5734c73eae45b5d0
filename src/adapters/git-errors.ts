/**
 * What git said as an error of ours: its own words, the command, and the one command that helps. Pure; it starts
 * nothing and never guesses beyond git's text.
 */
import { RunnerError } from '../core/errors.ts';
import type { RunnerErrorInit } from '../core/errors.ts';
import { shellWord } from './disk-error.ts';

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
  if (/spawn \S+ ENOENT/.test(first)) {
    return { code: 'GIT_MISSING', message: 'git is not installed or not on PATH', hint: installHint };
  }
  const ownership = /git config --global --add safe\.directory .+/.exec(stderr);
  if (ownership !== null) {
    return { code: 'GIT_FAILED', message: `git refuses to work here: ${first}`, hint: ownership[0] };
  }
  if (/not a git repository/.test(stderr)) {
    return { code: 'GIT_NOT_A_REPO', message: `${cwd} is not in a git repository`, hint: 'git init' };
  }
  if (/must be run in a work tree/.test(stderr)) {
    return {
      code: 'GIT_NOT_A_REPO',
      message: `${cwd} has no work tree: it is a bare repository or a git folder`,
      hint: 'go to the project folder, or make one with git init',
    };
  }
  if (/tell me who you are|empty ident name|name consists only of disallowed characters/.test(stderr)) {
    return { code: 'GIT_IDENTITY', message: `git has no identity for commits: ${first}`, hint: identityHint };
  }
  const lock = /Unable to create '(.+\.lock)': File exists/.exec(stderr);
  if (lock !== null) {
    return lockedInit([lock[1] ?? '']);
  }
  return {
    code: 'GIT_FAILED',
    message: `git ${failure.args[0] ?? ''} failed: ${first}`,
    hint: `see what git says about the repository: git -C ${shellWord(cwd)} status`,
  };
}

function lockedInit(paths: readonly string[]): RunnerErrorInit {
  return {
    code: 'GIT_LOCKED',
    message: `another git process is at work here, or one died and left a lock: ${paths.join(', ')}`,
    hint: `when no other git is running: rm ${paths.map(shellWord).join(' ')}`,
  };
}

export function lockedError(paths: readonly string[]): RunnerError {
  return new RunnerError(lockedInit(paths));
}
